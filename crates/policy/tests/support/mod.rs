//! A policy server that misbehaves on request.
#![allow(dead_code, missing_docs)]

use std::{
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use longarm_policy::{
    EpisodeInfo,
    remote::{msgpack::Pack, numpy::Keys},
};
use longarm_types::{
    ActionSpec, Bounds, CameraImage, DQuat, Observation, ObservationSpec, ObservedLimb,
    PickPlaceSpace, Pose, Proprioception, Seed, WorldFrame,
};
use tungstenite::{Message, WebSocket};

pub type Socket = WebSocket<TcpStream>;

/// A server; connections are handled by threads until the test ends.
pub struct Server {
    pub port: u16,
    pub connections: Arc<AtomicUsize>,
}

impl Server {
    /// Runs `handle(connection number, socket)` for every WebSocket connection.
    pub fn start(handle: impl Fn(usize, &mut Socket) + Send + Sync + 'static) -> Self {
        Self::raw(move |n, tcp| {
            if let Ok(mut ws) = tungstenite::accept(tcp) {
                handle(n, &mut ws);
            }
        })
    }

    /// The same below WebSocket.
    pub fn raw(handle: impl Fn(usize, TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let (count, handle) = (connections.clone(), Arc::new(handle));
        std::thread::spawn(move || {
            for tcp in listener.incoming().flatten() {
                tcp.set_nodelay(true).unwrap();
                let n = count.fetch_add(1, Ordering::SeqCst);
                let handle = handle.clone();
                std::thread::spawn(move || handle(n, tcp));
            }
        });
        Self { port, connections }
    }

    /// An openpi server: greets, then answers every question with what `answer` makes of the
    /// connection's and the question's number.
    pub fn openpi(answer: impl Fn(usize, usize, &mut Socket) + Send + Sync + 'static) -> Self {
        Self::start(move |connection, ws| {
            let _ = ws.send(Message::binary(vec![0x80]));
            for question in 0.. {
                match next_data(ws) {
                    Some(_) => answer(connection, question, ws),
                    None => return,
                }
            }
        })
    }

    pub fn count(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// The next data message, or `None` when the client is gone.
pub fn next_data(ws: &mut Socket) -> Option<Vec<u8>> {
    loop {
        match ws.read() {
            Ok(Message::Binary(b)) => return Some(b.to_vec()),
            Ok(Message::Close(_)) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}

/// `{"actions": zeros((rows, 7), float32)}` with `mark` as the first number.
pub fn actions(rows: usize, mark: f64) -> Message {
    let mut data = vec![0.0; rows * 7];
    if let Some(first) = data.first_mut() {
        *first = mark;
    }
    wrapped(|pack| Keys::Bin.f32(pack, &data, &[rows, 7]))
}

/// `{"actions": …}`.
pub fn wrapped(value: impl FnOnce(&mut Pack)) -> Message {
    let mut pack = Pack::default();
    pack.map(1);
    pack.str("actions");
    value(&mut pack);
    Message::binary(pack.take())
}

pub fn episode() -> EpisodeInfo {
    EpisodeInfo {
        task: "longbench/stack-block".parse().unwrap(),
        instruction: "stack the blocks".into(),
        action: ActionSpec::tool_delta(&["arm"]),
        observation: seven_joints(),
        policy_seed: Seed(7),
    }
}

/// One arm with seven joints.
pub fn seven_joints() -> ObservationSpec {
    ObservationSpec {
        limbs: vec![ObservedLimb {
            name: "arm".into(),
            joints: 7,
            base: Pose::IDENTITY,
            finger_travel: Some(0.04),
            hand_joints: 0,
            rides: false,
        }],
        cameras: Vec::new(),
        frames: vec![WorldFrame { name: "libero".into(), origin: [-0.56, 0.0, 0.9] }],
        cloud: None,
    }
}

/// Whole motions over a table, as a suction arm takes them.
pub fn pick_place() -> ActionSpec {
    let space = PickPlaceSpace {
        workspace: Bounds { centre: [0.5, 0.0, 0.15], half: [0.25, 0.5, 0.15] },
        idle: Pose::at(0.3, -0.45, 0.3),
        random_height: 0.1,
    };
    ActionSpec::pick_place("arm", &space)
}

pub fn camera(name: &str, width: usize, height: usize) -> CameraImage {
    let mut x = 12345u32;
    let rgb = (0..width * height * 3)
        .map(|_| {
            x = x.wrapping_mul(1_103_515_245).wrapping_add(12345) & 0x7fff_ffff;
            (x >> 16) as u8
        })
        .collect();
    CameraImage { name: name.into(), width, height, rgb, ..CameraImage::default() }
}

pub fn observation() -> Observation {
    Observation {
        step: 3,
        time: 0.15,
        instruction: "stack the blocks".into(),
        limbs: vec![Proprioception {
            joints: vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
            velocities: vec![0.0; 7],
            tool: Pose::new([0.5, 0.0, 0.2].into(), DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0)),
            opening: 0.5,
            ..Proprioception::new(7)
        }],
        cameras: vec![camera("agentview", 256, 256), camera("wrist", 224, 224)],
        ..Observation::default()
    }
}
