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
        ("policy", &["types"]),
        ("data", &["types"]),
    ];
    for (name, may) in allowed {
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        let normal = manifest.split("[dev-dependencies]").next().unwrap_or("");
        for line in normal.lines().filter(|l| l.starts_with("longarm-")) {
            let dep = line.trim_start_matches("longarm-").split(['.', ' ']).next().unwrap_or("");
            assert!(may.contains(&dep), "crates/{name} may not depend on {dep}");
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
fn simulation_reads_no_clock_and_no_system_maths() {
    // `sim` may time MuJoCo for benchmarks; nothing below it may even do that.
    for name in ["types", "assets", "task", "suites", "render"] {
        let mut files = Vec::new();
        sources(&root().join(format!("crates/{name}/src")), &mut files);
        for f in files {
            let text = std::fs::read_to_string(&f).unwrap();
            for banned in ["Instant::now", "SystemTime", "HashMap", "thread_rng"] {
                assert!(!text.contains(banned), "{} uses {banned}", f.display());
            }
        }
    }
}
