//! Agents whose planner is a model behind HTTP: every way it can fail and what becomes of the run, recorded
//! answers on any number of workers, and the key that is in no file.

#[path = "../common/mod.rs"]
mod common;
mod wire;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use common::{command, folder, said};
use serde_json::{Value, json};

const TASK: &str = "lohoravens/move-blocks-between-absolute-positions";
const KEY: &str = "sk-very-secret-0123456789";

/// What a model does with a request.
#[derive(Clone)]
enum Does {
    /// Picks the first object and puts it on the last.
    Answers,
    /// The same with words around it.
    Chats,
    /// Says this.
    Says(String),
    /// Answers with a status and a body.
    Status(&'static str, String),
    /// Is busy, and says for how long.
    Busy,
    /// Hangs up before it answers.
    HangsUp,
    /// Does not answer.
    Waits,
    /// Sends pieces of an answer without end.
    Streams,
    /// Sends this many bytes.
    Floods(usize),
}

/// A server; what it does may depend on how often it was asked.
fn serve(does: impl Fn(usize) -> Does + Send + Sync + 'static) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (does, asked) = (Arc::new(does), Arc::new(AtomicUsize::new(0)));
    let count = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let does = does(count.fetch_add(1, Ordering::SeqCst));
            std::thread::spawn(move || {
                let mut stream = stream;
                drop(answer(&mut stream, &does));
            });
        }
    });
    (url, asked)
}

fn read_request(stream: &mut impl Read) -> Value {
    let (mut request, mut part) = (Vec::new(), [0; 1 << 16]);
    loop {
        let n = stream.read(&mut part).unwrap_or(0);
        request.extend_from_slice(&part[..n]);
        let text = String::from_utf8_lossy(&request);
        let body = text.split_once("\r\n\r\n").and_then(|(_, b)| serde_json::from_str(b).ok());
        if let Some(body) = body {
            return body;
        }
        if n == 0 {
            return Value::Null;
        }
    }
}

fn sensible(request: &Value) -> String {
    let fields = &request["response_format"]["json_schema"]["schema"]["properties"];
    if fields.get("objects").is_some() {
        // Only who is shown a picture can report.
        let shown = request.to_string().contains("data:image/png;base64,");
        let red = json!({"colour": "red", "object": "block", "area": "top left"});
        let seen = if shown { vec![red] } else { Vec::new() };
        return json!({"objects": seen, "remarks": ["all is quiet"]}).to_string();
    }
    if fields.get("current_primitive").is_some() {
        let say = "pick up the red block and place it on the top left area";
        return json!({"done": false, "current_primitive": say}).to_string();
    }
    let names = |field: &str| fields[field]["enum"].as_array().unwrap();
    json!({"done": false, "pick": names("pick")[0], "place": names("place").last()}).to_string()
}

