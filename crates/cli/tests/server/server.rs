//! A server of a test's own, and asking it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use crate::common::{command, folder, works};
use crate::store;
use longarm_policy::remote::Address;
use longarm_policy::remote::dial::{Connection, Trust};
use serde_json::{Value, json};

/// Two tasks of a few whole actions each: quick to play.
pub const TASKS: [&str; 2] =
    ["lohoravens/move-blocks-between-absolute-positions", "lohoravens/stack-all-blocks-on-a-zone"];
/// Episodes of each.
pub const EPISODES: &str = "2";

/// A run of the expert over the board of these tests, made once.
pub fn run() -> &'static Path {
    static RUN: OnceLock<PathBuf> = OnceLock::new();
    RUN.get_or_init(|| make_run("server-run", "expert"))
}

/// A run of somebody who does not solve anything.
pub fn idle_run() -> &'static Path {
    static RUN: OnceLock<PathBuf> = OnceLock::new();
    RUN.get_or_init(|| make_run("server-idle", "idle"))
}

fn make_run(name: &str, policy: &str) -> PathBuf {
    let dir = folder(name).join("run");
    let out = dir.display().to_string();
    works(&["eval", TASKS[0], TASKS[1], "--policy", policy, "--episodes", EPISODES, "--out", &out]);
    dir
}

/// A copy of the run to spoil.
pub fn copy_of(run: &Path, name: &str) -> PathBuf {
    let to = folder(name).join("run");
    copy(run, &to);
    to
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for e in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let into = to.join(e.file_name());
        match e.file_type().unwrap().is_dir() {
            true => copy(&e.path(), &into),
            false => drop(std::fs::copy(e.path(), into).unwrap()),
        }
    }
}

/// Bytes both ways.
pub trait Both: Read + Write {}

impl<T: Read + Write> Both for T {}

/// Where the certificate is that clients of an encrypted server trust.
pub fn ca(data: &Path) -> PathBuf {
    data.with_extension("ca.pem")
}

/// A server that ends with the test.
pub struct Board {
    pub data: PathBuf,
    child: Child,
    pub address: String,
    pub code: Option<String>,
    pub log: Arc<Mutex<String>>,
    /// Whom to trust, where connections are encrypted.
    trust: Option<Trust>,
}

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let of = |l: &str| l.split_once(':').is_some_and(|(n, _)| n.eq_ignore_ascii_case(name));
        self.head.lines().find(|l| of(l)).and_then(|l| l.split_once(':')).map(|(_, v)| v.trim())
    }
}

impl Board {
    /// Start a server with one small board of its own.
    pub fn start(name: &str, more: &[&str]) -> Self {
        Self::start_on(store::Kind::asked(), name, more)
    }

    /// Start one whose tables are in a database of some kind.
    pub fn start_on(kind: store::Kind, name: &str, more: &[&str]) -> Self {
        let data = folder(name).join("board");
        store::new(&data, kind);
        let boards = format!(
            "suites = false\n[[board]]\nname = \"quick\"\ntitle = \"Quick\"\ntasks = {TASKS:?}\nepisodes = {EPISODES}\n"
        );
        std::fs::write(data.join("boards.toml"), boards).unwrap();
        Self::serve(&data, more)
    }

    /// Start a server on a folder that is there.
    pub fn open(data: &Path, more: &[&str]) -> Self {
        if !store::address_file(data).exists() && !data.join(longarm_server::DATABASE).exists() {
            store::new(data, store::Kind::asked());
        }
        Self::serve(data, more)
    }

