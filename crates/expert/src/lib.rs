//! Scripted experts. They see the simulation's state and act through the policy's action space.
//!
//! A task carries its plan as data; this crate knows how to move. Each operator becomes a queue of
//! motions (`primitives`), its effect is checked afterwards, and what failed is tried again a
//! bounded number of times. The expert without memory is the same, except that it chooses each
//! operator from what the cameras show at that moment.

mod motion;
mod oracle;
mod primitives;
mod reach;

use std::collections::VecDeque;

use longarm_sim::Env;
use longarm_task::plan::{BoundOp, Planned};
use longarm_task::{Op, Reactive, Snapshot, SpecError, View};
use longarm_types::{Action, ControlMode};

use motion::{Motion, Mover};
use oracle::Oracle;
pub use oracle::pick_place;
use primitives::Primitives;

/// What an expert remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Which step of the plan it is at.
    Whole,
    /// Nothing: it acts on what it sees now.
    None,
}

/// Tries per operator.
const TRIES: u32 = 4;
/// Pieces an operator may come in.
const PIECES: u32 = 12;
/// Control steps an effect may take to show.
const PATIENCE: u32 = 16;
/// Control steps without memory before it looks again when nothing is due.
const LOOK_AGAIN: u32 = 10;
/// Pixels, over all cameras, from which a thing counts as seen.
const SEEN_PIXELS: u32 = 8;

/// Why an expert cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ExpertError {
    /// The plan does not fit the scene.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A robot with more arms than it moves.
    #[error("the expert moves one arm, and this rig has {0}")]
    Limbs(usize),
    /// An operator nobody taught it.
    #[error("the expert does not know how to {0}")]
    Unknown(String),
}

enum State {
    Deciding,
    Moving,
    /// Waiting for the effect, for so many steps.
    Checking(u32),
    Waiting(u32),
    Finished,
}

struct Episode {
    plan: Vec<Planned>,
    reactive: Option<Reactive>,
    primitives: Primitives,
    mover: Mover,
    at: usize,
    tries: u32,
    /// Stages that were complete when the present operator began.
    counted: usize,
    /// Pieces of the present operator so far, and whether another may follow.
    pieces: (u32, bool),
    /// The motions under way are to end with something in the hand.
    reached: bool,
    current: Option<BoundOp>,
    state: State,
    doing: String,
    seen: Vec<bool>,
    counts: Vec<u32>,
}

/// A scripted expert.
pub struct Expert {
    memory: Memory,
    late: usize,
    /// What it has not seen yet, oldest first.
    coming: VecDeque<Snapshot>,
    episode: Option<Episode>,
    /// Acts instead where actions are whole pick-and-places.
    oracle: Option<Oracle>,
}

impl Expert {
    /// An expert with or without memory.
    pub fn new(memory: Memory) -> Self {
        Self { memory, late: 0, coming: VecDeque::new(), episode: None, oracle: None }
    }

    /// The same seeing everything but its own hand so many control steps late.
    pub fn late(self, steps: u32) -> Self {
        Self { late: steps as usize, ..self }
    }

    /// Whether it needs the cameras.
    pub fn sees(&self) -> bool {
        self.memory == Memory::None
    }

    /// Prepares for the episode the environment was just reset to.
    pub fn begin(&mut self, env: &mut Env) -> Result<(), ExpertError> {
        self.coming.clear();
        self.oracle = match env.action_spec().whole_motions() {
            true => Some(Oracle::new(env)?),
            false => None,
        };
        if self.oracle.is_some() {
            return Ok(());
        }
        let (task, scene, bound) = (env.instance().clone(), env.scene(), env.bound());
        let plan = task.plan.steps(bound, scene)?;
        let reactive = match self.memory {
            Memory::Whole => None,
            Memory::None => Some(Reactive::new(&task.plan, bound, scene)?),
        };
        let bodies = env.world().bodies().len();
        let limbs = scene.structure.rig.limbs();
        if limbs.len() > 1 {
            return Err(ExpertError::Limbs(limbs.len()));
        }
        let limb = 0;
        let rig_limb = &limbs[limb];
        self.episode = Some(Episode {
            primitives: Primitives::new(&task, scene, env.world().bodies(), limb, rig_limb),
            plan,
            reactive,
            mover: Mover::new(limb, rig_limb.spec().travel_speed, env.action_spec().tool_scale()),
            at: 0,
            tries: 0,
            counted: 0,
            pieces: (0, false),
            reached: false,
            current: None,
            state: State::Deciding,
            doing: String::new(),
            seen: vec![true; bodies],
            counts: vec![0; bodies],
        });
        Ok(())
    }

    /// The sentence of what it is doing.
    pub fn doing(&self) -> &str {
        match &self.oracle {
            Some(oracle) => oracle.doing(),
            None => self.episode.as_ref().map_or("", |e| &e.doing),
        }
    }

    /// The next action.
    ///
    /// # Panics
    /// Before [`Expert::begin`].
    pub fn act(&mut self, env: &mut Env) -> Result<Action, ExpertError> {
        if let Some(oracle) = &mut self.oracle {
            return oracle.act(env);
        }
        let action = self.tool_action(env)?;
        Ok(match env.world().structure().rig.control {
            ControlMode::ToolDelta => action,
            _ => env.world().from_tool_action(action.values()),
        })
    }

