//! Evaluations as a user runs them: killed, resumed, sharded, verified, tampered with.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../results/tests/support/schema.rs"]
mod schema_check;
#[path = "../../../policy/tests/support/mod.rs"]
mod support;
mod verifying;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{RECORD, command, folder, longarm, refused, said, works};
use longarm_results::Trace;
use serde_json::Value;

/// A path of this test's own where nothing is.
fn place(name: &str) -> PathBuf {
    folder(&format!("harness/{name}"))
}

fn str(path: &Path) -> &str {
    path.to_str().unwrap()
}

const TASKS: [&str; 2] = ["longbench/stack-block", "longbench/repeat-placement"];

/// Short episodes that end in different states.
fn eval<'a>(out: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["eval"];
    args.extend(TASKS);
    args.extend(["--policy", "random", "--max-steps", "25", "--seed", "7", "--out", str(out)]);
    args.extend(more);
    args
}

/// Rows by their place in the work list, without times.
fn rows(dir: &Path) -> BTreeMap<u64, Value> {
    let text = std::fs::read_to_string(dir.join("episodes.jsonl")).unwrap();
    let mut out = BTreeMap::new();
    for line in text.lines() {
        let mut row: Value = serde_json::from_str(line).unwrap();
        row.as_object_mut().unwrap().remove("wall_s").unwrap();
        row.as_object_mut().unwrap().remove("inference");
        let index = row["index"].as_u64().unwrap();
        assert!(out.insert(index, row).is_none(), "episode {index} is there twice");
    }
    out
}

/// All files below, relative, with their bytes.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut out = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(d) = open.pop() {
        for e in std::fs::read_dir(d).unwrap().map(|e| e.unwrap().path()) {
            if e.is_dir() {
                open.push(e);
            } else {
                let name = e.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
                out.insert(name, std::fs::read(&e).unwrap());
            }
        }
    }
    out
}

fn same_run(a: &Path, b: &Path) {
    let (x, y) = (rows(a), rows(b));
    assert_eq!(x.keys().collect::<Vec<_>>(), y.keys().collect::<Vec<_>>());
    for (k, row) in &x {
        assert_eq!(row, &y[k]);
    }
    let (x, y) = (files(a), files(b));
    assert_eq!(x.keys().collect::<Vec<_>>(), y.keys().collect::<Vec<_>>());
    for (name, bytes) in &x {
        if name.ends_with(".trace") || name == "results.json" {
            assert!(*bytes == y[name], "{name} differs");
        }
    }
}

/// Kills one run `kills` times at random moments; it must end as if nothing had happened.
fn survives(name: &str, kills: u32, episodes: &str) {
    let dir = place(name);
    let (calm, hunted) = (dir.join("calm"), dir.join("hunted"));
    let more = ["--episodes", episodes, "--workers", "2"];
    let started = Instant::now();
    works(&eval(&dir.join("short"), &["--episodes", "1"]));
    let startup = started.elapsed();
    works(&eval(&calm, &more));
    let mut random = longarm_types::Seed(u64::from(std::process::id())).stream("kills");
    let mut resume = more.to_vec();
    resume.push("--resume");
    let count = || {
        let text = std::fs::read(hunted.join("episodes.jsonl")).unwrap_or_default();
        text.iter().filter(|b| **b == b'\n').count()
    };
    for life in 0..kills {
        let mut child = command(&eval(&hunted, &resume))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Every third life ends while it starts up, repairs and compiles scenes; the others some
        // milliseconds after a few new rows: amid episodes, traces and writes.
        if life % 3 == 0 {
            std::thread::sleep(startup.mul_f64(random.unit()));
        } else {
            let enough = count() + 1 + random.below(3);
            while count() < enough && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_micros(500));
            }
            std::thread::sleep(Duration::from_secs_f64(0.04 * random.unit()));
        }
        let finished = child.try_wait().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(finished.is_none(), "it finished before kill {life}; give it more episodes");
    }
    let before = count();
    works(&eval(&hunted, &resume));
    let all = rows(&hunted).len();
    assert!(0 < before && before < all, "{before} of {all} rows in {kills} short lives");
    println!("{kills} kills; {before} of {all} rows before the last life");
    same_run(&calm, &hunted);
}

#[test]
fn a_run_survives_five_kills() {
    survives("kills-5", 5, "20");
}

#[test]
#[ignore = "takes minutes; cargo test -p longarm --test harness -- --ignored"]
fn a_run_survives_fifty_kills() {
    survives("kills-50", 50, "120");
}

