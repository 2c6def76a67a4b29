//! Brackets and words, each with its place.

use super::{At, BddlError};

/// Brackets inside brackets that anybody needs; more would be an attack on the stack.
const DEEPEST: usize = 32;

/// A word or a bracket.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub form: Form,
    pub at: At,
}

#[derive(Clone, Debug)]
pub(super) enum Form {
    Word(String),
    List(Vec<Node>),
}

impl Node {
    /// The word in lower case; BDDL does not tell cases apart.
    pub fn word(&self) -> Option<String> {
        match &self.form {
            Form::Word(w) => Some(w.to_lowercase()),
            Form::List(_) => None,
        }
    }

    pub fn list(&self) -> Option<&[Node]> {
        match &self.form {
            Form::List(l) => Some(l),
            Form::Word(_) => None,
        }
    }

    /// The lower-case word that opens a bracket.
    pub fn head(&self) -> Option<String> {
        self.list()?.first()?.word()
    }

    /// What it is, for messages.
    pub fn shown(&self) -> String {
        match &self.form {
            Form::Word(w) => format!("{w:?}"),
            Form::List(_) => match self.head() {
                Some(h) => format!("\"({h} …)\""),
                None => "a bracket".to_owned(),
            },
        }
    }
}

/// Reads the one bracket that a file consists of.
pub(super) fn read(text: &str) -> Result<Node, BddlError> {
    // Open brackets, outermost first, with what they hold so far.
    let mut open: Vec<Node> = Vec::new();
    let mut whole: Option<Node> = None;
    let mut word: Option<(String, At)> = None;
    let mut at = At { line: 1, column: 0 };
    let mut comment = false;
    for c in text.chars().chain(['\n']) {
        at.column += 1;
        if c == '\n' {
            comment = false;
        }
        if !comment && (c.is_whitespace() || matches!(c, '(' | ')' | ';')) {
            if let Some((w, at)) = word.take() {
                let node = Node { form: Form::Word(w), at };
                match open.last_mut() {
                    Some(Node { form: Form::List(inner), .. }) => inner.push(node),
                    _ => {
                        return Err(
                            at.says(format!("{} stands outside all brackets", node.shown()))
                        );
                    }
                }
            }
            match c {
                '(' if open.len() >= DEEPEST => {
                    return Err(at.says(format!("brackets are nested more than {DEEPEST} deep")));
                }
                '(' if whole.is_some() => {
                    return Err(at.says("a file holds one problem; here begins a second bracket"));
                }
                '(' => open.push(Node { form: Form::List(Vec::new()), at }),
                ')' => {
                    let Some(done) = open.pop() else {
                        return Err(at.says("this \")\" closes nothing"));
                    };
                    match open.last_mut() {
                        Some(Node { form: Form::List(inner), .. }) => inner.push(done),
                        _ => whole = Some(done),
                    }
                }
                ';' => comment = true,
                _ => {}
            }
        } else if !comment {
            word.get_or_insert_with(|| (String::new(), at)).0.push(c);
        }
        if c == '\n' {
            at = At { line: at.line + 1, column: 0 };
        }
    }
    if let Some(unclosed) = open.last() {
        return Err(unclosed.at.says(format!("{} is never closed", unclosed.shown())));
    }
    whole.ok_or_else(|| {
        At { line: 1, column: 1 }.says("there is no problem: expected \"(define …)\"")
    })
}

/// A number, or arithmetic with `pi`: `-pi/2`, `np.pi*0.25`, `1.5`.
pub(super) fn number(node: &Node) -> Result<f64, BddlError> {
    let bad = |why: &str| node.at.says(format!("{} is not a number{why}", node.shown()));
    let Some(word) = node.word() else { return Err(bad("")) };
    let v = sum(&word).ok_or_else(|| bad("; numbers look like 0.25 or -pi/2"))?;
    if v.is_finite() { Ok(v) } else { Err(bad(": it is not finite")) }
}

/// Splits at the operators of the lowest rank, from the left.
fn sum(text: &str) -> Option<f64> {
    if let Ok(v) = text.parse::<f64>() {
        return Some(v);
    }
    let mut total = 0.0;
    let mut start = 0;
    let mut sign = 1.0;
    let bytes = text.as_bytes();
    for i in 1..=bytes.len() {
        // Not the sign of an exponent or of the factor after an operator.
        let splits = i == bytes.len()
            || matches!(bytes[i], b'+' | b'-')
                && !matches!(bytes[i - 1], b'*' | b'/' | b'+' | b'-')
                && !(bytes[i - 1] == b'e' && i >= 2 && bytes[i - 2].is_ascii_digit());
        if splits {
            total += sign * product(text.get(start..i)?)?;
            if i < bytes.len() {
                sign = if bytes[i] == b'-' { -1.0 } else { 1.0 };
                start = i + 1;
            }
        }
    }
    Some(total)
}

fn product(text: &str) -> Option<f64> {
    let mut value = 1.0;
    let mut divide = false;
    let mut rest = text;
    loop {
        let end = rest.find(['*', '/']).unwrap_or(rest.len());
        let factor = factor(rest.get(..end)?)?;
        value = if divide { value / factor } else { value * factor };
        let Some(op) = rest.as_bytes().get(end) else { return Some(value) };
        divide = *op == b'/';
        rest = rest.get(end + 1..)?;
    }
}

fn factor(text: &str) -> Option<f64> {
    match text {
        "pi" | "np.pi" | "math.pi" => Some(std::f64::consts::PI),
        t => match t.strip_prefix('-') {
            Some(t) => factor(t).map(|v| -v),
            // `inf` and `nan` parse as numbers; the caller refuses them.
            None => t.parse().ok(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{read, sum};
    use std::f64::consts::PI;

    #[test]
    fn arithmetic() {
        for (text, value) in [
            ("1.5", 1.5),
            ("-0.25", -0.25),
            ("1e-3", 1e-3),
            ("pi", PI),
            ("-pi/2", -PI / 2.0),
            ("np.pi*0.25", PI * 0.25),
            ("3*pi/4-0.5", 3.0 * PI / 4.0 - 0.5),
            ("2--1", 3.0),
        ] {
            let got = sum(text).unwrap_or_else(|| panic!("{text} is refused"));
            assert!((got - value).abs() < 1e-12, "{text} is {got}");
        }
        for text in ["", "-", "pi pi", "1/", "a", "*2", "1..2", "é", "--"] {
            assert_eq!(sum(text), None, "{text}");
        }
    }

    #[test]
    fn places() {
        let at = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(at("(a\n  (b)"), "1:1: \"(a …)\" is never closed");
        assert_eq!(at("(a))"), "1:4: this \")\" closes nothing");
        assert_eq!(
            at("(a) ; fine (\n(b)"),
            "2:1: a file holds one problem; here begins a second bracket"
        );
        assert_eq!(at("  x"), "1:3: \"x\" stands outside all brackets");
    }
}
