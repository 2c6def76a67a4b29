//! Agents in the episode loop: oracles, rules by sight, memory, recorded answers.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use longarm_eval::{ExecutionOptions, PolicySpec, Unwatched, try_episode};
use longarm_policy::Unavailable;
use longarm_sim::{Env, EnvSettings};
use longarm_task::TaskSpec;
use longarm_types::{EpisodeOutcome, EpisodeRecord, Seed};

/// Play an episode with a policy as a user names it.
fn play(policy: &str, task: &Arc<TaskSpec>, seed: u64) -> Result<EpisodeRecord, Unavailable> {
    let spec: PolicySpec = policy.parse().unwrap_or_else(|e| panic!("{policy}: {e}"));
    let pool = spec.ready([task]).unwrap();
    let mut env = Env::new(task.clone(), EnvSettings { images: pool.images(task) }).unwrap();
    env.reset(Seed(seed)).unwrap();
    let mut actor = pool.actor(&task.id, seed).unwrap();
    let options = ExecutionOptions::default();
    try_episode(&mut env, &mut actor, policy, &options, &mut Unwatched)
}

fn task(id: &str) -> Arc<TaskSpec> {
    Arc::new(longarm_suites::task(id).unwrap())
}

fn place(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("eval-agents");
    std::fs::create_dir_all(&dir).unwrap();
    dir.join(name)
}

#[test]
fn what_a_task_is_called_changes_nothing() {
    let spec = longarm_suites::task("lohoravens/put-even-blocks-in-same-color-zone").unwrap();
    let renamed = TaskSpec { id: "own/something-else".parse().unwrap(), ..spec.clone() };
    let [a, b] = [spec, renamed].map(|t| play("par", &Arc::new(t), 21).unwrap());
    assert_eq!(a.outcome, EpisodeOutcome::Success, "{a:?}");
    assert_eq!((a.action_hash, a.state_hash), (b.action_hash, b.state_hash));
}

#[test]
fn oracles_solve_and_late_ones_are_late() {
    let rearrange = task("lohoravens/put-hidden-block-into-matching-bowl");
    assert_eq!(play("par-oracle", &rearrange, 23).unwrap().outcome, EpisodeOutcome::Success);
    let pour = task("robomemarena/pour-wine-into-mug-twice");
    let prompt = play("predimem-oracle", &pour, 63_000).unwrap();
    assert_eq!(prompt.outcome, EpisodeOutcome::Success, "{prompt:?}");
    let late = place("late.toml");
    let text = "[planner]\nkind = \"oracle\"\n[actor]\nkind = \"oracle\"\n[clock]\nplanner = 20\n";
    std::fs::write(&late, text).unwrap();
    let late = format!("agent:{}", late.display());
    let [once, again] = [0; 2].map(|_| play(&late, &pour, 63_000).unwrap());
    assert_eq!(once, again);
    assert_ne!(once.action_hash, prompt.action_hash);
}

#[test]
fn keyframes_are_what_a_planner_with_no_other_memory_knows() {
    let pour = task("robomemarena/pour-wine-into-mug-twice");
    let with = play("predimem-recall", &pour, 63_001).unwrap();
    assert_eq!(with.outcome, EpisodeOutcome::Success, "{with:?}");
    let forgetful = place("forgetful.toml");
    let text = "[planner]\nkind = \"recall\"\n[actor]\nkind = \"oracle\"\n[memory]\nrecent = 5\n";
    std::fs::write(&forgetful, text).unwrap();
    let without = play(&format!("agent:{}", forgetful.display()), &pour, 63_001).unwrap();
    assert_ne!(without.outcome, EpisodeOutcome::Success, "{without:?}");
}

/// A model that picks the first object and puts it on the last: its answers follow from the request.
fn model() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let mut request = Vec::new();
            let mut part = [0; 4096];
            let body = loop {
                let n = stream.read(&mut part).unwrap_or(0);
                request.extend_from_slice(&part[..n]);
                let text = String::from_utf8_lossy(&request);
                let body = text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
                let whole = |b: &String| serde_json::from_str::<serde_json::Value>(b).is_ok();
                if n == 0 || body.as_ref().is_some_and(whole) {
                    break body.unwrap_or_default();
                }
            };
            let request: serde_json::Value = serde_json::from_str(&body).unwrap();
            let fields = &request["response_format"]["json_schema"]["schema"]["properties"];
            let names = |field: &str| fields[field]["enum"].as_array().unwrap().clone();
            let (pick, place) = (names("pick")[0].clone(), names("place").pop().unwrap());
            let answer = serde_json::json!({"done": false, "pick": pick, "place": place});
            let content = answer.to_string();
            let reply = serde_json::json!({"choices": [{"message": {"content": content}}]});
            let reply = reply.to_string();
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", reply.len());
            let _ =
                stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(reply.as_bytes()));
        }
    });
    url
}

#[test]
fn a_recorded_model_replays_to_the_same_rows_on_any_number_of_threads() {
    let task = task("lohoravens/move-blocks-between-absolute-positions");
    let answers = place(&format!("answers-{}.jsonl", std::process::id()));
    let _ = std::fs::remove_file(&answers);
    let agent = |name: &str, endpoint: &str, mode: &str| {
        let file = place(&format!("{name}.toml"));
        let text = format!(
            "[planner]\nkind = \"chat\"\nendpoint = {endpoint:?}\nmodel = \"m\"\ndeadline = 20\n\
             cassette = {{ file = {answers:?}, mode = {mode:?} }}\n\
             [actor]\nkind = \"words\"\n[reporter]\nkind = \"detector\"\n"
        );
        std::fs::write(&file, text).unwrap();
        format!("agent:{}", file.display())
    };
    let seeds = [31, 33];
    let record = agent("records", &model(), "record");
    let recorded =
        seeds.map(|s| EpisodeRecord { policy: String::new(), ..play(&record, &task, s).unwrap() });
    let replay = agent("replays", "http://127.0.0.1:9/v1", "replay");
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            seeds.iter().map(|s| scope.spawn(|| play(&replay, &task, *s).unwrap())).collect();
        for (thread, row) in threads.into_iter().zip(&recorded) {
            assert_eq!(EpisodeRecord { policy: String::new(), ..thread.join().unwrap() }, *row);
        }
    });
    // What was not recorded stops the run.
    let miss = play(&replay, &task, 35).unwrap_err();
    assert!(!miss.lost && miss.reason.contains("no answer to request"), "{miss}");
    std::fs::remove_file(&answers).unwrap();
}