#[test]
fn shards_merge_to_the_same_results() {
    let dir = place("shards");
    let whole = dir.join("whole");
    works(&eval(&whole, &["--episodes", "5"]));
    let expected = std::fs::read(whole.join("results.json")).unwrap();
    for n in [1, 2, 7] {
        let parts: Vec<PathBuf> = (1..=n).map(|i| dir.join(format!("{i}-of-{n}"))).collect();
        for (i, part) in parts.iter().enumerate() {
            let shard = format!("{}/{n}", i + 1);
            works(&eval(part, &["--episodes", "5", "--shard", &shard, "--workers", "1"]));
        }
        let merged = dir.join(format!("merged-{n}"));
        let mut args = vec!["merge"];
        args.extend(parts.iter().map(|p| str(p)));
        args.extend(["--out", str(&merged)]);
        works(&args);
        assert!(std::fs::read(merged.join("results.json")).unwrap() == expected, "{n} shards");
        assert_eq!(rows(&merged), rows(&whole));
        assert!(merged.join("report.html").is_file());
        assert!(works(&["verify", str(&merged)]).contains("all 10 episodes match"));
    }
}

#[test]
fn workers_change_nothing() {
    let dir = place("workers");
    let runs = ["1", "2", "4"].map(|n| (n, dir.join(n)));
    for (n, out) in &runs {
        works(&eval(out, &["--episodes", "6", "--workers", n]));
    }
    same_run(&runs[0].1, &runs[1].1);
    same_run(&runs[0].1, &runs[2].1);
    // Episode k of every task has seed 7 + k, and the list goes episode by episode.
    for (index, row) in rows(&runs[0].1) {
        assert_eq!(row["seed"], 7 + index / 2);
        assert_eq!(
            row["task"],
            TASKS.iter().rev().collect::<Vec<_>>()[index as usize % 2].to_owned()
        );
    }
}

#[test]
fn results_follow_their_schema_and_contract() {
    let out = place("schema").join("run");
    let mut args = eval(&out, &["--episodes", "3", "--json"]);
    args.extend(["--latency", "2", "--action-repeat", "2", "--action-noise", "0.1"]);
    let printed = works(&args);
    let stored = std::fs::read_to_string(out.join("results.json")).unwrap();
    assert_eq!(printed, stored);
    let schema: Value = serde_json::from_str(&longarm_results::schema()).unwrap();
    let value: Value = serde_json::from_str(&stored).unwrap();
    schema_check::validate(&schema, &schema, &value, "$");
    assert_eq!(value["tasks"].as_array().unwrap().len(), 2);
    assert_eq!(value["tasks"][0]["n"], 3);
    assert_eq!(value["complete"], true);
    let row = &rows(&out)[&0];
    for key in RECORD {
        assert!(row.get(key).is_some(), "{key}");
    }
    assert!(
        works(&["verify", str(&out)]).contains("all 6 episodes match"),
        "noise is in the traces"
    );
    // Nothing left to do is fine; another configuration is not the same run.
    args.push("--resume");
    assert_eq!(works(&args), stored);
    let at = args.iter().position(|a| *a == "0.1").unwrap();
    args[at] = "0.2";
    let o = longarm(&args);
    assert_eq!(o.status.code(), Some(2));
    assert!(said(&o).contains("action-noise was 0.1, now 0.2"), "{}", said(&o));
}

#[test]
fn a_second_process_is_refused() {
    let out = place("second").join("run");
    let args = eval(&out, &["--episodes", "400", "--workers", "1", "--resume"]);
    let mut first = command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while !out.join("episodes.jsonl").exists() && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let o = longarm(&args);
    let still = first.try_wait().unwrap().is_none();
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(still, "the first was at work");
    assert_eq!(o.status.code(), Some(2));
    assert!(said(&o).contains("is in use by process"), "{}", said(&o));
    let o = longarm(&eval(&out, &["--episodes", "400"]));
    assert!(said(&o).contains("already holds a run; add --resume"), "{}", said(&o));
}