fn answer(stream: &mut (impl Read + Write), does: &Does) -> std::io::Result<()> {
    let request = read_request(stream);
    if request.is_null() {
        return Ok(());
    }
    let mut reply = |status: &str, headers: &str, body: &str| {
        let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
        stream.write_all((head + body).as_bytes())
    };
    let says = |text: &str| {
        let usage = json!({"prompt_tokens": 80, "completion_tokens": 20, "total_tokens": 100});
        json!({"choices": [{"message": {"content": text}}], "usage": usage}).to_string()
    };
    match does {
        Does::Answers => reply("200 OK", "", &says(&sensible(&request))),
        Does::Chats => {
            let text = format!("<think>{{hm}}</think>Sure:\n{}\nGood luck!", sensible(&request));
            reply("200 OK", "", &says(&text))
        }
        Does::Says(text) => reply("200 OK", "", &says(text)),
        Does::Status(status, body) => reply(status, "", body),
        Does::Busy => reply("429 Too Many Requests", "Retry-After: 0.05\r\n", "busy"),
        Does::HangsUp => Ok(()),
        Does::Waits => {
            std::thread::sleep(Duration::from_secs(60));
            Ok(())
        }
        Does::Streams => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")?;
            loop {
                stream.write_all(b"8\r\n{\"a\": 1,\r\n")?;
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        Does::Floods(bytes) => {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {bytes}\r\n\r\n");
            stream.write_all(head.as_bytes())?;
            let part = vec![b' '; 1 << 16];
            (0..bytes / part.len()).try_for_each(|_| stream.write_all(&part))
        }
    }
}

/// A folder with an agent, and the user's own list of endpoints with a key.
struct Place(PathBuf);

impl Place {
    fn new(name: &str, url: &str) -> Self {
        let dir = folder(&format!("agents-{name}"));
        std::fs::create_dir_all(dir.join("user")).unwrap();
        std::fs::write(dir.join("user/key"), KEY).unwrap();
        std::fs::write(
            dir.join("agent.toml"),
            "[planner]\nkind = \"chat\"\nendpoint = \"gpu\"\nmodel = \"m\"\ndeadline = 2\n\
             [actor]\nkind = \"words\"\n[reporter]\nkind = \"detector\"\n",
        )
        .unwrap();
        let place = Self(dir);
        place.endpoint(url);
        place
    }

    fn endpoint(&self, url: &str) {
        self.endpoint_with(url, "");
    }

    fn endpoint_with(&self, url: &str, more: &str) {
        let text = format!("[gpu]\nurl = \"{url}\"\nkey-file = \"key\"\n{more}");
        std::fs::write(self.0.join("user/endpoints.toml"), text).unwrap();
    }

    /// Evaluate in the folder `run`, with changes to the agent.
    fn eval(&self, run: &str, changes: &str, more: &[&str]) -> Output {
        let agent = format!("agent:agent.toml?{changes}");
        let mut args = vec!["eval", TASK, "--policy", &agent, "--label", "model", "--seed", "31"];
        args.extend(["--max-steps", "2", "--out", run]);
        args.extend(more);
        let endpoints = self.0.join("user/endpoints.toml");
        let mut command = command(&args);
        command.current_dir(&self.0).env("LONGARM_ENDPOINTS", endpoints).output().unwrap()
    }

    /// The rows of a run by seed, without the time they took.
    fn rows(&self, run: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.0.join(run).join("episodes.jsonl"));
        let text = text.unwrap_or_default();
        let mut rows: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        for row in &mut rows {
            let row = row.as_object_mut().unwrap();
            row.remove("wall_s");
            row.remove("inference");
        }
        rows.sort_by_key(|r| r["seed"].as_u64());
        rows
    }

    /// Panic if the key is in what was printed or in any file but the user's own.
    fn no_key(&self, printed: &Output) {
        assert!(!said(printed).contains(KEY), "{}", said(printed));
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()) {
                if entry.is_dir() {
                    folders.push(entry);
                } else if entry != self.0.join("user/key") {
                    let bytes = std::fs::read(&entry).unwrap();
                    let found = bytes.windows(KEY.len()).any(|w| w == KEY.as_bytes());
                    assert!(!found, "the key is in {}", entry.display());
                }
            }
        }
    }
}

/// Evaluate one episode with a model that behaves like this.
fn one(
    name: &str,
    changes: &str,
    does: impl Fn(usize) -> Does + Send + Sync + 'static,
) -> (Place, Output) {
    let place = Place::new(name, &serve(does).0);
    let started = Instant::now();
    let output = place.eval("run", changes, &["--episodes", "1"]);
    assert!(started.elapsed() < Duration::from_secs(50), "{name} hangs");
    place.no_key(&output);
    (place, output)
}

#[test]
fn what_answers_badly_is_a_policy_error_with_its_reason() {
    let says = |text: &str| Does::Says(text.to_owned());
    let object = says(&json!({"done": false, "colour": format!("red {KEY}")}).to_string());
    let cases: [(&str, &str, Does, &str); 7] = [
        ("late", "", Does::Waits, "no answer within 2 s"),
        ("prose", "", says(&format!("I like the red block, {KEY}")), "did not answer with JSON"),
        ("fields", "", object, "has no \"pick\""),
        ("endless", "", Does::Streams, "no answer within 2 s"),
        ("flood", "", Does::Floods(50 << 20), "longer than"),
        ("budget", "planner.budget.calls=1", Does::Answers, "over budget: 1 calls"),
        ("refusal", "", Does::Status("400 Bad", format!("no {KEY}")), "answered 400"),
    ];
    for (name, changes, does, why) in cases {
        let (place, output) = one(name, changes, move |_| does.clone());
        assert!(output.status.success(), "{name}: {}", said(&output));
        let rows = place.rows("run");
        assert_eq!(rows.len(), 1, "{name}: {}", said(&output));
        assert_eq!(rows[0]["outcome"], "policy_error", "{name}: {rows:?}");
        let reason = rows[0]["reason"].as_str().unwrap();
        assert!(reason.contains(why), "{name}: {reason}");
    }
}

