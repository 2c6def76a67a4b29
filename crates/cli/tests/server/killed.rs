//! Server and workers are killed while runs are uploaded, replayed here and elsewhere, and a policy is asked.

use std::time::Duration;

use longarm_types::Seed;
use serde_json::Value;

use crate::common::folder;
use crate::hosted::{LOOPBACK, TASK, ask, id_of, policy};
use crate::server::{Board, EPISODES, TASKS, idle_run, packed, run};
use crate::store;
use crate::workers::Helper;

const KILLS: usize = 20;
/// Runs that are uploaded, and policies that are asked.
const RUNS: usize = 8;
const ASKED: usize = 4;

#[test]
fn killed_at_any_moment_nothing_is_lost_or_counted_twice() {
    let data = folder("server-killed").join("board");
    store::new(&data, store::Kind::asked());
    let boards = format!(
        "suites = false\n[[board]]\nname = \"quick\"\ntasks = {TASKS:?}\nepisodes = {EPISODES}\n\
         [[board]]\nname = \"one\"\ntasks = [{TASK:?}]\nepisodes = 3\n"
    );
    std::fs::write(data.join("boards.toml"), boards).unwrap();
    let mut settings = vec!["--per-day", "100", "--worker-lease", "2"];
    settings.extend(LOOPBACK);
    let mut board = Board::open(&data, &settings);
    let address = board.address.clone();
    settings.extend(["--listen", &address]);
    let ada = board.administrator();
    let tokens = [board.account(&ada, "Eve", "judge"), board.account(&ada, "Joe", "judge")];
    let mut helpers = tokens.each_ref().map(|t| Helper::start(&board, t, &[]));
    let (server, shown) = policy(|_, _| {
        std::thread::sleep(Duration::from_millis(10));
        true
    });
    let at = format!("openpi:127.0.0.1:{}?execute=all", server.port);

    let (mut runs, mut asked) = (Vec::new(), Vec::new());
    let mut moments = Seed(19).stream("kill");
    for kill in 0..KILLS {
        if kill % 2 == 0 && runs.len() < RUNS {
            let (name, run) = match kill % 4 {
                0 => (format!("expert {kill}"), run()),
                _ => (format!("idle {kill}"), idle_run()),
            };
            let reply = board.send(&ada, &[("policyName", &name)], &packed(run));
            assert_eq!(reply.status, 201, "{}", reply.text());
            runs.push(reply.json()["submissionId"].as_str().unwrap().to_owned());
        } else if asked.len() < ASKED {
            asked.push(id_of(&ask(&board, &ada, &at)));
        }
        std::thread::sleep(Duration::from_millis(moments.next_u64() % 1200));
        match kill % 4 {
            3 => helpers[kill % 8 / 4] = Helper::start(&board, &tokens[kill % 8 / 4], &[]),
            _ => {
                board.kill();
                board = Board::open(&data, &settings);
                assert!(board.code.is_none(), "there is an administrator");
            }
        }
    }
    assert_eq!((runs.len(), asked.len()), (RUNS, ASKED));
    for (id, n) in runs.iter().map(|id| (id, 4)).chain(asked.iter().map(|id| (id, 3))) {
        let s = board.ended(&ada, id);
        let found = (&s["status"], &s["played"], &s["episodes"]);
        assert_eq!(found, (&"published".into(), &n.into(), &n.into()), "{s}");
    }
    let rows = board.get("/api/leaderboard?board=quick", None)["rows"].as_array().unwrap().clone();
    assert_eq!(rows.len(), RUNS);
    for row in rows {
        let solved = row["policyName"].as_str().unwrap().starts_with("expert");
        let run = if solved { run() } else { idle_run() };
        let text = std::fs::read_to_string(run.join("results.json")).unwrap();
        let results: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(row["score"], results["suite"]["score"], "{row}");
    }
    // Nobody was shown an episode twice, whatever became of it.
    for (seed, connections) in shown.lock().unwrap().iter() {
        assert_eq!(connections.len(), 1, "policy seed {seed} was drawn twice");
    }
    drop(helpers);
    assert_eq!(board.terminate(), Some(0));
    store::sound(&data);
    let count = |sql: &str| store::count(&data, sql) as usize;
    assert_eq!(count("SELECT COUNT(*) FROM rows"), RUNS + ASKED);
    let sql = "SELECT COUNT(*) FROM episodes WHERE judged IS NOT NULL";
    assert_eq!(count(sql), RUNS * 4 + ASKED * 3);
    let sql = "SELECT COUNT(*) FROM audit WHERE action = 'submission.published'";
    assert_eq!(count(sql), RUNS + ASKED);
    assert_eq!(count("SELECT COUNT(*) FROM audit WHERE action = 'worker.wrong'"), 0);
    assert!(count("SELECT COUNT(*) FROM episodes WHERE worker IS NOT NULL") > 0, "workers helped");
}
