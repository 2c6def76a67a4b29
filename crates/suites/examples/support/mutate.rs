//! Spoils BDDL files, the same way for the same seed.

#[path = "spoil.rs"]
mod spoil;

use longarm_suites::boss;
use longarm_task::bddl::{Options, compile, parse_bytes, write};
use longarm_task::sample;
use longarm_types::{Rng, Seed};

/// Words a mutation may write anywhere.
const WORDS: [&str; 26] = [
    "(",
    ")",
    "((",
    "))",
    " - ",
    ";",
    "\n",
    "(or ",
    "(and)",
    "(on a b)",
    "(:ranges (()))",
    "pi",
    "-pi/0",
    "1e999",
    "nan",
    "é",
    "\u{0}",
    "plate_1",
    "wooden_cabinet_1",
    "kitchen_table",
    "(open plate_1)",
    "{",
    "(:goal",
    "(:init)",
    "0.1",
    "(in plate_1 plate_1)",
];

/// Valid files to begin with.
pub fn corpus() -> Vec<Vec<u8>> {
    let ids = boss::SUITE.ids();
    let some = ids.iter().step_by(7).filter_map(|id| boss::problem(id));
    some.map(|p| write(&p).into_bytes()).collect()
}

/// A few random changes of a file, sometimes spliced with another.
pub fn mutate(corpus: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    spoil::spoil(corpus, &WORDS, Some(swap_words), rng)
}

/// Puts one word of the file in another's place: the brackets stay, the sense does not.
fn swap_words(text: &mut Vec<u8>, rng: &mut Rng) {
    let word = |b: &u8| !b.is_ascii_whitespace() && *b != b'(' && *b != b')';
    let starts: Vec<usize> =
        (0..text.len()).filter(|i| word(&text[*i]) && (*i == 0 || !word(&text[i - 1]))).collect();
    let (Some(&a), Some(&b)) = (rng.pick(&starts), rng.pick(&starts)) else { return };
    let end = |i: usize| (i..text.len()).find(|k| !word(&text[*k])).unwrap_or(text.len());
    let copy = text[b..end(b)].to_vec();
    text.splice(a..end(a), copy);
}

/// Reads, writes, compiles and samples: what may not panic, whatever the bytes. True if they are a
/// task.
pub fn try_out(bytes: &[u8]) -> bool {
    let lines = bytes.iter().filter(|b| **b == b'\n').count() as u32 + 2;
    let named = |e: &longarm_task::bddl::BddlError| {
        assert!(e.at.line >= 1 && e.at.line <= lines && e.at.column >= 1, "no place: {e}");
        assert!(!e.message.is_empty());
    };
    let problem = match parse_bytes(bytes) {
        Ok(p) => p,
        Err(e) => {
            named(&e);
            return false;
        }
    };
    let again = parse_bytes(write(&problem).as_bytes());
    assert_eq!(again.as_ref(), Ok(&problem), "does not read back");
    let options = Options::new("bddl/fuzz");
    match compile(&problem, &options) {
        Err(e) => {
            named(&e);
            false
        }
        Ok(spec) => {
            assert_eq!(again.map(|p| compile(&p, &options)), Ok(Ok(spec.clone())));
            assert_eq!(spec.problems(), []);
            let _ = sample(&spec, Seed(0));
            true
        }
    }
}
