//! A real browser: headless Chromium, driven by chromedriver over WebDriver's plain HTTP and JSON.
//!
//! Debian: `apt-get install chromium chromium-driver`; `.ci/run` does that where it may. Tests take
//! [`Browser::start`]'s `None` as a reason to skip, which it has said in words.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long something may take to appear: no limit on speed, but a page that hangs must not hang the tests.
const PATIENCE: Duration = Duration::from_secs(300);
/// What an element is called in WebDriver's answers.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// Without a sandbox, which root cannot have, and without asking anyone but who is asked.
const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
];

/// One window of a browser with a profile of its own. It ends with the test.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser ends with its session, the driver does not end the browser.
        let _ = self.request("DELETE", &format!("/session/{}", self.session), &Value::Null);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

impl Browser {
    /// Start one with a window of this size and its profile in `folder`; `None`, and a line that says so, where
    /// there is no Chromium.
    pub fn start(folder: &Path, width: u32, height: u32) -> Option<Self> {
        let asked = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut driver) = asked else {
            eprintln!("skipped: no chromedriver here; apt-get install chromium chromium-driver");
            return None;
        };
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let said = lines
            .by_ref()
            .map_while(Result::ok)
            .find(|l| l.contains("on port ") && l.ends_with('.'));
        let said = said.expect("chromedriver says where it listens");
        let port = said.rsplit(' ').next().unwrap().trim_end_matches('.').parse().unwrap();
        // It must not wait for somebody to read what it says.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let mut browser = Self { driver, port, session: String::new() };
        let profile = folder.join("profile");
        let mut flags: Vec<String> = FLAGS.iter().map(|f| (*f).to_owned()).collect();
        flags.push(format!("--user-data-dir={}", profile.display()));
        flags.push(format!("--window-size={width},{height}"));
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": { "args": flags },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        } } });
        let made = browser.request("POST", "/session", &wanted);
        let made = made.unwrap_or_else(|e| panic!("no session: {e}"));
        browser.session = made["sessionId"].as_str().unwrap().to_owned();
        browser.size(width, height);
        Some(browser)
    }

    /// Send a command to the driver; its value, or what is wrong.
    fn request(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(|e| e.to_string())?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{text}",
            self.port,
            text.len()
        )
        .map_err(|e| e.to_string())?;
        let mut answer = BufReader::new(stream);
        let (mut line, mut length) = (String::new(), 0);
        while answer.read_line(&mut line).map_err(|e| e.to_string())? > 2 {
            let (name, value) = line.split_once(':').unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap_or(0);
            }
            line.clear();
        }
        let mut body = vec![0; length];
        answer.read_exact(&mut body).map_err(|e| e.to_string())?;
        let answer: Value = serde_json::from_slice(&body).map_err(|e| e.to_string())?;
        match answer["value"]["error"].as_str() {
            Some(error) => Err(format!("{error}: {}", answer["value"]["message"])),
            None => Ok(answer["value"].clone()),
        }
    }

    /// Send a command of this session, such as `POST`, `/actions`; its value, or what is wrong.
    pub fn command(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        self.request(method, &format!("/session/{}{path}", self.session), body)
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.command("POST", path, body).unwrap_or_else(|e| panic!("{path} {body}: {e}"))
    }

    /// Send a command of Chromium's own protocol.
    pub fn cdp(&self, command: &str, parameters: &Value) -> Value {
        self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// Load a page.
    pub fn go(&self, url: &str) {
        self.post("/url", &json!({ "url": url }));
    }

    /// Return where it is.
    pub fn url(&self) -> String {
        let url = self.command("GET", "/url", &Value::Null).unwrap();
        url.as_str().unwrap_or_default().to_owned()
    }

    /// Give the page this many pixels, narrow ones as a telephone would.
    pub fn size(&self, width: u32, height: u32) {
        let screen =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.cdp("Emulation.setDeviceMetricsOverride", &screen);
    }

    /// Say whether the user likes it dark.
    pub fn dark(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": value }]);
        self.cdp("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }

    /// Say whether pages may run scripts; ours ([`Browser::script`]) run all the same.
    pub fn scripts(&self, allowed: bool) {
        self.cdp("Emulation.setScriptExecutionDisabled", &json!({ "value": !allowed }));
    }

    /// Take the network away, or give it back.
    pub fn offline(&self, offline: bool) {
        self.cdp("Network.enable", &json!({}));
        let speed = json!({ "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
        self.cdp("Network.emulateNetworkConditions", &speed);
    }

    /// Say whether it is a device with a touch screen.
    pub fn touch(&self, touch: bool) {
        let points = json!({ "enabled": touch, "maxTouchPoints": 5 });
        self.cdp("Emulation.setTouchEmulationEnabled", &points);
    }

    /// Run the body of a function in the page and return its value.
    pub fn script(&self, body: &str, arguments: &[Value]) -> Value {
        self.post("/execute/sync", &json!({ "script": body, "args": arguments }))
    }

    /// Wait until something holds; panic with what the page shows otherwise.
    pub fn until(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let began = Instant::now();
        while !holds() {
            assert!(
                began.elapsed() < PATIENCE,
                "not: {what}; {} shows\n{}",
                self.url(),
                self.words()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Return the elements there are now.
    pub fn all(&self, css: &str) -> Vec<Element<'_>> {
        let asked = json!({ "using": "css selector", "value": css });
        let found = self.command("POST", "/elements", &asked).unwrap_or_default();
        let ids = found.as_array().into_iter().flatten().filter_map(|e| e[ELEMENT].as_str());
        ids.map(|id| Element { browser: self, id: id.to_owned() }).collect()
    }

    /// Return the first element that is there or appears.
    pub fn find(&self, css: &str) -> Element<'_> {
        let mut found = None;
        self.until(&format!("there is {css}"), || {
            found = self.all(css).into_iter().next();
            found.is_some()
        });
        found.unwrap()
    }

    /// Return the words that the page shows.
    pub fn words(&self) -> String {
        let asked =
            json!({ "script": "return document.body ? document.body.innerText : ''", "args": [] });
        let words = self.command("POST", "/execute/sync", &asked).unwrap_or_default();
        words.as_str().unwrap_or_default().to_owned()
    }

    /// Wait until the page shows these words.
    pub fn shows(&self, words: &str) {
        self.until(&format!("it shows {words:?}"), || self.words().contains(words));
    }

    /// Press keys, wherever the focus is: letters, or WebDriver's codes such as `\u{e004}` (Tab).
    pub fn press(&self, keys: &str) {
        let strokes = keys.chars().flat_map(|k| {
            ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": k.to_string() }))
        });
        let strokes: Vec<Value> = strokes.collect();
        self.post(
            "/actions",
            &json!({ "actions": [{ "type": "key", "id": "keys", "actions": strokes }] }),
        );
    }

    /// Write a picture of the window.
    pub fn screenshot(&self, path: &Path) {
        let picture = self.command("GET", "/screenshot", &Value::Null).unwrap();
        self.write(path, &picture);
    }

    /// Write a picture of the whole page, however long.
    pub fn screenshot_whole(&self, path: &Path) {
        let picture = self.cdp("Page.captureScreenshot", &json!({ "captureBeyondViewport": true }));
        self.write(path, &picture["data"]);
    }

    fn write(&self, path: &Path, picture: &Value) {
        let bytes = base64(picture.as_str().unwrap_or_default());
        assert!(bytes.starts_with(b"\x89PNG"), "a picture");
        std::fs::write(path, bytes).unwrap();
    }

    /// Return what was said on the console since it was asked last, refusals of the page's policy among it.
    pub fn console(&self) -> Vec<String> {
        let said = self.post("/se/log", &json!({ "type": "browser" }));
        let lines = said.as_array().into_iter().flatten();
        lines.map(|l| l["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Return the addresses that were asked for since this was asked last, but for the browser's own.
    pub fn requests(&self) -> Vec<String> {
        let said = self.post("/se/log", &json!({ "type": "performance" }));
        let lines = said.as_array().into_iter().flatten();
        let events =
            lines.filter_map(|l| serde_json::from_str::<Value>(l["message"].as_str()?).ok());
        let asked = events.filter(|e| e["message"]["method"] == "Network.requestWillBeSent");
        let url = |e: Value| e["message"]["params"]["request"]["url"].as_str().map(str::to_owned);
        asked.filter_map(url).filter(|u| !u.starts_with("chrome")).collect()
    }
}

/// Part of a page.
pub struct Element<'a> {
    browser: &'a Browser,
    id: String,
}

impl Element<'_> {
    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let whole = format!("/element/{}{path}", self.id);
        let answer = self.browser.command(method, &whole, body);
        answer.unwrap_or_else(|e| panic!("{path} on {}: {e}", self.browser.url()))
    }

    /// Click it, scrolled to where it is seen.
    pub fn click(&self) {
        self.ask("POST", "/click", &json!({}));
    }

    /// Empty a field and type into it; into a field for files, their paths.
    pub fn type_text(&self, text: &str) {
        if self.attribute("type").as_deref() != Some("file") {
            self.ask("POST", "/clear", &json!({}));
        }
        self.ask("POST", "/value", &json!({ "text": text }));
    }

    /// Return the words it shows.
    pub fn text(&self) -> String {
        self.ask("GET", "/text", &Value::Null).as_str().unwrap_or_default().to_owned()
    }

    /// Return an attribute, where it has it.
    pub fn attribute(&self, name: &str) -> Option<String> {
        self.ask("GET", &format!("/attribute/{name}"), &Value::Null).as_str().map(str::to_owned)
    }

    /// Return what scripts take to mean this element.
    pub fn argument(&self) -> Value {
        json!({ ELEMENT: self.id })
    }
}

/// Read base64 with padding.
fn base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u32> = text.bytes().filter(|c| *c != b'=').map(value).collect();
    let group = |four: &[u32]| {
        let bits = four.iter().fold(0, |all, d| all << 6 | d) << (6 * (4 - four.len()));
        bits.to_be_bytes()[1..four.len()].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}
