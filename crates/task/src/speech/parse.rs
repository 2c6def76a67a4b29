//! From words to a sentence.

use longarm_assets::Colour;
use longarm_types::nearest;

use super::{Area, SpeechError};

/// Bigger or smaller than the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Size {
    Bigger,
    Smaller,
}

/// A side of an object, as [`Area`] has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Side {
    Left,
    Right,
    Top,
    Bottom,
}

/// A description of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Phrase {
    /// Its size.
    pub size: Option<Size>,
    /// Its colour.
    pub colour: Option<Colour>,
    /// What it is: block, box, bowl, zone, circle.
    pub noun: String,
    /// The quarter of the table it is on.
    pub area: Option<Area>,
    /// About where it is.
    pub at: Option<[f64; 2]>,
}

/// Where something is to be put.
#[derive(Clone, Debug, PartialEq)]
pub enum SpokenPlace {
    /// On top of an object, whatever already stands on it.
    On(Phrase),
    /// Beside an object.
    Beside(Side, Phrase),
    /// On a part of the table that is free.
    In(Area),
    /// At a point of the table, with a heading in degrees.
    At([f64; 2], f64),
}

/// What to pick and where to place it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sentence {
    /// What.
    pub pick: Phrase,
    /// Where to.
    pub place: SpokenPlace,
}

const NOUNS: [&str; 5] = ["block", "box", "bowl", "zone", "circle"];
const SIZES: [(&str, Size); 6] = [
    ("bigger", Size::Bigger),
    ("big", Size::Bigger),
    ("large", Size::Bigger),
    ("smaller", Size::Smaller),
    ("small", Size::Smaller),
    ("little", Size::Smaller),
];
const SIDES: [(&str, Side); 4] =
    [("left", Side::Left), ("right", Side::Right), ("top", Side::Top), ("bottom", Side::Bottom)];

/// Reads a sentence.
pub fn parse(text: &str) -> Result<Sentence, SpeechError> {
    let spaced: String = text
        .to_lowercase()
        .chars()
        .flat_map(|c| match c {
            '(' | ')' | ',' => vec![' ', c, ' '],
            c => vec![c],
        })
        .collect();
    let words: Vec<&str> =
        spaced.split_whitespace().map(|w| w.trim_end_matches(['.', '!'])).collect();
    let words: Vec<&str> = words.into_iter().filter(|w| !w.is_empty()).collect();
    let mut p = Words { text, words, at: 0 };
    if p.eat("pick") {
        p.eat("up");
    } else {
        for verb in ["put", "move", "take"] {
            if p.eat(verb) {
                break;
            }
        }
    }
    let pick = p.phrase()?;
    p.eat("and");
    for verb in ["place", "put", "it"] {
        p.eat(verb);
    }
    p.eat("it");
    let place = p.destination()?;
    match p.peek() {
        None => Ok(Sentence { pick, place }),
        Some(w) => Err(p.wrong(format!("{w:?} is one word too many"))),
    }
}

struct Words<'a> {
    text: &'a str,
    words: Vec<&'a str>,
    at: usize,
}

