//! The operator console: judges at a real arm, with the same tasks, drawings and rows.
//!
//! Everything that happens is an [`episode::Event`] in a run's log before it is shown: a closed tablet or a killed
//! server loses nothing that was ticked. The arm is driven over the lab's bridge ([`arm`]), by a policy in a
//! thread of its own ([`drive`]); pages talk over a WebSocket ([`socket`]), one of them in control.

mod arm;
mod desk;
mod drive;
mod episode;
mod orders;
mod pages;
mod pictures;
mod run;
mod socket;
mod tablet;
mod upload;
mod view;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use longarm_bridge::ToBridge;
use longarm_eval::{Actor, PolicyPool, PolicySpec};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::watch;

pub(crate) use pages::{home, new_run, report, run, script, style, task};
pub(crate) use pictures::{live, reference};
pub(crate) use socket::connect;
pub(crate) use tablet::{show, stop};
pub(crate) use upload::video;

use crate::ServeError;
use arm::{Arm, Told, cause};
use desk::{Control, Desk};
use episode::{Event, Stage};

/// What a console needs.
#[derive(Clone, Debug)]
pub struct ConsoleSettings {
    /// The lab's bridge, `ws://HOST:PORT`.
    pub bridge: String,
    /// The policy as a user names it.
    pub policy: String,
}

/// Who says what the console itself does.
const NOBODY: &str = "";

/// The console of a server.
pub(crate) struct Console {
    pub settings: ConsoleSettings,
    folder: PathBuf,
    pool: PolicyPool,
    arm: Arc<Arm>,
    desk: Mutex<Desk>,
    control: Mutex<Control>,
    /// Counts what changed, for pages that show it.
    changed: watch::Sender<u64>,
    sockets: AtomicU64,
    said: Mutex<Option<UnboundedReceiver<ToBridge>>>,
}

impl Console {
    /// Open the console's folder, with all runs in it.
    pub(crate) fn open(data: &Path, settings: ConsoleSettings) -> Result<Self, ServeError> {
        let wrong = |why: String| ServeError::Console { why };
        if !settings.bridge.starts_with("ws://") {
            return Err(wrong(format!(
                "--bridge {}: a bridge is at ws://HOST:PORT",
                settings.bridge
            )));
        }
        let spec: PolicySpec = settings.policy.parse().map_err(|e| wrong(format!("{e}")))?;
        let none: [Arc<longarm_task::TaskSpec>; 0] = [];
        let pool = spec.ready(&none).map_err(|e| wrong(e.to_string()))?;
        if let PolicySpec::Named(_) | PolicySpec::Search(_) | PolicySpec::Agent(_) = spec {
            let any = longarm_suites::SUITES.iter().flat_map(|s| s.ids()).next();
            let actor = any.and_then(|t| pool.actor(&t.parse().ok()?, 0).ok());
            if !matches!(actor, Some(Actor::Policy(_))) {
                let what = format!(
                    "{} sees the simulator's state, and behind a bridge there is none; take a policy that looks",
                    settings.policy
                );
                return Err(wrong(what));
            }
        }
        let folder = data.join("console");
        let io = |e: std::io::Error| ServeError::Io { path: folder.clone(), why: e.to_string() };
        std::fs::create_dir_all(folder.join("runs")).map_err(io)?;
        let mut desk = Desk::default();
        for entry in std::fs::read_dir(folder.join("runs")).map_err(io)?.flatten() {
            if !entry.path().join(longarm_results::RUN).is_file() {
                continue;
            }
            match run::Run::open(&entry.path()) {
                Ok(run) => drop(desk.runs.insert(run.id.clone(), run)),
                Err(why) => tracing::error!(%why, "a run cannot be read and is left alone"),
            }
        }
        desk.take_up();
        let (arm, said) = Arm::new(&settings.bridge);
        let (changed, _) = watch::channel(0);
        Ok(Self {
            settings,
            folder,
            pool,
            arm,
            desk: Mutex::new(desk),
            control: Mutex::default(),
            changed,
            sockets: AtomicU64::new(1),
            said: Mutex::new(Some(said)),
        })
    }

    /// Keep up the connection to the bridge from now on.
    pub(crate) fn start(self: &Arc<Self>) {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(said) = said else { return };
        let (here, there) = (Arc::clone(self), Arc::clone(self));
        let alive = move || here.somebody_drives();
        // What happened is written down by another: who carries messages waits for no disk.
        let (tell, mut hear) = unbounded_channel();
        let told = move |t| drop(tell.send(t));
        tokio::spawn(Arc::clone(&self.arm).keep(said, alive, told));
        tokio::spawn(async move {
            while let Some(t) = hear.recv().await {
                crate::http::waiting(|| there.told(t));
            }
        });
        let watching = Arc::clone(self);
        tokio::spawn(async move {
            let mut step = 0;
            loop {
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                watching.check_controller();
                let now = watching.arm.status().step;
                if now != step {
                    step = now;
                    watching.change();
                }
            }
        });
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn control(&self) -> MutexGuard<'_, Control> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self) {
        self.changed.send_modify(|n| *n += 1);
    }

    fn socket_number(&self) -> u64 {
        self.sockets.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether the bridge may hear that the console is there: always while the arm stands still, and while it
    /// moves only if the page in control was heard.
    fn somebody_drives(&self) -> bool {
        !self.arm.status().running || self.control().is_there()
    }

    /// Halt the arm when the page in control is gone.
    fn check_controller(&self) {
        if !self.arm.status().running {
            return;
        }
        let gone = {
            let mut control = self.control();
            let gone = !control.is_there() && !control.halting;
            control.halting |= gone;
            gone
        };
        if gone {
            self.arm.stop(NOBODY, "the page in control was not heard any more");
        }
    }

    /// Take in what the bridge says.
    fn told(&self, told: Told) {
        let mut desk = self.desk();
        let Some((id, k)) = desk.active.clone() else {
            desk.message = match told {
                Told::Refused(why) | Told::Lost(why) => Some(why),
                _ => None,
            };
            drop(desk);
            return self.change();
        };
        let stage = desk.episode(&id, k).map(|e| e.stage);
        let step = self.arm.status().step;
        let mut log = |by: &str, event: Event| {
            if let Err(why) = desk.record(&id, k, by, event) {
                tracing::error!(%why, "what happened cannot be written down");
                desk.message = Some(why);
            }
        };
        match told {
            Told::Halted { stopped, asked } => {
                let (by, ms) = asked.map_or((String::new(), None), |(by, ms)| (by, Some(ms)));
                if stage == Some(Stage::Running) || ms.is_some() && stage == Some(Stage::Halted) {
                    let (cause, reason) = (cause(&stopped).to_owned(), stopped.reason.clone());
                    log(&by, Event::Halted { cause, reason, step: stopped.step, ms });
                }
                self.control().halting = false;
            }
            Told::Lost(why) if stage == Some(Stage::Running) => {
                let reason = format!("the connection to the bridge was lost: {why}");
                log(NOBODY, Event::Halted { cause: "the console".into(), reason, step, ms: None });
                self.control().halting = false;
            }
            Told::Refused(why) | Told::Lost(why) => desk.message = Some(why),
            Told::Ended(note) => desk.message = (!note.is_empty()).then_some(note),
            Told::Come => desk.message = None,
            Told::Ready => desk.bridge_ready = true,
        }
        drop(desk);
        self.change();
    }
}
