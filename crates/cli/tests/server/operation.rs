//! Copying, reviewing, counting.

use crate::common::{longarm, refused, said};
use std::path::Path;

use crate::server::{Board, idle_run};
use crate::store;
use serde_json::Value;

#[test]
fn a_copy_taken_while_it_runs_can_be_served() {
    let board = Board::start("server-backup", &[]);
    let ada = board.administrator();
    let s = board.submit(&ada, "Copied", idle_run());
    assert_eq!(s["status"], "published", "{s}");
    let copy = board.data.join("../copy");
    let (from, to) = (board.data.display().to_string(), copy.display().to_string());
    let mut args = vec!["serve", "backup", "--data", &from, "--out", &to];
    let file = store::address_file(&board.data).display().to_string();
    if Path::new(&file).exists() {
        refused(&args, &["give --postgres"]);
        args.extend(["--postgres", &file]);
    }
    let o = longarm(&args);
    assert!(o.status.success(), "{}", said(&o));
    refused(&args, &["exists already"]);
    // Two processes cannot serve one folder.
    refused(&["serve", "--data", &from, "--listen", "127.0.0.1:0"], &["another process"]);
    let again = Board::open(&copy, &[]);
    assert!(again.code.is_none());
    let (a, b) = (board.get("/api/leaderboard", None), again.get("/api/leaderboard", None));
    assert_eq!(a["rows"], b["rows"]);
    assert_eq!(board.get("/api/key", None), again.get("/api/key", None));
    assert_eq!(again.get("/api/account", Some(&ada))["account"]["name"], "Ada");
}

#[test]
fn flagged_and_reviewed_rows_wait_for_a_judge() {
    let board = Board::start("server-review", &["--review"]);
    let ada = board.administrator();
    let bob = board.account(&ada, "Bob", "submitter");
    let judy = board.account(&ada, "Judy", "judge");
    let s = board.submit(&bob, "Waiting", idle_run());
    assert_eq!((&s["status"], &s["rows"]), (&"completed".into(), &Value::Array(Vec::new())), "{s}");
    assert!(board.get("/api/leaderboard", None)["rows"].as_array().unwrap().is_empty());
    // Until then its row, report and films are its owner's and the judges' alone.
    let sql = "SELECT id FROM rows";
    let row = store::look(&board.data, |c| c.row(sql, &[])).unwrap().text(0).unwrap();
    let eve = board.account(&ada, "Eve", "submitter");
    for path in ["/api/rows/ROW", "/rows/ROW", "/rows/ROW/report", "/compare?a=ROW&b=ROW"] {
        let path = path.replace("ROW", &row);
        for (token, status) in
            [(None, 404), (Some(&eve), 404), (Some(&bob), 200), (Some(&judy), 200)]
        {
            let reply = board.ask("GET", &path, token.map(String::as_str), "");
            assert_eq!(reply.status, status, "{path}: {}", reply.text());
        }
    }
    let films = board.data.join("films").join(&row);
    board.until("it is filmed", || films.join("0.mp4").is_file());
    let film = |name: &str, token: Option<&str>| {
        board.ask("GET", &format!("/rows/{row}/films/{name}"), token, "")
    };
    for (token, status) in [(None, 404), (Some(&eve), 404), (Some(&bob), 200), (Some(&judy), 200)] {
        assert_eq!(film("0.mp4", token.map(String::as_str)).status, status);
    }
    let strip = film("0.png", Some(&bob));
    assert!(
        strip.body.starts_with(b"\x89PNG") && strip.header("content-type") == Some("image/png")
    );
    for name in
        ["00.mp4", "-1.mp4", "0.toml", "..%2f..%2fsigning.key", "0.mp4%00", "9.mp4", "+0.png"]
    {
        assert_eq!(film(name, Some(&judy)).status, 404, "{name}");
    }
    let path = format!("/api/submissions/{}/publish", s["id"].as_str().unwrap());
    assert_eq!(board.ask("POST", &path, Some(&bob), "").status, 403);
    assert_eq!(board.ask("POST", &path, Some(&judy), "").json()["status"], "published");
    assert_eq!(board.ask("POST", &path, Some(&judy), "").status, 409);
    let rows = board.get("/api/leaderboard", None);
    assert_eq!(rows["rows"][0]["policyName"], "Waiting");
    // What there is, for whoever watches the server.
    let metrics = board.ask("GET", "/metrics", None, "").text();
    for line in [
        "longarm_submissions{state=\"published\"} 1",
        "longarm_rows 1",
        "longarm_episodes 4",
        "longarm_replays_total{result=\"matched\"} 4",
    ] {
        assert!(metrics.contains(line), "{line} is not in\n{metrics}");
    }
}
