//! Predicates and events as one line: `on(block, plate) and not grasped(block)`.

use super::call::{Arg, call};
use crate::predicate::{self as p, Predicate};
use crate::stage::{Count, Event, When, ever, pours, strokes, times};

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Quoted(String),
    Open,
    Close,
    Comma,
    Equals,
    More,
    AtLeast,
}

/// Deepest nesting of a formula.
const DEEPEST: usize = 32;

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut out = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        match c {
            c if c.is_whitespace() => {}
            '(' => out.push(Token::Open),
            ')' => out.push(Token::Close),
            ',' => out.push(Token::Comma),
            '=' => out.push(Token::Equals),
            '>' => match chars.next_if(|(_, c)| *c == '=') {
                Some(_) => out.push(Token::AtLeast),
                None => out.push(Token::More),
            },
            '\'' | '"' => {
                let rest = &text[i + 1..];
                let end = rest.find(c).ok_or_else(|| format!("{text:?} has an open quote"))?;
                out.push(Token::Quoted(rest[..end].to_owned()));
                while chars.next_if(|(j, _)| *j <= i + 1 + end).is_some() {}
            }
            c if c.is_alphanumeric() || "_-./+".contains(c) => {
                let end = text[i..]
                    .find(|c: char| !(c.is_alphanumeric() || "_-./+".contains(c)))
                    .map_or(text.len(), |n| i + n);
                out.push(Token::Word(text[i..end].to_owned()));
                while chars.next_if(|(j, _)| *j < end).is_some() {}
            }
            c => return Err(format!("{c:?} does not belong in {text:?}")),
        }
    }
    Ok(out)
}

struct Reader<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
}

impl Reader<'_> {
    fn new(text: &str) -> Result<Reader<'_>, String> {
        Ok(Reader { text, tokens: tokens(text)?, at: 0 })
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn take(&mut self, token: &Token) -> bool {
        let there = self.peek() == Some(token);
        self.at += usize::from(there);
        there
    }

    fn take_word(&mut self, word: &str) -> bool {
        let there = matches!(self.peek(), Some(Token::Word(w)) if w == word);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, token: &Token, what: &str) -> Result<(), String> {
        if self.take(token) { Ok(()) } else { Err(format!("{:?}: {what} is missing", self.text)) }
    }

    fn end(&self) -> Result<(), String> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(format!("{:?} goes on after a whole formula", self.text)),
        }
    }

    fn formula(&mut self, depth: usize) -> Result<Predicate, String> {
        let first = self.conjunction(depth)?;
        let mut of = vec![first];
        while self.take_word("or") {
            of.push(self.conjunction(depth)?);
        }
        Ok(if of.len() == 1 { of.remove(0) } else { p::any(of) })
    }

    fn conjunction(&mut self, depth: usize) -> Result<Predicate, String> {
        let mut of = vec![self.factor(depth)?];
        while self.take_word("and") {
            of.push(self.factor(depth)?);
        }
        Ok(if of.len() == 1 { of.remove(0) } else { p::all(of) })
    }

    fn factor(&mut self, depth: usize) -> Result<Predicate, String> {
        if depth > DEEPEST {
            return Err(format!("a formula nests deeper than {DEEPEST}"));
        }
        if self.take_word("not") {
            return Ok(p::not(self.factor(depth + 1)?));
        }
        if self.take(&Token::Open) {
            let inner = self.formula(depth + 1)?;
            self.expect(&Token::Close, "a closing bracket")?;
            return Ok(inner);
        }
        let Some(Token::Word(name)) = self.peek().cloned() else {
            return Err(format!("{:?}: a predicate is missing; write on(block, plate)", self.text));
        };
        self.at += 1;
        let args = self.args(depth)?;
        let made = call(&name, args)?;
        if !self.take_word("with") {
            return Ok(made);
        }
        match self.peek().cloned() {
            Some(Token::Word(limb)) => {
                self.at += 1;
                Ok(made.with(limb))
            }
            _ => Err(format!("{:?}: write `with` and the name of a limb", self.text)),
        }
    }

    fn args(&mut self, depth: usize) -> Result<Vec<Arg>, String> {
        let mut out = Vec::new();
        if !self.take(&Token::Open) || self.take(&Token::Close) {
            return Ok(out);
        }
        loop {
            out.push(self.arg(depth)?);
            if self.take(&Token::Close) {
                return Ok(out);
            }
            self.expect(&Token::Comma, "a comma or a closing bracket")?;
        }
    }

    fn arg(&mut self, depth: usize) -> Result<Arg, String> {
        match (self.peek().cloned(), self.tokens.get(self.at + 1)) {
            (Some(Token::Quoted(name)), _) => {
                self.at += 1;
                Ok(Arg::Name(name))
            }
            (Some(Token::Word(name)), Some(Token::Equals)) => {
                self.at += 2;
                match self.peek().cloned() {
                    Some(Token::Word(v)) => {
                        self.at += 1;
                        let v = number(&v).ok_or_else(|| format!("{name} must be a number"))?;
                        Ok(Arg::Named(name, v))
                    }
                    _ => Err(format!("{:?}: {name} has no value", self.text)),
                }
            }
            (Some(Token::Word(name)), Some(Token::Comma | Token::Close) | None)
                if name != "hand_empty" =>
            {
                self.at += 1;
                Ok(number(&name).map_or(Arg::Name(name), Arg::Number))
            }
            (Some(Token::Word(name)), Some(Token::Open)) if name == "strokes" => {
                self.at += 1;
                Ok(Arg::Count(self.strokes(depth)?))
            }
            (Some(Token::Word(name)), Some(Token::Open)) if name == "pours" => {
                self.at += 1;
                match self.args(depth + 1)?.as_slice() {
                    [Arg::Name(from), Arg::Name(into)] => Ok(Arg::Count(pours(from, into))),
                    _ => Err("write pours(vessel, container)".into()),
                }
            }
            _ => Ok(Arg::Formula(self.formula(depth + 1)?)),
        }
    }

    fn strokes(&mut self, depth: usize) -> Result<Count, String> {
        match self.args(depth + 1)?.as_slice() {
            [Arg::Name(tool), Arg::Name(surface)] => Ok(strokes(tool, surface, 0.06)),
            [Arg::Name(tool), Arg::Name(surface), Arg::Number(v)] => Ok(strokes(tool, surface, *v)),
            _ => Err("write strokes(tool, surface)".into()),
        }
    }

    /// `times(…)`, if that is what comes.
    fn count(&mut self) -> Result<Option<Count>, String> {
        if !self.take_word("times") {
            return Ok(None);
        }
        match self.args(0)?.as_slice() {
            [Arg::Formula(f)] => Ok(Some(times(f.clone()))),
            [Arg::Count(c)] => Ok(Some(c.clone())),
            _ => Err(format!("{:?}: write times(on(block, plate))", self.text)),
        }
    }

    fn whole(&mut self) -> Result<u32, String> {
        match self.peek() {
            Some(Token::Word(w)) => {
                let n = w.parse().map_err(|_| format!("{w:?} is not a whole number"))?;
                self.at += 1;
                Ok(n)
            }
            _ => Err(format!("{:?}: a whole number is missing", self.text)),
        }
    }
}

