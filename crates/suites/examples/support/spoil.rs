//! Random changes of files, for fuzzing readers.

use longarm_types::Rng;

/// A change of a language's own.
pub type Change = fn(&mut Vec<u8>, &mut Rng);

/// Returns a file of the corpus with a few random changes: cut, copied, spliced with another, with
/// words written anywhere.
pub fn spoil(corpus: &[Vec<u8>], words: &[&str], own: Option<Change>, rng: &mut Rng) -> Vec<u8> {
    let mut out = rng.pick(corpus).cloned().unwrap_or_default();
    for _ in 0..=rng.below(6) {
        let (i, j) = (rng.below(out.len() + 1), rng.below(out.len() + 1));
        let (i, j) = (i.min(j), i.max(j));
        let near = j.min(i + rng.below(40));
        match (rng.below(7 + usize::from(own.is_some())), own) {
            (0, _) => drop(out.drain(i..near)),
            (1, _) => {
                let copy = out[i..near].to_vec();
                out.splice(j..j, copy);
            }
            (2, _) => {
                if let Some(b) = out.get_mut(i) {
                    *b = rng.next_u64() as u8;
                }
            }
            (3, _) => out.truncate(j),
            (4, _) => {
                let other = rng.pick(corpus).cloned().unwrap_or_default();
                let from = rng.below(other.len() + 1);
                out.truncate(i);
                out.extend_from_slice(&other[from..]);
            }
            (5, Some(change)) => change(&mut out, rng),
            _ => drop(out.splice(i..i, words[rng.below(words.len())].bytes())),
        }
    }
    out
}
