//! Seeds by range, what a policy learned from, runs and data sets that grow, and what failed in them.

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::{folder, longarm, refused, said, works};
use serde_json::Value;

const TASK: &str = "longbench/stack-block";

fn text(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.as_ref().display()))
}

fn json(path: impl AsRef<Path>) -> Value {
    serde_json::from_str(&text(path)).unwrap()
}

/// Seeds of the rows of a file, by task.
fn seeds(path: impl AsRef<Path>) -> BTreeMap<String, Vec<u64>> {
    let mut out: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for line in text(path).lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let task = row["task"].as_str().unwrap().to_owned();
        out.entry(task).or_default().push(row["seed"].as_u64().unwrap());
    }
    out.values_mut().for_each(|s| s.sort_unstable());
    out
}

/// All files of a folder with their content.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut out = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(dir).unwrap().to_string_lossy().into_owned();
                out.insert(name, std::fs::read(path).unwrap());
            }
        }
    }
    out
}

#[test]
fn demonstrations_and_evaluations_draw_from_ranges_that_do_not_overlap() {
    let dir = folder("ranges");
    let path = |name: &str| dir.join(name).display().to_string();
    let demos = path("demos");
    works(&["demos", TASK, "--episodes", "2", "--format", "native", "--out", &demos]);
    assert_eq!(seeds(dir.join("demos/longarm/episodes.jsonl"))[TASK], [20_000, 20_001]);
    assert!(text(dir.join("demos/longarm/demos.toml")).contains("split = \"train\""));

    let run = path("run");
    let eval = |more: &[&str]| {
        let mut words = vec!["eval", TASK, "lohoravens/construct-letter-m", "--policy", "idle"];
        words.extend(["--episodes", "2", "--max-steps", "3"]);
        words.extend(more);
        works(&words)
    };
    eval(&["--out", &run]);
    let rows = seeds(dir.join("run/episodes.jsonl"));
    assert_eq!(rows[TASK], [0, 1], "the suite's test seeds");
    assert_eq!(rows["lohoravens/construct-letter-m"], [10_001, 10_003], "each suite's own");
    let results = json(dir.join("run/results.json"));
    assert_eq!(results["split"], "test");
    assert!(text(dir.join("run/run.toml")).contains("split = \"test\""));
    assert!(text(dir.join("run/report.html")).contains("test seeds"));

    eval(&["--split", "val", "--out", &path("validation")]);
    let rows = seeds(dir.join("validation/episodes.jsonl"));
    assert_eq!(rows[TASK], [10_000, 10_001]);
    assert_eq!(json(dir.join("validation/results.json"))["split"], "validation");

    eval(&["--seed", "5", "--out", &path("literal")]);
    let rows = seeds(dir.join("literal/episodes.jsonl"));
    assert_eq!((&rows[TASK], rows.len()), (&vec![5, 6], 2), "literal");
    assert_eq!(json(dir.join("literal/results.json"))["split"], Value::Null);
    let o = longarm(&["eval", TASK, "--policy", "idle", "--split", "tests", "--out", "x"]);
    assert!(said(&o).contains("there are train, validation and test"), "{}", said(&o));

    // Seeds given literally that are kept for tests are said to be.
    let held = path("held-out");
    let words = ["demos", TASK, "--episodes", "1", "--seed", "0", "--format", "native", "--out"];
    let o = longarm(&[&words[..], &[&held]].concat());
    assert!(o.status.success() && said(&o).contains("test seeds of longbench"), "{}", said(&o));
}

