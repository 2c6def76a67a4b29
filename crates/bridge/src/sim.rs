//! A bridge around the simulator: it keeps real time, and halts as an arm's does.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use bytes::Bytes;
use longarm_sim::{Env, SimError};
use longarm_types::{Action, Seed};
use tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tungstenite::http::{StatusCode, header};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

use crate::{FromBridge, HaltedBy, Hello, Refused, Stopped, ToBridge, encode, seen};

/// Longest message of a console.
const LONGEST: usize = 1 << 20;
/// How long a stranger may take to shake hands.
const GREETING: Duration = Duration::from_secs(5);
/// How often it is shown what is seen while nothing moves.
const STILL: Duration = Duration::from_millis(200);

/// What happens when an action is not there at its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Late {
    /// The arm keeps to what it was told last, as a real one does.
    #[default]
    Hold,
    /// Simulated time waits: what is recorded can be repeated to the bit.
    Wait,
}

/// How a bridge around the simulator behaves.
#[derive(Clone, Copy, Debug)]
pub struct SimOptions {
    /// Silence after which it halts.
    pub watchdog: Duration,
    /// What happens without an action.
    pub late: Late,
}

/// Why a bridge cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// A task that the protocol has no words for.
    #[error("{task}: {why}")]
    Task {
        /// Which.
        task: String,
        /// Why.
        why: String,
    },
    /// A port that cannot be had.
    #[error("cannot listen on {listen}: {why}")]
    Listen {
        /// Where.
        listen: String,
        /// Why.
        why: String,
    },
    /// The simulator.
    #[error(transparent)]
    Sim(#[from] SimError),
}

/// A bridge around the simulator.
pub struct SimBridge {
    env: Env,
    options: SimOptions,
    hello: Hello,
    listener: TcpListener,
    link: Option<WebSocket<TcpStream>>,
    running: bool,
    action: Option<Action>,
    held: Action,
    heard: Instant,
    late: u64,
}

type Tell<'a> = &'a mut dyn FnMut(&str);

impl SimBridge {
    /// Put a task's scene of a seed behind an address.
    pub fn open(
        mut env: Env,
        seed: u64,
        listen: &str,
        options: SimOptions,
    ) -> Result<Self, BridgeError> {
        let task = env.task().id.to_string();
        let hello = Hello::of(env.action_spec(), env.observation_spec());
        let mut hello = hello.map_err(|why| BridgeError::Task { task: task.clone(), why })?;
        hello.name = "longarm bridge sim".into();
        let rig = env.task().rig();
        hello.robot = format!("{} (simulated)", rig.robot_names());
        hello.watchdog_ms = options.watchdog.as_millis() as u64;
        hello.tasks = vec![task];
        env.reset(Seed(seed))?;
        let refuse =
            |e: std::io::Error| BridgeError::Listen { listen: listen.into(), why: e.to_string() };
        let listener = TcpListener::bind(listen).map_err(refuse)?;
        let held = env.action_spec().idle();
        Ok(Self {
            env,
            options,
            hello,
            listener,
            link: None,
            running: false,
            action: None,
            held,
            heard: Instant::now(),
            late: 0,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serve until told to stop; `tell` hears what happens.
    pub fn run(mut self, stop: &AtomicBool, tell: Tell<'_>) -> Result<(), BridgeError> {
        let (greet, greeted) = channel();
        let refuse =
            |e: std::io::Error| BridgeError::Listen { listen: String::new(), why: e.to_string() };
        let door = self.listener.try_clone().map_err(refuse)?;
        std::thread::spawn(move || welcome(&door, &greet));
        let period = Duration::from_secs_f64(1.0 / self.hello.rate);
        let mut next = Instant::now() + period;
        let mut shown = Instant::now();
        while !stop.load(Ordering::Relaxed) {
            self.meet(&greeted, tell);
            // The watchdog does not wait for the next step.
            let barks = self.heard + self.options.watchdog;
            self.listen(if self.running { next.min(barks) } else { next }, tell)?;
            let silent = self.heard.elapsed();
            if self.running && silent >= self.options.watchdog {
                let why = format!("nothing was heard for {} ms", self.options.watchdog.as_millis());
                self.halt(HaltedBy::Watchdog, None, why, tell);
            }
            let now = Instant::now();
            if now < next {
                continue;
            }
            // A step that took too long is not made up for.
            next = (next + period).max(now);
            let stepped = self.running && self.step(tell)?;
            if stepped || now.duration_since(shown) >= STILL {
                self.show();
                shown = now;
            }
        }
        Ok(())
    }

    /// Let in a console, one at a time.
    fn meet(&mut self, greeted: &Receiver<WebSocket<TcpStream>>, tell: Tell<'_>) {
        while let Ok(mut ws) = greeted.try_recv() {
            if self.link.is_some() {
                let what = "another console drives this arm".to_owned();
                let busy = FromBridge::Error { code: Refused::Busy, message: what };
                let _ = ws.send(text(&busy));
                let _ = ws.close(None);
                continue;
            }
            self.link = Some(ws);
            self.heard = Instant::now();
            tell("a console has come");
            self.say(&FromBridge::Hello(Box::new(self.hello.clone())));
            self.show();
        }
    }

    /// Take in what is said until a moment.
    fn listen(&mut self, until: Instant, tell: Tell<'_>) -> Result<(), BridgeError> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Some(ws) = &mut self.link else {
                std::thread::sleep(left.min(Duration::from_millis(10)));
                return Ok(());
            };
            if left.is_zero() {
                return Ok(());
            }
            // No shorter: zero would mean for ever.
            let _ = ws.get_ref().set_read_timeout(Some(left.max(Duration::from_millis(1))));
            match ws.read() {
                Ok(Message::Text(said)) => {
                    self.heard = Instant::now();
                    match serde_json::from_str(said.as_str()) {
                        Ok(message) => self.obey(message, tell)?,
                        Err(e) => self.refuse(Refused::BadMessage, e.to_string()),
                    }
                }
                Ok(Message::Binary(_)) => {
                    self.refuse(Refused::BadMessage, "consoles speak in text messages".into());
                }
                Ok(Message::Close(_)) => self.lost("the console has closed the connection", tell),
                Ok(_) => self.heard = Instant::now(),
                Err(tungstenite::Error::Io(e))
                    if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    return Ok(());
                }
                Err(e) => self.lost(&format!("the connection was lost ({e})"), tell),
            }
        }
    }

