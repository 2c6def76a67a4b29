//! Every way a policy server can fail, and what becomes of the episode.

mod support;

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
fn slow() {
    let server = Server::openpi(|_, _, _| sleep(Duration::from_secs(30)));
    let start = Instant::now();
    fails(&server, "timeout=0.3", "no answer within 0.3 s");
    assert!(start.elapsed() < Duration::from_secs(25));
}

#[test]
fn the_first_answer_may_take_longer() {
    // Compiles at the first question, hangs at the third.
    let server = Server::openpi(|connection, question, ws| {
        match (connection, question) {
            (0, 0) => sleep(Duration::from_millis(700)),
            (0, 2) => sleep(Duration::from_secs(30)),
            _ => {}
        }
        let _ = ws.send(actions(1, 0.0));
    });
    let mut policy = remote(server.port, "timeout=0.3&first-timeout=20");
    assert!(one_episode(&mut policy).is_ok());
    assert!(policy.act(&observation(), &mut Decision::default()).is_ok());
    let said = policy.act(&observation(), &mut Decision::default()).unwrap_err().to_string();
    assert!(said.contains("no answer within 0.3 s"), "{said}");
}

#[test]
fn slow_handshakes() {
    let start = Instant::now();
    // Accepts and says nothing; upgrades and says nothing.
    gone(&Server::raw(|_, _tcp| sleep(Duration::from_secs(30))), "timeout=0.3", "no answer");
    gone(&Server::start(|_, _| sleep(Duration::from_secs(30))), "timeout=0.3", "no answer");
    assert!(start.elapsed() < Duration::from_secs(25));
}

#[test]
fn trickling_bytes_do_not_stretch_the_limit() {
    let server = Server::openpi(|_, _, ws| {
        // A frame of 1000 bytes, one every 50 ms.
        let _ = ws.get_mut().write_all(&[0x82, 126, 3, 232]);
        while ws.get_mut().write_all(&[0]).is_ok() {
            sleep(Duration::from_millis(50));
        }
    });
    let start = Instant::now();
    fails(&server, "timeout=0.4", "no answer within 0.4 s");
    assert!(start.elapsed() < Duration::from_secs(25));
}

#[test]
fn pings_do_not_stretch_the_limit() {
    let server = Server::openpi(|_, _, ws| {
        while ws.get_mut().write_all(&[0x89, 0]).is_ok() {
            sleep(Duration::from_millis(2));
        }
    });
    let start = Instant::now();
    fails(&server, "timeout=0.4", "no answer within 0.4 s");
    assert!(start.elapsed() < Duration::from_secs(25));
}

#[test]
fn a_server_that_does_not_read() {
    let server = Server::start(|_, ws| {
        let _ = ws.send(Message::binary(vec![0x80]));
        sleep(Duration::from_secs(30));
    });
    let mut remote = remote(server.port, "timeout=0.5&size=4096");
    let start = Instant::now();
    let said = one_episode(&mut remote).unwrap_err().to_string();
    assert!(said.contains("no answer within 0.5 s"), "{said}");
    assert!(start.elapsed() < Duration::from_secs(25));
}

#[test]
fn dies_in_mid_episode_and_comes_back() {
    let server = Server::openpi(|connection, question, ws| {
        if connection == 0 && question == 1 {
            let _ = ws.get_mut().shutdown(std::net::Shutdown::Both);
        } else {
            let _ = ws.send(actions(1, 0.0));
        }
    });
    let mut remote = remote(server.port, "");
    assert!(one_episode(&mut remote).is_ok());
    let mut decision = Decision::default();
    let e = remote.act(&observation(), &mut decision).unwrap_err();
    assert!(e.to_string().contains("closed the connection"), "{e}");
    assert_eq!(whose(&e), Whose::Lost);
    // Without a new episode there is no way back.
    let said = remote.act(&observation(), &mut decision).unwrap_err().to_string();
    assert!(said.contains("an episode must begin first"), "{said}");
    assert!(one_episode(&mut remote).is_ok(), "the next episode connects again");
}

#[test]
fn an_exception_counts_only_if_the_server_lives_on() {
    // One connection, one question, then nobody.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let mut ws = tungstenite::accept(listener.accept().unwrap().0).unwrap();
        drop(listener);
        ws.send(Message::binary(vec![0x80])).unwrap();
        support::next_data(&mut ws);
        let _ = ws.send(Message::text("Traceback:\n  line 3\nMemoryError: too large"));
    });
    let e = one_episode(&mut remote(port, "reconnect=0.5")).unwrap_err();
    server.join().unwrap();
    assert_eq!(whose(&e), Whose::Gone);
    for words in ["MemoryError: too large", "nothing listens there", "for 0.5 s", "\n  line 3\n"] {
        assert!(e.to_string().contains(words), "{e}");
    }
}

