//! Verifying and replaying runs.

use super::*;

/// Changes the row with this index in a copy of the run.
fn tampered(run: &Path, name: &str, change: impl Fn(&mut Value)) -> PathBuf {
    let copy = run.with_file_name(name);
    for (file, bytes) in files(run) {
        let to = copy.join(file);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::write(to, bytes).unwrap();
    }
    let path = copy.join("episodes.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let lines = text.lines().map(|l| {
        let mut row: Value = serde_json::from_str(l).unwrap();
        if row["index"] == 1 {
            change(&mut row);
        }
        format!("{row}\n")
    });
    let changed: String = lines.collect();
    std::fs::write(&path, changed).unwrap();
    copy
}

fn refuted(dir: &Path, words: &[&str]) {
    let o = longarm(&["verify", str(dir)]);
    assert_eq!(o.status.code(), Some(1), "{}", said(&o));
    for w in words {
        assert!(said(&o).contains(w), "{:?} is not in {}", w, said(&o));
    }
}

#[test]
fn verify_names_what_was_tampered_with() {
    let dir = place("verify");
    let run = dir.join("run");
    works(&eval(&run, &["--episodes", "2"]));
    assert!(works(&["verify", str(&run)]).contains("all 4 episodes match"));
    let who = "longbench/stack-block seed 7: ";
    let row = |name, change: &dyn Fn(&mut Value)| tampered(&run, name, change);
    refuted(
        &row("score", &|r| r["score"] = 50.0.into()),
        &[who, "score 50, replayed 0", "results.json does not follow"],
    );
    refuted(&row("outcome", &|r| r["outcome"] = "success".into()), &[who, "outcome Success"]);
    refuted(&row("steps", &|r| r["steps"] = 24.into()), &[who, "steps 24, replayed 25"]);
    let stage = |r: &mut Value| r["stages"][0]["completed"] = true.into();
    refuted(&row("stage", &stage), &[who, "stages"]);
    refuted(&row("engine", &|r| r["engine"] = "9.9".into()), &[who, "names engine \"9.9\""]);
    refuted(&row("task-hash", &|r| r["task_hash"] = "0".repeat(32).into()), &["has hash 00000000"]);
    refuted(&row("state", &|r| r["state_hash"] = "0".repeat(32).into()), &[who, "state hash 000"]);
    refuted(&row("actions", &|r| r["action_hash"] = "0".repeat(32).into()), &[who, "action hash"]);
    // Another seed: none of the run's, or one that the trace is not of.
    refuted(
        &row("seed", &|r| r["seed"] = 99.into()),
        &["stack-block seed 99: this seed is not one"],
    );
    let swap = |r: &mut Value| {
        r["seed"] = 8.into();
        r["index"] = 3.into();
    };
    refuted(&row("twice", &swap), &["stack-block seed 8 is already on line"]);
    // Traces: cut, changed with a new checksum, of another episode, missing.
    let trace = "traces/longbench/stack-block/7.trace";
    let cut = row("cut", &|_| {});
    let bytes = std::fs::read(cut.join(trace)).unwrap();
    std::fs::write(cut.join(trace), &bytes[..bytes.len() - 30]).unwrap();
    refuted(&cut, &[who, "not match its hash"]);
    let old = Trace::from_bytes(&bytes).unwrap();
    let mut new = Trace::new(old.task.clone(), old.seed, old.dim());
    for (i, mut a) in old.actions().enumerate() {
        a.values_mut()[0] *= if i == 3 { 0.5 } else { 1.0 };
        new.push(a.values());
    }
    let changed = row("changed", &|_| {});
    new.write(&changed.join(trace)).unwrap();
    refuted(&changed, &[who, "its trace has action hash"]);
    let hash = new.action_hash().to_string();
    let both = row("both", &|r| r["action_hash"] = hash.clone().into());
    new.write(&both.join(trace)).unwrap();
    refuted(&both, &[who, "state hash"]);
    let other = row("other", &|_| {});
    std::fs::copy(run.join("traces/longbench/stack-block/8.trace"), other.join(trace)).unwrap();
    refuted(&other, &[who, "is one of longbench/stack-block seed 8"]);
    let gone = row("gone", &|_| {});
    std::fs::remove_file(gone.join(trace)).unwrap();
    refuted(&gone, &[who, "is missing"]);
    // The run itself.
    let engine = row("run-engine", &|_| {});
    let toml = std::fs::read_to_string(engine.join("run.toml")).unwrap();
    std::fs::write(engine.join("run.toml"), toml.replace("engine = \"", "engine = \"0.0-"))
        .unwrap();
    refuted(&engine, &["run.toml names engine 0.0-"]);
    let o = longarm(&["verify", str(&dir)]);
    assert_eq!(o.status.code(), Some(2));
    assert!(said(&o).contains("is not a run directory"), "{}", said(&o));
}

#[test]
fn replaying_a_run_gives_the_same_hashes() {
    let dir = place("replay");
    let (run, again) = (dir.join("run"), dir.join("again"));
    works(&["eval", TASKS[0], "--policy", "expert", "--episodes", "2", "--out", str(&run)]);
    let policy = format!("replay:{}", run.display());
    works(&["eval", TASKS[0], "--policy", &policy, "--episodes", "2", "--out", str(&again)]);
    let (a, b) = (rows(&run), rows(&again));
    assert_eq!(a[&0]["outcome"], "success");
    for (k, row) in &a {
        for key in ["outcome", "score", "stages", "steps", "state_hash", "action_hash", "trace"] {
            assert_eq!(row[key], b[k][key], "{key}");
        }
    }
    // An episode that was never recorded cannot be replayed; that is nobody's score.
    let more = dir.join("more");
    works(&["eval", TASKS[0], "--policy", &policy, "--episodes", "3", "--out", str(&more)]);
    let row = &rows(&more)[&2];
    assert_eq!(row["outcome"], "policy_error");
    assert!(row["reason"].as_str().unwrap().contains("2.trace"), "{row}");
    assert!(works(&["verify", str(&more)]).contains("all 3 episodes match"));
    // One trace alone, by `run`.
    let one = format!("replay:{}", run.join("traces").join(TASKS[0]).join("1.trace").display());
    let o = works(&["run", TASKS[0], "--seed", "1", "--policy", &one, "--json"]);
    let o: Value = serde_json::from_str(&o).unwrap();
    assert_eq!(o["state_hash"], a[&1]["state_hash"]);
}