    fn lost(&mut self, why: &str, tell: Tell<'_>) {
        self.link = None;
        tell(why);
        if self.running {
            self.halt(HaltedBy::Watchdog, None, why.to_owned(), tell);
        }
    }

    fn obey(&mut self, message: ToBridge, tell: Tell<'_>) -> Result<(), BridgeError> {
        match message {
            ToBridge::Alive {} => {}
            ToBridge::Stop { id, reason } => self.halt(HaltedBy::Stop, Some(id), reason, tell),
            ToBridge::Begin { task, seed, .. } => {
                self.running = false;
                if !self.hello.tasks.contains(&task) {
                    let what =
                        format!("this bridge has {}, not {task}", self.hello.tasks.join(", "));
                    self.refuse(Refused::UnknownTask, what);
                    return Ok(());
                }
                if let Err(e) = self.env.reset(Seed(seed)) {
                    self.refuse(Refused::Fault, e.to_string());
                    return Ok(());
                }
                (self.hello.step, self.late) = (0, 0);
                self.hello.episode = Some((task.clone(), seed));
                self.hello.halted = None;
                self.held = self.env.action_spec().idle();
                tell(&format!("{task} seed {seed} begins"));
                self.say(&FromBridge::Ready {});
                self.show();
            }
            ToBridge::Go {} if self.hello.episode.is_none() => {
                self.refuse(Refused::NoEpisode, "begin comes before go".into());
            }
            ToBridge::Go {} => {
                self.running = true;
                self.hello.halted = None;
                self.action = None;
                tell(&format!("goes from step {}", self.hello.step));
                self.show();
            }
            ToBridge::Action { .. } if !self.running => {
                self.refuse(
                    Refused::NotRunning,
                    "the arm is halted; go comes before actions".into(),
                );
            }
            ToBridge::Action { step, values } => {
                match self.env.action_spec().check(&values) {
                    // One that comes too late is for a moment that has passed.
                    Ok(()) if step == self.hello.step => self.action = Some(Action::new(&values)),
                    Ok(()) => {}
                    Err(e) => self.refuse(Refused::BadAction, e.to_string()),
                }
            }
            ToBridge::End {} => {
                self.running = false;
                let note = self.judgement();
                tell(&note);
                self.hello.episode = None;
                self.hello.halted = None;
                self.say(&FromBridge::Ended { note });
            }
        }
        Ok(())
    }