fn interrupt(child: &std::process::Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Starts an evaluation and waits for its first new row.
fn under_way(args: &[&str], out: &Path) -> std::process::Child {
    let rows = || std::fs::metadata(out.join("episodes.jsonl")).map_or(0, |m| m.len());
    let before = rows();
    let mut child = command(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while rows() <= before {
        assert!(child.try_wait().unwrap().is_none(), "it ended without a row");
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

#[test]
fn one_interrupt_ends_in_order_and_two_at_once() {
    let dir = place("interrupt");
    let (calm, stopped) = (dir.join("calm"), dir.join("stopped"));
    let more = ["--episodes", "60", "--workers", "2", "--resume"];
    works(&eval(&calm, &more));
    let child = under_way(&eval(&stopped, &more), &stopped);
    interrupt(&child);
    let o = child.wait_with_output().unwrap();
    assert_eq!(o.status.code(), Some(130), "{}", said(&o));
    for words in ["stopping after the episodes under way", "stopped with ", "--resume"] {
        assert!(said(&o).contains(words), "{words:?} is not in {}", said(&o));
    }
    // In order: results and report say what has run.
    let results = std::fs::read_to_string(stopped.join("results.json")).unwrap();
    let results: Value = serde_json::from_str(&results).unwrap();
    let n = rows(&stopped).len();
    assert!(0 < n && n < 120 && results["complete"] == false && results["counts"]["rows"] == n);
    assert!(stopped.join("report.html").is_file());
    // At once: an episode under way is lost, the rows are not.
    let child = under_way(&eval(&stopped, &more), &stopped);
    interrupt(&child);
    interrupt(&child);
    let o = child.wait_with_output().unwrap();
    assert_eq!(o.status.code(), Some(130), "{}", said(&o));
    works(&eval(&stopped, &more));
    same_run(&calm, &stopped);
}

#[test]
fn one_episode_with_a_policy_server() {
    // Three answers, then words that mean nothing.
    let server = support::Server::openpi(|_, question, ws| match question {
        0..3 => drop(ws.send(support::actions(1, 0.25))),
        _ => drop(ws.send(tungstenite::Message::text("Traceback: out of memory"))),
    });
    let policy = format!("openpi:127.0.0.1:{}?size=64&retries=0", server.port);
    let o = works(&["run", TASKS[0], "--policy", &policy, "--json"]);
    let row: Value = serde_json::from_str(&o).unwrap();
    assert_eq!((&row["outcome"], &row["steps"]), (&"policy_error".into(), &3.into()), "{row}");
    assert!(row["reason"].as_str().unwrap().contains("out of memory"), "{row}");
    let o = longarm(&["run", TASKS[0], "--policy", "openpi:127.0.0.1:9?retries=0"]);
    assert_eq!(o.status.code(), Some(2));
    assert!(said(&o).contains("nothing listens"), "{}", said(&o));
}

#[test]
fn films_are_kept_and_change_nothing() {
    let dir = place("films");
    let (plain, filmed) = (dir.join("plain"), dir.join("filmed"));
    works(&eval(&plain, &["--episodes", "2"]));
    works(&eval(&filmed, &["--episodes", "2", "--videos", "1"]));
    let (a, b) = (rows(&plain), rows(&filmed));
    for (k, row) in &a {
        assert_eq!(row["state_hash"], b[k]["state_hash"]);
        let shown = b[k]["seed"] == 7;
        for (key, end) in [("video", "7.mp4"), ("filmstrip", "7.png")] {
            let name = b[k].get(key).and_then(Value::as_str);
            assert_eq!(name.is_some(), shown);
            if let Some(name) = name {
                assert!(name.ends_with(end) && filmed.join(name).metadata().unwrap().len() > 5000);
            }
        }
    }
    let page = std::fs::read_to_string(filmed.join("report.html")).unwrap();
    assert!(page.contains("videos/longbench/stack-block/7.mp4"));
    // What is published about these tasks stands beside them.
    assert!(page.contains("MemoryVLA") && page.contains("55.0"));
    // A page elsewhere finds the films, and compares.
    let page = dir.join("both.html");
    works(&["report", str(&plain), str(&filmed), "--out", str(&page)]);
    assert!(std::fs::read_to_string(&page).unwrap().contains("2 runs"));
    let page = dir.join("one.html");
    works(&["report", str(&filmed), "--out", str(&page)]);
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.contains("filmed/videos/longbench/stack-block/7.mp4"));
}

#[test]
fn bad_input_ends_in_one_clear_sentence() {
    let out = place("bad").join("run");
    let refused = |args: &[&str], words: &[&str]| {
        refused(&[&["eval"], args, &["--out", str(&out)]].concat(), words);
    };
    let idle = ["--policy", "idle"];
    let with = |s: &'static str| [s, idle[0], idle[1]];
    refused(&with("longbenhc"), &["no suite or task \"longbenhc\"; did you mean longbench?"]);
    refused(&with("stack-block"), &["did you mean longbench/stack-block?"]);
    refused(&with("longbench/stack-blok"), &["did you mean longbench/stack-block?"]);
    refused(&with("longbench/*nothing*"), &["no task matches"]);
    refused(&["longbench", "--policy", "exprt"], &["did you mean expert?"]);
    refused(&["longbench", "--policy", "openpy:h:1"], &["did you mean openpi?"]);
    refused(&["longbench", "--policy", "openpi"], &["DIALECT:HOST:PORT"]);
    refused(&["longbench", "--policy", "replay:/no/such"], &["/no/such", "is not a run directory"]);
    let down = "openpi:127.0.0.1:9?retries=0";
    refused(&["longbench", "--policy", down], &["policy server 127.0.0.1:9", "nothing listens"]);
    assert!(!out.join("run.toml").exists(), "a refused run leaves nothing that needs --resume");
}