#[test]
fn a_run_says_what_of_it_the_policy_has_seen() {
    let dir = folder("trained-on");
    let path = |name: &str| dir.join(name).display().to_string();
    let (demos, run) = (path("demos"), path("run"));
    works(&["demos", TASK, "--episodes", "2", "--format", "native", "--out", &demos]);
    let eval = |seed: &str, out: &str, more: &[&str]| {
        let mut words = vec!["eval", TASK, "--policy", "expert", "--episodes", "3"];
        words.extend(["--seed", seed, "--out", out]);
        words.extend(more);
        works(&words)
    };
    let table = eval("19999", &run, &["--trained-on", &demos]);
    assert!(table.contains("2 of 3 episodes are in the training data"), "{table}");
    let training = &json(dir.join("run/results.json"))["training"];
    assert_eq!((&training["seen"], &training["unseen"]), (&2.into(), &1.into()));
    assert_eq!(training["success_seen"]["mean"], 1.0);
    assert!(text(dir.join("run/report.html")).contains("2 of 3 episodes are in the training data"));
    let config = text(dir.join("run/run.toml"));
    assert!(config.contains("[[trained-on]]") && config.contains("20000-20001"), "{config}");
    works(&["verify", &run]);

    let none = path("none");
    let table = eval("0", &none, &["--trained-on", &demos]);
    assert!(table.contains("None of the episodes is in the training data"), "{table}");
    // A policy that plays demonstrations names them itself.
    let skill = "boss/kitchen-scene3-turn-on-the-stove";
    let shown = path("shown");
    works(&["demos", skill, "--episodes", "1", "--format", "native", "--out", &shown]);
    let nearest = format!("nearest:{shown}");
    let played = path("played");
    let words = ["eval", skill, "--policy", &nearest, "--episodes", "1", "--max-steps", "2"];
    let table = works(&[&words[..], &["--split", "train", "--out", &played]].concat());
    assert!(table.contains("measures memory"), "{table}");
    let no = path("no");
    refused(
        &["eval", TASK, "--policy", "idle", "--trained-on", &run, "--out", &no],
        &["--trained-on", "holds no demonstrations"],
    );
}

#[test]
fn a_finished_run_takes_more_episodes() {
    let dir = folder("run-grows");
    let path = |name: &str| dir.join(name).display().to_string();
    let tasks = [TASK, "longbench/pull-drawer"];
    let eval = |n: &str, out: &str, more: &[&str]| {
        let mut words = vec!["eval", tasks[0], tasks[1], "--policy", "expert", "--episodes", n];
        words.extend(["--max-steps", "60", "--out", out]);
        words.extend(more);
        longarm(&words)
    };
    let (grown, whole) = (path("grown"), path("whole"));
    assert!(eval("1", &grown, &[]).status.success());
    let o = eval("3", &grown, &[]);
    assert!(said(&o).contains("add --resume"), "{}", said(&o));
    assert!(eval("3", &grown, &["--resume"]).status.success());
    assert!(eval("3", &whole, &[]).status.success());
    assert_eq!(text(dir.join("grown/results.json")), text(dir.join("whole/results.json")));
    works(&["verify", &grown]);
    let o = eval("2", &grown, &["--resume"]);
    assert!(said(&o).contains("episodes was 3, now 2"), "{}", said(&o));
}

/// Growing gives what recording at once gives, to the byte.
#[test]
fn a_finished_data_set_takes_more_episodes() {
    let dir = folder("data-grows");
    for format in ["native", "lerobot", "npy"] {
        let path = |name: &str| dir.join(format!("{format}-{name}")).display().to_string();
        let (grown, whole) = (path("grown"), path("whole"));
        let demos = |n: &str, out: &str| {
            let words = ["demos", "longbench/stack-block", "--episodes", n, "--format", format];
            longarm(&[&words[..], &["--size", "16", "--out", out]].concat())
        };
        assert!(demos("1", &grown).status.success());
        let trace = dir.join("native-grown/traces/longbench/stack-block/20000.trace");
        let before = std::fs::metadata(&trace).and_then(|m| m.modified()).ok();
        let o = demos("2", &grown);
        assert!(o.status.success(), "{}", said(&o));
        assert!(demos("2", &whole).status.success());
        let (a, b) = (files(Path::new(&grown)), files(Path::new(&whole)));
        assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>(), "{format}");
        for (name, bytes) in &a {
            assert!(*bytes == b[name], "{format}: {name} differs");
        }
        if format == "native" {
            let after = std::fs::metadata(&trace).and_then(|m| m.modified()).ok();
            assert_eq!(before, after, "what was there stays as it is");
        }
        works(&["demos", "--check", &grown]);
        // Fewer is another data set.
        let o = demos("1", &grown);
        assert!(said(&o).contains("episodes 2 there, 1 now"), "{}", said(&o));
    }
}

