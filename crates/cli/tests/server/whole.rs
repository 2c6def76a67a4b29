//! From a run to the board and to a receipt that is checked without the server.

use crate::common::{command, longarm, said};
use crate::server::{Board, EPISODES, idle_run, run};
use crate::store;
use serde_json::Value;

#[test]
fn a_run_is_submitted_replayed_published_and_its_receipt_is_checked() {
    let board = Board::start("server-whole", &[]);
    let ada = board.administrator();
    let bob = board.account(&ada, "Bob", "submitter");
    let url = format!("http://{}", board.address);
    let token = board.data.join("../token");
    std::fs::write(&token, format!("{bob}\n")).unwrap();
    let dir = run().display().to_string();
    let args = ["submit", &dir, "--server", &url, "--name", "Careful", "--open-source", "--json"];
    let file = token.display().to_string();
    let o =
        command(&args).args(["--token-file", &file, "--affiliation", "A Lab"]).output().unwrap();
    assert!(o.status.success(), "{}", said(&o));
    let s: Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!((&s["status"], &s["played"]), (&"published".into(), &4.into()), "{s}");
    // A second policy, to be compared with, by the form and the token in the environment.
    let dir = idle_run().display().to_string();
    let args = ["submit", &dir, "--server", &url, "--name", "Lazy"];
    let o = command(&args).env("LONGARM_TOKEN", &bob).output().unwrap();
    assert!(o.status.success(), "{}", said(&o));

    let all = board.get("/api/leaderboard", None);
    assert!(all["updatedAt"].as_str().unwrap().ends_with('Z'));
    let rows = all["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{all}");
    let (first, second) = (&rows[0], &rows[1]);
    assert_eq!((&first["policyName"], &second["policyName"]), (&"Careful".into(), &"Lazy".into()));
    for (field, value) in [
        ("openSource", Value::from(true)),
        ("sourceLabel", "open source".into()),
        ("trust", "replayed".into()),
        ("submitter", "Bob".into()),
        ("affiliation", "A Lab".into()),
        ("n", 4.into()),
        ("flagged", 0.into()),
    ] {
        assert_eq!(first[field], value, "{field} of {first}");
    }
    // Four episodes cannot tell anyone apart: that is what is shown.
    assert_eq!((&first["best"], &first["worst"]), (&1.into(), &2.into()));
    // The numbers are those of the run itself.
    let text = std::fs::read_to_string(run().join("results.json")).unwrap();
    let results: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(first["success"], results["suite"]["success"]);
    assert_eq!(first["score"], results["suite"]["score"]);
    let mine = board.get("/api/leaderboard?board=quick&trust=replayed&open=false", None);
    assert_eq!(mine["rows"].as_array().unwrap().len(), 1);

    receipts(&board, first["id"].as_str().unwrap());

    // Off the board again: by its owner, and from everybody's eyes.
    let id = s["id"].as_str().unwrap();
    let gone = board.ask("POST", &format!("/api/submissions/{id}/withdraw"), Some(&bob), "");
    assert_eq!(gone.json()["status"], "withdrawn", "{}", gone.text());
    assert_eq!(board.get("/api/leaderboard", None)["rows"].as_array().unwrap().len(), 1);
    let row = format!("/api/rows/{}", first["id"].as_str().unwrap());
    assert_eq!(board.ask("GET", &row, None, "").status, 404);
    assert_eq!(board.ask("GET", &row, Some(&bob), "").status, 200);
    // Everything is in the log of what was done, and no token is in any log.
    let audit = board.get("/api/audit", Some(&ada)).to_string();
    for action in
        ["account.create", "submission.create", "submission.published", "submission.withdrawn"]
    {
        assert!(audit.contains(action), "{action} is not in {audit}");
    }
    assert!(!audit.contains(&bob) && !board.log.lock().unwrap().contains(&bob));
    for bytes in store::bytes(&board.data) {
        assert!(
            !bytes.windows(bob.len()).any(|w| w == bob.as_bytes()),
            "a token is in the database"
        );
    }
    assert_eq!(EPISODES, "2");
}

fn receipts(board: &Board, row: &str) {
    let reply = board.ask("GET", &format!("/api/rows/{row}/receipt"), None, "");
    assert_eq!(reply.status, 200, "{}", reply.text());
    let receipt = board.data.join("../receipt.json");
    std::fs::write(&receipt, &reply.body).unwrap();
    let key = board.get("/api/key", None)["key"].as_str().unwrap().to_owned();
    let file = receipt.display().to_string();
    let dir = run().display().to_string();
    let check = |key: &str, dir: &[&str]| {
        let args = [&["verify", "--receipt", &file, "--key", key], dir].concat();
        let o = longarm(&args);
        (o.status.code(), said(&o))
    };
    let (code, words) = check(&key, &[]);
    assert_eq!(code, Some(0), "{words}");
    assert!(words.contains("genuine; Careful on quick"), "{words}");
    let (code, words) = check(&key, &[&dir]);
    assert_eq!(code, Some(0), "{words}");
    assert!(words.contains("all 4 episodes match"), "{words}");
    let other = idle_run().display().to_string();
    let (code, words) = check(&key, &[&other]);
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("not those of the receipt"), "{words}");
    let zeros = "0".repeat(64);
    let (code, words) = check(&zeros, &[]);
    assert_eq!(code, Some(1), "{words}");
    // A better number, and the same signature.
    let forged = reply.text().replace("Careful", "Careless");
    assert_ne!(forged, reply.text());
    std::fs::write(&receipt, forged).unwrap();
    let (code, words) = check(&key, &[]);
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("changed or forged"), "{words}");
}

/// The commands of the chapter, but for the first, which is how this server was started.
#[test]
fn the_chapter_of_the_guide_works() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let chapter = std::fs::read_to_string(root.join("docs/guide/leaderboard.md")).unwrap();
    let board = Board::start_on(store::Kind::Sqlite, "server-chapter", &[]);
    let ada = board.administrator();
    let dir = board.data.parent().unwrap();
    std::fs::write(dir.join("token"), &ada).unwrap();
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_longarm")).parent().unwrap();
    let before = std::env::var("PATH").unwrap();
    let mut said_all = String::new();
    let lines = chapter.lines().filter_map(|l| l.strip_prefix("$ "));
    for line in lines.filter(|l| !l.starts_with("longarm serve --data")) {
        let line = line.replace("127.0.0.1:8080", &board.address);
        let o = std::process::Command::new("bash")
            .args(["-euc", &line])
            .current_dir(dir)
            .env("PATH", format!("{}:{before}", bin.display()))
            .output()
            .unwrap();
        assert!(o.status.success(), "{line}: {}", said(&o));
        said_all += &said(&o);
    }
    assert!(said_all.contains("my-policy: published"), "{said_all}");
    assert!(dir.join("board-copy/longarm.db").is_file());
}