#[test]
fn a_lost_server_is_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let mut policy = remote(port, "reconnect=20");
    let late = std::thread::spawn(move || {
        sleep(Duration::from_millis(1500));
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let mut ws = tungstenite::accept(listener.accept().unwrap().0).unwrap();
        ws.send(Message::binary(vec![0x80])).unwrap();
        support::next_data(&mut ws);
        let _ = ws.send(actions(1, 0.5));
        support::next_data(&mut ws)
    });
    assert_eq!(one_episode(&mut policy).unwrap().len(), 1);
    drop(policy);
    late.join().unwrap();
}

#[test]
fn late_replies_are_never_taken_for_another_answer() {
    // The first answer of the first connection comes late, marked 0.9; all others are 0.1.
    let server = Server::openpi(|connection, question, ws| {
        if (connection, question) == (0, 0) {
            sleep(Duration::from_millis(600));
            let _ = ws.send(actions(1, 0.9));
        } else {
            let _ = ws.send(actions(1, 0.1));
        }
    });
    let mut remote = remote(server.port, "timeout=0.3");
    assert!(one_episode(&mut remote).unwrap_err().to_string().contains("no answer"));
    for _ in 0..10 {
        assert_eq!(one_episode(&mut remote).unwrap()[0].values()[0], 0.1);
        sleep(Duration::from_millis(60));
    }
}

#[test]
fn two_answers_to_one_question() {
    let server = Server::openpi(|_, _, ws| {
        let _ = ws.send(actions(1, 0.1));
        let _ = ws.send(actions(1, 0.9));
    });
    let mut remote = remote(server.port, "");
    assert!(one_episode(&mut remote).is_ok());
    sleep(Duration::from_millis(100));
    let said = remote.act(&observation(), &mut Decision::default()).unwrap_err().to_string();
    assert!(said.contains("nobody had asked for"), "{said}");
}

#[test]
fn not_finite() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        fails(
            &answering(actions(2, bad)),
            "",
            "in action 0, number 0; every number must be finite",
        );
    }
    // Finite as a double, not as a float.
    let large = wrapped(|p| Keys::Bin.f64(p, &[1e300, 0., 0., 0., 0., 0., 0.], &[1, 7]));
    fails(&answering(large), "", "too large");
    // Not among those that are executed.
    let mut data = vec![0.0; 14];
    data[13] = f64::NAN;
    let server = answering(wrapped(|p| Keys::Bin.f32(p, &data, &[2, 7])));
    assert_eq!(first_answer(&server, "execute=1").unwrap().len(), 1);
}

#[test]
fn wrong_shapes() {
    let shaped = |shape: &[usize]| {
        let data = vec![0.0; shape.iter().product()];
        answering(wrapped(|p| Keys::Bin.f32(p, &data, shape)))
    };
    fails(&shaped(&[10, 8]), "", "10 actions of 8 numbers; an action takes 7");
    fails(&shaped(&[2, 3, 7]), "", "shape (2, 3, 7)");
    fails(&shaped(&[0, 7]), "", "no action at all");
    fails(&shaped(&[]), "", "shape ()");
    fails(&shaped(&[2000, 7]), "", "a chunk of 2000 actions");
    fails(&shaped(&[4, 7]), "execute=8", "4 actions and execute=8 were asked for");
    assert_eq!(first_answer(&shaped(&[7]), "").unwrap().len(), 1);
    assert_eq!(first_answer(&shaped(&[1, 3, 7]), "").unwrap().len(), 3);
    assert_eq!(first_answer(&shaped(&[2000, 7]), "execute=9").unwrap().len(), 9);
    // Shape and data disagree.
    let lie = wrapped(|p| {
        Keys::Bin.begin(p, 4);
        p.raw(&[0; 4]);
        Keys::Bin.end(p, longarm_policy::remote::numpy::Dtype::F32, &[usize::MAX, 7]);
    });
    fails(&answering(lie), "", "4 bytes of data");
}

#[test]
fn wrong_dtypes() {
    fails(&answering(wrapped(|p| Keys::Bin.i64(p, &[0; 7], &[1, 7]))), "", "dtype <i8");
    fails(&answering(wrapped(|p| Keys::Bin.u8(p, &[0; 7], &[1, 7]))), "", "dtype |u1");
    let spelled = |dtype: &'static str| {
        answering(wrapped(move |p| {
            p.map(4);
            p.str("__ndarray__");
            p.bool(true);
            p.str("data");
            p.bin(56);
            p.raw(&[0; 56]);
            p.str("dtype");
            p.str(dtype);
            p.str("shape");
            p.array(1);
            p.uint(7);
        }))
    };
    fails(&spelled("|O"), "", "Python objects");
    fails(&spelled("|O8"), "", "Python objects");
    fails(&spelled("<c8"), "", "dtype \"<c8\"");
    fails(&spelled("|V2"), "", "dtype \"|V2\"");
    assert!(first_answer(&spelled("<f8"), "").is_ok(), "string keys are read too");
    fails(&answering(wrapped(|p| p.str("nonsense"))), "", "a string where an array should be");
    // Lists are taken when they hold numbers.
    let list = |last: fn(&mut Pack)| {
        answering(wrapped(move |p| {
            p.array(1);
            p.array(7);
            (0..6).for_each(|_| p.f64(0.5));
            last(p);
        }))
    };
    assert_eq!(first_answer(&list(|p| p.uint(1)), "").unwrap()[0].values()[6], 1.0);
    fails(&list(|p| p.str("x")), "", "an action holding a string");
}

