//! Every way a policy server can fail, and what becomes of the episode.

mod answers;
#[path = "../support/mod.rs"]
mod support;
mod waiting;

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread::sleep,
    time::{Duration, Instant},
};

use longarm_policy::{
    Decision, Policy, PolicyError, Remote,
    remote::{msgpack::Pack, numpy::Keys},
};
use longarm_types::Action;
use support::{Server, actions, episode, observation, wrapped};
use tungstenite::Message;

fn remote(port: u16, options: &str) -> Remote {
    let text = format!("openpi:127.0.0.1:{port}?{options}");
    let text = if options.contains("reconnect=") { text } else { format!("{text}&reconnect=0") };
    Remote::new(&text.parse().unwrap()).unwrap()
}

/// What the first question of a fresh episode ends in.
fn first_answer(server: &Server, options: &str) -> Result<Vec<Action>, PolicyError> {
    one_episode(&mut remote(server.port, options))
}

fn one_episode(remote: &mut Remote) -> Result<Vec<Action>, PolicyError> {
    remote.begin_episode(&episode())?;
    let mut decision = Decision::default();
    let result = remote.act(&observation(), &mut decision);
    assert!(result.is_ok() || decision.chunk.is_empty(), "a fault leaves no actions behind");
    result.map(|()| decision.chunk)
}

/// Whose fault it is.
#[derive(Debug, PartialEq)]
enum Whose {
    Policys,
    /// Nobody's, and the episode may begin again.
    Lost,
    /// Nobody's, and there is no point in going on.
    Gone,
}

fn whose(e: &PolicyError) -> Whose {
    match e {
        PolicyError::Fault(_) => Whose::Policys,
        PolicyError::Unavailable(e) if e.lost => Whose::Lost,
        PolicyError::Unavailable(_) => Whose::Gone,
    }
}

fn ends(server: &Server, options: &str, with: &str, fault: Whose) {
    let e = first_answer(server, options).unwrap_err();
    let said = e.to_string();
    assert!(said.contains(with), "{said:?} does not say {with:?}");
    assert!(said.starts_with("policy server 127.0.0.1:"), "{said:?} does not say where");
    assert!(!said.contains('\n'), "{said:?} is not one sentence");
    assert_eq!(whose(&e), fault, "{said:?}");
}

/// A fault of the policy's own.
fn fails(server: &Server, options: &str, with: &str) {
    ends(server, options, with, Whose::Policys);
}

/// A server that cannot be used.
fn gone(server: &Server, options: &str, with: &str) {
    ends(server, options, with, Whose::Gone);
}

/// A server whose answer to anything is this message.
fn answering(message: Message) -> Server {
    Server::openpi(move |_, _, ws| drop(ws.send(message.clone())))
}

