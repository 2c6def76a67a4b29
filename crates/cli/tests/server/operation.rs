//! Stopping, crashing, copying, counting.

use crate::common::{longarm, refused, said};
use crate::server::{Board, idle_run, packed, run};
use serde_json::Value;

#[test]
fn killed_at_any_moment_nothing_is_lost_or_counted_twice() {
    let mut board = Board::start("server-killed", &["--per-day", "100"]);
    let data = board.data.clone();
    let ada = board.administrator();
    let send = |board: &Board, name: &str, run: &std::path::Path| {
        let reply = board.send(&ada, &[("policyName", name)], &packed(run));
        assert_eq!(reply.status, 201, "{}", reply.text());
        reply.json()["submissionId"].as_str().unwrap().to_owned()
    };
    let mut ids = Vec::new();
    // From at once to long enough for some episodes, in no order that a worker could follow.
    for (i, ms) in [0, 900, 40, 350, 5, 1500, 120, 700].into_iter().enumerate() {
        if i < 4 {
            ids.push(send(&board, &format!("expert {i}"), run()));
            ids.push(send(&board, &format!("idle {i}"), idle_run()));
        }
        std::thread::sleep(std::time::Duration::from_millis(ms));
        board.kill();
        board = Board::open(&data, &["--per-day", "100"]);
        assert!(board.code.is_none(), "there is an administrator");
    }
    for id in &ids {
        let s = board.ended(&ada, id);
        assert_eq!(
            (&s["status"], &s["played"], &s["episodes"]),
            (&"published".into(), &4.into(), &4.into()),
            "{s}"
        );
    }
    let rows = board.get("/api/leaderboard", None)["rows"].as_array().unwrap().clone();
    assert_eq!(rows.len(), 8);
    for row in rows {
        let solved = row["policyName"].as_str().unwrap().starts_with("expert");
        let text =
            std::fs::read_to_string(if solved { run() } else { idle_run() }.join("results.json"));
        let results: Value = serde_json::from_str(&text.unwrap()).unwrap();
        assert_eq!(row["score"], results["suite"]["score"], "{row}");
    }
    assert_eq!(board.terminate(), Some(0));
    let database = rusqlite::Connection::open(data.join("longarm.db")).unwrap();
    let sound: String = database.query_row("PRAGMA integrity_check", [], |r| r.get(0)).unwrap();
    assert_eq!(sound, "ok");
    let count = |sql: &str| -> i64 { database.query_row(sql, [], |r| r.get(0)).unwrap() };
    assert_eq!(count("SELECT COUNT(*) FROM rows"), 8);
    assert_eq!(count("SELECT COUNT(*) FROM episodes WHERE judged IS NOT NULL"), 32);
    assert_eq!(count("SELECT COUNT(*) FROM audit WHERE action = 'submission.published'"), 8);
}

#[test]
fn a_copy_taken_while_it_runs_can_be_served() {
    let board = Board::start("server-backup", &[]);
    let ada = board.administrator();
    let s = board.submit(&ada, "Copied", idle_run());
    assert_eq!(s["status"], "published", "{s}");
    let copy = board.data.join("../copy");
    let (from, to) = (board.data.display().to_string(), copy.display().to_string());
    let o = longarm(&["serve", "backup", "--data", &from, "--out", &to]);
    assert!(o.status.success(), "{}", said(&o));
    refused(&["serve", "backup", "--data", &from, "--out", &to], &["exists already"]);
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
