//! What is said in each dialect, and when.

mod announced;
#[path = "../support/mod.rs"]
mod support;

use std::{
    io::Write,
    sync::{Arc, Mutex},
};

use longarm_policy::{
    Decision, EpisodeInfo, Policy, Remote,
    remote::{
        msgpack::{MsgView, Pack},
        numpy::{Dtype, Keys, NdArray},
    },
};
use longarm_types::{Action, ActionSpec, Channel, ToolScale};
use support::{Server, Socket, actions, episode, next_data, observation, pick_place, wrapped};
use tungstenite::Message;

type Heard = Arc<Mutex<Vec<Vec<u8>>>>;

fn remote(text: &str) -> Result<Remote, String> {
    Remote::connect(&text.parse().unwrap()).map_err(|e| e.to_string())
}

fn act(remote: &mut Remote) -> Result<Vec<Action>, String> {
    let mut decision = Decision::default();
    remote.act(&observation(), &mut decision).map_err(|e| e.to_string()).map(|()| decision.chunk)
}

#[test]
fn a_server_may_say_what_it_believes_it_is_doing() {
    let server = Server::openpi(|_, question, ws| {
        let mut pack = Pack::default();
        pack.map(if question == 0 { 2 } else { 1 });
        pack.str("actions");
        Keys::Bin.f32(&mut pack, &[0.0; 7], &[1, 7]);
        if question == 0 {
            pack.str("subtask");
            pack.str(" pick up the block ");
        }
        let _ = ws.send(Message::binary(pack.take()));
    });
    let mut policy = remote(&format!("openpi:127.0.0.1:{}", server.port)).unwrap();
    policy.begin_episode(&episode()).unwrap();
    for believes in [Some("pick up the block"), None] {
        let mut decision = Decision::default();
        policy.act(&observation(), &mut decision).unwrap();
        assert_eq!((decision.chunk.len(), decision.believes.as_deref()), (1, believes));
    }
}

fn packed(write: impl FnOnce(&mut Pack)) -> Vec<u8> {
    let mut pack = Pack::default();
    write(&mut pack);
    pack.take().to_vec()
}

fn texts(pack: &mut Pack, pairs: &[(&str, &str)]) {
    pack.map(pairs.len());
    for (k, v) in pairs {
        pack.str(k);
        pack.str(v);
    }
}

fn array<'a>(view: &MsgView<'a>, key: &str) -> NdArray<'a> {
    NdArray::read(&view.get(key).unwrap_or_else(|| panic!("{key} is missing"))).unwrap()
}

fn values(a: &NdArray<'_>) -> Vec<f64> {
    (0..a.len()).map(|i| a.get(i).unwrap()).collect()
}

/// An openpi server with this greeting that keeps what it hears.
fn openpi(greeting: Vec<u8>) -> (Server, Heard) {
    let heard = Heard::default();
    let ears = heard.clone();
    let server = Server::start(move |_, ws| {
        let _ = ws.send(Message::binary(greeting.clone()));
        while let Some(question) = next_data(ws) {
            ears.lock().unwrap().push(question);
            let _ = ws.send(actions(10, 0.5));
        }
    });
    (server, heard)
}

fn asked(preset: &str, episode: &EpisodeInfo) -> (Vec<u8>, Vec<Action>) {
    let (server, heard) = openpi(vec![0x80]);
    let mut remote = remote(&format!("openpi:127.0.0.1:{}?{preset}", server.port)).unwrap();
    remote.begin_episode(episode).unwrap();
    let chunk = act(&mut remote).unwrap();
    let mut heard = heard.lock().unwrap();
    (heard.remove(0), chunk)
}

