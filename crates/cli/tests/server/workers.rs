//! Workers on other machines: sharing, dying, lying.

use std::process::{Child, Stdio};

use longarm_server::Keys;
use longarm_server::work::{Findings, Hand, WorkList, WorkerInfo};
use serde_json::{Value, json};

use crate::common::command;
use crate::server::{Board, packed, run};
use crate::store;

/// `longarm work` that ends with the test.
pub struct Helper(pub Child);

impl Drop for Helper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Helper {
    pub fn start(board: &Board, token: &str, more: &[&str]) -> Self {
        let url = format!("http://{}", board.address);
        let mut args = vec!["work", "--server", &url, "--workers", "1"];
        args.extend(more);
        let mut asked = command(&args);
        Self(asked.env("LONGARM_TOKEN", token).stderr(Stdio::null()).spawn().unwrap())
    }
}

fn send(board: &Board, token: &str, name: &str) -> String {
    let reply = board.send(token, &[("policyName", name)], &packed(run()));
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.json()["submissionId"].as_str().unwrap().to_owned()
}

/// What a receipt says of the episodes and of what follows from them.
fn claims(board: &Board, s: &Value) -> Value {
    let row = s["leaderboardRowId"].as_str().unwrap_or_else(|| panic!("{s}"));
    let receipt = board.get(&format!("/api/rows/{row}/receipt"), None);
    let all: Value = serde_json::from_str(receipt["statement"].as_str().unwrap()).unwrap();
    let told = ["episodesHash", "average", "success", "score", "n", "seeds"];
    told.iter().map(|k| (*k, all[*k].clone())).collect()
}

#[test]
fn two_workers_share_submissions_and_one_is_killed() {
    let board = Board::start("server-workers", &["--workers", "0", "--worker-lease", "1"]);
    let ada = board.administrator();
    let (eve, joe) = (board.account(&ada, "Eve", "judge"), board.account(&ada, "Joe", "judge"));
    let ids: Vec<String> = (0..4).map(|i| send(&board, &ada, &format!("expert {i}"))).collect();
    let told = |name: &str| -> i64 {
        let sql = "SELECT COUNT(*) FROM episodes WHERE worker = (SELECT id FROM accounts WHERE name = ?1)";
        store::look(&board.data, |c| c.number(sql, &[name.into()]))
    };
    let mut first = Helper::start(&board, &eve, &[]);
    board.until("Eve has told something", || told("Eve") > 0);
    // In the middle of the next episodes that it took.
    first.0.kill().unwrap();
    first.0.wait().unwrap();
    let before = told("Eve");
    let mut second = Helper::start(&board, &joe, &["--until-idle"]);
    let ended: Vec<Value> = ids.iter().map(|id| board.ended(&ada, id)).collect();
    assert!(second.0.wait().unwrap().success(), "nothing is left to do");
    assert!(before < 16 && told("Joe") > 0, "Eve told {before}, Joe {}", told("Joe"));
    let alone = Board::start("server-alone", &[]);
    let own = alone.administrator();
    let expected = claims(&alone, &alone.submit(&own, "expert", run()));
    for s in &ended {
        assert_eq!((&s["played"], &s["episodes"]), (&4.into(), &4.into()), "{s}");
        assert_eq!(claims(&board, s), expected);
    }
}

#[test]
fn a_worker_that_lies_is_found_out() {
    let board = Board::start("server-liar", &["--workers", "0", "--per-day", "1000"]);
    let ada = board.administrator();
    let eve = board.account(&ada, "Eve", "judge");
    // Which episodes are looked at again only the server knows, and who reads its secret.
    let keys = Keys::open(&board.data).unwrap();
    let looked = |id: &str| {
        let sampled = |i: &u64| keys.hidden(&["sample", id, &i.to_string()]).is_multiple_of(8);
        (0..4u64).find(sampled)
    };
    let mut id = send(&board, &ada, "Liar's");
    while looked(&id).is_none() {
        let path = format!("/api/submissions/{id}/cancel");
        assert_eq!(board.ask("POST", &path, Some(&ada), "").status, 200);
        id = send(&board, &ada, "Liar's");
    }
    let info = serde_json::to_string(&WorkerInfo::own()).unwrap();
    let other = json!({ "engine": "0.0.0", "mujoco": "1.0" }).to_string();
    let reply = board.ask("POST", "/api/work", Some(&eve), &other);
    assert_eq!(reply.status, 409, "{}", reply.text());
    let (mut hand, mut lies) = (Hand::default(), 0);
    board.until("all episodes were told", || {
        let reply = board.ask("POST", "/api/work", Some(&eve), &info);
        assert_eq!(reply.status, 200, "{}", reply.text());
        let list: WorkList = serde_json::from_slice(&reply.body).unwrap();
        for item in &list.episodes {
            let mut finding = hand.play(item).unwrap();
            let mut judged: Value = serde_json::from_str(&finding.judged).unwrap();
            judged["row"]["score"] = 3.25.into();
            judged["row"]["outcome"] = "task_failure".into();
            finding.judged = judged.to_string();
            let found = serde_json::to_string(&Findings { episodes: vec![finding] }).unwrap();
            let path = format!("/api/work/{}", list.submission);
            let reply = board.ask("POST", &path, Some(&eve), &found);
            assert_eq!(reply.status, 200, "{}", reply.text());
            lies += 1;
        }
        lies == 4
            || lies > 0
                && board.get(&format!("/api/submissions/{id}"), Some(&ada))["status"] == "published"
    });
    let s = board.ended(&ada, &id);
    assert_eq!(s["status"], "published", "{s}");
    let row = &board.get("/api/leaderboard", None)["rows"][0];
    assert_eq!(row["score"]["mean"], 100.0, "as it was, not as it was told: {row}");
    let audit = board.get("/api/audit", Some(&ada)).to_string();
    assert!(audit.contains("worker.wrong") && audit.contains("Eve"), "{audit}");
}
