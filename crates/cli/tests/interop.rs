//! Agents against chat servers of packages from PyPI, on a tiny model with random weights made here. Run by
//! `cargo xtask interop`, or `cargo test -p longarm --test interop -- --ignored`.
#![allow(missing_docs, reason = "a test")]

mod common;

use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{command, folder, said};
use serde_json::Value;
use xtask::python;

const TASK: &str = "lohoravens/move-blocks-between-absolute-positions";
const LLAMA_CPP: &str = "xllamacpp==2026.10.11549";
const KEY: &str = "sk-longarm-interop-0123456789";
/// Built from source: minutes of C++.
const LLAMA_CPP_PYTHON: &str = "llama-cpp-python[server]==0.3.36";
/// Names the interpreter of an environment that has it already.
const LLAMA_CPP_PYTHON_IS_IN: &str = "LONGARM_LLAMA_PYTHON";

/// A server, killed at the end.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn environment(name: &str, packages: &[&str]) -> PathBuf {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("venv-{name}"));
    python::environment(&python::system().unwrap(), &venv, packages).unwrap()
}

/// An environment with a package that is built here, without the parts for pictures: they are half of it.
fn built(name: &str, package: &str) -> PathBuf {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("venv-{name}"));
    let done = venv.join("installed");
    if !done.is_file() {
        let python = python::empty(&python::system().unwrap(), &venv).unwrap();
        let mut install = python::install(&python).unwrap();
        python::run(install.arg(package).env("CMAKE_ARGS", "-DLLAVA_BUILD=OFF")).unwrap();
        std::fs::write(done, package).unwrap();
    }
    venv.join("bin/python")
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop").join(name)
}

/// The tiny model and its eye.
fn model(dir: &Path) -> [PathBuf; 2] {
    let files = ["tiny.gguf", "eye.gguf"].map(|f| dir.join(f));
    let python = environment("gguf", &["gguf", "numpy"]);
    python::run(Command::new(python).arg(script("tiny_model.py")).args(&files)).unwrap();
    files
}

/// llama.cpp's own server on the tiny model, and where it is.
fn llama_cpp(files: &[PathBuf]) -> (Served, String) {
    let mut child = Command::new(environment("xllamacpp", &[LLAMA_CPP]))
        .arg(script("llama_server.py"))
        .args(files)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("python starts");
    let mut url = String::new();
    let out = child.stdout.take().expect("piped");
    let server = Served(child);
    BufReader::new(out).read_line(&mut url).expect("it speaks");
    assert!(url.starts_with("http://"), "the server did not start: {url:?}");
    (server, url.trim().to_owned())
}

/// Start a server that is told its host and port, and wait until it listens.
fn listening(mut command: Command) -> (Served, String) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    command.args(["--host", "127.0.0.1", "--port", &port]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut server = Served(child);
    let address = format!("127.0.0.1:{port}");
    while TcpStream::connect(&address).is_err() {
        assert!(server.0.try_wait().unwrap().is_none(), "the server ended");
        std::thread::sleep(Duration::from_millis(200));
    }
    (server, format!("http://{address}"))
}

fn command_in(dir: &Path, args: &[&str]) -> Command {
    let mut command = command(args);
    command.current_dir(dir).env("LONGARM_ENDPOINTS", dir.join("endpoints.toml"));
    command
}

