//! Against the real Python packages, installed from PyPI into a virtual environment under the target
//! directory. Run by `cargo xtask interop`, or
//! `cargo test -p longarm-policy --test interop -- --ignored`.

mod support;

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use longarm_policy::{Decision, EpisodeInfo, Policy, Remote};
use longarm_types::{Action, Observation};
use support::{camera, episode, observation};
use xtask::python;

/// The interpreter of an environment that has `package`; made on first use.
fn python_with(package: &str) -> PathBuf {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("venv-{package}"));
    python::environment(&python::system().unwrap(), &venv, &[package]).unwrap()
}

/// A Python server, killed at the end.
struct Served {
    child: Child,
    port: String,
    more: String,
}

impl Served {
    fn start(package: &str, script: &str, words: &[&str]) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop").join(script);
        let mut child = Command::new(python_with(package))
            .arg(script)
            .args(words)
            .stdout(Stdio::piped())
            .spawn()
            .expect("python starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped"))
            .read_line(&mut line)
            .expect("it speaks");
        let (port, more) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        assert!(!port.is_empty(), "the server did not start");
        Self { port: port.to_owned(), more: more.to_owned(), child }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn saying(instruction: &str) -> (EpisodeInfo, Observation) {
    let mut seen = observation();
    seen.cameras = vec![camera("agentview", 256, 256), camera("wrist", 256, 256)];
    seen.instruction = instruction.into();
    (episode(), seen)
}

fn act(remote: &mut Remote, seen: &Observation) -> Result<Vec<Action>, String> {
    let mut decision = Decision::default();
    remote.act(seen, &mut decision).map_err(|e| e.to_string()).map(|()| decision.chunk)
}

#[test]
#[ignore = "installs openpi-client from PyPI"]
fn openpi_client_from_pypi() {
    let server = Served::start("openpi-client", "openpi_server.py", &[]);
    let spec = format!("openpi:127.0.0.1:{}?preset=libero&execute=8", server.port).parse().unwrap();
    let mut remote = Remote::connect(&spec).unwrap();
    let expected: f32 = server.more.parse().unwrap();
    for (n, kind) in ["float", "double", "float"].into_iter().enumerate() {
        let (info, seen) = saying(kind);
        remote.begin_episode(&info).unwrap();
        for _ in 0..20 {
            let chunk = act(&mut remote, &seen).unwrap();
            assert_eq!(chunk.len(), 8, "episode {n}");
            let v = chunk[3].values();
            // Mirrored and resized as the real image tools do it, to the last bit.
            assert!((v[0] - expected).abs() < 1e-6, "{} is not {expected}", v[0]);
            // 0.2 above a table of 0.9, and the grip site is 6.4 mm behind the tool, which points down.
            assert!(
                (v[2] - 1.1064).abs() < 1e-6 && (v[3] - std::f32::consts::PI).abs() < 1e-6,
                "{v:?}"
            );
            assert!((v[6] - 0.3).abs() < 1e-6);
        }
        assert_eq!(remote.server_ms(), Some(0.25));
    }
    let (info, seen) = saying("fail");
    remote.begin_episode(&info).unwrap();
    let said = act(&mut remote, &seen).unwrap_err();
    assert!(said.contains("the server failed: ValueError: told to fail"), "{said}");
    let (info, seen) = saying("float");
    remote.begin_episode(&info).unwrap();
    assert!(act(&mut remote, &seen).is_ok(), "the next episode connects again");
}

#[test]
#[ignore = "installs vla-eval from PyPI"]
fn vla_eval_from_pypi() {
    let server = Served::start("vla-eval", "vla_eval_server.py", &[]);
    let spec = format!("vla-eval:127.0.0.1:{}?preset=libero", server.port).parse().unwrap();
    let mut remote = Remote::connect(&spec).unwrap();
    for episode in 1..=3u8 {
        let (info, seen) = saying("stack the blocks");
        remote.begin_episode(&info).unwrap();
        for step in 0..6u8 {
            let chunk = act(&mut remote, &seen).unwrap();
            assert_eq!(chunk.len(), 1, "the server keeps the chunk");
            let v = chunk[0].values();
            let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-5, "{v:?}");
            near(v[1], f32::from(step / 4 * 4) / 10.0);
            near(v[2], f32::from(episode) / 10.0);
            near(v[3], f32::from(step % 4) / 10.0);
            near(v[4], 0.02);
            near(v[5], -0.02);
        }
    }
    let (info, seen) = saying("fail");
    remote.begin_episode(&info).unwrap();
    let said = act(&mut remote, &seen).unwrap_err();
    assert!(said.contains("ValueError: told to fail"), "{said}");

    let inverted = Served::start("vla-eval", "vla_eval_server.py", &["close-negative"]);
    let text = format!("vla-eval:127.0.0.1:{}?preset=libero", inverted.port);
    let said = Remote::connect(&text.parse().unwrap()).unwrap_err().to_string();
    assert!(said.contains("gripper: server close-negative, ours close-positive"), "{said}");
    let mut told =
        Remote::connect(&format!("{text}&gripper=close-negative").parse().unwrap()).unwrap();
    let (info, seen) = saying("stack the blocks");
    told.begin_episode(&info).unwrap();
    assert_eq!(act(&mut told, &seen).unwrap()[0].values()[6], -1.0);
}
