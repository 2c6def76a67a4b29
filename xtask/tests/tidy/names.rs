//! General crates know no suite, robot or object by name.

use super::{code_of, root};

/// Names that only their own folders know: suites, robots, and what tells a robot's maker.
const NAMES: &[&str] = &[
    "longbench",
    "lohoravens",
    "boss",
    "libero",
    "maniladder",
    "robomemarena",
    "panda",
    "franka",
    "ur5e",
    "arx",
];

/// Where these names live: the suites, and the assets that were made for them.
const HOMES: &[&str] = &["crates/suites/", "crates/assets/"];

/// Lines elsewhere that may name one: file, a part of the line in small letters, why. An entry is for
/// one line and no more.
const NAMED: &[(&str, &str, &str)] = &[
    // What users type: values of options.
    ("crates/eval/src/vec_env/view.rs", "\"lerobot\", \"libero\"]", "obs=libero in Python"),
    ("crates/policy/src/remote/spec/names.rs", "&[\"longarm\", \"libero\"]", "preset=libero"),
    (
        "crates/policy/src/remote/spec/names.rs",
        "\"libero\", \"droid\", \"aloha\"]",
        "preset=libero",
    ),
    ("crates/cli/src/options.rs", "strict_libero: bool", "a hidden flag of earlier versions"),
    ("crates/cli/src/options.rs", "self.strict_libero", "a hidden flag of earlier versions"),
    // Help that says what can be typed, or whose layout a file has.
    ("crates/cli/src/demos.rs", "hdf5 (libero's layout)", "help of --format"),
    ("crates/cli/src/render.rs", "hdf5 (libero's layout)", "help of --format"),
    ("crates/cli/src/eval.rs", "preset=libero", "help of --policy"),
    ("crates/cli/src/help.rs", "\"libero.md\"", "a page of the documentation"),
    ("crates/cli/src/run.rs", "preset=libero", "help of --policy"),
    ("crates/policy/src/remote/mod.rs", "preset=libero", "an example of an address"),
    ("crates/policy/src/remote/spec.rs", "preset=libero", "an example of an address"),
    ("crates/policy/src/remote/spec.rs", "`longarm`, `libero`, `droid`", "the table of options"),
    (
        "crates/policy/src/remote/spec/names.rs",
        "openpi's `libero` checkpoints",
        "whose preset it is",
    ),
    (
        "crates/policy/src/remote/layout/presets.rs",
        "openpi's `examples/libero`",
        "whose preset it is",
    ),
    // A frame that rigs declare under this name.
    ("crates/policy/src/formats.rs", "frame: \"libero\"", "the name of a frame in rig files"),
    // What `longarm new` writes for a user to begin with names a rig that exists.
    ("crates/catalogue/src/starter.rs", "rig = \"panda\"", "the starting file of a task"),
    ("crates/catalogue/src/starter.rs", "rig = \"panda\"", "the starting file of a scene"),
    ("crates/catalogue/src/starter.rs", "like = \"panda\"", "the starting file of a rig"),
    ("crates/eval/src/compose/check/tests.rs", "rig = \"panda\"", "a task as users write it"),
    // BDDL is LIBERO's language: its categories are nouns of the language.
    ("crates/task/src/bddl/compile.rs", "use longarm_assets::libero::", "the table of nouns"),
    ("crates/task/src/bddl/world.rs", "use longarm_assets::libero::", "the table of nouns"),
    ("crates/task/src/bddl/world.rs", "libero::asset(", "the table of nouns"),
    ("crates/task/src/bddl/world.rs", "libero::categories", "the table of nouns"),
    ("crates/task/src/bddl/compile.rs", "source(\"libero, bddl\")", "part of task hashes"),
    ("crates/task/src/bddl/compile.rs", "as in libero.", "whose semantics these are"),
    ("crates/task/src/bddl/world.rs", "libero's test of a fact", "whose semantics these are"),
    ("crates/task/src/bddl/mod.rs", "bddl as libero uses it", "whose language it is"),
    ("crates/task/src/bddl/problem.rs", "a libero problem as a value", "whose language it is"),
    ("crates/task/src/bddl/problem.rs", "a task as libero writes it", "whose language it is"),
    ("crates/task/src/bddl/problem.rs", "libero_kitchen_tabletop", "a name in such files"),
    ("crates/task/src/bddl/problem.rs", "longarm_assets::libero::table", "the table of nouns"),
    ("crates/task/src/bddl/write.rs", "laid out as libero's files", "whose layout it is"),
    // Written in specifications since the first version: another name would change every hash.
    ("crates/task/src/predicate/vocabulary.rs", "rename = \"libero-on\"", "part of task hashes"),
    ("crates/task/src/predicate/vocabulary.rs", "rename = \"libero-in\"", "part of task hashes"),
];