#[test]
fn libero() {
    let (question, chunk) = asked("preset=libero", &episode());
    assert_eq!(chunk.len(), 5, "openpi executes 5 of 10");
    let q = MsgView::parse(&question).unwrap();
    let keys: Vec<_> = q.pairs().unwrap().map(|(k, _)| k.as_str().unwrap()).collect();
    let want = ["observation/image", "observation/wrist_image", "observation/state", "prompt"];
    assert_eq!(keys, want);
    let image = array(&q, "observation/image");
    assert_eq!((image.shape(), image.dtype()), (&[224, 224, 3][..], Dtype::U8));
    // 224×224 already: mirrored left to right, nothing else.
    let wrist = array(&q, "observation/wrist_image");
    let rgb = &observation().cameras[1].rgb;
    for (to, from) in wrist.data().chunks_exact(672).zip(rgb.chunks_exact(672)) {
        let mirrored: Vec<u8> = from.chunks_exact(3).rev().flatten().copied().collect();
        assert_eq!(to, mirrored);
    }
    let state = array(&q, "observation/state");
    assert_eq!(state.dtype(), Dtype::F64);
    let pi = std::f64::consts::PI;
    let want = [0.5 - 0.56, 0.0, 0.2 + 0.0064 + 0.9, pi, 0.0, 0.0, 0.02, -0.02];
    for (got, want) in values(&state).iter().zip(want) {
        assert!((got - want).abs() < 1e-12, "{got} is not {want}");
    }
    assert_eq!(q.get("prompt").unwrap().as_str(), Some("stack the blocks"));
}

#[test]
fn droid_and_aloha() {
    // Their own actions are joints, which no environment takes; a server may answer deltas.
    let (question, chunk) = asked("preset=droid&action=ee-delta", &episode());
    let q = MsgView::parse(&question).unwrap();
    assert_eq!(array(&q, "observation/exterior_image_1_left").shape(), [224, 224, 3]);
    assert_eq!(array(&q, "observation/wrist_image_left").shape(), [224, 224, 3]);
    assert_eq!(values(&array(&q, "observation/joint_position"))[6], 0.7);
    assert_eq!(values(&array(&q, "observation/gripper_position")), [0.5]);
    assert_eq!(chunk[0].values()[6], -1.0, "0 is open in DROID");
    let (server, _) = openpi(vec![0x80]);
    let text = format!("openpi:127.0.0.1:{}?preset=aloha&action=ee-delta", server.port);
    let mut aloha = remote(&text).unwrap();
    aloha.begin_episode(&episode()).unwrap();
    let said = act(&mut aloha).unwrap_err();
    assert!(said.contains("wants 6 joints and this robot has 7"), "{said}");
}

