//! The connection to a lab's bridge, kept up for as long as the console runs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use longarm_bridge::{FromBridge, HaltedBy, Hello, Stopped, ToBridge, decode, observation};
use longarm_types::Observation;
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// How long until a bridge that is gone is tried again.
const AGAIN: Duration = Duration::from_millis(300);
/// How long a bridge may take to say what it is.
const GREETING: Duration = Duration::from_secs(5);
/// How long a bridge may take to answer a stop until it is hung up on, which halts it once more.
const UNANSWERED: Duration = Duration::from_secs(2);
/// Largest observation.
const LARGEST: usize = 64 << 20;

/// What is known of the arm.
#[derive(Clone, Debug, Default)]
pub(crate) struct Status {
    pub hello: Option<Arc<Hello>>,
    /// Why there is no connection.
    pub trouble: Option<String>,
    pub running: bool,
    pub step: u64,
    /// How often it was let go.
    pub gone: u64,
}

/// What was seen last.
pub(crate) struct Sight {
    /// How often the arm had been let go, and the step: one that a halt cut short is seen again after the next go.
    pub at: (u64, u64),
    pub running: bool,
    pub observation: Observation,
}

/// What the arm tells the console.
pub(crate) enum Told {
    Come,
    Ready,
    Halted { stopped: Stopped, asked: Option<(String, f64)> },
    Ended(String),
    Refused(String),
    Lost(String),
}

/// A stop on its way.
struct Asked {
    by: String,
    at: Instant,
}

