//! Every command of docs/guide, chapter by chapter, each in an empty folder; help, completions, manual
//! pages.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{folder, longarm, refused, said, works};

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide")
}

fn page(name: &str) -> String {
    std::fs::read_to_string(guide().join(name)).unwrap()
}

/// Fenced blocks: what they are written in, and their text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let text: Vec<&str> = lines.by_ref().take_while(|l| !l.starts_with("```")).collect();
        out.push((info.to_owned(), text.join("\n")));
    }
    out
}

/// Runs the console blocks of a chapter; returns what each command printed.
fn follow(chapter: &str) -> String {
    let dir = folder(&format!("guide-{chapter}"));
    let bin = Path::new(env!("CARGO_BIN_EXE_longarm")).parent().unwrap().to_owned();
    let before = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&before)));
    let path = path.unwrap();
    let mut out = String::new();
    for (kind, text) in blocks(&page(&format!("{chapter}.md"))) {
        match kind.as_str() {
            "console" => {}
            // What is only shown, and what commands read.
            "text" => continue,
            file if file.starts_with("json title=") => {
                std::fs::write(dir.join(file.trim_start_matches("json title=")), text).unwrap();
                continue;
            }
            // A file that is read where it lies.
            file if file.starts_with("toml title=") => {
                let path = dir.join(file.trim_start_matches("toml title="));
                std::fs::write(&path, text).unwrap();
                let read = format!("agent:{}", path.display()).parse::<longarm_eval::PolicySpec>();
                read.unwrap_or_else(|e| panic!("{chapter}: {e}"));
                continue;
            }
            // python/tests/test_planner.py does.
            "python title=planner.py" => continue,
            // What installs is run by .ci/first-hour.
            "sh" if chapter == "install" => continue,
            // What needs LeRobot is tried by cargo xtask interop.
            "sh" if text.contains("lerobot") => continue,
            other => panic!("{chapter}: a block of {other:?} is run by nobody"),
        }
        for line in text.lines() {
            let command = line.strip_prefix("$ ").unwrap_or_else(|| panic!("{line}"));
            let o = Command::new("bash")
                .args(["-euc", command])
                .current_dir(&dir)
                .env("PATH", &path)
                .output()
                .unwrap();
            assert!(o.status.success(), "{chapter}: {command}\n{}", said(&o));
            out += &format!("$ {command}\n{}", String::from_utf8_lossy(&o.stdout));
        }
    }
    out
}

#[test]
fn compose_works() {
    let out = follow("compose");
    assert!(out.contains("put-bowl-on-plate-back-where-was.toml"), "{out}");
    assert!(out.contains("success  score 100"), "{out}");
}

#[test]
fn install_works() {
    assert!(follow("install").contains("success  score 100"));
}

#[test]
fn first_evaluation_works() {
    let out = follow("first-evaluation");
    assert!(out.contains("A − B"), "{out}");
}

#[test]
fn agents_works() {
    let out = follow("agents");
    assert!(out.contains("planner oracle, actor oracle"), "{out}");
}

#[test]
fn reports_works() {
    let out = follow("reports");
    assert!(out.contains("failed episode") && out.contains("training data"), "{out}");
}

#[test]
fn demonstrations_works() {
    let out = follow("demonstrations");
    assert!(out.contains("demos is whole") && out.contains("3 episodes of 3 attempts"), "{out}");
}

#[test]
fn reproducing_and_published_work() {
    follow("reproducing");
    follow("published");
}

/// The ranges in the guide are those of the suites.
#[test]
fn seeds_are_as_the_guide_says() {
    let table = page("first-evaluation.md");
    let splits = longarm_types::Splits::default();
    let row =
        format!("| by default | {} | {} | {} |", splits.train, splits.validation, splits.test);
    assert!(table.contains(&row), "the guide lacks {row:?}");
}

#[test]
fn help_prints_chapters_and_commands() {
    let all = works(&["help"]);
    for entry in std::fs::read_dir(guide()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(chapter) = name.strip_suffix(".md").filter(|n| *n != "README") else { continue };
        assert!(all.contains(chapter), "{chapter} is not listed");
        assert_eq!(works(&["help", chapter]), page(&name), "{chapter}");
        assert!(page("README.md").contains(&format!("({name})")), "{name} is not in the index");
    }
    for (chapter, title) in [
        ("own-tasks", "# A task of your own"),
        ("libero", "# LIBERO here"),
        ("originals", "# LIBERO's own files"),
    ] {
        assert!(works(&["help", chapter]).starts_with(title), "{chapter}");
    }
    assert!(works(&["help", "eval"]).contains("--trained-on"));
    refused(&["help", "reprots"], &["reprots", "did you mean reports"]);
}

#[test]
fn shells_and_man_are_served() {
    for shell in ["bash", "zsh", "fish"] {
        let script = works(&["completions", shell]);
        assert!(script.contains("longarm") && script.contains("trained-on"), "{shell}");
    }
    let dir = folder("man");
    works(&["man", &dir.display().to_string()]);
    let page = std::fs::read_to_string(dir.join("longarm-eval.1")).unwrap();
    assert!(page.contains(".TH") && page.contains("trained"), "{page}");
}

/// The system's reason is said once.
#[test]
fn errors_are_said_once() {
    let o = longarm(&["run", "nowhere.toml"]);
    let said = said(&o);
    assert_eq!(said.matches("No such file").count(), 1, "{said}");
    let o = longarm(&["report", "Cargo.toml"]);
    let said = common::said(&o);
    assert!(said.matches("Not a directory").count() <= 1, "{said}");
    let o = longarm(&["eval", "longbench", "--policy", "idle", "--out", "/proc/none"]);
    let said = common::said(&o);
    assert_eq!(said.matches("os error").count(), 1, "{said}");
}