#[test]
fn reports_name_what_failed_and_how_to_film_it() {
    let dir = folder("failures");
    let path = |name: &str| dir.join(name).display().to_string();
    let (good, bad, page) = (path("good"), path("bad"), path("page.html"));
    let common = ["eval", TASK, "--episodes", "6", "--max-steps", "60"];
    works(&[&common[..], &["--policy", "expert", "--out", &good]].concat());
    let words = ["--policy", "idle", "--videos", "failures", "--out", &bad];
    let table = works(&[&common[..], &words[..]].concat());
    assert!(table.contains("6 failures; `longarm report"), "{table}");
    assert!(dir.join("bad/videos").join(TASK).join("0.mp4").is_file(), "failures are filmed");

    let listed = works(&["report", &bad, "--out", &page]);
    assert!(listed.contains("6 failed episodes:"), "{listed}");
    let film = listed.lines().find(|l| l.trim_start().starts_with("longarm run")).unwrap();
    let words: Vec<&str> = film.split_whitespace().skip(1).collect();
    let video = words.last().unwrap().to_owned();
    let o = common::command(&words).current_dir(&dir).output().unwrap();
    assert!(o.status.success(), "{film}: {}", said(&o));
    assert!(dir.join(video).is_file());
    let rows = text(dir.join("bad/episodes.jsonl"));
    let mut rows = rows.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
    let row = rows.find(|r| r["seed"] == 0).unwrap();
    let hash = &row["state_hash"].as_str().unwrap()[..8];
    assert!(said(&o).contains(hash), "the film is of the same episode: {}", said(&o));

    let compared = works(&["report", &good, &bad, "--out", &page]);
    for words in ["A  good", "B  bad", "A − B", "no shared"] {
        let there = compared.contains(words);
        assert_eq!(there, words != "no shared", "{words}: {compared}");
    }
    let printed = works(&["report", &good, &bad, "--out", &page, "--json"]);
    let report: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(report["schema"], "longarm-report/1");
    assert_eq!(report["comparison"]["pairs"][0]["counts"]["neither"], 6);
    assert!(report["comparison"]["pairs"][0]["success"]["lo"].is_number());
    assert_eq!(report["runs"][1]["failures"].as_array().unwrap().len(), 6);
    let schema: Value = serde_json::from_str(&works(&["schema", "report"])).unwrap();
    for key in report.as_object().unwrap().keys() {
        assert!(schema["properties"][key].is_object(), "{key} is not in the schema");
    }
}

#[test]
fn options_of_suites_are_taken_everywhere() {
    let dir = folder("options");
    let out = dir.join("demos").display().to_string();
    let task = "libero-90/kitchen-scene7-put-the-white-bowl-to-the-right-of-the-plate";
    let strict = ["-o", "strict-libero=true"];
    let words = ["demos", task, "--episodes", "1", "--format", "native", "--out", &out];
    works(&[&words[..], &strict[..]].concat());
    let config = text(dir.join("demos/longarm/demos.toml"));
    assert!(config.contains("strict-libero = \"true\""), "{config}");
    // What is rendered again is the same task.
    let dense = dir.join("rendered").display().to_string();
    works(&["render", &out, "--size", "16", "--out", &dense]);
    works(&[&["sweep", task, "--policies", "idle", "--seeds", "1"][..], &strict[..]].concat());
    for command in ["sweep", "probe"] {
        refused(&[command, task, "-o", "strict-libreo=true"], &["did you mean strict-libero?"]);
    }
}
