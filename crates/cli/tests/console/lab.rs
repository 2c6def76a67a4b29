//! A lab of a test's own: a simulated arm behind a bridge, and a console.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

use crate::common::browser::Browser;
use crate::common::{command, folder};

/// A program that ends with the test.
struct Program {
    child: Child,
    log: Arc<Mutex<String>>,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Program {
    fn start(args: &[&str]) -> Self {
        let mut child = command(args).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let log = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&log);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                kept.lock().unwrap().push_str(&(line + "\n"));
            }
        });
        Self { child, log }
    }

    fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    fn says(&self, words: &str) -> String {
        let began = Instant::now();
        loop {
            let log = self.log();
            if let Some(line) = log.lines().find(|l| l.contains(words)) {
                return line.to_owned();
            }
            assert!(began.elapsed() < Duration::from_secs(120), "it never said {words:?}:\n{log}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

pub struct Lab {
    pub dir: PathBuf,
    bridge: Program,
    console: Program,
    address: String,
    bridge_address: String,
    policy: String,
    more: Vec<String>,
    token: String,
    heard: std::cell::RefCell<usize>,
}

pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Lab {
    pub fn open(name: &str, task: &str, policy: &str) -> Self {
        Self::with(name, task, policy, &[])
    }

    pub fn with(name: &str, task: &str, policy: &str, more: &[&str]) -> Self {
        let dir = folder(name);
        let bridge = Program::start(&[
            "bridge",
            "sim",
            task,
            "--listen",
            "127.0.0.1:0",
            "--late",
            "wait",
            "--size",
            "160x120",
        ]);
        let line = bridge.says(" on ws://");
        let bridge_address = line.rsplit(' ').next().unwrap().to_owned();
        let more: Vec<String> = more.iter().map(|m| (*m).to_owned()).collect();
        let console = start(&dir, &bridge_address, policy, "127.0.0.1:0", &more);
        let line = console.says("longarm console on http://");
        let address = line.rsplit_once("://").unwrap().1.trim().to_owned();
        let line = console.says("/setup?code=");
        let code = line.split_once("/setup?code=").unwrap().1.split(' ').next().unwrap().to_owned();
        let mut lab = Self {
            dir,
            bridge,
            console,
            address,
            bridge_address,
            policy: policy.to_owned(),
            more,
            token: String::new(),
            heard: std::cell::RefCell::new(0),
        };
        let body = json!({ "code": code, "name": "Ada" }).to_string();
        let reply = lab.ask("POST", "/api/setup", "", "application/json", body.as_bytes());
        assert_eq!(reply.status, 200, "{}", reply.body);
        let reply: Value = serde_json::from_str(&reply.body).unwrap();
        lab.token = reply["token"].as_str().unwrap().to_owned();
        lab
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn run(&self, id: &str) -> PathBuf {
        self.dir.join("data/console/runs").join(id)
    }

    /// Tokens of two judges: Ada, who made the console, and Ben.
    pub fn judges(&self) -> (String, String) {
        (self.token.clone(), self.account("Ben", "judge"))
    }

    pub fn account(&self, name: &str, role: &str) -> String {
        let body = json!({ "name": name, "role": role }).to_string();
        let token = format!("Authorization: Bearer {}\r\n", self.token);
        let reply = self.ask("POST", "/api/accounts", &token, "application/json", body.as_bytes());
        assert_eq!(reply.status, 200, "{}", reply.body);
        let reply: Value = serde_json::from_str(&reply.body).unwrap();
        reply["token"].as_str().unwrap().to_owned()
    }

    /// Wait until the bridge says something new with these words.
    pub fn heard(&self, what: &str, more: &str) {
        let began = Instant::now();
        loop {
            let log = self.bridge.log();
            let from = *self.heard.borrow();
            let found = log
                .lines()
                .enumerate()
                .skip(from)
                .find(|(_, l)| l.contains(what) && l.contains(more));
            if let Some((i, line)) = found {
                println!("bridge: {line}");
                *self.heard.borrow_mut() = i + 1;
                return;
            }
            let waited = began.elapsed() < Duration::from_secs(120);
            assert!(waited, "the bridge never said {what:?} … {more:?}:\n{log}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// End the page's connection, as a network does: emulation leaves open sockets alone.
    pub fn cut(&self, browser: &Browser) {
        browser.script("socket.close()", &[]);
    }

    /// End the console as a crash would.
    pub fn kill(&mut self) {
        self.console.child.kill().unwrap();
        self.console.child.wait().unwrap();
    }

    /// Start it again at the same address.
    pub fn again(&mut self) {
        let (dir, address) = (self.dir.clone(), self.address.clone());
        self.console = start(&dir, &self.bridge_address, &self.policy, &address, &self.more);
        self.console.says("longarm console on");
    }

    fn ask(&self, method: &str, path: &str, headers: &str, kind: &str, body: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\n{headers}Content-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.address,
            body.len()
        );
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        Reply { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub fn get(&self, path: &str, token: &str) -> Reply {
        let token = format!("Authorization: Bearer {token}\r\n");
        self.ask("GET", path, &token, "text/plain", b"")
    }

    /// Sign in as a browser does and return the cookie.
    fn cookie(&self, token: &str) -> String {
        let body = format!("token={token}");
        let origin = format!("Origin: http://{}\r\n", self.address);
        let kind = "application/x-www-form-urlencoded";
        let reply = self.ask("POST", "/sign-in", &origin, kind, body.as_bytes());
        let line = reply.head.lines().find(|l| l.to_ascii_lowercase().starts_with("set-cookie:"));
        let cookie = line.unwrap_or_else(|| panic!("{}", reply.head)).split_once(':').unwrap().1;
        cookie.split(';').next().unwrap().trim().to_owned()
    }

    pub fn new_run(&self, token: &str, task: &str, episodes: u32) -> String {
        let headers =
            format!("Cookie: {}\r\nOrigin: http://{}\r\n", self.cookie(token), self.address);
        let page = self.ask("GET", "/console", &headers, "text/plain", b"").body;
        let form = page.split_once("name=\"form\" value=\"").unwrap().1.split('"').next().unwrap();
        let task = task.replace('/', "%2F");
        let body = format!("form={form}&tasks={task}&episodes={episodes}&seed=0");
        let kind = "application/x-www-form-urlencoded";
        let reply = self.ask("POST", "/console", &headers, kind, body.as_bytes());
        assert_eq!(reply.status, 303, "{}", reply.body);
        let line = reply.head.lines().find(|l| l.to_ascii_lowercase().starts_with("location:"));
        line.unwrap().rsplit('/').next().unwrap().trim().to_owned()
    }

    pub fn upload(&self, path: &str, token: &str, film: &[u8]) -> u16 {
        let headers =
            format!("Cookie: {}\r\nOrigin: http://{}\r\n", self.cookie(token), self.address);
        let mut body =
            b"--XX\r\nContent-Disposition: form-data; name=\"video\"; filename=\"a.mp4\"\r\n\r\n"
                .to_vec();
        body.extend_from_slice(film);
        body.extend_from_slice(b"\r\n--XX--\r\n");
        self.ask("POST", path, &headers, "multipart/form-data; boundary=XX", &body).status
    }

    fn request(
        &self,
        path: &str,
        token: &str,
        origin: &str,
    ) -> tungstenite::handshake::client::Request {
        let own = format!("http://{}", self.address);
        let mut request = tungstenite::http::Request::builder()
            .uri(format!("ws://{}{path}", self.address))
            .header("Host", &self.address)
            .header("Connection", "Upgrade")
            .header("Upgrade", "websocket")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", tungstenite::handshake::client::generate_key())
            .header("Cookie", self.cookie(token));
        match origin {
            "" => {}
            "own" => request = request.header("Origin", own),
            other => request = request.header("Origin", other),
        }
        request.body(()).unwrap()
    }

    /// Try a socket and return the status of the answer.
    pub fn shake(&self, path: &str, token: &str, origin: &str) -> u16 {
        match tungstenite::client(
            self.request(path, token, origin),
            TcpStream::connect(&self.address).unwrap(),
        ) {
            Ok(_) => 101,
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(r))) => {
                r.status().as_u16()
            }
            Err(e) => panic!("{e}"),
        }
    }

    pub fn socket(&self, path: &str, token: &str) -> Page {
        let stream = MaybeTlsStream::Plain(TcpStream::connect(&self.address).unwrap());
        let (ws, _) = tungstenite::client(self.request(path, token, "own"), stream).unwrap();
        Page { ws, state: Value::Null }
    }
}

fn start(dir: &Path, bridge: &str, policy: &str, listen: &str, more: &[String]) -> Program {
    let data = dir.join("data").display().to_string();
    let mut args = vec![
        "console", "--data", &data, "--bridge", bridge, "--policy", policy, "--listen", listen,
    ];
    args.extend(more.iter().map(String::as_str));
    let console = Program::start(&args);
    console.says("judges open");
    console
}

/// A page's socket without a page.
pub struct Page {
    ws: WebSocket<MaybeTlsStream<TcpStream>>,
    state: Value,
}

impl Page {
    /// Give an order and return why it was refused, if it was: what follows an order is a new state or a refusal.
    pub fn order(&mut self, order: Value) -> Option<String> {
        self.ws.send(Message::text(order.to_string())).unwrap();
        // Refusals come before what is asked next, and this is refused for certain.
        let mark = "an order that marks the end";
        self.ws.send(Message::text(format!("{{\"do\":\"{mark}\"}}"))).unwrap();
        let mut refused = None;
        loop {
            let said = self.read();
            match said["refused"].as_str() {
                Some(why) if why.contains(mark) => return refused,
                Some(why) => refused = Some(why.to_owned()),
                None => self.state = said,
            }
        }
    }

    fn read(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.ws.read().unwrap() {
                let said: Value = serde_json::from_str(text.as_str()).unwrap();
                // Otherwise only a sign of life.
                if said.as_object().is_some_and(|o| !o.is_empty()) {
                    return said;
                }
            }
        }
    }

    pub fn until(&mut self, what: &str, holds: impl Fn(&Value) -> bool) {
        let began = Instant::now();
        while !holds(&self.state) {
            assert!(began.elapsed() < Duration::from_secs(60), "not {what}: {}", self.state);
            let said = self.read();
            if said["refused"].is_null() {
                self.state = said;
            }
        }
    }
}
