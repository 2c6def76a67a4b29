//! What judges order.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use longarm_bridge::ToBridge;
use serde::Deserialize;

use super::Console;
use super::desk::{Controller, Desk};
use super::drive::{Attempt, Driver};
use super::episode::{Event, JUDGES, Stage};

/// Longest text of a judge.
const LONGEST: usize = 500;

/// What a page asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub(crate) enum Order {
    /// It is there.
    Alive,
    /// Be the page in control.
    Control,
    /// The scene is set up: begin.
    Begin,
    /// Let the policy act, for the first time or again.
    Go,
    /// Halt.
    Stop,
    /// Look on as the second judge.
    Join,
    /// A phase was seen.
    Tick { phase: usize, on: bool },
    /// Something forbidden was seen.
    Forbid { event: usize, on: bool },
    /// Break the attempt off.
    Reset { reason: String },
    /// The policy is to act no more.
    End,
    /// Add a note.
    Note { text: String },
    /// Write the row.
    Close { void: Option<String> },
}

/// Who asks, from which page, for which episode.
pub(crate) struct Asker<'a> {
    pub name: &'a str,
    pub socket: u64,
    pub run: &'a str,
    pub episode: usize,
}

type Done = Result<(), String>;

fn short(text: &str) -> Result<String, String> {
    let text = text.trim();
    match text.len() {
        n if n > LONGEST => Err(format!("at most {LONGEST} characters")),
        _ => Ok(text.to_owned()),
    }
}

impl Console {
    /// Do what is asked; what cannot be done is said, and nothing has happened.
    pub(crate) fn order(self: &Arc<Self>, asker: &Asker<'_>, order: Order) -> Done {
        // Before any lock and any disk.
        if let Order::Stop = order {
            self.arm.stop(asker.name, "stop was pressed");
            return Ok(());
        }
        if let Order::Alive = order {
            let mut control = self.control();
            if let Some(c) = control.controller.as_mut().filter(|c| c.socket == asker.socket) {
                c.heard = Instant::now();
            }
            return Ok(());
        }
        let mut desk = self.desk();
        let done = self.carry_out(&mut desk, asker, order);
        drop(desk);
        self.change();
        done
    }

    fn carry_out(self: &Arc<Self>, desk: &mut Desk, asker: &Asker<'_>, order: Order) -> Done {
        let (run, k, by) = (asker.run, asker.episode, asker.name);
        let stage = desk.episode(run, k).ok_or("there is no such episode")?.stage;
        if matches!(stage, Stage::Closed) && !matches!(order, Order::Control) {
            return Err("this episode is closed; its row stays as it is".into());
        }
        let step = self.arm.status().step;
        match order {
            Order::Alive | Order::Stop => Ok(()),
            Order::Control => self.take_control(asker),
            Order::Begin => {
                self.control().of(asker.socket)?;
                self.begin(desk, asker)
            }
            Order::Go => {
                self.control().of(asker.socket)?;
                at_the_arm(desk, run, k)?;
                if !matches!(stage, Stage::Ready | Stage::Halted) {
                    return Err("the policy cannot start now".into());
                }
                if desk.driver.is_none() {
                    return Err("the policy is gone; end the episode or reset it".into());
                }
                if stage == Stage::Ready {
                    let of = desk.runs.get(run).and_then(|r| r.sheet(k).zip(r.place(k)));
                    of.into_iter().for_each(|(s, p)| self.keep_photos(s.id.as_str(), p.seed));
                }
                self.control().halting = false;
                self.arm.say(ToBridge::Go {})?;
                desk.record(run, k, by, Event::Started { step })
            }
            Order::Join => {
                let e = desk.episode(run, k).ok_or("there is no such episode")?;
                if e.judge(by).is_some() {
                    return Ok(());
                }
                match (e.stage, e.judges.len()) {
                    (Stage::SetUp, _) => Err("the first judge begins".into()),
                    (_, n) if n >= JUDGES => Err(format!("{JUDGES} judges are enough")),
                    _ => desk.record(run, k, by, Event::Joined {}),
                }
            }
            Order::Tick { phase, on } => {
                judges(desk, asker)?;
                let sheet = desk.runs.get(run).and_then(|r| r.sheet(k)).ok_or("no sheet")?;
                if phase >= sheet.phases.len() {
                    return Err(format!("there is no phase {}", phase + 1));
                }
                let step = self.step_of(desk, run, k, step);
                desk.record(run, k, by, Event::Tick { phase, on, step })
            }
            Order::Forbid { event, on } => {
                judges(desk, asker)?;
                let sheet = desk.runs.get(run).and_then(|r| r.sheet(k)).ok_or("no sheet")?;
                if event >= sheet.forbidden.len() {
                    return Err(format!("there is no forbidden event {}", event + 1));
                }
                let step = self.step_of(desk, run, k, step);
                if on {
                    // It ends the episode.
                    self.arm.stop(by, "something forbidden was seen");
                }
                desk.record(run, k, by, Event::Forbid { event, on, step })?;
                match on && stage != Stage::Judging {
                    true => self.end(desk, asker, "something forbidden was seen"),
                    false => Ok(()),
                }
            }
            Order::Reset { reason } => {
                self.control().of(asker.socket)?;
                let reason = short(&reason)?;
                if reason.is_empty() {
                    return Err("say why: it stands in the row".into());
                }
                if stage == Stage::SetUp {
                    return Err("nothing has begun that could be reset".into());
                }
                self.arm.stop(by, "the attempt is broken off");
                desk.driver = None;
                let _ = self.arm.say(ToBridge::End {});
                desk.record(run, k, by, Event::Reset { reason, step })?;
                desk.active = None;
                Ok(())
            }
            Order::End => {
                self.control().of(asker.socket)?;
                if !matches!(stage, Stage::Ready | Stage::Running | Stage::Halted) {
                    return Err("nothing is under way".into());
                }
                self.arm.stop(by, "the episode is over");
                self.end(desk, asker, "ended by the judge")
            }
            Order::Note { text } => {
                judges(desk, asker)?;
                desk.record(run, k, by, Event::Note { text: short(&text)? })
            }
            Order::Close { void } => {
                self.control().of(asker.socket)?;
                if stage != Stage::Judging {
                    return Err("the policy still acts; end the episode first".into());
                }
                let void = match void.as_deref().map(short).transpose()? {
                    Some(why) if why.is_empty() => {
                        return Err("say why it does not count: it stands in the row".into());
                    }
                    void => void,
                };
                let actions = desk
                    .driver
                    .as_ref()
                    .map(|d| d.actions.lock().unwrap_or_else(PoisonError::into_inner).clone());
                let _ = self.arm.say(ToBridge::End {});
                let of = desk.runs.get_mut(run).ok_or("there is no such run")?;
                of.close(k, by, void, actions.as_deref())?;
                (desk.driver, desk.active) = (None, None);
                Ok(())
            }
        }
    }

