//! Dialects in which episodes are announced on one connection.

use super::*;

/// A vla-eval server; `answer` gets the kind of each message and its number.
fn vla_eval(answer: impl Fn(&mut Socket, &str, u64) + Send + Sync + 'static) -> (Server, Heard) {
    let heard = Heard::default();
    let ears = heard.clone();
    let server = Server::start(move |_, ws| {
        while let Some(message) = next_data(ws) {
            let m = MsgView::parse(&message).unwrap();
            let kind = m.get("type").unwrap().as_str().unwrap().to_owned();
            let seq = m.get("seq").unwrap().as_u64().unwrap();
            ears.lock().unwrap().push(message.clone());
            if kind == "hello" {
                enveloped(ws, "hello", seq, |p| {
                    p.map(2);
                    p.str("protocol_version");
                    p.uint(1);
                    p.str("action_spec");
                    p.map(3);
                    let parts = [
                        ("position", 3, "delta_xyz"),
                        ("rotation", 3, "axis_angle"),
                        ("gripper", 1, "binary_close_positive"),
                    ];
                    for (name, dims, format) in parts {
                        p.str(name);
                        p.map(2);
                        p.str("dims");
                        p.uint(dims);
                        p.str("format");
                        p.str(format);
                    }
                });
            } else {
                answer(ws, &kind, seq);
            }
        }
    });
    (server, heard)
}

fn enveloped(ws: &mut Socket, kind: &str, seq: u64, payload: impl FnOnce(&mut Pack)) {
    let bytes = packed(|p| {
        p.map(4);
        p.str("type");
        p.str(kind);
        p.str("payload");
        payload(p);
        p.str("seq");
        p.uint(seq);
        p.str("timestamp");
        p.f64(0.0);
    });
    let _ = ws.send(Message::binary(bytes));
}

fn one_action(p: &mut Pack) {
    p.map(1);
    p.str("actions");
    Keys::Str.f32(p, &[0.5; 7], &[7]);
}

#[test]
fn vla_eval_episodes() {
    let (server, heard) = vla_eval(|ws, kind, seq| {
        if kind == "observation" {
            enveloped(ws, "action", seq, one_action);
        }
    });
    let mut policy = remote(&format!("vla-eval:127.0.0.1:{}?preset=libero", server.port)).unwrap();
    for _ in 0..2 {
        policy.begin_episode(&episode()).unwrap();
        assert_eq!(act(&mut policy).unwrap().len(), 1);
        assert_eq!(act(&mut policy).unwrap().len(), 1);
    }
    policy.end_episode();
    drop(policy);
    std::thread::sleep(std::time::Duration::from_millis(200));
    let heard = heard.lock().unwrap();
    let kinds: Vec<_> = heard
        .iter()
        .map(|m| MsgView::parse(m).unwrap().get("type").unwrap().as_str().unwrap())
        .collect();
    let one = ["episode_start", "observation", "observation", "episode_end"];
    assert_eq!(kinds, [&["hello"][..], &one, &one].concat());
    assert_eq!(server.count(), 1, "one connection serves all episodes");
    let observation = MsgView::parse(&heard[2]).unwrap().get("payload").unwrap();
    assert_eq!(array(&observation.get("images").unwrap(), "agentview").shape(), [256, 256, 3]);
    assert_eq!(array(&observation, "states").shape(), [8]);
}