#[test]
fn no_crate_knows_a_suite_or_a_robot_by_name() {
    let mut wrong = Vec::new();
    let mut used = vec![false; NAMED.len()];
    let crates = std::fs::read_dir(root().join("crates")).unwrap();
    for name in crates.map(|e| e.unwrap().file_name().into_string().unwrap()) {
        for (f, text) in code_of(&name) {
            if HOMES.iter().any(|h| f.starts_with(h)) {
                continue;
            }
            for (i, line) in text.lines().enumerate() {
                let Some(name) = NAMES.iter().find(|n| has_word(line, n)) else { continue };
                let lower = line.to_lowercase();
                let mut excuses = NAMED.iter().zip(&mut used);
                let excuse = excuses
                    .find(|((file, part, _), used)| !**used && f == *file && lower.contains(part));
                match excuse {
                    Some((_, used)) => *used = true,
                    None => wrong.push(format!("{f}:{} knows {name}: {}", i + 1, line.trim())),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong.join("\n"));
    for ((file, part, _), used) in NAMED.iter().zip(used) {
        assert!(used, "{file} has no line with {part:?} any more: strike it from NAMED");
    }
}

/// Whether a name is there as a word or a part of one: `libero_origin`, `LiberoOn`; not in `pandas`.
fn has_word(line: &str, name: &str) -> bool {
    line.to_ascii_lowercase().match_indices(name).any(|(at, _)| {
        let letter = |c: Option<u8>| c.is_some_and(|c| c.is_ascii_lowercase());
        let bytes = line.as_bytes();
        let before = at.checked_sub(1).map(|i| bytes[i]);
        let starts = bytes[at].is_ascii_uppercase() || !letter(before);
        starts && !letter(bytes.get(at + name.len()).copied())
    })
}

#[test]
fn words_are_told_apart() {
    for (line, name) in [
        ("libero_origin", "libero"),
        ("P::LiberoOn {", "libero"),
        ("asLibero()", "libero"),
        ("LIBERO's", "libero"),
        ("a Panda.", "panda"),
        ("UR5e", "ur5e"),
    ] {
        assert!(has_word(line, name), "{line}");
    }
    for (line, name) in [("pandas", "panda"), ("embossed", "boss"), ("bossy", "boss")] {
        assert!(!has_word(line, name), "{line}");
    }
}

/// Objects by name are the business of assets and suites; others ask for what an object affords.
#[test]
fn no_crate_asks_for_an_object_by_name() {
    let homes = ["assets", "suites"];
    let crates = std::fs::read_dir(root().join("crates")).unwrap();
    let mut wrong = Vec::new();
    for name in crates.map(|e| e.unwrap().file_name().into_string().unwrap()) {
        if homes.contains(&name.as_str()) {
            continue;
        }
        for (f, text) in code_of(&name) {
            for (i, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or("");
                let variant = |prefix: &str| {
                    code.match_indices(prefix).any(|(at, _)| {
                        let next = code[at + prefix.len()..].chars().next();
                        next.is_some_and(|c| c.is_ascii_uppercase() || c == '{')
                    })
                };
                let excused =
                    OBJECTS.iter().any(|(file, part, _)| f == *file && line.contains(part));
                if (variant("Asset::") || variant("Category::")) && !excused {
                    wrong.push(format!("{f}:{}: {}", i + 1, line.trim()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong.join("\n"));
}

/// Lines that may name a variant of `Asset`: file, a part of the line, why.
const OBJECTS: &[(&str, &str, &str)] = &[];
