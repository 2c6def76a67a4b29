//! Policies that nobody can reach: their submitters connect to the server.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;

use crate::common::{command, folder, said};
use crate::hosted::{TASK, policy};
use crate::server::Board;

/// A server that may ask nobody inside.
fn board(name: &str, episodes: u64) -> Board {
    let data = folder(name).join("board");
    std::fs::create_dir_all(&data).unwrap();
    let boards = format!(
        "suites = false\n[[board]]\nname = \"one\"\ntasks = [{TASK:?}]\nepisodes = {episodes}\n"
    );
    std::fs::write(data.join("boards.toml"), boards).unwrap();
    Board::open(&data, &[])
}

fn submit(board: &Board, token: &str, at: &str, more: &[&str]) -> Command {
    let url = format!("http://{}", board.address);
    let mut c = command(&["submit", "--policy", at, "--server", &url, "--name", "Behind"]);
    c.args(more).env("LONGARM_TOKEN", token).arg("--json").stdout(Stdio::piped());
    c
}

/// A submitter that ends with the test.
struct Submitter(Child);

impl Drop for Submitter {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_policy_behind_a_firewall_is_asked_over_its_submitters_connection() {
    let board = board("server-dial-out", 2);
    let ada = board.administrator();
    let bob = board.account(&ada, "Bob", "submitter");
    let (server, shown) = policy(|_, _| true);
    let at = format!("openpi:127.0.0.1:{}?execute=all", server.port);
    let o = submit(&board, &bob, &at, &[]).output().unwrap();
    assert!(o.status.success(), "{}", said(&o));
    let s: Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!((&s["status"], &s["played"]), (&"published".into(), &2.into()), "{s}");
    let row = &board.get("/api/leaderboard", None)["rows"][0];
    assert_eq!((&row["trust"], &row["n"]), (&"hosted".into(), &2.into()), "{row}");
    let shown = shown.lock().unwrap();
    assert_eq!(shown.len(), 2, "two episodes");
    assert!(shown.values().all(|c| c.len() == 1), "each over one connection: {shown:?}");
    // Nobody else answers for it, and nobody at all once it is over.
    let path = format!("/api/submissions/{}/policy", s["id"].as_str().unwrap());
    for (token, status) in [(None, 401), (Some(&ada), 403), (Some(&bob), 409)] {
        let reply = board.ask("GET", &path, token.map(String::as_str), "");
        assert_eq!(reply.status, status, "{}", reply.text());
    }
    let o = submit(&board, &bob, "openpi:127.0.0.1:1,127.0.0.1:2", &[]).output().unwrap();
    assert!(!o.status.success() && said(&o).contains("one address"), "{}", said(&o));
}

#[test]
fn a_submitter_that_goes_away_has_no_second_draw_and_may_come_back() {
    let board = board("server-gone", 3);
    let ada = board.administrator();
    let hold = Arc::new(AtomicBool::new(true));
    let held = Arc::clone(&hold);
    let (server, shown) = policy(move |_, _| {
        // The first question is never answered: whoever submits is killed meanwhile.
        while held.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(20));
        }
        true
    });
    let at = format!("openpi:127.0.0.1:{}?execute=all&reconnect=1", server.port);
    let mut first = Submitter(submit(&board, &ada, &at, &[]).spawn().unwrap());
    board.until("the policy is asked", || !shown.lock().unwrap().is_empty());
    first.0.kill().unwrap();
    first.0.wait().unwrap();
    hold.store(false, Ordering::SeqCst);
    let id = board.get("/api/submissions", Some(&ada))["submissions"][0]["id"].clone();
    let s = board.ended(&ada, id.as_str().unwrap());
    assert_eq!((&s["status"], &s["played"]), (&"failed".into(), &1.into()), "{s}");
    let o = submit(&board, &ada, &at, &["--resume", id.as_str().unwrap()]).output().unwrap();
    assert!(o.status.success(), "{}", said(&o));
    let s: Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!((&s["status"], &s["played"]), (&"published".into(), &3.into()), "{s}");
    let shown = shown.lock().unwrap();
    assert_eq!(shown.len(), 3, "the episode that broke was not shown again: {shown:?}");
    assert!(shown.values().all(|c| c.len() == 1), "{shown:?}");
}