/// The arm as the console has it.
pub(crate) struct Arm {
    address: String,
    out: UnboundedSender<ToBridge>,
    status: Mutex<Status>,
    sight: Mutex<Option<Arc<Sight>>>,
    came: Condvar,
    stops: AtomicU64,
    asked: Mutex<BTreeMap<u64, Asked>>,
    instruction: Mutex<String>,
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Arm {
    pub(crate) fn new(address: &str) -> (Arc<Self>, UnboundedReceiver<ToBridge>) {
        let (out, said) = unbounded_channel();
        let arm = Self {
            address: address.to_owned(),
            out,
            status: Mutex::new(Status {
                trouble: Some("not connected yet".into()),
                ..Status::default()
            }),
            sight: Mutex::default(),
            came: Condvar::new(),
            stops: AtomicU64::new(1),
            asked: Mutex::default(),
            instruction: Mutex::default(),
        };
        (Arc::new(arm), said)
    }

    pub(crate) fn status(&self) -> Status {
        lock(&self.status).clone()
    }

    pub(crate) fn sight(&self) -> Option<Arc<Sight>> {
        lock(&self.sight).clone()
    }

    /// Say something to the bridge.
    pub(crate) fn say(&self, message: ToBridge) -> Result<(), String> {
        if let Some(why) = lock(&self.status).trouble.clone() {
            return Err(format!("the bridge at {}: {why}", self.address));
        }
        self.out.send(message).map_err(|_| "the console is ending".to_owned())
    }

    /// Halt the arm, before anything else is done.
    pub(crate) fn stop(&self, by: &str, reason: &str) {
        let id = self.stops.fetch_add(1, Ordering::Relaxed);
        lock(&self.asked).insert(id, Asked { by: by.to_owned(), at: Instant::now() });
        // Without a connection the watchdog has halted it.
        if self.say(ToBridge::Stop { id, reason: reason.to_owned() }).is_err() {
            lock(&self.asked).remove(&id);
        }
    }

    /// Take the stop that was answered from those on their way, and all before it: bridges answer in order.
    fn answered(&self, id: u64) -> Option<Asked> {
        let mut asked = lock(&self.asked);
        let later = asked.split_off(&id.checked_add(1)?);
        std::mem::replace(&mut *asked, later).remove(&id)
    }

    fn unanswered(&self) -> bool {
        lock(&self.asked).values().any(|a| a.at.elapsed() > UNANSWERED)
    }

    /// What policies are told is part of what they see.
    pub(crate) fn instruct(&self, instruction: &str) {
        instruction.clone_into(&mut lock(&self.instruction));
    }

    /// Wait for something seen while actions are taken, later than a moment.
    pub(crate) fn wait(&self, after: (u64, u64), at_most: Duration) -> Option<Arc<Sight>> {
        let fresh = |s: &Option<Arc<Sight>>| s.as_ref().is_some_and(|s| s.running && s.at > after);
        let sight = lock(&self.sight);
        let waited = self.came.wait_timeout_while(sight, at_most, |s| !fresh(s));
        let (sight, _) = waited.unwrap_or_else(PoisonError::into_inner);
        sight.clone().filter(|_| fresh(&sight))
    }

    fn see(&self, step: u64, running: bool, observation: Observation) {
        let go = {
            let mut status = lock(&self.status);
            status.gone += u64::from(running && !status.running);
            (status.step, status.running) = (step, running);
            status.gone
        };
        *lock(&self.sight) = Some(Arc::new(Sight { at: (go, step), running, observation }));
        self.came.notify_all();
    }

    /// Keep up the connection. `alive` says whether somebody drives who is there.
    pub(crate) async fn keep(
        self: Arc<Self>,
        mut said: UnboundedReceiver<ToBridge>,
        alive: impl Fn() -> bool,
        told: impl Fn(Told),
    ) {
        loop {
            let why = match self.connect().await {
                Ok((ws, hello)) => {
                    // What was said to one that is gone is not for this one.
                    while said.try_recv().is_ok() {}
                    lock(&self.asked).clear();
                    let step = hello.step;
                    let halted = hello.halted.clone().filter(|_| hello.episode.is_some());
                    {
                        let mut status = lock(&self.status);
                        (status.hello, status.trouble) = (Some(Arc::new(hello)), None);
                        (status.running, status.step) = (false, step);
                    }
                    told(Told::Come);
                    if let Some(stopped) = halted {
                        told(Told::Halted { stopped, asked: None });
                    }
                    let why = self.talk(ws, &mut said, &alive, &told).await;
                    told(Told::Lost(why.clone()));
                    why
                }
                Err(why) => why,
            };
            {
                let mut status = lock(&self.status);
                (status.running, status.trouble) = (false, Some(why));
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    async fn connect(&self) -> Result<(WebSocketStream<TcpStream>, Hello), String> {
        let authority =
            self.address.trim_start_matches("ws://").split('/').next().unwrap_or_default();
        let shake = async {
            let stream = TcpStream::connect(authority).await.map_err(|e| e.to_string())?;
            stream.set_nodelay(true).map_err(|e| e.to_string())?;
            let config = WebSocketConfig::default()
                .max_message_size(Some(LARGEST))
                .max_frame_size(Some(LARGEST));
            let (mut ws, _) = tokio_tungstenite::client_async_with_config(
                self.address.as_str(),
                stream,
                Some(config),
            )
            .await
            .map_err(|e| e.to_string())?;
            while let Some(message) = ws.next().await {
                let message = message.map_err(|e| e.to_string())?;
                let Message::Text(text) = message else { continue };
                match serde_json::from_str(text.as_str()) {
                    Ok(FromBridge::Hello(hello)) => {
                        hello.check()?;
                        return Ok((ws, *hello));
                    }
                    Ok(FromBridge::Error { message, .. }) => return Err(message),
                    Ok(_) => return Err("it did not say hello first".into()),
                    Err(e) => return Err(format!("its hello is not one of this protocol: {e}")),
                }
            }
            Err("it hung up".to_owned())
        };
        let within = tokio::time::timeout(GREETING, shake).await;
        within.unwrap_or_else(|_| Err("it did not answer in time".into()))
    }

    /// Carry messages until the connection ends; return why.
    async fn talk(
        &self,
        mut ws: WebSocketStream<TcpStream>,
        said: &mut UnboundedReceiver<ToBridge>,
        alive: &impl Fn() -> bool,
        told: &impl Fn(Told),
    ) -> String {
        let Some(hello) = self.status().hello else { return "no hello".into() };
        let seen = hello.observation_spec();
        let mut beat =
            tokio::time::interval(Duration::from_millis((hello.watchdog_ms / 5).max(10)));
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let heard = tokio::select! {
                biased;
                Some(message) = said.recv() => {
                    if let Err(e) = ws.send(text(&message)).await { return e.to_string() }
                    continue;
                }
                _ = beat.tick() => {
                    if self.unanswered() {
                        return format!("it did not answer a stop within {} s", UNANSWERED.as_secs());
                    }
                    // Silent where nobody is there: then the bridge's watchdog halts, too.
                    if alive() && let Err(e) = ws.send(text(&ToBridge::Alive {})).await {
                        return e.to_string();
                    }
                    continue;
                }
                heard = ws.next() => heard,
            };
            let message = match heard {
                None => return "the bridge hung up".into(),
                Some(Err(e)) => return e.to_string(),
                Some(Ok(message)) => message,
            };
            match message {
                Message::Binary(bytes) => {
                    let read =
                        decode(&bytes).map_err(|e| e.to_string()).and_then(|(head, pictures)| {
                            let instruction = lock(&self.instruction).clone();
                            let o = observation(&head, &pictures, &seen, hello.rate, &instruction)?;
                            Ok((head.step, head.running, o))
                        });
                    match read {
                        Ok((step, running, o)) => self.see(step, running, o),
                        Err(e) => return e,
                    }
                }
                Message::Text(text) => match serde_json::from_str(text.as_str()) {
                    Ok(FromBridge::Halted(stopped)) => {
                        lock(&self.status).running = false;
                        let asked = stopped.id.and_then(|id| self.answered(id));
                        let asked = asked.map(|a| (a.by, a.at.elapsed().as_secs_f64() * 1e3));
                        told(Told::Halted { stopped, asked });
                    }
                    Ok(FromBridge::Ready {}) => told(Told::Ready),
                    Ok(FromBridge::Ended { note }) => told(Told::Ended(note)),
                    Ok(FromBridge::Error { message, .. }) => told(Told::Refused(message)),
                    Ok(FromBridge::Hello(_)) => {}
                    Err(e) => return format!("it said what is not of this protocol: {e}"),
                },
                Message::Close(_) => return "the bridge has closed the connection".into(),
                _ => {}
            }
        }
    }
}

fn text(message: &ToBridge) -> Message {
    Message::text(serde_json::to_string(message).unwrap_or_default())
}

/// In words, who halted an arm.
pub(crate) fn cause(stopped: &Stopped) -> &'static str {
    match stopped.by {
        HaltedBy::Stop => "stop",
        HaltedBy::Watchdog => "the bridge’s watchdog",
        HaltedBy::Bridge => "the bridge",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bridge that says what it is and nothing after, and what the console is told.
    async fn mute() -> (Arc<Arm>, UnboundedReceiver<Told>) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("ws://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mut ws = tokio_tungstenite::accept_async(stream).await.unwrap();
                let hello = r#"{"type": "hello", "protocol": "longarm-bridge", "version": 1, "name": "mute",
                    "robot": "none", "rate": 20, "watchdog_ms": 500, "limbs": [{"name": "arm", "joints": 1, "limits": [[-1, 1]]}],
                    "action": {"form": "joint-position", "gripper": "none", "units": "metric", "dims": 1}}"#;
                ws.send(Message::text(hello)).await.unwrap();
                while let Some(Ok(_)) = ws.next().await {}
            }
        });
        let (arm, said) = Arm::new(&address);
        let (tell, told) = unbounded_channel();
        tokio::spawn(Arc::clone(&arm).keep(said, || true, move |t| drop(tell.send(t))));
        (arm, told)
    }

    #[tokio::test]
    async fn a_bridge_that_does_not_answer_a_stop_is_hung_up_on() {
        let (arm, mut told) = mute().await;
        assert!(matches!(told.recv().await, Some(Told::Come)));
        arm.stop("Ada", "tried");
        let Some(Told::Lost(why)) = told.recv().await else { panic!("it is let go") };
        assert!(why.contains("did not answer a stop"), "{why}");
        // The next connection begins with nothing to be answered.
        assert!(matches!(told.recv().await, Some(Told::Come)));
        assert!(lock(&arm.asked).is_empty());
        for _ in 0..3 {
            arm.stop("Ada", "again");
        }
        let last = *lock(&arm.asked).keys().last().unwrap();
        assert_eq!(arm.answered(last).unwrap().by, "Ada");
        assert!(lock(&arm.asked).is_empty(), "who answers one has answered those before");
    }

    #[test]
    fn a_stop_that_cannot_be_sent_waits_for_no_answer() {
        let (arm, _said) = Arm::new("ws://127.0.0.1:9");
        arm.stop("Ada", "tried");
        assert!(lock(&arm.asked).is_empty());
    }
}
