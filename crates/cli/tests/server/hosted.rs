//! Policies that the server asks itself: on hidden seeds, once, and nowhere inside.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{command, folder, longarm, said};
use crate::server::Board;
use crate::support::{self, Server, Socket};
use longarm_policy::remote::msgpack::MsgView;
use longarm_types::Seed;
use serde_json::{Value, json};
use tungstenite::Message;

pub const TASK: &str = "longbench/stack-block";
pub const LOOPBACK: [&str; 2] = ["--allow-policies", "127.0.0.0/8"];

/// A server with one task of which policies can be asked.
fn board(name: &str, episodes: u64) -> Board {
    board_with(name, episodes, &LOOPBACK)
}

/// The same with other words to the server.
pub fn board_with(name: &str, episodes: u64, more: &[&str]) -> Board {
    let data = folder(name).join("board");
    std::fs::create_dir_all(&data).unwrap();
    let boards = format!(
        "suites = false\n[[board]]\nname = \"one\"\ntasks = [{TASK:?}]\nepisodes = {episodes}\n"
    );
    std::fs::write(data.join("boards.toml"), boards).unwrap();
    Board::open(&data, more)
}

/// What a policy was shown: how many questions of which episode came over which connections.
pub type Shown = Arc<Mutex<BTreeMap<u64, BTreeMap<usize, usize>>>>;

/// A policy that answers with chunks of fifty actions, but for what `answer` does about a question first.
pub fn policy(
    answer: impl Fn(usize, &mut Socket) -> bool + Send + Sync + 'static,
) -> (Server, Shown) {
    let shown = Shown::default();
    let kept = Arc::clone(&shown);
    let server = Server::start(move |connection, ws| {
        let _ = ws.send(Message::binary(vec![0x80]));
        while let Some(seen) = support::next_data(ws) {
            let view = MsgView::parse(&seen).unwrap();
            let seed = view.get("policy_seed").unwrap().as_u64().unwrap();
            let total = {
                let mut all = kept.lock().unwrap();
                *all.entry(seed).or_default().entry(connection).or_default() += 1;
                all.values().flat_map(|c| c.values()).sum()
            };
            if !answer(total, ws) {
                return;
            }
            let _ = ws.send(support::actions(50, 0.1));
        }
    });
    (server, shown)
}

pub fn ask(board: &Board, token: &str, policy: &str) -> (u16, Value) {
    let body = json!({ "policyName": "asked", "policy": policy, "board": "one" }).to_string();
    let reply = board.ask("POST", "/api/submissions", Some(token), &body);
    (reply.status, reply.json())
}

pub fn id_of(made: &(u16, Value)) -> String {
    assert_eq!(made.0, 201, "{}", made.1);
    made.1["submissionId"].as_str().unwrap().to_owned()
}

/// The statement of the receipt of a submission's row.
fn statement(board: &Board, s: &Value) -> Value {
    let row = s["leaderboardRowId"].as_str().unwrap_or_else(|| panic!("{s}"));
    let receipt = board.get(&format!("/api/rows/{row}/receipt"), None);
    serde_json::from_str(receipt["statement"].as_str().unwrap()).unwrap()
}