#[test]
fn text_frames() {
    let traceback = "Traceback (most recent call last):\n  File \"serve.py\", line 3\nValueError: \
                     observation/image is missing\n";
    let server = Server::openpi(move |_, _, ws| {
        let _ = ws.send(Message::text(traceback));
        let _ = ws.close(None);
    });
    let e = first_answer(&server, "").unwrap_err();
    let said = e.to_string();
    assert_eq!(whose(&e), Whose::Policys);
    let (sentence, rest) = said.split_once('\n').expect("the traceback follows");
    assert!(
        sentence.ends_with("the server failed: ValueError: observation/image is missing"),
        "{said}"
    );
    assert_eq!(rest, traceback.trim());
    fails(&answering(Message::text("")), "", "an empty text message");
    let greets = Server::start(|_, ws| drop(ws.send(Message::text("no model loaded"))));
    gone(&greets, "", "the server failed: no model loaded");
}

#[test]
fn close_frames() {
    let server = Server::openpi(|_, _, ws| {
        let frame =
            tungstenite::protocol::CloseFrame { code: 1011.into(), reason: "out of memory".into() };
        let _ = ws.close(Some(frame));
        sleep(Duration::from_millis(200));
    });
    fails(&server, "", "closed the connection (code 1011: out of memory)");
    let server = Server::openpi(|_, _, ws| {
        let frame = tungstenite::protocol::CloseFrame { code: 1001.into(), reason: "".into() };
        let _ = ws.close(Some(frame));
        sleep(Duration::from_millis(200));
    });
    ends(&server, "", "closed the connection (code 1001)", Whose::Lost);
}

#[test]
fn rubbish_of_200_megabytes() {
    let claims = Server::openpi(|_, _, ws| {
        // The head of a frame of 200 MB is enough to be refused.
        let mut head = vec![0x82, 127];
        head.extend(200_000_000u64.to_be_bytes());
        let _ = ws.get_mut().write_all(&head);
        while ws.get_mut().write_all(&[0xc1; 1 << 16]).is_ok() {}
    });
    let start = Instant::now();
    fails(&claims, "", "a message of 200000000 bytes; at most 67108864 are taken");
    assert!(start.elapsed() < Duration::from_secs(25));
    // In fragments that are each small enough.
    let pieces = Server::openpi(|_, _, ws| {
        let mut first = 0x02;
        loop {
            let mut frame = vec![first, 127];
            frame.extend((1u64 << 18).to_be_bytes());
            frame.resize(frame.len() + (1 << 18), 0);
            first = 0x00;
            if ws.get_mut().write_all(&frame).is_err() {
                return;
            }
        }
    });
    fails(&pieces, "max-mb=1", "at most 1048576 are taken");
}

#[test]
fn invalid_msgpack() {
    fails(&answering(Message::binary(vec![0xc1])), "", "not MessagePack: byte 0xc1");
    fails(&answering(Message::binary(vec![])), "", "ends in the middle of a value");
    fails(&answering(Message::binary(vec![0x82, 0xa7])), "", "ends in the middle of a value");
    fails(&answering(Message::binary(vec![0xdf, 255, 255, 255, 255])), "", "ends in the middle");
    fails(&answering(Message::binary(vec![0x80, 0x80])), "", "1 bytes follow the value");
    fails(
        &answering(Message::binary(vec![0x81, 0xa1, b'x', 0])),
        "",
        "without \"actions\" (keys: x)",
    );
    fails(&answering(Message::binary(vec![0x05])), "", "a whole number without \"actions\"");
    let greets = Server::start(|_, ws| drop(ws.send(Message::binary(vec![0x93, 1, 2, 3]))));
    gone(&greets, "", "greeted with a list instead of a map");
}

#[test]
fn truncated_and_broken_frames() {
    let cut = Server::openpi(|_, _, ws| {
        let _ = ws.get_mut().write_all(&[0x82, 100, 1, 2, 3]);
        let _ = ws.get_mut().shutdown(std::net::Shutdown::Both);
    });
    ends(&cut, "", "closed the connection", Whose::Lost);
    let broken = Server::openpi(|_, _, ws| drop(ws.get_mut().write_all(&[0xf7, 0x85, 9, 9, 9, 9])));
    fails(&broken, "timeout=2", "does not speak WebSocket correctly");
    let not_http = Server::raw(|_, mut tcp| {
        let _ = tcp.read(&mut [0; 512]);
        let _ = tcp.write_all(b"\x00\x01\x02 rubbish\r\n\r\n");
    });
    gone(&not_http, "timeout=2", "does not speak WebSocket correctly");
    let refuses = Server::raw(|_, mut tcp| {
        let _ = tcp.read(&mut [0; 512]);
        let _ = tcp.write_all(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
    });
    gone(&refuses, "timeout=2", "HTTP status 503");
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