#[test]
fn a_model_that_cannot_be_asked_stops_the_run_which_can_be_resumed() {
    let status = |status, body: &str| Does::Status(status, format!("{body}: {KEY}"));
    let cases: [(&str, &str, Does, &str); 5] = [
        ("away", "", Does::HangsUp, "hung up"),
        ("key", "", status("401 Unauthorized", "bad key"), "answered 401"),
        ("quota", "", status("429 No", "insufficient_quota"), "insufficient_quota"),
        ("moved", "", status("307 Temporary Redirect", ""), "redirects are not followed"),
        (
            "cassette",
            "planner.cassette.file=none.jsonl&planner.cassette.mode=replay",
            Does::Answers,
            "no answer to request",
        ),
    ];
    for (name, changes, does, why) in cases {
        let place = Place::new(name, &serve(move |_| does.clone()).0);
        std::fs::write(place.0.join("none.jsonl"), "").unwrap();
        let stopped = place.eval("run", changes, &["--episodes", "1"]);
        let text = said(&stopped);
        assert!(!stopped.status.success() && text.contains(why), "{name}: {text}");
        assert!(text.contains("--resume runs the rest"), "{name}: {text}");
        assert_eq!(place.rows("run"), Vec::<Value>::new(), "{name}");
        place.no_key(&stopped);
    }
    // Nobody listens; then somebody does, and the run goes on where it stopped.
    let place = Place::new("resumed", "http://127.0.0.1:9/v1");
    let stopped = place.eval("run", "", &["--episodes", "1"]);
    assert!(said(&stopped).contains("cannot be reached"), "{}", said(&stopped));
    assert!(place.rows("run").is_empty());
    place.endpoint(&serve(|_| Does::Answers).0);
    let resumed = place.eval("run", "", &["--episodes", "1", "--resume"]);
    assert!(resumed.status.success(), "{}", said(&resumed));
    assert_eq!(place.rows("run").len(), 1);
    place.no_key(&resumed);
}

#[test]
fn a_busy_model_and_one_that_starts_again_are_asked_again() {
    let (steady, output) = one("steady", "", |_| Does::Answers);
    assert!(output.status.success(), "{}", said(&output));
    let expected = steady.rows("run");
    assert_eq!(expected[0]["outcome"], "task_failure", "{expected:?}");
    let busy = |n: usize| if n == 1 { Does::Busy } else { Does::Answers };
    let restarts = |n: usize| match n {
        1 => Does::HangsUp,
        2 => Does::Status("503 Loading", "model is loading".into()),
        _ => Does::Answers,
    };
    for (place, output) in
        [one("busy", "", busy), one("restarts", "", restarts), one("chats", "", |_| Does::Chats)]
    {
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(place.rows("run"), expected);
    }
}

#[test]
fn pictures_reports_and_the_truth_reach_a_planner() {
    let reporter =
        "reporter=chat&reporter.endpoint=gpu&reporter.model=m&reporter.cameras=[\"top\"]";
    let picture = "reporter=none&planner.cameras=[\"top\"]";
    for (name, changes, objects) in
        [("picture", picture, 0), ("report", reporter, 2), ("state", "reporter=oracle", 4)]
    {
        let (place, output) = one(name, changes, |_| Does::Answers);
        assert!(output.status.success(), "{}", said(&output));
        let rows = place.rows("run");
        assert_ne!(rows[0]["outcome"], "policy_error", "{name}: {rows:?}");
        let claims = &rows[0]["agent"]["objects"];
        let count = |of: &str| claims[of].as_u64().unwrap();
        assert!(count("right") + count("wrong") >= objects, "{name}: {claims}");
        assert_eq!(count("right") + count("wrong") == 0, objects == 0, "{name}: {claims}");
        assert!(name != "state" || count("wrong") == 0 && count("missed") == 0, "{claims}");
    }
}