    /// What the simulator itself makes of the episode.
    fn judgement(&self) -> String {
        let Some((task, seed)) = &self.hello.episode else { return "nothing was begun".into() };
        let status = self.env.tracker().status();
        let report = self.env.report();
        let how = match (report.success, report.failed) {
            (true, _) => "success",
            (_, true) => "forbidden",
            _ => "not completed",
        };
        format!(
            "{task} seed {seed} ended at step {}: the simulator says {how}, {} phases; {} actions came late",
            self.hello.step,
            status.completed(),
            self.late
        )
    }

    /// Take a step; `false` where time waits for an action.
    fn step(&mut self, tell: Tell<'_>) -> Result<bool, BridgeError> {
        let action = match (self.action.take(), self.options.late) {
            (Some(action), _) => action,
            (None, Late::Wait) => return Ok(false),
            (None, Late::Hold) => {
                self.late += 1;
                self.env.action_spec().held(&self.held)
            }
        };
        self.held = action;
        match self.env.step(&action) {
            Ok(_) => self.hello.step += 1,
            Err(e) => self.halt(HaltedBy::Bridge, None, e.to_string(), tell),
        }
        Ok(true)
    }

    fn halt(&mut self, by: HaltedBy, id: Option<u64>, reason: String, tell: Tell<'_>) {
        let silent_ms = self.heard.elapsed().as_millis() as u64;
        let stopped = Stopped { by, id, reason, step: self.hello.step, silent_ms };
        if self.running {
            self.running = false;
            self.action = None;
            self.hello.halted = Some(stopped.clone());
            tell(&format!(
                "halted by {} at step {}: {} (console heard {silent_ms} ms ago)",
                by.word(),
                stopped.step,
                stopped.reason
            ));
        }
        self.say(&FromBridge::Halted(stopped));
    }

    fn refuse(&mut self, code: Refused, message: String) {
        self.say(&FromBridge::Error { code, message });
    }

    fn say(&mut self, message: &FromBridge) {
        self.send(text(message));
    }

    fn show(&mut self) {
        if self.link.is_none() {
            return;
        }
        let spec = self.env.observation_spec().clone();
        let (step, running) = (self.hello.step, self.running);
        let o = self.env.observe();
        let head = seen(o, &spec, step, running);
        let rgb = |name: &str| {
            o.cameras.iter().find(|c| c.name == name).map_or(&[][..], |c| c.rgb.as_slice())
        };
        let pictures: Vec<&[u8]> = head.pictures.iter().map(|p| rgb(&p.camera)).collect();
        let bytes = encode(&head, &pictures);
        self.send(Message::Binary(Bytes::from(bytes)));
    }

    fn send(&mut self, message: Message) {
        let Some(ws) = &mut self.link else { return };
        // A console that takes nothing any more is not there; what it says next is found when it is read.
        if ws.send(message).is_err() {
            let _ = ws.get_ref().shutdown(std::net::Shutdown::Both);
        }
    }
}

fn text(message: &FromBridge) -> Message {
    Message::text(serde_json::to_string(message).unwrap_or_default())
}

/// Shake hands with whoever comes, each in a thread: a stranger who says nothing holds nobody up.
fn welcome(listener: &TcpListener, greet: &Sender<WebSocket<TcpStream>>) {
    for stream in listener.incoming().flatten() {
        let greet = greet.clone();
        std::thread::spawn(move || {
            let _ = stream.set_nodelay(true);
            let _ = stream.set_read_timeout(Some(GREETING));
            let _ = stream.set_write_timeout(Some(Duration::from_millis(500)));
            let config = WebSocketConfig::default()
                .max_message_size(Some(LONGEST))
                .max_frame_size(Some(LONGEST));
            if let Ok(ws) = tungstenite::accept_hdr_with_config(stream, no_page, Some(config)) {
                let _ = greet.send(ws);
            }
        });
    }
}

/// A page of some site must not drive the arm of whoever looks at it.
#[allow(clippy::result_large_err, reason = "the shape that tungstenite asks for")]
fn no_page(request: &Request, response: Response) -> Result<Response, ErrorResponse> {
    if request.headers().contains_key(header::ORIGIN) {
        let mut refusal =
            ErrorResponse::new(Some("a bridge is not for web pages; connect the console".into()));
        *refusal.status_mut() = StatusCode::FORBIDDEN;
        return Err(refusal);
    }
    Ok(response)
}