/// Evaluate two episodes with a model behind a server, check every answer against the schema it was asked with, and
/// replay them without the server.
fn plays(dir: &Path, url: &str, changes: &str, shows: bool) {
    let agent = "[planner]\nkind = \"chat\"\nendpoint = \"here\"\nmodel = \"tiny\"\n\
                 budget = { calls = 10, money = 1.0 }\n\
                 [actor]\nkind = \"words\"\n[reporter]\nkind = \"detector\"\n";
    std::fs::write(dir.join("agent.toml"), agent).unwrap();
    let endpoints = dir.join("endpoints.toml");
    let price = "price = { input = 100.0, output = 200.0 }\nkey-file = \"key\"";
    std::fs::write(dir.join("key"), KEY).unwrap();
    std::fs::write(&endpoints, format!("[here]\nurl = \"{url}/v1\"\n{price}\n")).unwrap();
    let eval = |run: &str, mode: &str| {
        let tape = format!("planner.cassette.file=tape.jsonl&planner.cassette.mode={mode}");
        let agent = format!("agent:agent.toml?{tape}&{changes}");
        let args = ["eval", TASK, "--policy", &agent, "--label", "tiny", "--seed", "31"];
        let more = ["--episodes", "2", "--seed-stride", "2", "--max-steps", "2", "--out", run];
        let out = command_in(dir, &[&args[..], &more[..]].concat()).output().unwrap();
        assert!(out.status.success(), "{}", said(&out));
        let text = std::fs::read_to_string(dir.join(run).join("episodes.jsonl")).unwrap();
        let mut rows: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        for row in &mut rows {
            assert_ne!(row["outcome"], "policy_error", "{row}");
            let row = row.as_object_mut().unwrap();
            row.remove("wall_s");
            row.remove("inference");
        }
        rows.sort_by_key(|r| r["seed"].as_u64());
        rows
    };
    let recorded = eval("recorded", "record");
    assert_eq!(recorded.len(), 2);
    let pace = &recorded[0]["agent"]["pace"];
    assert!(pace["tokens"].as_u64() > Some(100) && pace["millionths"].as_u64() > Some(1), "{pace}");
    let tape = std::fs::read_to_string(dir.join("tape.jsonl")).unwrap();
    let entries: Vec<Value> = tape.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert!(entries.len() >= 2, "{tape}");
    for entry in entries {
        let format = &entry["request"]["response_format"];
        let nested = &format["json_schema"]["schema"];
        let schema = if nested.is_null() { &format["schema"] } else { nested };
        let answer: Value = serde_json::from_str(entry["text"].as_str().unwrap()).unwrap();
        for field in ["pick", "place"] {
            let names = schema["properties"][field]["enum"].as_array().unwrap();
            assert!(names.contains(&answer[field]), "{answer} is not among {names:?}");
        }
        assert!(answer["done"].is_boolean(), "{answer}");
        assert_eq!(entry["request"].to_string().contains("blake3:"), shows);
    }
    // The server may be gone.
    std::fs::write(&endpoints, "[here]\nurl = \"http://127.0.0.1:9/v1\"\n").unwrap();
    assert_eq!(eval("replayed", "replay"), recorded);
}

#[test]
#[ignore = "installs xllamacpp from PyPI"]
fn a_model_behind_llama_cpp_sees_and_plans() {
    let dir = folder("interop-llama-cpp");
    let files = model(&dir);
    let (_server, url) = llama_cpp(&files);
    for (name, changes, shows) in [
        ("strict", "planner.cameras=[\"top\"]", true),
        ("blind", "planner.schema=strict", false),
        ("flat", "planner.schema=flat&planner.cameras=[\"top\"]", true),
    ] {
        plays(&folder(&format!("interop-llama-cpp-{name}")), &url, changes, shows);
    }
}

#[test]
#[ignore = "builds llama-cpp-python from PyPI, ten minutes of C++"]
fn a_model_behind_llama_cpp_python_plans() {
    let dir = folder("interop-llama-cpp-python");
    let [file, _] = model(&dir);
    let python = std::env::var_os(LLAMA_CPP_PYTHON_IS_IN).map(PathBuf::from);
    let python = python.unwrap_or_else(|| built("llama-cpp-python", LLAMA_CPP_PYTHON));
    let mut command = Command::new(python);
    command.args(["-m", "llama_cpp.server", "--n_ctx", "16384", "--n_threads", "1", "--model"]);
    let (_server, url) = listening({
        command.arg(file);
        command
    });
    plays(&dir, &url, "planner.schema=flat", false);
}
