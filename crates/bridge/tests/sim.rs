//! A bridge around the simulator, driven by a console that is nothing but a socket.
#![allow(missing_docs, reason = "a test")]

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use longarm_bridge::{
    FromBridge, HaltedBy, Hello, Late, Refused, SimBridge, SimOptions, Stopped, ToBridge, decode,
    encode, observation, seen,
};
use longarm_sim::{Env, EnvSettings, ImageSettings};
use tungstenite::{Message, WebSocket};

const WATCHDOG: Duration = Duration::from_millis(300);

fn env(size: Option<(usize, usize)>) -> Env {
    let task = longarm_suites::SUITES[0].tasks().next().unwrap();
    let images = size.map(|size| ImageSettings { size: Some(size), ..ImageSettings::default() });
    Env::new(Arc::new(task), EnvSettings { images }).unwrap()
}

/// A bridge, its address, and what it tells.
fn bridge() -> (String, Receiver<String>, String) {
    let options = SimOptions { watchdog: WATCHDOG, late: Late::Wait };
    let env = env(Some((32, 24)));
    let task = env.task().id.to_string();
    let bridge = SimBridge::open(env, 0, "127.0.0.1:0", options).unwrap();
    let address = bridge.address().unwrap().to_string();
    let (tell, told) = channel();
    std::thread::spawn(move || {
        bridge.run(&AtomicBool::new(false), &mut |w| drop(tell.send(w.to_owned())))
    });
    (address, told, task)
}

struct Console(WebSocket<TcpStream>);

impl Console {
    fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Self(tungstenite::client(format!("ws://{address}/"), stream).unwrap().0)
    }

    fn say(&mut self, message: &ToBridge) {
        self.0.send(Message::text(serde_json::to_string(message).unwrap())).unwrap();
    }

    fn words(&mut self) -> FromBridge {
        loop {
            if let Message::Text(t) = self.0.read().unwrap() {
                return serde_json::from_str(t.as_str()).unwrap();
            }
        }
    }

    fn hello(&mut self) -> Hello {
        match self.words() {
            FromBridge::Hello(hello) => *hello,
            other => panic!("{other:?}"),
        }
    }

    fn halted(&mut self) -> Stopped {
        match self.words() {
            FromBridge::Halted(stopped) => stopped,
            other => panic!("{other:?}"),
        }
    }

    fn refused(&mut self, code: Refused) {
        match self.words() {
            FromBridge::Error { code: got, message } => {
                assert_eq!(got, code, "{message}");
                assert!(!message.is_empty());
            }
            other => panic!("{other:?}"),
        }
    }

    /// What is seen while it runs.
    fn running(&mut self) -> u64 {
        loop {
            if let Message::Binary(bytes) = self.0.read().unwrap() {
                let (head, pictures) = decode(&bytes).unwrap();
                assert_eq!(pictures.len(), head.pictures.len());
                if head.running {
                    return head.step;
                }
            }
        }
    }

    fn begin(&mut self, task: &str) {
        self.say(&ToBridge::Begin { task: task.into(), seed: 3, instruction: String::new() });
        assert_eq!(self.words(), FromBridge::Ready {});
        self.say(&ToBridge::Go {});
    }
}

fn hears(told: &Receiver<String>, words: &str) -> String {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let said =
            told.recv_timeout(until - Instant::now()).unwrap_or_else(|_| panic!("never {words:?}"));
        if said.contains(words) {
            return said;
        }
    }
}

#[test]
fn an_arm_moves_when_told_and_halts_when_told() {
    let (address, _told, task) = bridge();
    let mut c = Console::connect(&address);
    let hello = c.hello();
    hello.check().unwrap();
    let idle = hello.action_spec().unwrap().idle().values().to_vec();
    // Nothing moves before it is begun and told to go.
    c.say(&ToBridge::Go {});
    c.refused(Refused::NoEpisode);
    c.say(&ToBridge::Action { step: 0, values: idle.clone() });
    c.refused(Refused::NotRunning);
    c.say(&ToBridge::Begin { task: "nobody/knows-it".into(), seed: 0, instruction: String::new() });
    c.refused(Refused::UnknownTask);
    c.begin(&task);
    for step in 0..5 {
        assert_eq!(c.running(), step);
        c.say(&ToBridge::Action { step, values: idle.clone() });
    }
    assert_eq!(c.running(), 5);
    c.say(&ToBridge::Action { step: 5, values: vec![0.0; 3] });
    c.refused(Refused::BadAction);
    c.say(&ToBridge::Stop { id: 7, reason: "tried".into() });
    let stopped = c.halted();
    assert_eq!((stopped.by, stopped.id, stopped.step), (HaltedBy::Stop, Some(7), 5));
    // A stop of what stands still is answered, too.
    c.say(&ToBridge::Stop { id: 8, reason: "again".into() });
    assert_eq!(c.halted().id, Some(8));
    c.say(&ToBridge::Action { step: 5, values: idle });
    c.refused(Refused::NotRunning);
    c.say(&ToBridge::Go {});
    assert_eq!(c.running(), 5, "it goes on where it stood");
    c.0.send(Message::text("{\"type\":\"dance\"}")).unwrap();
    c.refused(Refused::BadMessage);
    c.say(&ToBridge::End {});
    assert!(matches!(c.words(), FromBridge::Ended { note } if note.contains("5")));
}