#[test]
fn a_recorded_run_replays_to_the_same_rows_on_any_number_of_workers() {
    let (url, asked) = serve(|_| Does::Answers);
    let place = Place::new("recorded", &url);
    let tape = "planner.cassette.file=tape.jsonl&planner.cassette.mode=";
    let four = ["--episodes", "4", "--seed-stride", "2", "--workers"];
    let recorded = place.eval("recorded", &format!("{tape}record"), &[&four[..], &["1"]].concat());
    assert!(recorded.status.success(), "{}", said(&recorded));
    let (rows, questions) = (place.rows("recorded"), asked.load(Ordering::SeqCst));
    assert_eq!((rows.len(), questions), (4, 8));
    // What it thought can be read, and no row depends on who looks.
    let traced = [&four[..], &["2", "--trace-agent"]].concat();
    let thought = place.eval("thought", &format!("{tape}auto"), &traced);
    assert!(thought.status.success(), "{}", said(&thought));
    let mut shown = place.rows("thought");
    let page = shown[0]["timeline"].as_str().unwrap().to_owned();
    let page = std::fs::read_to_string(place.0.join("thought").join(page)).unwrap();
    for part in ["The plan ", "Question", "Answer", "data:image/png;base64", "pick up the"] {
        assert!(page.contains(part), "{part} is missing");
    }
    shown.iter_mut().for_each(|r| drop(r.as_object_mut().unwrap().remove("timeline")));
    assert_eq!(shown, rows);
    place.endpoint("http://127.0.0.1:9/v1");
    // Without the key, too.
    std::fs::remove_file(place.0.join("user/key")).unwrap();
    for workers in ["1", "2", "4"] {
        let run = format!("replayed-{workers}");
        let replayed =
            place.eval(&run, &format!("{tape}replay"), &[&four[..], &[workers]].concat());
        assert!(replayed.status.success(), "{}", said(&replayed));
        assert_eq!(place.rows(&run), rows, "{workers} workers");
    }
    let verified = command(&["verify", "replayed-4"]).current_dir(&place.0).output().unwrap();
    assert!(verified.status.success(), "{}", said(&verified));
    assert_eq!(asked.load(Ordering::SeqCst), questions);
}

#[test]
fn an_agent_that_does_not_look_is_shown_to_people_and_does_the_same() {
    let place = Place::new("watched", "http://127.0.0.1:9/v1");
    let task = ["run", "robomemarena/pour-wine-into-mug-twice", "--seed", "3", "--max-steps", "90"];
    let plain = [&task[..], &["--policy", "predimem-recall"]].concat();
    let run = |args: &[&str]| command(args).current_dir(&place.0).output().unwrap();
    let (unseen, seen) = (run(&plain), run(&[&plain[..], &["--trace-agent", "t.html"]].concat()));
    let hashes = |o: &Output| {
        let text = String::from_utf8_lossy(&o.stdout).into_owned();
        text.split_once("  state ").map(|(_, h)| h.to_owned()).unwrap_or_else(|| said(o))
    };
    assert_eq!(hashes(&seen), hashes(&unseen));
    let page = std::fs::read_to_string(place.0.join("t.html")).unwrap();
    for part in ["exactly twice", "Not solved after 90 steps", "Keyframes", "data:image/png;base64"]
    {
        assert!(page.contains(part), "{part} is missing");
    }
}

#[test]
fn an_agent_of_somebody_else_names_no_key() {
    let place = Place::new("foreign", "http://127.0.0.1:9/v1");
    for (field, value) in [("key-file", "user/key"), ("key", KEY), ("api-key-env", "HOME")] {
        let output = place.eval("run", &format!("planner.{field}={value}"), &["--episodes", "1"]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains("unknown field"), "{}", said(&output));
    }
    let exists = |p: &Path| p.exists();
    assert!(!exists(&place.0.join("run")));
}
