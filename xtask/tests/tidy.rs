//! Rules of the repository that no compiler checks.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
    for e in std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()) {
        if e.is_dir() {
            if e.file_name().is_none_or(|n| n != "target") {
                sources(&e, out);
            }
        } else if e.extension().is_some_and(|x| x == "rs") {
            out.push(e);
        }
    }
}

#[test]
fn paths_named_in_the_documents_exist() {
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"] {
        let text = read(document);
        let named = text.split('`').skip(1).step_by(2);
        let paths = named.filter(|w| {
            ["crates/", "xtask", "benchmarks", "third_party/", "docs/"]
                .iter()
                .any(|p| w.starts_with(p))
                && !w.contains(['<', '*', ' ', '{'])
        });
        for p in paths {
            assert!(root().join(p).exists(), "{document} names {p}, which does not exist");
        }
    }
}

#[test]
fn the_wheel_is_built_with_the_mujoco_of_the_build_script() {
    let script = read("crates/sim/build.rs");
    let (_, version) = script.split_once("const VERSION: &str = \"").unwrap();
    let version = version.split('"').next().unwrap();
    let wanted = format!("\"mujoco=={version};");
    assert!(read("pyproject.toml").contains(&wanted), "pyproject.toml does not require {wanted}");
}

#[test]
fn dependencies_point_one_way() {
    let allowed: &[(&str, &[&str])] = &[
        ("types", &[]),
        ("render", &[]),
        ("assets", &["types"]),
        ("task", &["types", "assets"]),
        ("suites", &["types", "assets", "task"]),
        ("catalogue", &["types", "assets", "task", "suites"]),
        ("policy", &["types"]),
        ("data", &["types"]),
        ("results", &["types", "data"]),
        ("sim", &["types", "assets", "task", "render"]),
        ("expert", &["types", "assets", "task", "sim"]),
        ("py", &["types", "task", "suites", "catalogue", "sim", "data", "results", "eval", "cli"]),
    ];
    // These two may use whatever lies below them.
    let on_top = ["eval", "cli"];
    let below = |name: &str, dep: &str| match name {
        "eval" => !["cli", "py"].contains(&dep),
        _ => dep != "py",
    };
    let crates = std::fs::read_dir(root().join("crates")).unwrap();
    for name in crates.map(|e| e.unwrap().file_name().into_string().unwrap()) {
        let may = |dep: &str| match allowed.iter().find(|(n, _)| *n == name) {
            Some((_, may)) => may.contains(&dep),
            None => {
                assert!(on_top.contains(&name.as_str()), "say here what crates/{name} may use");
                below(&name, dep)
            }
        };
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        let normal = manifest.split("[dev-dependencies]").next().unwrap_or("");
        for line in normal.lines().filter(|l| l.starts_with("longarm-")) {
            let dep = line.trim_start_matches("longarm-").split(['.', ' ']).next().unwrap_or("");
            assert!(may(dep), "crates/{name} may not depend on {dep}");
        }
    }
}

#[test]
fn unsafe_code_stays_at_the_mujoco_boundary() {
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    for f in files {
        let text = std::fs::read_to_string(&f).unwrap();
        let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
        let uses = code.clone().any(|l| l.contains("unsafe {") || l.contains("unsafe impl"));
        let sim = f.components().any(|c| c.as_os_str() == "sim");
        assert!(!uses || sim, "{} uses unsafe", f.display());
    }
}

#[test]
fn simulation_reads_no_clock() {
    // `sim` may time MuJoCo for benchmarks; nothing below it may even do that.
    for name in ["types", "assets", "task", "suites", "render"] {
        for (f, text) in code_of(name) {
            for banned in ["Instant::now", "SystemTime", "HashMap", "thread_rng"] {
                assert!(!text.contains(banned), "{f} uses {banned}");
            }
        }
    }
}

/// The system's sine is another one on another system: `libm` is the same everywhere.
#[test]
fn simulation_and_data_use_no_system_maths() {
    const FUNCTIONS: &[&str] = &[
        "sin", "cos", "tan", "sin_cos", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
        "asinh", "acosh", "atanh", "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10",
        "powf", "cbrt", "hypot",
    ];
    let crates = [
        "types", "assets", "task", "suites", "render", "sim", "expert", "policy", "data",
        "results", "eval",
    ];
    for name in crates {
        for (f, text) in code_of(name) {
            for function in FUNCTIONS {
                let method = format!(".{function}(");
                let paths = ["f64::", "f32::"].map(|t| format!("{t}{function}"));
                for (i, line) in text.lines().enumerate() {
                    let code = line.split("//").next().unwrap_or("");
                    let path = |p: &String| {
                        code.match_indices(p.as_str()).any(|(at, _)| {
                            let next = code[at + p.len()..].chars().next();
                            next.is_none_or(|c| !c.is_alphanumeric() && c != '_')
                        })
                    };
                    assert!(
                        !code.contains(&method) && !paths.iter().any(path),
                        "{f}:{} uses the system's {function}; take libm::{function}",
                        i + 1
                    );
                }
            }
        }
    }
}

/// Sources of a crate, by path, without their test modules.
fn code_of(name: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    sources(&root().join(format!("crates/{name}/src")), &mut files);
    files.into_iter().map(|f| (relative(&f), without_tests(&f))).collect()
}

/// A path as one writes it at the root of the repository.
fn relative(path: &Path) -> String {
    let inside = path.strip_prefix(root()).unwrap_or(path);
    inside.to_string_lossy().replace('\\', "/")
}

fn without_tests(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    text.split("#[cfg(test)]\nmod ").next().unwrap_or("").to_owned()
}

/// Lines a source file may have.
const LONGEST: usize = 400;

/// Tables, which may be longer.
const TABLES: &[&str] = &["crates/suites/src/lohoravens/rows.rs"];

#[test]
fn files_are_short() {
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    sources(&root().join("xtask"), &mut files);
    let long: Vec<(String, usize)> = files
        .iter()
        .map(|f| (relative(f), std::fs::read_to_string(f).unwrap().lines().count()))
        .filter(|(_, n)| *n > LONGEST)
        .collect();
    for (f, n) in &long {
        assert!(TABLES.contains(&f.as_str()), "{f} has {n} lines; split it along its seams");
    }
    for path in TABLES {
        assert!(long.iter().any(|(f, _)| f == path), "{path} is short now: strike it from TABLES");
    }
}

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
    ("crates/task/src/predicate/mod.rs", "rename = \"libero-on\"", "part of task hashes"),
    ("crates/task/src/predicate/mod.rs", "rename = \"libero-in\"", "part of task hashes"),
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