#[test]
fn nothing_inside_is_asked() {
    let data = folder("server-inside").join("board");
    let board = Board::open(&data, &["--workers", "0"]);
    let ada = board.administrator();
    // Somebody inside who must never hear of it.
    let inside = Server::raw(|_, _| {});
    let port = inside.port;
    for (policy, words) in [
        (format!("openpi:127.0.0.1:{port}"), "not an address of the public internet"),
        (format!("openpi:localhost:{port}"), "not an address of the public internet"),
        (format!("openpi:[::1]:{port}"), "not an address of the public internet"),
        (format!("openpi:[::ffff:127.0.0.1]:{port}"), "not an address of the public internet"),
        (format!("openpi:0.0.0.0:{port}"), "not an address of the public internet"),
        (format!("openpi:2130706433:{port}"), ""),
        (format!("openpi:127.1:{port}"), ""),
        ("openpi:10.0.0.7:8000".into(), "not an address of the public internet"),
        ("openpi:169.254.169.254:80".into(), "not an address of the public internet"),
        ("vla-eval:192.168.1.1:8000".into(), "not an address of the public internet"),
        (format!("openpi:8.8.8.8:80,127.0.0.1:{port}"), "not an address of the public internet"),
        ("openpi:8.8.8.8:80?api-key-file=/etc/passwd".into(), "names files"),
        ("openpi:8.8.8.8:80?header-file.X=/etc/passwd".into(), "names files"),
        ("http://8.8.8.8/".into(), ""),
        ("expert".into(), "is not DIALECT:HOST:PORT"),
        ("openpi:no-such-host.invalid:80".into(), "cannot be found"),
        (format!("openpi:8.8.8.8:80?header.X={}", "y".repeat(2000)), "1000 characters"),
    ] {
        let body = json!({ "policyName": "p", "policy": policy, "board": "longbench" });
        let reply = board.ask("POST", "/api/submissions", Some(&ada), &body.to_string());
        assert_eq!(reply.status, 400, "{policy}: {}", reply.text());
        assert!(reply.text().contains(words), "{policy}: {}", reply.text());
    }
    // As the benchmark's own form has it.
    let head = "POST /api/submissions HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=XX";
    let fields =
        [("policyName", "p"), ("serverIp", "10.0.0.1"), ("serverPort", "80"), ("board", "boss")];
    let parts = fields.map(|(k, v)| {
        format!("--XX\r\nContent-Disposition: form-data; name=\"{k}\"\r\n\r\n{v}\r\n")
    });
    let body = parts.concat() + "--XX--\r\n";
    let head = format!("{head}\r\nAuthorization: Bearer {ada}\r\nContent-Length: {}", body.len());
    let reply = board.raw(&head, body.as_bytes());
    assert_eq!(reply.status, 400, "{}", reply.text());
    assert!(reply.text().contains("10.0.0.1, which is not an address"), "{}", reply.text());
    for body in [
        json!({ "policyName": "p", "policy": "openpi:8.8.8.8:80" }),
        json!({ "policyName": "p", "policy": "openpi:8.8.8.8:80", "board": "none" }),
        json!({ "policyName": "p", "policy": "openpi:8.8.8.8:80", "board": "boss", "size": 3 }),
    ] {
        let reply = board.ask("POST", "/api/submissions", Some(&ada), &body.to_string());
        assert_eq!(reply.status, 400, "{body}: {}", reply.text());
    }
    assert_eq!(inside.count(), 0);
    let all = board.get("/api/submissions", Some(&ada));
    assert_eq!(all["submissions"].as_array().unwrap().len(), 0);
}

