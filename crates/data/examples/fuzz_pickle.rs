//! `cargo xtask fuzz pickle [SECONDS]`: spoiled pickles against the reader until the time is over.
//!
//! A file that makes it panic is left as `fuzz-panic.pickle`.

#[path = "../../suites/examples/support/spoil.rs"]
mod spoil;

use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use longarm_data::pickle::read_array;
use longarm_types::Seed;

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

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, otherwise: u64| args.get(i).map_or(Some(otherwise), |a| a.parse().ok());
    let (Some(seconds), Some(seed)) = (number(0, 300), number(1, 0)) else {
        eprintln!("usage: fuzz_pickle [SECONDS [SEED]]");
        std::process::exit(2);
    };
    let corpus = corpus();
    assert!(read_array(&corpus[0]).is_ok(), "the corpus begins with an array");
    let mut rng = Seed(seed).stream("fuzz");
    let started = Instant::now();
    let (mut files, mut good) = (0u64, 0u64);
    while started.elapsed() < Duration::from_secs(seconds) {
        let bytes = spoil::spoil(&corpus, &WORDS, None, &mut rng);
        files += 1;
        match catch_unwind(|| read_array(&bytes)) {
            Ok(Ok(array)) => {
                assert_eq!(array.shape.iter().product::<usize>(), array.values.len());
                good += 1;
            }
            Ok(Err(e)) => assert!(!e.to_string().is_empty()),
            Err(_) => {
                let _ = std::fs::write("fuzz-panic.pickle", &bytes);
                eprintln!("file {files} panics; left as fuzz-panic.pickle");
                std::process::exit(1);
            }
        }
    }
    println!("{files} pickles in {seconds} s, {good} of them arrays; no panic");
}
