//! Policies in ONNX files: run here, and uploaded.

use serde_json::Value;

use crate::common::{command, folder, longarm, said, works};
use crate::hosted::{TASK, board_with};
use crate::models::write;

fn submit(board: &crate::server::Board, token: &str, path: &std::path::Path) -> (bool, Value) {
    let url = format!("http://{}", board.address);
    let path = path.display().to_string();
    let args = ["submit", "--checkpoint", &path, "--board", "one", "--server", &url, "--json"];
    let o = command(&args).args(["--name", "Model"]).env("LONGARM_TOKEN", token).output().unwrap();
    let s = serde_json::from_slice(&o.stdout).unwrap_or_else(|_| panic!("{}", said(&o)));
    (o.status.success(), s)
}

#[test]
fn a_model_acts_the_same_whoever_waits_for_it() {
    let dir = folder("onnx-mover");
    let policy = format!("onnx:{}", write(&dir, "mover").display());
    let rows = |workers: &str| {
        let out = dir.join(workers).display().to_string();
        let args = ["eval", TASK, "--policy", &policy, "--episodes", "3", "--out", &out];
        works(&[&args[..], &["--workers", workers]].concat());
        let text = std::fs::read_to_string(dir.join(workers).join("episodes.jsonl")).unwrap();
        // All but how long it took.
        let row = |line: &str| {
            let mut row: Value = serde_json::from_str(line).unwrap();
            row.as_object_mut().unwrap().remove("wall_s").expect("rows have a time");
            row.to_string()
        };
        let mut rows: Vec<String> = text.lines().map(row).collect();
        rows.sort();
        rows
    };
    let one = rows("1");
    assert_eq!(one.len(), 3);
    assert!(!one.iter().any(|r| r.contains("policy_error")), "{one:?}");
    assert_eq!(one, rows("2"));
}

#[test]
fn hostile_models_are_named() {
    let dir = folder("onnx-hostile");
    for (name, words) in [
        ("glutton", "more than 256 MB of memory"),
        ("runner", "more than 1 s of processor time"),
        ("pointer", "tensor \"weights\" lies in another file, \"/etc/passwd\""),
    ] {
        let policy = format!("onnx:{}?memory=256&cpu=1", write(&dir, name).display());
        let o = longarm(&["run", TASK, "--policy", &policy, "--seed", "1"]);
        assert!(said(&o).contains(words), "{name}: {}", said(&o));
    }
}

#[test]
fn an_uploaded_model_is_run_on_hidden_seeds() {
    let dir = folder("onnx-upload");
    let board = board_with("server-checkpoint", 2, &["--model-memory", "256", "--model-cpu", "1"]);
    let ada = board.administrator();
    let (good, s) = submit(&board, &ada, &write(&dir, "mover"));
    assert!(good && s["method"] == "checkpoint" && s["played"] == 2, "{s}");
    let rows = board.get("/api/leaderboard?trust=audited", None);
    assert_eq!(rows["rows"][0]["policyName"], "Model", "{rows}");
    // What cannot be loaded fails as a whole, what cannot answer fails in its episodes.
    let (good, s) = submit(&board, &ada, &write(&dir, "pointer"));
    assert!(!good && s["status"] == "failed", "{s}");
    assert!(s["problems"].to_string().contains("lies in another file"), "{s}");
    let (_, s) = submit(&board, &ada, &write(&dir, "runner"));
    let row = s["leaderboardRowId"].as_str().unwrap_or_else(|| panic!("{s}"));
    let results = board.get(&format!("/api/rows/{row}"), None)["results"].clone();
    assert_eq!(results["counts"]["policy_errors"], 2, "{results}");
}