#[test]
fn a_policy_is_asked_on_seeds_that_nobody_knows() {
    let board = board("server-hosted", 2);
    let ada = board.administrator();
    let (server, shown) = policy(|_, _| {
        std::thread::sleep(Duration::from_millis(20));
        true
    });
    let url = format!("http://{}", board.address);
    let at = format!("openpi:127.0.0.1:{}?execute=all", server.port);
    let submit = |name: &str| {
        let args = ["submit", "--policy-server", &at, "--board", "one", "--server", &url, "--json"];
        let mut c = command(&args);
        c.args(["--name", name]).env("LONGARM_TOKEN", &ada);
        c
    };
    let mut child = submit("Asked").stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut seen_before = String::new();
    while child.try_wait().unwrap().is_none() {
        seen_before += &board.get("/api/submissions", Some(&ada)).to_string();
        std::thread::sleep(Duration::from_millis(50));
    }
    let o = child.wait_with_output().unwrap();
    assert!(o.status.success(), "{}", said(&o));
    let s: Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!((&s["status"], &s["played"]), (&"published".into(), &2.into()), "{s}");
    let rows = board.get("/api/leaderboard?trust=hosted", None);
    assert_eq!(rows["rows"][0]["policyName"], "Asked", "{rows}");
    assert_eq!(rows["rows"][0]["n"], 2);

    let said_of = statement(&board, &s);
    let seeds: Vec<u64> = said_of["seeds"]["longbench"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_u64().unwrap())
        .collect();
    assert_eq!(seeds.len(), 2);
    assert!(seeds.iter().all(|s| *s > 1 << 32), "{seeds:?} could be guessed");
    assert!(seeds.iter().all(|s| !seen_before.contains(&s.to_string())), "a seed was shown early");
    // What the policy was told is another number, and not the one that follows from the scene's.
    let told: BTreeSet<u64> = shown.lock().unwrap().keys().copied().collect();
    assert_eq!(told.len(), 2);
    for seed in &seeds {
        assert!(!told.contains(seed) && !told.contains(&Seed(*seed).stream("policy").next_u64()));
    }
    // The actions are kept, and do here what they did there.
    let id = s["id"].as_str().unwrap();
    let trace = board.data.join(format!("runs/{id}/traces/{TASK}/{}.trace", seeds[0]));
    let o = longarm(&["trace", &trace.display().to_string()]);
    assert!(trace.is_file(), "{}", said(&o));
    // The same policy again: other seeds.
    let o = submit("Again").output().unwrap();
    assert!(o.status.success(), "{}", said(&o));
    let again = statement(&board, &serde_json::from_slice(&o.stdout).unwrap());
    assert_ne!(again["seeds"], said_of["seeds"]);
    // Rows on different seeds stand side by side without pairs.
    let ids: Vec<String> = board.get("/api/leaderboard", None)["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["id"].as_str().unwrap().to_owned())
        .collect();
    let page = board.ask("GET", &format!("/compare?a={}&b={}", ids[0], ids[1]), None, "");
    assert!(page.text().contains("different seeds"), "{}", page.text());
    let report = board.ask("GET", &format!("/rows/{}/report", ids[0]), None, "");
    assert!(report.status == 200 && report.text().contains("hidden seeds"), "{}", report.text());
}

/// How often the policy was shown each episode: over one connection, whatever happened.
fn shown_once(shown: &Shown, episodes: usize) {
    let all = shown.lock().unwrap();
    assert!(all.len() <= episodes, "{all:?}");
    for (seed, connections) in &*all {
        assert_eq!(connections.len(), 1, "episode {seed} was shown again: {all:?}");
    }
}

#[test]
fn a_broken_connection_is_no_second_draw() {
    let mut board = board("server-once", 4);
    let data: PathBuf = board.data.clone();
    let ada = board.administrator();
    // The second question's connection breaks; the fourth comes while the leaderboard is killed; a later
    // one is never answered in time.
    let killed = Arc::new(Mutex::new(false));
    let tell = Arc::clone(&killed);
    let (server, shown) = policy(move |total, _| match total {
        2 => false,
        4 => {
            *tell.lock().unwrap() = true;
            std::thread::sleep(Duration::from_secs(3600));
            false
        }
        7 => {
            std::thread::sleep(Duration::from_secs(5));
            true
        }
        _ => true,
    });
    let at = format!("openpi:127.0.0.1:{}?execute=all&timeout=2&first-timeout=2", server.port);
    let id = id_of(&ask(&board, &ada, &at));
    board.until("the policy is asked", || *killed.lock().unwrap());
    board.kill();
    board = Board::open(&data, &LOOPBACK);
    let s = board.ended(&ada, &id);
    assert_eq!((&s["status"], &s["played"]), (&"published".into(), &4.into()), "{s}");
    shown_once(&shown, 4);
    let row = s["leaderboardRowId"].as_str().unwrap();
    let results = board.get(&format!("/api/rows/{row}"), None)["results"].clone();
    // Broken, killed, late: three count as failures of the policy, and none is missing.
    assert_eq!(results["counts"]["n"], 4, "{results}");
    assert_eq!(results["counts"]["policy_errors"], 3, "{results}");
}

#[test]
fn a_policy_that_is_away_can_come_back() {
    let board = board("server-away", 1);
    let ada = board.administrator();
    // A server that sends whoever asks elsewhere, to somebody who must not hear of it.
    let elsewhere = Server::raw(|_, _| {});
    let port = elsewhere.port;
    let redirects = Server::raw(move |_, mut tcp| {
        let mut asked = [0; 1024];
        let _ = tcp.read(&mut asked);
        let _ = write!(
            tcp,
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{port}/\r\nContent-Length: 0\r\n\r\n"
        );
    });
    let at = format!("openpi:127.0.0.1:{}?retries=0&reconnect=0", redirects.port);
    let s = board.ended(&ada, &id_of(&ask(&board, &ada, &at)));
    assert_eq!(s["status"], "failed", "{s}");
    assert_eq!(elsewhere.count(), 0);

    // Nobody listens; then somebody does.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let at = format!("openpi:127.0.0.1:{port}?execute=all&retries=0&reconnect=0");
    let id = id_of(&ask(&board, &ada, &at));
    let s = board.ended(&ada, &id);
    assert_eq!(s["status"], "failed", "{s}");
    assert!(s["problems"].to_string().contains("connection refused"), "{s}");
    let listener = std::net::TcpListener::bind(("127.0.0.1", port)).unwrap();
    std::thread::spawn(move || {
        for tcp in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let Ok(mut ws) = tungstenite::accept(tcp) else { return };
                let _ = ws.send(Message::binary(vec![0x80]));
                while support::next_data(&mut ws).is_some() {
                    let _ = ws.send(support::actions(50, 0.0));
                }
            });
        }
    });
    let again = board.ask("POST", &format!("/api/submissions/{id}/retry"), Some(&ada), "");
    assert_eq!(again.status, 200, "{}", again.text());
    let s = board.ended(&ada, &id);
    assert_eq!((&s["status"], &s["played"]), (&"published".into(), &1.into()), "{s}");
    // What was asked counts for the day, whatever became of it.
    let all = board.get("/api/submissions", Some(&ada));
    assert_eq!(all["submissions"].as_array().unwrap().len(), 2);
}