#[test]
fn longarm() {
    let (question, chunk) = asked("", &episode());
    assert_eq!(chunk.len(), 10);
    let q = MsgView::parse(&question).unwrap();
    assert_eq!(array(&q, "observation/image/agentview").data(), observation().cameras[0].rgb);
    assert_eq!(values(&array(&q, "observation/tool_pose")), [0.5, 0.0, 0.2, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(q.get("policy_seed").unwrap().as_u64(), Some(7));
    assert_eq!(q.get("task").unwrap().as_str(), Some("longbench/stack-block"));
}

#[test]
fn pick_and_place_is_passed_on() {
    let server = Server::openpi(|_, _, ws| {
        let data: Vec<f64> = (0..14).map(|i| f64::from(i) / 16.0).collect();
        let _ = ws.send(wrapped(|p| Keys::Bin.f64(p, &data, &[1, 14])));
    });
    let mut remote = remote(&format!("openpi:127.0.0.1:{}", server.port)).unwrap();
    remote.begin_episode(&EpisodeInfo { action: pick_place(), ..episode() }).unwrap();
    assert_eq!(act(&mut remote).unwrap()[0].values()[13], 13.0 / 16.0);
}

#[test]
fn actions_are_converted() {
    let answer = [0.075, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0];
    let cases: [(&str, [f32; 7]); 4] = [
        ("gripper=close-negative", [0.075, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0]),
        ("gripper=open-01", [0.075, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0]),
        ("units=metric", [1.5, 0.0, 0.0, 0.0, 0.0, 2.0, 1.0]),
        ("units=droid&gripper=close-01", [0.1125, 0.0, 0.0, 0.0, 0.0, 0.3, 1.0]),
    ];
    for (options, want) in cases {
        let server = Server::openpi(move |_, _, ws| {
            let _ = ws.send(wrapped(|p| Keys::Bin.f64(p, &answer, &[1, 7])));
        });
        let text = format!("openpi:127.0.0.1:{}?{options}", server.port);
        let mut remote = remote(&text).unwrap();
        remote.begin_episode(&episode()).unwrap();
        let got = act(&mut remote).unwrap();
        for (g, w) in got[0].values().iter().zip(want) {
            assert!((g - w).abs() < 1e-6, "{options}: {:?} is not {want:?}", got[0].values());
        }
    }
}

fn conventions(action: &[(&str, &str)]) -> Vec<u8> {
    packed(|p| {
        p.map(1);
        p.str("conventions");
        p.map(1);
        p.str("action");
        texts(p, action);
    })
}

#[test]
fn conventions_are_compared() {
    let agrees = [("form", "ee-delta"), ("rotation", "axis-angle"), ("gripper", "close-positive")];
    let (server, _) = openpi(conventions(&agrees));
    let text = |s: &Server, more: &str| format!("openpi:127.0.0.1:{}?preset=libero{more}", s.port);
    let silent = remote(&text(&server, "")).unwrap();
    assert!(silent.notes()[0].contains("does not state: action frame, action units"));

    let differs = [("rotation", "euler-xyz"), ("gripper", "binary_close_negative")];
    let (server, _) = openpi(conventions(&differs));
    let said = remote(&text(&server, "")).unwrap_err();
    assert!(said.contains("action rotation: server euler-xyz, ours axis-angle"), "{said}");
    assert!(said.contains("gripper: server close-negative, ours close-positive"), "{said}");
    // Told what the server speaks, we convert.
    remote(&text(&server, "&rotation=euler-xyz&gripper=close-negative")).unwrap();

    let (server, _) = openpi(conventions(&[("gripper", "telepathic")]));
    assert!(remote(&text(&server, "")).unwrap_err().contains("server \"telepathic\""));

    // The longarm preset takes what the environment takes, so it is compared when one is known.
    let (server, _) = openpi(conventions(&[("form", "joint-position")]));
    let mut late = remote(&format!("openpi:127.0.0.1:{}", server.port)).unwrap();
    let said = late.begin_episode(&episode()).unwrap_err().to_string();
    assert!(said.contains("action form: server joint-position, ours ee-delta"), "{said}");
}

#[test]
fn a_scale_that_differs_is_refused() {
    let stated = packed(|p| {
        p.map(1);
        p.str("conventions");
        p.map(1);
        p.str("action");
        p.map(1);
        p.str("scale");
        p.array(2);
        p.f64(0.05);
        p.f64(0.5);
    });
    let (server, _) = openpi(stated);
    let mut remote = remote(&format!("openpi:127.0.0.1:{}", server.port)).unwrap();
    remote.begin_episode(&episode()).unwrap();
    let wide = ToolScale { metres: 0.12, radians: 0.5 };
    let action = ActionSpec::new(vec![Channel::tool_delta("arm", wide), Channel::gripper("arm")]);
    let said = remote.begin_episode(&EpisodeInfo { action, ..episode() }).unwrap_err().to_string();
    let wanted = "action scale: server 0.05 m and 0.5 rad at 1, ours 0.12 m and 0.5 rad at 1";
    assert!(said.contains(wanted), "{said}");
}

#[test]
fn openpi_has_a_connection_per_episode() {
    let (server, _) = openpi(vec![0x80]);
    let mut remote = remote(&format!("openpi:127.0.0.1:{}", server.port)).unwrap();
    for _ in 0..3 {
        remote.begin_episode(&episode()).unwrap();
        act(&mut remote).unwrap();
        act(&mut remote).unwrap();
    }
    assert_eq!(server.count(), 3);
}
