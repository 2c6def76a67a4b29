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

#[test]
fn archives_with_a_model_hold_files_alone() {
    use tar::EntryType as Kind;
    let dir = folder("onnx-archives");
    let board = board_with("server-archives-onnx", 1, &["--model-memory", "256"]);
    let ada = board.administrator();
    let model = std::fs::read(write(&dir, "mover")).unwrap();
    let manifest = std::fs::read(dir.join("mover.onnx.toml")).unwrap();
    let archive = |entries: &[(&str, Kind, &[u8], &str)]| {
        let mut out = tar::Builder::new(Vec::new());
        for (name, kind, bytes, link) in entries {
            let mut header = tar::Header::new_gnu();
            header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
            header.set_entry_type(*kind);
            header.set_size(bytes.len() as u64);
            if !link.is_empty() {
                header.set_link_name(link).unwrap();
            }
            header.set_cksum();
            out.append(&header, *bytes).unwrap();
        }
        out.into_inner().unwrap()
    };
    let file = Kind::Regular;
    let good = ("m.onnx.toml", file, &manifest[..], "");
    for (name, archive, words) in [
        ("link", archive(&[("m.onnx", Kind::Symlink, b"", "/etc/passwd"), good]), "neither a file"),
        ("device", archive(&[("m.onnx", Kind::Char, b"", ""), good]), "neither a file"),
        (
            "two",
            archive(&[("a.onnx", file, &model, ""), ("b.onnx", file, &model, ""), good]),
            "more than one",
        ),
        ("lonely", archive(&[("m.onnx", file, &model, "")]), "no manifest"),
        ("empty", archive(&[("readme.txt", file, b"x", "")]), "no model"),
        ("words", b"no archive at all".repeat(100), ""),
        ("wrong", archive(&[("m.onnx", file, b"no model at all", ""), good]), ""),
        (
            "climbing",
            archive(&[("../../../signing.key", file, b"x", ""), ("m.onnx", file, &model, "")]),
            "no manifest",
        ),
    ] {
        let body = serde_json::json!({
            "policyName": name, "size": archive.len(), "checkpoint": true, "board": "one"
        });
        let made = board.ask("POST", "/api/submissions", Some(&ada), &body.to_string());
        assert_eq!(made.status, 201, "{}", made.text());
        let id = made.json()["submissionId"].as_str().unwrap().to_owned();
        let head = format!(
            "PATCH /api/submissions/{id}/upload HTTP/1.1\r\nAuthorization: Bearer {ada}\r\n\
             Upload-Offset: 0\r\nContent-Length: {}",
            archive.len()
        );
        assert_eq!(board.raw(&head, &archive).status, 200, "{name}");
        let s = board.ended(&ada, &id);
        assert_eq!(s["status"], "failed", "{name}: {s}");
        let said = s["problems"].to_string();
        assert!(said.contains(words), "{name} said {said}");
        assert!(!said.contains(&*board.data.display().to_string()), "{said}");
    }
    let key = std::fs::read_to_string(board.data.join("signing.key")).unwrap();
    assert_eq!(key.trim().len(), 64, "nothing was written over it");
}
