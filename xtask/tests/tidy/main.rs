//! Rules of the repository that no compiler checks.

mod names;
mod words;

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
    let library = format!("\"libmujoco.so.{version}\"");
    assert!(read("xtask/src/wheel.rs").contains(&library), "xtask packs another than {library}");
}

#[test]
fn dependencies_point_one_way() {
    let allowed: &[(&str, &[&str])] = &[
        ("types", &[]),
        ("render", &[]),
        ("soft", &["types"]),
        ("assets", &["types"]),
        ("task", &["types", "assets"]),
        ("suites", &["types", "assets", "task", "data"]),
        ("catalogue", &["types", "assets", "task", "suites"]),
        ("policy", &["types"]),
        ("onnx", &["types", "policy"]),
        ("agent", &["types", "assets", "task", "policy"]),
        ("data", &["types"]),
        ("results", &["types", "data"]),
        ("manual", &["types", "assets", "task", "suites"]),
        ("bridge", &["types", "task", "sim"]),
        ("sim", &["types", "assets", "task", "render", "soft"]),
        ("grasp", &["types"]),
        ("expert", &["types", "assets", "task", "grasp", "sim"]),
        ("py", &["types", "task", "suites", "catalogue", "sim", "data", "results", "eval", "cli"]),
    ];
    // These may use whatever lies below them.
    let on_top = ["eval", "server", "cli"];
    let below = |name: &str, dep: &str| match name {
        "eval" => !["server", "cli", "py"].contains(&dep),
        "server" => !["cli", "py"].contains(&dep),
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
    for name in ["types", "assets", "task", "suites", "render", "soft"] {
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
        "types", "assets", "task", "suites", "render", "soft", "sim", "expert", "policy", "agent",
        "data", "results", "eval",
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

/// Crates without examples in their documentation are not searched for them.
#[test]
fn examples_in_the_documentation_are_run() {
    for entry in std::fs::read_dir(root().join("crates")).unwrap().map(|e| e.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        if !read(&format!("crates/{name}/Cargo.toml")).contains("doctest = false") {
            continue;
        }
        for (f, text) in code_of(&name) {
            let comments =
                text.lines().map(str::trim_start).filter_map(|l| l.strip_prefix("//")?.get(1..));
            let fences = comments.map(str::trim).filter_map(|l| l.strip_prefix("```"));
            let example = fences.step_by(2).find(|language| *language != "text");
            assert_eq!(example, None, "{f}: take `doctest = false` out of crates/{name}");
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