#[test]
fn a_server_that_works() {
    let chunk = first_answer(&answering(actions(3, 0.5)), "").unwrap();
    assert_eq!(chunk.len(), 3);
    assert_eq!(chunk[0].values(), [0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn down() {
    // A port that was just free.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let spec = format!("openpi:127.0.0.1:{port}?retries=2").parse().unwrap();
    let start = Instant::now();
    let said = Remote::connect(&spec).unwrap_err().to_string();
    assert!(said.contains("nothing listens there") && said.contains("after 3 attempts"), "{said}");
    let took = start.elapsed().as_secs_f64();
    assert!((0.75..5.0).contains(&took), "0.25 s and 0.5 s of backoff took {took} s");
}

#[test]
fn down_at_first_then_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let late = std::thread::spawn(move || {
        sleep(Duration::from_millis(400));
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let mut ws = tungstenite::accept(listener.accept().unwrap().0).unwrap();
        ws.send(Message::binary(vec![0x80])).unwrap();
        ws.flush().unwrap();
        support::next_data(&mut ws)
    });
    let spec = format!("openpi:127.0.0.1:{port}?retries=6").parse().unwrap();
    drop(Remote::connect(&spec).expect("it came up in time"));
    late.join().unwrap();
}

#[test]
fn one_of_several_down() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let up = answering(actions(1, 0.25));
    let text = format!("openpi:127.0.0.1:{port},127.0.0.1:{}?retries=0", up.port);
    let spec = text.parse().unwrap();
    for _ in 0..4 {
        let mut remote = Remote::connect(&spec).unwrap();
        assert_eq!(one_episode(&mut remote).unwrap().len(), 1);
    }
}

#[test]
fn several_share_the_load() {
    let servers: Vec<_> = (0..3).map(|_| answering(actions(1, 0.0))).collect();
    let list: Vec<_> = servers.iter().map(|s| format!("127.0.0.1:{}", s.port)).collect();
    let spec = format!("openpi:{}", list.join(",")).parse().unwrap();
    let all: Vec<_> = (0..6).map(|_| Remote::connect(&spec).unwrap()).collect();
    assert_eq!(servers.iter().map(Server::count).collect::<Vec<_>>(), [2, 2, 2]);
    drop(all);
}

#[test]
fn an_api_key_is_sent_and_never_shown() {
    let server = Server::raw(|_, mut tcp| {
        let mut request = [0; 1024];
        let n = tcp.read(&mut request).unwrap_or(0);
        let sent = String::from_utf8_lossy(&request[..n]).to_lowercase();
        let known = sent.contains("authorization: api-key sesame\r\n");
        let status = if known { "418 Teapot" } else { "401 Unauthorized" };
        let _ = write!(tcp, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
    });
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("sesame");
    std::fs::write(&file, "sesame\n").unwrap();
    let mut policy = remote(server.port, &format!("api-key-file={}", file.display()));
    assert!(one_episode(&mut policy).unwrap_err().to_string().contains("HTTP status 418"));
    let shown = format!("{policy:?}").replace(&file.display().to_string(), "");
    assert!(!shown.contains("sesame"), "{shown}");
    gone(&server, "", "HTTP status 401");
}

#[test]
fn paths_and_headers_reach_the_server() {
    let server = Server::raw(|_, mut tcp| {
        let mut request = [0; 1024];
        let n = tcp.read(&mut request).unwrap_or(0);
        let sent = String::from_utf8_lossy(&request[..n]).to_lowercase();
        let right = sent.starts_with("get /v1/pi0 http/1.1\r\n")
            && sent.contains("x-model: pi0\r\n")
            && sent.contains("authorization: bearer sesame\r\n");
        let status = if right { "418 Teapot" } else { "400 Bad Request" };
        let _ = write!(tcp, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
    });
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("bearer");
    std::fs::write(&file, "Bearer sesame\n").unwrap();
    let text = format!(
        "ws://127.0.0.1:{}/v1/pi0?retries=0&header.X-Model=pi0&header-file.Authorization={}",
        server.port,
        file.display()
    );
    let said = Remote::connect(&text.parse().unwrap()).unwrap_err().to_string();
    assert!(said.contains("/v1/pi0: no connection: HTTP status 418"), "{said}");
    assert!(!said.contains("sesame"), "{said}");
}

#[test]
fn a_missing_key_names_the_preset_that_has_it() {
    let asks =
        |key: &str| answering(Message::text(format!("Traceback:\n  x\nKeyError: '{key}'\n")));
    for (key, options, hint) in [
        ("observation/exterior_image_1_left", "", "; preset=droid sends that key"),
        ("observation/state", "", "; preset=libero sends that key"),
        ("observation/joint_position", "preset=libero", "; preset=longarm or preset=droid sends"),
        ("observation/depth", "", "; no preset of openpi sends that key"),
        ("prompt", "", "KeyError: 'prompt'\n"),
    ] {
        let said = first_answer(&asks(key), options).unwrap_err().to_string();
        assert!(said.contains(hint), "{said}");
    }
}

#[test]
fn what_we_cannot_ask() {
    let server = answering(actions(1, 0.0));
    let mut policy = remote(server.port, "preset=libero");
    policy.begin_episode(&episode()).unwrap();
    let mut seen = observation();
    seen.cameras.retain(|c| c.name == "agentview");
    let e = policy.act(&seen, &mut Decision::default()).unwrap_err();
    assert!(e.to_string().contains("camera.observation/wrist_image=NAME"), "{e}");
    assert_eq!(whose(&e), Whose::Gone, "the policy was never asked");
    // Joint velocities cannot be executed here.
    let said =
        remote(server.port, "preset=droid").begin_episode(&episode()).unwrap_err().to_string();
    assert!(said.contains("joint-velocity actions of 8 numbers"), "{said}");
}