    fn serve(data: &Path, more: &[&str]) -> Self {
        let address = store::address_file(data);
        let (folder, address) = (data.display().to_string(), address.display().to_string());
        let mut args = vec!["serve", "--data", &folder];
        args.extend(more);
        if Path::new(&address).exists() {
            args.extend(["--postgres", &address]);
        }
        if !more.contains(&"--listen") {
            args.extend(["--listen", "127.0.0.1:0"]);
        }
        if !more.contains(&"--workers") {
            args.extend(["--workers", "1"]);
        }
        let mut child = command(&args).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let log = Arc::new(Mutex::new(String::new()));
        let first = lines.next().unwrap_or_else(|| panic!("it said nothing")).unwrap();
        let address = first.rsplit_once("://").unwrap_or_else(|| panic!("{first}")).1.to_owned();
        let trust = first.contains("https://").then(|| Trust::load(Some(&ca(data))).unwrap());
        let (data, log_too) = (data.to_owned(), Arc::clone(&log));
        let mut board = Self { data, child, address, code: None, log: log_too, trust };
        // Whether there is a code is known only when something else is said.
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if let Some((_, code)) = line.split_once("/setup?code=") {
                    let _ = tell.send(code.split(' ').next().unwrap_or_default().to_owned());
                }
                log.lock().unwrap().push_str(&(line + "\n"));
            }
        });
        board.until("it is ready", || board.ask("GET", "/healthz", None, "").status == 200);
        board.code = told.recv_timeout(Duration::from_millis(200)).ok();
        board
    }

    /// End it as a crash would.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ask it to end, and return its exit status.
    pub fn terminate(mut self) -> Option<i32> {
        self.signal("-TERM");
        self.child.wait().unwrap().code()
    }

    pub fn until(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let began = Instant::now();
        while !holds() {
            // Not a limit on speed (films wait for an idle processor): a server that hangs must not hang the tests.
            assert!(
                began.elapsed() < Duration::from_secs(900),
                "not: {what}\n{}",
                self.log.lock().unwrap()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Connect, encrypted where it wants that.
    pub fn connect(&self) -> Option<Box<dyn Both>> {
        let Some(trust) = &self.trust else {
            let stream = TcpStream::connect(&self.address).ok()?;
            return Some(Box::new(stream));
        };
        let (host, port) = self.address.rsplit_once(':').unwrap();
        let (host, port) = (host.to_owned(), port.parse().unwrap());
        let address = Address { host, port, path: String::new(), tls: true };
        let until = Instant::now() + Duration::from_secs(300);
        Some(Box::new(Connection::open(&address, Some(trust), until).ok()?))
    }

    /// Trust what a file holds from now on.
    pub fn trust(&mut self, file: &Path) {
        self.trust = Some(Trust::load(Some(file)).unwrap());
    }

    /// Send it a signal.
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = std::process::Command::new("kill").args([name, &id]).status().unwrap();
        assert!(sent.success());
    }

    /// Send a request of raw bytes.
    pub fn raw(&self, head: &str, body: &[u8]) -> Reply {
        let Some(mut stream) = self.connect() else {
            return Reply { status: 0, head: String::new(), body: Vec::new() };
        };
        let head = format!("{head}\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address);
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let at = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(answer.len());
        let head = String::from_utf8_lossy(&answer[..at]).into_owned();
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        Reply { status, head, body: answer.get(at + 4..).unwrap_or_default().to_vec() }
    }

    /// Ask with a token.
    pub fn ask(&self, method: &str, path: &str, token: Option<&str>, body: &str) -> Reply {
        let token = token.map(|t| format!("\r\nAuthorization: Bearer {t}")).unwrap_or_default();
        let head = format!(
            "{method} {path} HTTP/1.1{token}\r\nContent-Type: application/json\r\nContent-Length: {}",
            body.len()
        );
        self.raw(&head, body.as_bytes())
    }

    /// Ask and expect to be served.
    pub fn get(&self, path: &str, token: Option<&str>) -> Value {
        let reply = self.ask("GET", path, token, "");
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        reply.json()
    }

    /// Make the first administrator and return the token.
    pub fn administrator(&self) -> String {
        let code = self.code.as_ref().expect("there is no administrator yet");
        let body = json!({ "code": code, "name": "Ada" }).to_string();
        let reply = self.ask("POST", "/api/setup", None, &body);
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["token"].as_str().unwrap().to_owned()
    }

    /// Make an account and return its token.
    pub fn account(&self, administrator: &str, name: &str, role: &str) -> String {
        let body = json!({ "name": name, "role": role }).to_string();
        let reply = self.ask("POST", "/api/accounts", Some(administrator), &body);
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["token"].as_str().unwrap().to_owned()
    }

    /// Send an archive as a form and return the submission's id.
    pub fn send(&self, token: &str, fields: &[(&str, &str)], archive: &[u8]) -> Reply {
        let mut body = Vec::new();
        for (name, value) in fields {
            let part = format!(
                "--XX\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
            );
            body.extend_from_slice(part.as_bytes());
        }
        body.extend_from_slice(
            b"--XX\r\nContent-Disposition: form-data; name=\"run\"; filename=\"r\"\r\n\r\n",
        );
        body.extend_from_slice(archive);
        body.extend_from_slice(b"\r\n--XX--\r\n");
        let head = format!(
            "POST /api/submissions HTTP/1.1\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: multipart/form-data; boundary=XX\r\nContent-Length: {}",
            body.len()
        );
        self.raw(&head, &body)
    }

    /// Submit a run directory and return the submission once nothing happens to it any more.
    pub fn submit(&self, token: &str, policy: &str, run: &Path) -> Value {
        let reply = self.send(token, &[("policyName", policy)], &packed(run));
        assert_eq!(reply.status, 201, "{}", reply.text());
        self.ended(token, reply.json()["submissionId"].as_str().unwrap())
    }

    /// Wait for the end of a submission.
    pub fn ended(&self, token: &str, id: &str) -> Value {
        let path = format!("/api/submissions/{id}");
        let mut last = Value::Null;
        self.until("the submission ends", || {
            last = self.get(&path, Some(token));
            !["uploading", "queued", "running"].iter().any(|s| last["status"] == *s)
        });
        last
    }
}

/// A run directory as an archive.
pub fn packed(run: &Path) -> Vec<u8> {
    let file = run.with_extension("tar.gz");
    longarm_server::pack(run, &file).unwrap();
    std::fs::read(file).unwrap()
}
