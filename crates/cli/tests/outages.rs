//! Policy servers that die, as processes of their own: what becomes of the run.

mod common;
#[path = "../../policy/tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{command, folder, longarm, said};
use serde_json::Value;
use tungstenite::Message;

/// What makes this program a policy server: what it does, and its port.
const MODE: &str = "LONGARM_TEST_SERVER";
const PORT: &str = "LONGARM_TEST_PORT";

/// The policy server, when started as one; a test that does nothing otherwise.
///
/// Its actions follow from the observation and from how often it was asked on this connection: an
/// episode that went on elsewhere, or that saw anything else, would have other rows.
#[test]
fn server_process() {
    let Ok(mode) = std::env::var(MODE) else { return };
    let port: u16 = std::env::var(PORT).unwrap().parse().unwrap();
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    println!("\nport {}", listener.local_addr().unwrap().port());
    let answered = Arc::new(AtomicUsize::new(0));
    for tcp in listener.incoming().flatten() {
        let (mode, answered) = (mode.clone(), answered.clone());
        std::thread::spawn(move || {
            let Ok(mut ws) = tungstenite::accept(tcp) else { return };
            let _ = ws.send(Message::binary(vec![0x80]));
            let mut question = 0u64;
            while let Some(seen) = support::next_data(&mut ws) {
                question += 1;
                let sum = seen
                    .iter()
                    .fold(question, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
                let mark = (sum % 1000) as f64 / 1000.0 - 0.5;
                std::thread::sleep(Duration::from_millis(5));
                let traceback = "Traceback (most recent call last):\n  File \"serve.py\", line 3\n\
                                 RuntimeError: CUDA out of memory\n";
                match mode.split_once(' ').unwrap_or((&mode, "")) {
                    ("nan", _) if question == 4 => drop(ws.send(support::actions(1, f64::NAN))),
                    ("raise", _) if question == 4 => drop(ws.send(Message::text(traceback))),
                    ("raise-and-die", _) if question == 4 => {
                        let _ = ws.send(Message::text(traceback));
                        std::process::exit(1);
                    }
                    // Python takes a moment to end; new connections are taken meanwhile.
                    ("raise-and-fade", _) if question == 4 => {
                        let _ = ws.send(Message::text(traceback));
                        std::thread::spawn(|| {
                            std::thread::sleep(Duration::from_millis(150));
                            std::process::exit(1);
                        });
                    }
                    ("killed", n)
                        if answered.fetch_add(1, Ordering::SeqCst) + 1
                            == n.parse::<usize>().unwrap() =>
                    {
                        let own = std::process::id().to_string();
                        let _ = Command::new("kill").args(["-KILL", &own]).status();
                    }
                    ("answers", n) => {
                        drop(ws.send(support::actions(1, mark)));
                        let most: usize = n.parse().unwrap();
                        if answered.fetch_add(1, Ordering::SeqCst) + 1 == most {
                            std::process::exit(0);
                        }
                    }
                    _ => drop(ws.send(support::actions(1, mark))),
                }
            }
        });
    }
}

/// A server process, ended with the test.
struct Server {
    child: Child,
    port: u16,
    /// Kept open: a test that cannot print is a test that fails.
    _stdout: BufReader<ChildStdout>,
}

impl Server {
    /// On a port, or on any that is free.
    fn start(mode: &str, port: u16) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["server_process", "--exact", "--nocapture"])
            .env(MODE, mode)
            .env(PORT, port.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let port =
            stdout.by_ref().lines().find_map(|l| l.unwrap().strip_prefix("port ")?.parse().ok());
        Self { child, port: port.expect("the server says its port"), _stdout: stdout }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const TASK: &str = "longbench/stack-block";
const EPISODES: usize = 8;

fn place(name: &str) -> PathBuf {
    folder(&format!("outages/{name}"))
}

/// Short episodes with a server on this port.
fn eval(out: &Path, port: u16, more: &[&str]) -> Vec<String> {
    let policy = format!("openpi:127.0.0.1:{port}?size=32");
    let mut args = vec!["eval", TASK, "--policy", &policy, "--label", "served"];
    args.extend(["--episodes", "8", "--max-steps", "12", "--out", out.to_str().unwrap()]);
    args.extend(more);
    if !more.contains(&"--workers") {
        args.extend(["--workers", "2"]);
    }
    args.into_iter().map(str::to_owned).collect()
}

fn run(args: &[String]) -> Output {
    longarm(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Rows by their place in the work list, without times.
fn rows(dir: &Path) -> BTreeMap<u64, Value> {
    let text = std::fs::read_to_string(dir.join("episodes.jsonl")).unwrap_or_default();
    let mut out = BTreeMap::new();
    for line in text.lines() {
        let mut row: Value = serde_json::from_str(line).unwrap();
        for times in ["wall_s", "inference"] {
            row.as_object_mut().unwrap().remove(times).unwrap();
        }
        assert!(out.insert(row["index"].as_u64().unwrap(), row).is_none());
    }
    out
}

fn results(dir: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(dir.join("results.json")).unwrap()).unwrap()
}

/// A run with a server that lives.
fn calm(dir: &Path) -> PathBuf {
    let server = Server::start("", 0);
    let out = dir.join("calm");
    let o = run(&eval(&out, server.port, &[]));
    assert!(o.status.success(), "{}", said(&o));
    assert_eq!(rows(&out).len(), EPISODES);
    out
}

/// Rows, results and traces to the byte, times aside.
fn same_run(a: &Path, b: &Path) {
    assert_eq!(rows(a), rows(b));
    assert_eq!(results(a), results(b));
    for row in rows(a).values() {
        let trace = row["trace"].as_str().unwrap();
        assert!(std::fs::read(a.join(trace)).unwrap() == std::fs::read(b.join(trace)).unwrap());
    }
}

fn says(o: &Output, words: &[&str]) {
    for w in words {
        assert!(said(o).contains(w), "{w:?} is not in {}", said(o));
    }
}

#[test]
fn killed_in_mid_episode_and_back_after_two_seconds() {
    let dir = place("killed");
    let calm = calm(&dir);
    let out = dir.join("killed");
    // SIGKILL while a question waits for its answer.
    let mut server = Server::start("killed 41", 0);
    let args = eval(&out, server.port, &["--reconnect", "60"]);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut eval = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(!server.child.wait().unwrap().success());
    std::thread::sleep(Duration::from_secs(2));
    assert!(eval.try_wait().unwrap().is_none(), "it waits");
    let had = rows(&out).len();
    assert!((1..=3).contains(&had), "it was killed after {had} rows");
    let _again = Server::start("", server.port);
    let o = eval.wait_with_output().unwrap();
    assert!(o.status.success(), "{}", said(&o));
    says(&o, &["begins again: policy server 127.0.0.1"]);
    same_run(&calm, &out);
}

#[test]
fn gone_for_good_it_stops_and_resumes_to_the_same_rows() {
    let dir = place("gone");
    let calm = calm(&dir);
    let out = dir.join("gone");
    // Dies within the fourth of the episodes.
    let server = Server::start("answers 41", 0);
    let port = server.port;
    let o = run(&eval(&out, port, &["--reconnect", "1"]));
    assert_eq!(o.status.code(), Some(2), "{}", said(&o));
    says(&o, &["begins again", "nothing listens there", "for 1 s", "with --resume runs the rest"]);
    let have = rows(&out);
    assert!((1..=3).contains(&have.len()), "{} rows", have.len());
    assert!(have.values().all(|r| r["outcome"] != "policy_error"), "{have:?}");
    let r = results(&out);
    assert_eq!((&r["complete"], &r["counts"]["policy_errors"]), (&false.into(), &0.into()));
    assert!(out.join("report.html").is_file());
    // A resume without a server is refused at once and changes nothing.
    let o = run(&eval(&out, port, &["--resume"]));
    assert_eq!(o.status.code(), Some(2), "{}", said(&o));
    assert_eq!(rows(&out), have);
    let _again = Server::start("", port);
    let o = run(&eval(&out, port, &["--resume"]));
    assert!(o.status.success(), "{}", said(&o));
    same_run(&calm, &out);
}

#[test]
fn a_server_that_is_restarted_again_and_again() {
    let dir = place("restarted");
    let calm = calm(&dir);
    let out = dir.join("restarted");
    let mut server = Server::start("answers 31", 0);
    let args = eval(&out, server.port, &["--reconnect", "60", "--workers", "1"]);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut eval = command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut lives = 1;
    let status = loop {
        if let Some(status) = eval.try_wait().unwrap() {
            break status;
        }
        if server.child.try_wait().unwrap().is_some() {
            server = Server::start("answers 31", server.port);
            lives += 1;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert!(status.success());
    assert!(lives > 3, "{lives} lives");
    same_run(&calm, &out);
}

#[test]
fn a_policys_own_faults_count_and_the_first_is_printed() {
    let dir = place("faults");
    for (mode, words) in [("nan", "must be finite"), ("raise", "File \"serve.py\", line 3")] {
        let server = Server::start(mode, 0);
        let out = dir.join(mode);
        let o = run(&eval(&out, server.port, &["--reconnect", "5"]));
        assert!(o.status.success(), "{}", said(&o));
        says(&o, &["first policy error: longbench/stack-block seed ", words]);
        assert_eq!(said(&o).matches(words).count(), 1, "{}", said(&o));
        let all = rows(&out);
        assert_eq!(all.len(), EPISODES);
        for row in all.values() {
            assert_eq!((&row["outcome"], &row["steps"]), (&"policy_error".into(), &3.into()));
            assert!(row["reason"].as_str().unwrap().contains(words), "{row}");
        }
        assert_eq!(results(&out)["counts"]["n"], EPISODES);
    }
}

#[test]
fn a_server_that_says_why_it_dies() {
    let dir = place("says-why");
    for mode in ["raise-and-die", "raise-and-fade"] {
        let server = Server::start(mode, 0);
        let out = dir.join(mode);
        let o = run(&eval(&out, server.port, &["--reconnect", "1", "--workers", "1"]));
        assert_eq!(o.status.code(), Some(2), "{mode}: {}", said(&o));
        says(&o, &["RuntimeError: CUDA out of memory", "serve.py\", line 3", "nothing listens"]);
        assert!(rows(&out).is_empty(), "{mode}: nothing is known of the policy");
    }
}

#[test]
fn one_episode_alone() {
    let calm = Server::start("", 0);
    let policy = |port| format!("openpi:127.0.0.1:{port}?size=32");
    let once = |port: u16, reconnect: &str| {
        let policy = policy(port);
        longarm(&["run", TASK, "--policy", &policy, "--json", "--reconnect", reconnect])
    };
    let expected = once(calm.port, "5");
    assert!(expected.status.success(), "{}", said(&expected));
    let server = Server::start("answers 20", 0);
    let port = server.port;
    let o = once(port, "1");
    assert_eq!(o.status.code(), Some(2), "{}", said(&o));
    says(&o, &["begins again", "nothing listens there"]);
    drop(server);
    let mut server = Server::start("answers 20", port);
    let o = std::thread::scope(|scope| {
        let o = scope.spawn(|| once(port, "60"));
        server.child.wait().unwrap();
        let _again = Server::start("", port);
        o.join().unwrap()
    });
    assert!(o.status.success(), "{}", said(&o));
    let record = |o: &Output| {
        let mut r: Value = serde_json::from_slice(&o.stdout).unwrap();
        r.as_object_mut().unwrap().remove("policy");
        r
    };
    assert_eq!(record(&o), record(&expected));
}
