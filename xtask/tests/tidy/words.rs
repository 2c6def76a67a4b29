//! Words that a reader stumbles over.

use std::process::Command;

use super::{read, root};

/// Words and turns that do not come back, in small letters.
const BANNED: &[&str] =
    &["thing", "things", "anew", "so many", "without a word", "came to be", "whither", "dies at"];

/// Lines that may have one: file, a part of the line, why. An entry is for one line and no more.
const EXCUSED: &[(&str, &str, &str)] = &[
    ("crates/suites/src/lohoravens/row.rs", "things stand within 0.77 m", HASHED),
    ("crates/suites/src/longbench/dynamic_grasping.rs", "object(\"thing\"", HASHED),
    ("crates/suites/src/longbench/dynamic_grasping.rs", "called(\"{thing.noun}\")", HASHED),
    ("crates/suites/src/longbench/dynamic_grasping.rs", "catch the {thing.noun}", HASHED),
    ("crates/suites/src/longbench/dynamic_grasping.rs", "stage(\"hand over the thing\"", HASHED),
    (
        "crates/suites/src/longbench/dynamic_grasping.rs",
        "revoking([\"hand over the thing\"",
        HASHED,
    ),
];

const HASHED: &str = "part of a task's hash";

/// Sources and documents that git knows.
fn files() -> Vec<String> {
    let git = Command::new("git").arg("-C").arg(root()).arg("ls-files").output();
    let out = git.expect("git lists the files");
    let text = String::from_utf8(out.stdout).expect("names are UTF-8");
    let kinds = [".rs", ".py", ".md", ".pyi"];
    let wanted = |f: &&str| kinds.iter().any(|k| f.ends_with(k)) && root().join(f).exists();
    let lists = |f: &&str| *f != "xtask/tests/tidy/words.rs";
    text.lines().filter(wanted).filter(lists).map(str::to_owned).collect()
}

#[test]
fn sources_and_documents_are_in_plain_words() {
    let (mut wrong, mut used) = (Vec::new(), vec![false; EXCUSED.len()]);
    for f in files() {
        for (i, line) in read(&f).lines().enumerate() {
            let Some(word) = stumble(line) else { continue };
            let mut excuses = EXCUSED.iter().zip(&mut used);
            let excuse = excuses
                .find(|((file, part, _), used)| !**used && f == *file && line.contains(part));
            match excuse {
                Some((_, used)) => *used = true,
                None => wrong.push(format!("{f}:{}: {word:?}: {}", i + 1, line.trim())),
            }
        }
    }
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong.join("\n"));
    for ((file, part, _), used) in EXCUSED.iter().zip(used) {
        assert!(used, "{file} has no line with {part:?} any more: strike it from EXCUSED");
    }
}

/// The banned word of a line, if it has one.
fn stumble(line: &str) -> Option<&'static str> {
    let lower = line.to_lowercase();
    let found = BANNED.iter().copied().find(|word| {
        lower.match_indices(word).any(|(at, _)| {
            let letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
            !letter(lower[..at].chars().next_back())
                && !letter(lower[at + word.len()..].chars().next())
        })
    });
    found.or_else(|| is_no(&lower).then_some("is no"))
}

/// "X is no Y" for "X is not a Y"; "there is no Y" and "is no longer" are plain.
fn is_no(line: &str) -> bool {
    line.match_indices(" is no ").any(|(at, turn)| {
        let plain = ["longer", "more", "less", "better", "worse"];
        let next = &line[at + turn.len()..];
        !line[..at].ends_with("there") && !plain.iter().any(|w| next.starts_with(w))
    })
}

#[test]
fn stumbling_blocks_are_told_apart() {
    for line in ["a thing.", "Things stand", "drawn anew", "for so many steps", "a pose is no pose"]
    {
        assert!(stumble(line).is_some(), "{line}");
    }
    for line in ["nothing", "something else", "there is no task", "what is no longer seen"] {
        assert_eq!(stumble(line), None, "{line}");
    }
}
