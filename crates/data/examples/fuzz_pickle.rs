//! `cargo xtask fuzz pickle [SECONDS]`: spoiled pickles against the reader until the time is over.
//!
//! A file that makes it panic is left as `fuzz-panic.pickle`.

#[path = "../../suites/examples/support/fuzz.rs"]
mod fuzz;
#[path = "../../suites/examples/support/spoil.rs"]
mod spoil;

use longarm_data::pickle::read_array;
use longarm_types::Rng;

const WORDS: [&str; 14] = [
    "(",
    "t",
    "R",
    "b",
    ".",
    "q\u{0}",
    "h\u{0}",
    "K\u{1}",
    "cos\nsystem\n",
    "N",
    "X\u{1}\u{0}\u{0}\u{0}b",
    "PK",
    "\u{2}",
    "M\u{7f}\u{7f}",
];

/// A pickled array of 2 × 2 under protocol 2, and the same in an archive.
fn corpus() -> Vec<Vec<u8>> {
    let mut pickle = b"\x80\x02cnumpy.core.multiarray\n_reconstruct\nq\x00cnumpy\nndarray\nq\x01K\x00\
        \x85q\x02c_codecs\nencode\nq\x03X\x01\x00\x00\x00bq\x04X\x06\x00\x00\x00latin1q\x05\x86q\x06R\
        \x87Rq\x07(K\x01K\x02K\x02\x86q\x08cnumpy\ndtype\nq\x09X\x02\x00\x00\x00f8\x89\x88\x87R(K\x03\
        X\x01\x00\x00\x00<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89C\x20"
        .to_vec();
    pickle.extend([0; 32]);
    pickle.extend(b"tb.");
    let mut archive = b"PK\x03\x04".to_vec();
    archive.extend([0; 26]);
    archive.extend(&pickle);
    archive.extend(b"PK\x01\x02");
    archive.extend([0; 42]);
    archive.extend(b"data.pklPK\x05\x06");
    archive.extend([0; 18]);
    vec![pickle, archive]
}

/// Reads it. True if it is an array.
fn accepted(bytes: &[u8]) -> bool {
    match read_array(bytes) {
        Ok(array) => {
            assert_eq!(array.shape.iter().product::<usize>(), array.values.len());
            true
        }
        Err(e) => {
            assert!(!e.to_string().is_empty());
            false
        }
    }
}

fn main() {
    let asked = fuzz::asked(0, "fuzz_pickle");
    let corpus = corpus();
    assert!(accepted(&corpus[0]), "the corpus begins with an array");
    let make = |rng: &mut Rng| spoil::spoil(&corpus, &WORDS, None, rng);
    fuzz::fuzz("pickle", "arrays", asked, make, |bytes, _| accepted(bytes));
}