#[test]
fn vla_eval_faults() {
    let (wrong_number, _) = vla_eval(|ws, kind, seq| {
        if kind == "observation" {
            enveloped(ws, "action", seq - 1, one_action);
        }
    });
    let (error, _) = vla_eval(|ws, kind, seq| {
        if kind == "observation" {
            enveloped(ws, "error", seq, |p| texts(p, &[("error", "KeyError: 'images'")]));
        }
    });
    let (no_start, _) = vla_eval(|ws, kind, seq| {
        if kind == "episode_start" {
            enveloped(ws, "error", seq, |p| texts(p, &[("error", "episode_start_failed: no GPU")]));
        }
    });
    let cases = [
        (wrong_number, "answered message"),
        (error, "the server failed: KeyError: 'images'"),
        (no_start, "the server failed: episode_start_failed: no GPU"),
    ];
    for (server, with) in cases {
        let mut policy = remote(&format!("vla-eval:127.0.0.1:{}?timeout=2", server.port)).unwrap();
        policy.begin_episode(&episode()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        let said = act(&mut policy).unwrap_err();
        assert!(said.contains(with), "{said:?} does not say {with:?}");
    }
}

fn roboarena(space: &'static str, reset: &'static str) -> (Server, Heard) {
    let heard = Heard::default();
    let ears = heard.clone();
    let server = Server::start(move |_, ws| {
        let config = packed(|p| {
            p.map(6);
            p.str("image_resolution");
            p.array(2);
            p.uint(180);
            p.uint(320);
            p.str("needs_wrist_camera");
            p.bool(true);
            p.str("n_external_cameras");
            p.uint(1);
            p.str("needs_stereo_camera");
            p.bool(false);
            p.str("needs_session_id");
            p.bool(true);
            p.str("action_space");
            p.str(space);
        });
        let _ = ws.send(Message::binary(config));
        while let Some(message) = next_data(ws) {
            let q = MsgView::parse(&message).unwrap();
            let reply = match q.get("endpoint").unwrap().as_str() {
                Some("reset") => Message::text(reset),
                _ => Message::binary(packed(|p| Keys::Bin.f32(p, &[1.0; 14], &[2, 7]))),
            };
            ears.lock().unwrap().push(message);
            let _ = ws.send(reply);
        }
    });
    (server, heard)
}

#[test]
fn roboarena_episodes() {
    let (server, heard) = roboarena("cartesian_velocity", "reset successful");
    let mut policy = remote(&format!("roboarena:127.0.0.1:{}", server.port)).unwrap();
    policy.begin_episode(&episode()).unwrap();
    let chunk = act(&mut policy).unwrap();
    assert_eq!(chunk.len(), 2, "all that come are executed");
    assert_eq!(chunk[0].values()[0], 1.5, "DROID's full speed is 0.075 m per step");
    policy.begin_episode(&episode()).unwrap();
    assert_eq!(server.count(), 1);
    let heard = heard.lock().unwrap();
    let q = MsgView::parse(&heard[1]).unwrap();
    assert_eq!(array(&q, "observation/exterior_image_0_left").shape(), [180, 320, 3]);
    assert_eq!(array(&q, "observation/wrist_image_left").shape(), [180, 320, 3]);
    assert_eq!(array(&q, "observation/cartesian_position").shape(), [6]);
    assert_eq!(
        q.get("session_id").unwrap().as_str(),
        Some("longarm-longbench/stack-block-0000000000000007")
    );
    assert_eq!(MsgView::parse(&heard[2]).unwrap().get("endpoint").unwrap().as_str(), Some("reset"));
}

#[test]
fn roboarena_faults() {
    let (server, _) = roboarena("joint_position", "reset successful");
    let said = remote(&format!("roboarena:127.0.0.1:{}", server.port)).unwrap_err();
    assert!(said.contains("action form: server joint-position, ours ee-delta"), "{said}");
    let (server, _) = roboarena("cartesian_velocity", "Traceback\nRuntimeError: CUDA");
    let mut policy = remote(&format!("roboarena:127.0.0.1:{}", server.port)).unwrap();
    let said = policy.begin_episode(&episode()).unwrap_err().to_string();
    assert!(said.contains("the server failed: RuntimeError: CUDA"), "{said}");
}

/// A BEHAVIOR server whose chunk begins with `first`; the number is what the first action holds.
fn behavior(first: f64) -> (Server, Heard) {
    let heard = Heard::default();
    let ears = heard.clone();
    let server = Server::raw(move |_, mut tcp| {
        let mut head = [0; 12];
        while tcp.peek(&mut head).unwrap_or(12) < 12 {}
        if &head == b"GET /healthz" {
            let _ = tcp.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nOK\n");
            return;
        }
        let Ok(mut ws) = tungstenite::accept(tcp) else { return };
        let _ = ws.send(Message::binary(vec![0x80]));
        while let Some(message) = next_data(&mut ws) {
            let q = MsgView::parse(&message).unwrap();
            let (reset, k) = (q.get("reset").is_some(), q.get("__action_chunk_size__"));
            let k = k.and_then(|k| k.as_u64()).map(|k| k as usize);
            ears.lock().unwrap().push(message);
            if reset {
                continue;
            }
            let reply = packed(|p| {
                p.map(1 + usize::from(k.is_some()));
                p.str("action");
                Keys::Bin.f32(p, &[0.5; 7], &[1, 7]);
                if let Some(k) = k {
                    p.str("action_chunk");
                    Keys::Bin.f32(p, &vec![first; 7 * k], &[1, k, 7]);
                }
            });
            let _ = ws.send(Message::binary(reply));
        }
    });
    (server, heard)
}

#[test]
fn behavior_episodes() {
    let (server, heard) = behavior(0.5);
    let mut policy = remote(&format!("behavior:127.0.0.1:{}", server.port)).unwrap();
    policy.begin_episode(&episode()).unwrap();
    assert_eq!(act(&mut policy).unwrap().len(), 1);
    policy.begin_episode(&episode()).unwrap();
    assert_eq!(act(&mut policy).unwrap().len(), 1);
    assert_eq!(server.count(), 2, "one question for its health, one connection");
    let q = heard.lock().unwrap()[1].clone();
    let q = MsgView::parse(&q).unwrap();
    assert_eq!(array(&q, "robot::robot:wrist:Camera:0::rgb").shape(), [224, 224, 3]);
    assert_eq!(array(&q, "robot::proprio").shape(), [22]);

    let mut chunked = remote(&format!("behavior:127.0.0.1:{}?execute=4", server.port)).unwrap();
    chunked.begin_episode(&episode()).unwrap();
    assert_eq!(act(&mut chunked).unwrap().len(), 4);

    let (liar, _) = behavior(0.25);
    let mut chunked = remote(&format!("behavior:127.0.0.1:{}?execute=4", liar.port)).unwrap();
    chunked.begin_episode(&episode()).unwrap();
    assert!(act(&mut chunked).unwrap_err().contains("does not begin with its action"));
}
