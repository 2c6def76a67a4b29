//! Arms behind `longarm.bridge`, driven by a console that is nothing but a socket: what `docs/guide/bridge.md` asks
//! of a bridge.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use longarm_bridge::{FromBridge, HaltedBy, Hello, Seen, Stopped, ToBridge, decode};
use tungstenite::{Message, WebSocket};
use xtask::python;

use crate::{package, python_with, root, work};

/// LeRobot's repository, which has the robot of its tests; the wheel has not.
const LEROBOT_SOURCE: (&str, &str) =
    ("LONGARM_LEROBOT_SOURCE", "https://github.com/huggingface/lerobot");

/// A program that ends with the test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Start a bridge that is written in Python; return it and where it is.
fn serve(python: &Path, words: &[&str]) -> (Served, String) {
    let mut command = Command::new(python);
    command.args(words).env("PYTHONPATH", package()).env("PYTHONDONTWRITEBYTECODE", "1");
    let mut child = command.stdout(Stdio::piped()).spawn().expect("python starts");
    let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let served = Served(child);
    let line = lines.map_while(Result::ok).find(|l| l.contains(" on ws://"));
    let line = line.expect("it says where it is");
    (served, line.rsplit_once("ws://").unwrap().1.trim().to_owned())
}

struct Console {
    ws: WebSocket<TcpStream>,
    seen: Seen,
}

impl Console {
    fn connect(address: &str) -> (Self, Hello) {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let (ws, _) = tungstenite::client(format!("ws://{address}/"), stream).unwrap();
        let mut console = Self { ws, seen: Seen::default() };
        let FromBridge::Hello(hello) = console.words() else { panic!("it says hello first") };
        hello.check().unwrap();
        (console, *hello)
    }

    fn say(&mut self, message: &ToBridge) {
        self.ws.send(Message::text(serde_json::to_string(message).unwrap())).unwrap();
    }

    fn read(&mut self) -> Option<FromBridge> {
        match self.ws.read().unwrap() {
            Message::Text(t) => Some(serde_json::from_str(t.as_str()).unwrap()),
            Message::Binary(b) => {
                let (head, pictures) = decode(&b).unwrap();
                assert_eq!(pictures.len(), head.pictures.len());
                self.seen = head;
                None
            }
            other => panic!("{other:?}"),
        }
    }

    fn words(&mut self) -> FromBridge {
        loop {
            if let Some(said) = self.read() {
                return said;
            }
        }
    }

    fn halted(&mut self) -> Stopped {
        match self.words() {
            FromBridge::Halted(stopped) => stopped,
            other => panic!("{other:?}"),
        }
    }

    fn until(&mut self, what: &str, holds: impl Fn(&Seen) -> bool) {
        let began = Instant::now();
        while !holds(&self.seen) {
            assert_eq!(self.read(), None);
            assert!(began.elapsed() < Duration::from_secs(60), "not {what}: {:?}", self.seen);
        }
    }
}

/// Begin, move every joint, stop, fall silent.
fn is_driven(address: &str, joints: usize, gripper: bool) {
    let (mut c, hello) = Console::connect(address);
    let dims = hello.action_spec().unwrap().dim();
    assert_eq!((hello.limbs[0].joints, dims), (joints, joints + usize::from(gripper)));
    let (task, instruction) = ("lab/any".to_owned(), "move".to_owned());
    c.say(&ToBridge::Begin { task, seed: 0, instruction });
    assert_eq!(c.words(), FromBridge::Ready {});
    c.say(&ToBridge::Go {});
    let mut values = vec![0.25; joints];
    values.extend(gripper.then_some(1.0));
    c.say(&ToBridge::Action { step: 0, values });
    let told = |s: &Seen| s.fields["joint_position"].iter().all(|q| (q - 0.25).abs() < 1e-6);
    c.until("where it was told to be", |s| s.running && told(s));
    if gripper {
        assert_eq!(c.seen.fields["gripper_opening"], [0.0]);
    }
    let mut answers: Vec<f64> = (1..=20)
        .map(|id| {
            let pressed = Instant::now();
            c.say(&ToBridge::Stop { id, reason: "tried".into() });
            let stopped = c.halted();
            assert_eq!((stopped.by, stopped.id), (HaltedBy::Stop, Some(id)));
            let ms = pressed.elapsed().as_secs_f64() * 1e3;
            c.say(&ToBridge::Go {});
            c.until("running", |s| s.running && s.step >= stopped.step);
            ms
        })
        .collect();
    answers.sort_by(f64::total_cmp);
    println!(
        "20 stops: answered after {:.2} ms (median), {:.2} ms (most)",
        answers[10], answers[19]
    );
    let stopped = c.halted();
    assert_eq!(stopped.by, HaltedBy::Watchdog);
    assert!(stopped.silent_ms >= hello.watchdog_ms);
    println!("watchdog of {} ms: halted after {} ms", hello.watchdog_ms, stopped.silent_ms);
}

