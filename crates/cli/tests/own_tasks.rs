//! Every command of docs/own-tasks.md, in an empty folder.

mod common;

use std::path::Path;
use std::process::Command;

use common::{folder, said};

/// A fenced block of the page: what it is written in, its file, its text.
fn blocks(page: &str) -> Vec<(String, Option<String>, String)> {
    let mut out = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let text: Vec<&str> = lines.by_ref().take_while(|l| !l.starts_with("```")).collect();
        let (kind, file) = match info.split_once(" title=") {
            Some((kind, file)) => (kind, Some(file.to_owned())),
            None => (info, None),
        };
        out.push((kind.to_owned(), file, text.join("\n") + "\n"));
    }
    out
}

/// Runs the page in a folder, all but its Python.
fn follow(dir: &Path) -> Vec<String> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/own-tasks.md");
    let page = std::fs::read_to_string(page).unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_longarm")).parent().unwrap().to_owned();
    let path = std::env::join_paths(
        std::iter::once(bin).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let path = path.unwrap();
    let mut out = Vec::new();
    let mut exports = String::new();
    for (kind, file, text) in blocks(&page) {
        match (kind.as_str(), file) {
            ("python", None) => {}
            ("console", None) => {
                for line in text.lines() {
                    let command = line.strip_prefix("$ ").unwrap_or_else(|| panic!("{line}"));
                    if command.starts_with("export ") {
                        exports += &format!("{command}\n");
                        continue;
                    }
                    let script = format!("{exports}{command}");
                    let o = Command::new("bash")
                        .args(["-euc", &script])
                        .current_dir(dir)
                        .env("PATH", &path)
                        .output()
                        .unwrap();
                    assert!(o.status.success(), "{command}\n{}", said(&o));
                    out.push(format!("$ {command}\n{}", String::from_utf8_lossy(&o.stdout)));
                }
            }
            (_, Some(file)) => {
                let path = dir.join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            (other, None) => panic!("a block of {other} is neither a file nor commands"),
        }
    }
    out
}

#[test]
fn a_stranger_follows_the_page() {
    let dir = folder("own-tasks");
    let out = follow(&dir);
    let of = |command: &str| {
        let found = out.iter().find(|o| o.starts_with(&format!("$ longarm {command}")));
        found.unwrap_or_else(|| panic!("{command} was not run")).clone()
    };
    // The expert solves the tasks with the user's own objects.
    for run in ["run first.toml", "run mine/salt-on-stand.toml", "run mine/there-and-back.toml"] {
        assert!(of(run).contains("\nsuccess  score 100"), "{}", of(run));
    }
    let (file, printed) = (of("run mine/salt-on-stand.toml"), of("run printed.json"));
    let hashes = |o: &str| o.split("state ").nth(1).unwrap().to_owned();
    assert_eq!(hashes(&file), hashes(&printed), "what is printed runs as it was");
    // The run carries the tasks and names the files.
    let config = std::fs::read_to_string(dir.join("run/run.toml")).unwrap();
    for name in ["objects/salt.xml", "objects/stand.toml"] {
        assert!(config.contains(name), "{name} is not in run.toml");
    }
    let results = std::fs::read_to_string(dir.join("run/results.json")).unwrap();
    let results: serde_json::Value = serde_json::from_str(&results).unwrap();
    assert_eq!(results["counts"]["rows"], 4, "{}", results["counts"]);
}