impl<'a> Words<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).copied()
    }

    fn eat(&mut self, word: &str) -> bool {
        let yes = self.peek() == Some(word);
        self.at += usize::from(yes);
        yes
    }

    fn wrong(&self, why: impl Into<String>) -> SpeechError {
        SpeechError::Grammar { text: self.text.to_owned(), why: why.into() }
    }

    fn one_of<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        let word = self.peek()?;
        let found = table.iter().find(|(w, _)| *w == word)?.1;
        self.at += 1;
        Some(found)
    }

    fn phrase(&mut self) -> Result<Phrase, SpeechError> {
        for article in ["the", "a", "an"] {
            self.eat(article);
        }
        let size = self.one_of(&SIZES);
        let colour = self.colour()?;
        let Some(noun) = self.peek() else {
            return Err(self.wrong("it ends where an object should be named"));
        };
        let single = noun.strip_suffix("es").filter(|n| *n == "box").unwrap_or(noun);
        if !NOUNS.contains(&single) {
            let near = nearest(noun, NOUNS.into_iter().chain(Colour::ALL.iter().map(|c| c.name())));
            let hint = match near.first() {
                Some(n) => format!("; did you mean {n}?"),
                None => format!("; there are: {}", NOUNS.join(", ")),
            };
            return Err(SpeechError::Word { kind: "noun or colour", word: noun.into(), hint });
        }
        self.at += 1;
        let (mut area, mut at) = (None, None);
        if self.peek() == Some("on") {
            // "the red block on the top left", but not "… on the zone".
            let back = self.at;
            self.at += 1;
            self.eat("the");
            match self.area() {
                Some(a) => area = Some(a),
                None => self.at = back,
            }
        }
        if self.peek() == Some("at") {
            self.at += 1;
            at = Some(self.point()?);
        }
        Ok(Phrase { size, colour, noun: single.to_owned(), area, at })
    }

    fn colour(&mut self) -> Result<Option<Colour>, SpeechError> {
        let Some(word) = self.peek() else { return Ok(None) };
        if let Some(c) = Colour::ALL.iter().find(|c| c.name() == word) {
            self.at += 1;
            return Ok(Some(*c));
        }
        // A word before a noun can only be a colour.
        let noun_next = self.words.get(self.at + 1).is_some_and(|w| NOUNS.contains(w));
        if noun_next && !NOUNS.contains(&word) {
            let names = Colour::ALL.iter().map(|c| c.name());
            let hint = match nearest(word, names.clone()).first() {
                Some(n) => format!("; did you mean {n}?"),
                None => format!("; there are: {}", names.collect::<Vec<_>>().join(", ")),
            };
            return Err(SpeechError::Word { kind: "colour", word: word.into(), hint });
        }
        Ok(None)
    }

    fn area(&mut self) -> Option<Area> {
        let back = self.at;
        let found = if self.eat("center") || self.eat("middle") {
            Some(Area::Center)
        } else {
            let (one, two) = (self.peek()?, self.words.get(self.at + 1).copied().unwrap_or(""));
            let name = format!("{one} {two}");
            let found = Area::QUARTERS.into_iter().find(|a| a.name() == name);
            self.at += if found.is_some() { 2 } else { 0 };
            found
        };
        if found.is_some() {
            self.eat("area");
            self.eat("corner");
        } else {
            self.at = back;
        }
        found
    }

    fn destination(&mut self) -> Result<SpokenPlace, SpeechError> {
        if self.eat("at") {
            let point = self.point()?;
            let mut turned = 0.0;
            if self.eat("turned") {
                self.eat("by");
                turned = self.number()?;
                self.eat("degrees");
            }
            return Ok(SpokenPlace::At(point, turned));
        }
        let preposition = ["on", "onto", "in", "into", "to"].into_iter().any(|w| self.eat(w));
        if !preposition {
            return Err(self.wrong("it does not say where to place it"));
        }
        self.eat("top");
        let topped = self.words.get(self.at.wrapping_sub(1)) == Some(&"top");
        if topped && !self.eat("of") {
            self.at -= 1;
        }
        let back = self.at;
        self.eat("the");
        if let Some(area) = self.area() {
            return Ok(SpokenPlace::In(area));
        }
        if let Some(side) = self.one_of(&SIDES)
            && self.eat("of")
        {
            return Ok(SpokenPlace::Beside(side, self.phrase()?));
        }
        self.at = back;
        Ok(SpokenPlace::On(self.phrase()?))
    }

    fn point(&mut self) -> Result<[f64; 2], SpeechError> {
        self.eat("(");
        let x = self.number()?;
        self.eat(",");
        let y = self.number()?;
        self.eat(")");
        Ok([x, y])
    }

    fn number(&mut self) -> Result<f64, SpeechError> {
        let word = self.peek().unwrap_or("");
        match word.parse::<f64>().ok().filter(|v| v.is_finite()) {
            Some(v) => {
                self.at += 1;
                Ok(v)
            }
            None => Err(self.wrong(format!("{word:?} is not a number"))),
        }
    }
}