#[test]
fn an_arm_in_python_is_driven_over_a_bridge() {
    let script = "\
from longarm import bridge
class Arm(bridge.Arm):
    limbs = [bridge.Limb('arm', [(-1, 1)] * 4)]
    joints, grip = [0.0] * 4, 0.0
    def observe(self):
        return {'joint_position': self.joints, 'gripper_opening': [(1 - self.grip) / 2]}, {}
    def act(self, values):
        *self.joints, self.grip = values
bridge.serve_bridge(Arm(), port=0)";
    let python = python_with("longarm", crate::PACKAGES);
    let (_served, address) = serve(&python, &["-c", script]);
    is_driven(&address, 4, true);
}

/// LeRobot's sources in the version of an interpreter, as far as its mock robot needs them; `None`, and a line that
/// says so, where they cannot be had.
fn lerobot_source(python: &Path) -> Option<PathBuf> {
    let ask = "from importlib.metadata import version; print(version('lerobot'))";
    let asked = Command::new(python).args(["-c", ask]).output().unwrap();
    let tag = format!("v{}", String::from_utf8_lossy(&asked.stdout).trim());
    let (variable, usual) = LEROBOT_SOURCE;
    let from = std::env::var(variable).unwrap_or_else(|_| usual.into());
    let into = work().join("lerobot-source");
    let _ = std::fs::remove_dir_all(&into);
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.args(words).env("GIT_TERMINAL_PROMPT", "0").stderr(Stdio::null());
        git.status().is_ok_and(|s| s.success())
    };
    let to = into.to_str().unwrap();
    let shallow = ["clone", "--quiet", "--no-checkout", "--depth", "1", "--branch", &tag];
    let parts = ["checkout", "--quiet", &tag, "--", "tests/__init__.py", "tests/mocks"];
    if git(&[&shallow[..], &[&from, to]].concat()) && git(&[&["-C", to][..], &parts].concat()) {
        return Some(into);
    }
    eprintln!(
        "skipped: no LeRobot {tag} to clone from {from}; {variable} names a clone of it, and LeRobot's mock robot is only there"
    );
    None
}

/// LeRobot's own mock robot, and its follower arm with the motors replaced, behind the example's bridge.
#[test]
#[ignore = "installs LeRobot and PyTorch from PyPI, gigabytes"]
fn lerobots_robots_are_driven_over_a_bridge() {
    let python = python::with_lerobot(work()).unwrap();
    python::run(python::install(&python).unwrap().arg("feetech-servo-sdk")).unwrap();
    let script = root().join("python/interop/lerobot_arms.py");
    let examples = root().join("python/examples");
    let [script, examples] = [&script, &examples].map(|p| p.to_str().unwrap());
    let (_served, address) = serve(&python, &[script, "so101", examples]);
    is_driven(&address, 5, true);
    let Some(source) = lerobot_source(&python) else { return };
    let (_served, address) = serve(&python, &[script, "mock", examples, source.to_str().unwrap()]);
    is_driven(&address, 3, false);
}