    /// The next action as a tool delta.
    fn tool_action(&mut self, env: &mut Env) -> Result<Action, ExpertError> {
        let e = self.episode.as_mut().expect("begin comes before act");
        let stale = (self.late > 0).then(|| {
            let now = env.snapshot();
            self.coming.push_back(now.clone());
            let mut seen = match self.coming.len() > self.late {
                true => self.coming.pop_front().unwrap_or_else(|| now.clone()),
                false => self.coming[0].clone(),
            };
            // What it holds moves with the hand it feels.
            for (seen_hand, hand) in seen.hands.iter_mut().zip(&now.hands) {
                let moved = hand.pose * seen_hand.pose.inverse();
                for (body, held) in seen.bodies.iter_mut().zip(&seen_hand.holds) {
                    if *held {
                        body.pose = moved * body.pose;
                    }
                }
                (seen_hand.pose, seen_hand.commanded) = (hand.pose, hand.commanded);
                (seen_hand.twist, seen_hand.opening) = (hand.twist, hand.opening);
            }
            seen
        });
        // The arm has been set back: the way it was going no longer begins where it is.
        if env.tracker().neutral() {
            e.mover.load([]);
        }
        loop {
            match e.state {
                State::Deciding => {
                    if e.reactive.is_some() {
                        e.look(env);
                    }
                    e.counted = env.tracker().status().completed();
                    e.decide(stale.as_ref().unwrap_or(env.snapshot()))?;
                }
                State::Moving if e.mover.idle() => e.state = State::Checking(0),
                State::Moving => {
                    return Ok(e.mover.act(stale.as_ref().unwrap_or(env.snapshot())));
                }
                State::Checking(waited) => {
                    let done = e.current.as_ref().is_none_or(|c| {
                        // Wiping leaves no trace to check but that it was counted; a stroke too
                        // short is drawn again.
                        let counted = env.tracker().status().completed() > e.counted;
                        let wiped = counted || e.tries + 1 >= TRIES || e.reactive.is_some();
                        matches!(c.op, Op::Wipe { .. }) && wiped
                            || c.effect.holds(stale.as_ref().unwrap_or(env.snapshot()))
                            || e.primitives.lifted_full(&c.op, env.snapshot())
                    });
                    if done {
                        e.at += 1;
                        (e.tries, e.pieces) = (0, (0, false));
                        e.state = State::Deciding;
                    } else if e.pieces.1 && e.pieces.0 < PIECES {
                        e.pieces.0 += 1;
                        e.state = State::Deciding;
                    } else if waited >= PATIENCE + self.late as u32 {
                        e.tries += 1;
                        e.pieces = (0, false);
                        e.state = State::Deciding;
                    } else {
                        e.state = State::Checking(waited + 1);
                        return Ok(e.mover.hold());
                    }
                }
                State::Waiting(0) => e.state = State::Deciding,
                State::Waiting(n) => {
                    e.state = State::Waiting(n - 1);
                    return Ok(e.mover.hold());
                }
                State::Finished => {
                    return Ok(e.mover.act(stale.as_ref().unwrap_or(env.snapshot())));
                }
            }
        }
    }
}

impl Episode {
    /// Which bodies any camera shows now.
    fn look(&mut self, env: &mut Env) {
        env.observe();
        let Some((cameras, _)) = env.cameras() else { return };
        cameras.visible(&mut self.counts);
        let s = env.snapshot();
        for (body, (seen, n)) in self.seen.iter_mut().zip(&self.counts).enumerate() {
            // What a hand holds it feels.
            *seen = *n >= SEEN_PIXELS || s.held(body);
        }
    }

    fn decide(&mut self, s: &Snapshot) -> Result<(), ExpertError> {
        let next = match &self.reactive {
            None => {
                if self.tries >= TRIES {
                    // It will not work; standing by is safer than going on with a wrong idea.
                    None
                } else {
                    self.plan.get(self.at).and_then(|p| {
                        choose(p, s, self.tries).map(|c| (c.clone(), p.sentence.clone()))
                    })
                }
            }
            Some(reactive) => {
                let view = View::seeing(s, &self.seen);
                reactive.next(&view).map(|(c, sentence)| (c.clone(), sentence.to_owned()))
            }
        };
        match next {
            Some((op, sentence)) => {
                self.primitives.missed = self.tries > 0
                    || self.pieces.0 > 0
                        && self.reached
                        && s.hands[self.primitives.limb].is_empty();
                let script = self.primitives.script(&op, self.tries, s)?;
                self.reached = script.motions.iter().any(Motion::takes);
                self.mover.load(script.motions);
                self.pieces.1 = script.more;
                self.doing = script.said.unwrap_or(sentence);
                self.current = Some(op);
                self.state = State::Moving;
            }
            None if self.reactive.is_some() => {
                // What is not seen now may be seen with the hand out of the way.
                self.doing = "look again".into();
                self.current = None;
                if self.primitives.at_home(s) {
                    self.state = State::Waiting(LOOK_AGAIN);
                } else {
                    self.mover.load(self.primitives.withdraw(s));
                    self.state = State::Moving;
                }
            }
            None => {
                let done = self.at >= self.plan.len();
                self.doing = if done { "done" } else { "given up" }.into();
                self.mover.load(self.primitives.withdraw(s));
                self.state = State::Finished;
            }
        }
        Ok(())
    }
}

/// A choice that is due, after a failure the next one; else one that still has to be done.
fn choose<'a>(step: &'a Planned, s: &Snapshot, tries: u32) -> Option<&'a BoundOp> {
    let view = View::full(s);
    let due: Vec<&BoundOp> = step.choices.iter().filter(|c| c.due(&view)).collect();
    let open = || step.choices.iter().find(|c| !c.effect.holds(s)).or(step.choices.first());
    due.get(tries as usize % due.len().max(1)).copied().or_else(open)
}
