//! An instruction as words, with synonyms replaced.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use longarm_assets::Colour;
use longarm_task::speech::{Area, Side};
use serde::Deserialize;

/// Words of a language: which stand for which, and what colours go by one word.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vocabulary {
    synonyms: BTreeMap<String, Vec<String>>,
    categories: BTreeMap<String, Vec<String>>,
}

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    toml::from_str(include_str!("../../vocabulary.toml")).expect("a test reads it")
});

/// The words of a sentence.
pub(super) struct Words(Vec<String>);

impl Words {
    pub(super) fn of(text: &str) -> Self {
        let keep = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
        let spaced: String =
            text.to_lowercase().chars().map(|c| if keep(c) { c } else { ' ' }).collect();
        let words = spaced.split_whitespace().map(|w| w.trim_end_matches('.').to_owned());
        let mut words: Vec<String> = words.filter(|w| !w.is_empty()).collect();
        // Longer ones first: "pile up" before "pile".
        let mut pairs: Vec<(Vec<&str>, &str)> = Vec::new();
        for (word, others) in &VOCABULARY.synonyms {
            pairs.extend(others.iter().map(|o| (o.split(' ').collect(), word.as_str())));
        }
        pairs.sort_by_key(|(other, _)| std::cmp::Reverse(other.len()));
        for (other, word) in pairs {
            let mut i = 0;
            while i + other.len() <= words.len() {
                if words[i..i + other.len()] == other[..] {
                    words.splice(i..i + other.len(), [word.to_owned()]);
                }
                i += 1;
            }
        }
        Self(words)
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.find(word).is_some()
    }

    /// Whether these words follow each other.
    pub(super) fn says(&self, phrase: &str) -> bool {
        self.position(phrase).is_some()
    }

    pub(super) fn position(&self, phrase: &str) -> Option<usize> {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        self.0.windows(phrase.len()).position(|w| w == phrase)
    }

    fn find(&self, word: &str) -> Option<usize> {
        self.0.iter().position(|w| w == word)
    }

    pub(super) fn has_any(&self, words: &[&str]) -> bool {
        words.iter().any(|w| self.has(w))
    }

    /// The words from one on.
    pub(super) fn from(&self, at: usize) -> Self {
        Self(self.0[at..].to_vec())
    }

    pub(super) fn until(&self, at: usize) -> Self {
        Self(self.0[..at].to_vec())
    }

    /// The colours that are named, in order.
    pub(super) fn colours(&self) -> Vec<Colour> {
        self.0.iter().filter_map(|w| colour(w)).collect()
    }

    /// The colours right before a word, such as those of `zone`.
    pub(super) fn colours_before(&self, word: &str) -> Vec<Colour> {
        let pairs = self.0.windows(2).filter(|w| w[1] == word);
        pairs.filter_map(|w| colour(&w[0])).collect()
    }

    /// The colours that one word of the sentence stands for.
    pub(super) fn category(&self) -> Option<Vec<Colour>> {
        let (_, names) = VOCABULARY.categories.iter().find(|(name, _)| self.has(name))?;
        Some(names.iter().filter_map(|n| colour(n)).collect())
    }

    /// The areas that are named, in order.
    pub(super) fn areas(&self) -> Vec<Area> {
        let name = |w: &[String]| format!("{} {}", w[0], w[1]);
        let area = |w: &[String]| Area::QUARTERS.into_iter().find(|a| a.name() == name(w));
        let spelled = |w: &&[String]| !matches!(w[1].as_str(), "of");
        self.0.windows(2).filter(spelled).filter_map(area).collect()
    }

    /// A side of a block: "on the left of the red block".
    pub(super) fn side(&self) -> Option<(Side, Colour)> {
        let sides = [
            ("left", Side::Left),
            ("right", Side::Right),
            ("top", Side::Top),
            ("bottom", Side::Bottom),
        ];
        let at = self.position("of the").filter(|at| *at > 0);
        for at in at.into_iter().chain(
            self.0
                .windows(2)
                .enumerate()
                .skip(1)
                .filter_map(|(i, w)| (w[0] == "of" || w[0] == "side").then_some(i)),
        ) {
            let before = self.0[..at].iter().rev().take(2);
            let side = sides.iter().find(|(n, _)| before.clone().any(|w| w == n));
            let after = Self(self.0[at..self.0.len().min(at + 5)].to_vec());
            let of = after.colours_before("block").first().copied();
            if let (Some((_, side)), Some(colour)) = (side, of) {
                return Some((*side, colour));
            }
        }
        None
    }

    /// The numbers, in order.
    pub(super) fn numbers(&self) -> Vec<f64> {
        self.0.iter().filter_map(|w| w.parse().ok()).collect()
    }

    pub(super) fn number_after(&self, word: &str) -> Option<f64> {
        let at = self.find(word)?;
        self.from(at).numbers().first().copied()
    }
}

fn colour(word: &str) -> Option<Colour> {
    Colour::ALL.iter().find(|c| c.name() == word).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vocabulary_names_colours_that_exist() {
        for (name, colours) in &VOCABULARY.categories {
            assert!(colours.iter().all(|c| colour(c).is_some()), "{name}");
        }
    }

    #[test]
    fn words_are_read() {
        let w =
            Words::of("Pile up all the larger cubes on the left of the red cube on the gold pad.");
        assert!(w.says("stack all the bigger block"));
        assert_eq!(w.side(), Some((Side::Left, Colour::Red)));
        assert_eq!(w.colours_before("zone"), [Colour::Gold]);
        let w = Words::of(
            "Move the blocks of warm colours from the top left corner to the bottom right one.",
        );
        assert_eq!(w.areas(), [Area::TopLeft, Area::BottomRight]);
        assert!(w.category().unwrap().contains(&Colour::Gold));
    }
}