    /// The step that a tick is for: that of the arm while the episode is at it.
    fn step_of(&self, desk: &Desk, run: &str, k: usize, step: u64) -> u64 {
        match desk.episode(run, k) {
            Some(e) if e.stage == Stage::Judging => e.step,
            _ => step,
        }
    }

    fn take_control(&self, asker: &Asker<'_>) -> Done {
        let mut control = self.control();
        let another = control.controller.as_ref().filter(|c| c.name != asker.name);
        if another.is_some() && control.is_there() {
            return control.of(asker.socket);
        }
        let (socket, name) = (asker.socket, asker.name.to_owned());
        control.controller = Some(Controller { socket, name, heard: Instant::now() });
        Ok(())
    }

    fn begin(self: &Arc<Self>, desk: &mut Desk, asker: &Asker<'_>) -> Done {
        let (run, k) = (asker.run, asker.episode);
        if let Some((other, at)) = desk.active.clone()
            && (other.as_str(), at) != (run, k)
        {
            return Err("another episode is at the arm; close or reset that one first".into());
        }
        let e = desk.episode(run, k).ok_or("there is no such episode")?;
        if e.stage != Stage::SetUp {
            return Err("this episode has begun".into());
        }
        let status = self.arm.status();
        let hello = match (status.hello, status.trouble) {
            (Some(hello), None) => hello,
            (_, why) => return Err(format!("the bridge: {}", why.unwrap_or_default())),
        };
        let of = desk.runs.get(run).ok_or("there is no such run")?;
        let (sheet, place) = of.sheet(k).zip(of.place(k)).ok_or("there is no such episode")?;
        let scene = sheet.initialization(place.seed).map_err(|e| e.to_string())?;
        let attempt = Attempt {
            run: run.to_owned(),
            episode: k,
            task: sheet.id.clone(),
            seed: place.seed,
            instruction: scene.instruction.clone(),
            horizon: sheet.horizon,
            hello: Arc::clone(&hello),
        };
        let (task, seed, instruction) = (sheet.id.to_string(), place.seed, scene.instruction);
        self.arm.instruct(&instruction);
        let driver = Driver::start(self, attempt)?;
        self.arm.say(ToBridge::Begin { task, seed, instruction })?;
        let event = Event::Begun {
            robot: hello.robot.clone(),
            bridge: format!("{} ({})", hello.name, self.settings.bridge),
            rate: hello.rate,
        };
        desk.record(run, k, asker.name, event)?;
        desk.active = Some((run.to_owned(), k));
        (desk.driver, desk.message) = (Some(driver), None);
        self.control().halting = false;
        Ok(())
    }

    fn end(&self, desk: &mut Desk, asker: &Asker<'_>, reason: &str) -> Done {
        let step = self.arm.status().step;
        let clipped = desk.driver.as_ref().map_or(0, |d| d.clipped.load(Ordering::Relaxed));
        let event = Event::Ended { reason: reason.into(), step, policy_error: false, clipped };
        desk.record(asker.run, asker.episode, asker.name, event)?;
        if let Some(d) = &desk.driver {
            d.finish();
        }
        Ok(())
    }
}

fn at_the_arm(desk: &Desk, run: &str, k: usize) -> Done {
    match &desk.active {
        Some((r, at)) if (r.as_str(), *at) == (run, k) => Ok(()),
        _ => Err("another episode is at the arm".into()),
    }
}

fn judges(desk: &Desk, asker: &Asker<'_>) -> Done {
    let e = desk.episode(asker.run, asker.episode).ok_or("there is no such episode")?;
    match e.judge(asker.name) {
        Some(_) => Ok(()),
        None => Err("you are not a judge of this episode; judge it, too, or begin it".into()),
    }
}