#[test]
fn silence_halts_it_and_it_says_so_to_whoever_comes_next() {
    let (address, told, task) = bridge();
    let mut c = Console::connect(&address);
    let hello = c.hello();
    assert_eq!(hello.watchdog_ms, WATCHDOG.as_millis() as u64);
    c.begin(&task);
    c.running();
    // Nothing more is said, the connection open.
    let stopped = c.halted();
    assert_eq!((stopped.by, stopped.id), (HaltedBy::Watchdog, None));
    let late = stopped.silent_ms as f64 - WATCHDOG.as_secs_f64() * 1e3;
    println!("watchdog of {} ms: halted {late:.0} ms after it", WATCHDOG.as_millis());
    assert!(late >= 0.0);
    hears(&told, "halted by watchdog");
    // Killed: the connection ends, and the next console learns what happened.
    c.say(&ToBridge::Go {});
    c.running();
    drop(c);
    hears(&told, "halted by watchdog");
    let mut next = Console::connect(&address);
    let hello = next.hello();
    assert_eq!(hello.halted.map(|h| h.by), Some(HaltedBy::Watchdog));
    assert_eq!(hello.episode, Some((task, 3)));
}

#[test]
fn one_console_drives_and_no_web_page() {
    let (address, _told, _) = bridge();
    let mut first = Console::connect(&address);
    first.hello();
    Console::connect(&address).refused(Refused::Busy);
    let request = tungstenite::http::Request::builder()
        .uri(format!("ws://{address}/"))
        .header("Host", &address)
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Version", "13")
        .header("Sec-WebSocket-Key", tungstenite::handshake::client::generate_key())
        .header("Origin", "https://elsewhere.example")
        .body(())
        .unwrap();
    let refused = tungstenite::client(request, TcpStream::connect(&address).unwrap());
    let Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(r))) = refused else {
        panic!("a page came in");
    };
    assert_eq!(r.status(), 403);
}

#[test]
fn what_is_seen_comes_back_as_it_was() {
    let mut env = env(Some((32, 24)));
    env.reset(longarm_types::Seed(1)).unwrap();
    let spec = env.observation_spec().clone();
    let hello = Hello::of(env.action_spec(), &spec).unwrap();
    let o = env.observe().clone();
    let head = seen(&o, &spec, 4, true);
    let pictures: Vec<&[u8]> = o.cameras.iter().map(|c| c.rgb.as_slice()).collect();
    let bytes = encode(&head, &pictures);
    let (read, shown) = decode(&bytes).unwrap();
    let back = observation(&read, &shown, &hello.observation_spec(), 20.0, &o.instruction).unwrap();
    assert_eq!(back.limbs[0].joints, o.limbs[0].joints);
    assert_eq!(back.limbs[0].tool, o.limbs[0].tool);
    assert_eq!(back.cameras[0].rgb, o.cameras[0].rgb);
    // Cut anywhere, or with something missing, it is refused in words.
    for cut in [0, 3, 10, bytes.len() - 1] {
        assert!(decode(&bytes[..cut]).is_err(), "{cut}");
    }
    assert!(
        decode(&[bytes.clone(), vec![0]].concat())
            .unwrap_err()
            .to_string()
            .contains("after its last")
    );
    let mut less = read.clone();
    less.fields.remove("joint_position");
    let why = observation(&less, &shown, &hello.observation_spec(), 20.0, "").unwrap_err();
    assert!(why.contains("joint_position"), "{why}");
}

#[test]
fn what_a_bridge_says_wrongly_is_named() {
    let env = env(None);
    let good = Hello::of(env.action_spec(), env.observation_spec()).unwrap();
    let wrong = |change: fn(&mut Hello), words: &str| {
        let mut hello = good.clone();
        change(&mut hello);
        let why = hello.check().unwrap_err();
        assert!(why.contains(words), "{why}");
    };
    wrong(|h| h.version = 9, "version 9");
    wrong(|h| h.rate = 0.0, "rate");
    wrong(|h| h.watchdog_ms = 5, "watchdog_ms");
    wrong(|h| h.action.form = "wish".into(), "form");
    wrong(|h| h.action.gripper = "open-01".into(), "gripper is open-01");
    wrong(|h| h.action.dims = 9, "dims 9");
    wrong(
        |h| (h.action.form, h.action.rotation) = ("joint-position".into(), "none".into()),
        "limits",
    );
}