fn number(word: &str) -> Option<f64> {
    let starts = word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    if starts { word.parse().ok().filter(|v: &f64| v.is_finite()) } else { None }
}

/// Read a predicate.
pub fn predicate(text: &str) -> Result<Predicate, String> {
    let mut r = Reader::new(text)?;
    let out = r.formula(0)?;
    r.end()?;
    Ok(out)
}

/// Read what must not happen: `not(upright(cup))`, `grasped(cup) for 2`, `times(on(a, b)) > 2`.
pub fn event(text: &str) -> Result<Event, String> {
    let mut r = Reader::new(text)?;
    let out = match r.count()? {
        Some(count) => {
            r.expect(&Token::More, "`> 2` or another number")?;
            count.more_than(r.whole()?)
        }
        None => {
            let event = ever(r.formula(0)?);
            if r.take_word("for") {
                match r.peek().cloned() {
                    Some(Token::Word(w)) if number(&w).is_some_and(|v| v >= 0.0) => {
                        r.at += 1;
                        event.lasting(number(&w).unwrap_or_default())
                    }
                    _ => return Err(format!("{text:?}: write `for 2` with a number of seconds")),
                }
            } else {
                event
            }
        }
    };
    r.end()?;
    Ok(out)
}

/// Read what completes a stage: a predicate, or `times(on(a, b)) >= 2`.
pub fn when(text: &str) -> Result<When, String> {
    let mut r = Reader::new(text)?;
    let out = match r.count()? {
        Some(count) => {
            r.expect(&Token::AtLeast, "`>= 2` or another number")?;
            count.reach(r.whole()?)
        }
        None => When::Holds(r.formula(0)?),
    };
    r.end()?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_mean_what_they_say() {
        for (text, meant) in [
            ("on(block, plate)", p::on("block", "plate")),
            ("on('a b', plate, within=0.03)", p::on("a b", "plate").within(0.03)),
            (
                "grasped(a) with left and hand_empty with right",
                p::all([p::grasped("a").with("left"), p::hand_empty().with("right")]),
            ),
            ("not(upright(cup))", p::not(p::upright("cup"))),
            ("hand_empty", p::hand_empty()),
            (
                "in(x, cabinet/top_region) and closed(cabinet/top)",
                p::all([p::in_("x", "cabinet/top_region"), p::is_closed("cabinet/top")]),
            ),
            ("at_least(1, still(a), open(b))", p::at_least(1, [p::still("a"), p::is_open("b")])),
            (
                "hand_empty and (still(a) or still(b))",
                p::all([p::hand_empty(), p::any([p::still("a"), p::still("b")])]),
            ),
            ("near(a, b, 0.05)", p::near("a", "b", 0.05)),
            ("open(cabinet/top, 0.5)", p::opened("cabinet/top", 0.5)),
        ] {
            assert_eq!(predicate(text).as_ref(), Ok(&meant), "{text}");
        }
    }

    #[test]
    fn mistakes_name_the_remedy() {
        for (text, says) in [
            ("onn(a, b)", "did you mean on or on_end?"),
            ("on(a)", "on(object, support)"),
            ("on(a, b", "a comma or a closing bracket"),
            ("on(a, b) c", "goes on"),
            ("still(a, within=1)", "within"),
            ("open(a, 50)", "open(part, 0.5)"),
            ("grasped(a) with", "name of a limb"),
            ("", "a predicate is missing"),
            ("on('a, b)", "open quote"),
            ("on(a; b)", "does not belong"),
        ] {
            let e = predicate(text).unwrap_err();
            assert!(e.contains(says), "{text}: {e}");
        }
        assert!(predicate(&"not ".repeat(10_000)).is_err());
        assert!(predicate(&"(".repeat(10_000)).is_err());
    }

    #[test]
    fn events_and_counts() {
        assert_eq!(event("times(on(a, b)) > 2"), Ok(times(p::on("a", "b")).more_than(2)));
        assert_eq!(event("grasped(a) for 2"), Ok(ever(p::grasped("a")).lasting(2.0)));
        assert_eq!(
            when("times(strokes(sponge, plate)) >= 3"),
            Ok(strokes("sponge", "plate", 0.06).reach(3))
        );
        assert!(event("times(on(a, b)) >= 2").is_err());
    }
}
