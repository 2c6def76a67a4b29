//! The state machine of an episode: decide what to do, move, check whether it worked.

use longarm_sim::Env;
use longarm_task::plan::{BoundOp, Planned};
use longarm_task::{LimbId, Op, Reactive, Snapshot, View};
use longarm_types::Action;

use crate::limb::LimbGeometry;
use crate::motion::Motion;
use crate::mover::Mover;
use crate::scene::SceneModel;
use crate::skills::{self, Attempt, Moment};
use crate::{ExpertError, Memory};

/// Tries per operator.
const TRIES: u32 = 4;
/// Pieces an operator may come in.
const PIECES: u32 = 12;
/// Control steps an effect may take to show.
const PATIENCE: u32 = 16;
/// Control steps without memory before it looks again when nothing is due.
const LOOK_AGAIN: u32 = 10;
/// Pixels, over all cameras, from which an object counts as seen.
const SEEN_PIXELS: u32 = 8;

enum State {
    Deciding,
    Moving,
    /// Wait for the effect; control steps waited so far.
    Checking(u32),
    /// Stand by; control steps left.
    Waiting(u32),
    Finished,
}

/// An expert within one episode.
pub(crate) struct Episode {
    plan: Vec<Planned>,
    reactive: Option<Reactive>,
    model: SceneModel,
    geometry: LimbGeometry,
    /// The limb that acts.
    limb: LimbId,
    mover: Mover,
    at: usize,
    attempt: Attempt,
    /// Stages that were complete when the present operator began.
    counted: usize,
    /// Pieces of the present operator so far.
    pieces: u32,
    /// Another piece may follow.
    more: bool,
    /// The motions under way are to end with something in the hand.
    reached: bool,
    current: Option<BoundOp>,
    state: State,
    pub(crate) doing: String,
    seen: Vec<bool>,
    counts: Vec<u32>,
}

impl Episode {
    /// Prepare for the episode the environment was just reset to.
    pub(crate) fn new(env: &Env, memory: Memory) -> Result<Self, ExpertError> {
        let (task, scene, bound) = (env.instance().clone(), env.scene(), env.bound());
        let plan = task.plan.steps(bound, scene)?;
        let reactive = match memory {
            Memory::Whole => None,
            Memory::None => Some(Reactive::new(&task.plan, bound, scene)?),
        };
        let bodies = env.world().bodies().len();
        let limbs = scene.structure.rig.limbs();
        let [rig_limb] = limbs.as_slice() else { return Err(ExpertError::Limbs(limbs.len())) };
        let limb = 0;
        Ok(Self {
            model: SceneModel::new(&task, scene),
            geometry: LimbGeometry::new(rig_limb),
            limb,
            mover: Mover::new(limb, rig_limb.spec().travel_speed, env.action_spec().tool_scale()),
            plan,
            reactive,
            at: 0,
            attempt: Attempt::default(),
            counted: 0,
            pieces: 0,
            more: false,
            reached: false,
            current: None,
            state: State::Deciding,
            doing: String::new(),
            seen: vec![true; bodies],
            counts: vec![0; bodies],
        })
    }

    /// Return the next action as a tool delta. `seen` is what it sees of the world, if not what is true
    /// now; effects are given `late` control steps more to show.
    pub(crate) fn act(
        &mut self,
        env: &mut Env,
        seen: Option<&Snapshot>,
        late: u32,
    ) -> Result<Action, ExpertError> {
        // The arm has been set back: the way it was going no longer begins where it is.
        if env.tracker().neutral() {
            self.mover.load([]);
        }
        loop {
            match self.state {
                State::Deciding => {
                    if self.reactive.is_some() {
                        self.look(env);
                    }
                    self.counted = env.tracker().status().completed();
                    self.decide(seen.unwrap_or(env.snapshot()))?;
                }
                State::Moving if self.mover.idle() => self.state = State::Checking(0),
                State::Moving | State::Finished => {
                    return Ok(self.mover.act(seen.unwrap_or(env.snapshot())));
                }
                State::Checking(waited) => {
                    if self.done(env, seen.unwrap_or(env.snapshot())) {
                        self.at += 1;
                        self.attempt.tries = 0;
                        self.begin_pieces();
                    } else if self.more && self.pieces < PIECES {
                        self.pieces += 1;
                        self.state = State::Deciding;
                    } else if waited >= PATIENCE + late {
                        self.attempt.tries += 1;
                        self.begin_pieces();
                    } else {
                        self.state = State::Checking(waited + 1);
                        return Ok(self.mover.hold());
                    }
                }
                State::Waiting(0) => self.state = State::Deciding,
                State::Waiting(n) => {
                    self.state = State::Waiting(n - 1);
                    return Ok(self.mover.hold());
                }
            }
        }
    }

    fn begin_pieces(&mut self) {
        (self.pieces, self.more) = (0, false);
        self.state = State::Deciding;
    }

    /// Whether the present operator has had its effect.
    fn done(&self, env: &Env, seen: &Snapshot) -> bool {
        self.current.as_ref().is_none_or(|c| {
            // Wiping leaves no trace to check but that it was counted; a stroke too short is drawn
            // again.
            let counted = env.tracker().status().completed() > self.counted;
            let wiped = counted || self.attempt.tries + 1 >= TRIES || self.reactive.is_some();
            let scene = self.model.at(env.snapshot(), self.limb);
            matches!(c.op, Op::Wipe { .. }) && wiped
                || c.effect.holds(seen)
                || skills::lifted_full(&c.op, &scene)
        })
    }

    /// See which bodies any camera shows now.
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

    /// Return the operator to carry out next and its sentence.
    fn next(&self, s: &Snapshot) -> Option<(BoundOp, String)> {
        match &self.reactive {
            // It will not work; standing by is safer than going on with a wrong idea.
            None if self.attempt.tries >= TRIES => None,
            None => {
                let step = self.plan.get(self.at)?;
                Some((choose(step, s, self.attempt.tries)?.clone(), step.sentence.clone()))
            }
            Some(reactive) => {
                let view = View::seeing(s, &self.seen);
                reactive.next(&view).map(|(c, sentence)| (c.clone(), sentence.to_owned()))
            }
        }
    }

    fn decide(&mut self, s: &Snapshot) -> Result<(), ExpertError> {
        let next = self.next(s);
        let empty = s.hands[self.limb].is_empty();
        self.attempt.missed = self.attempt.tries > 0 || self.pieces > 0 && self.reached && empty;
        let scene = self.model.at(s, self.limb);
        let now = Moment { scene, limb: &self.geometry, attempt: self.attempt };
        match next {
            Some((op, sentence)) => {
                let script = skills::script(&op.op, &now)
                    .ok_or_else(|| ExpertError::Unknown(op.op.sentence()))?;
                self.reached = script.motions.iter().any(Motion::takes);
                self.mover.load(script.motions);
                self.more = script.more;
                self.doing = script.said.unwrap_or(sentence);
                self.current = Some(op);
                self.state = State::Moving;
            }
            None if self.reactive.is_some() => {
                // What is not seen now may be seen with the hand out of the way.
                self.doing = "look again".into();
                self.current = None;
                if skills::at_rest(&now) {
                    self.state = State::Waiting(LOOK_AGAIN);
                } else {
                    self.mover.load(skills::withdraw(&now));
                    self.state = State::Moving;
                }
            }
            None => {
                let done = self.at >= self.plan.len();
                self.doing = if done { "done" } else { "given up" }.into();
                self.mover.load(skills::withdraw(&now));
                self.state = State::Finished;
            }
        }
        Ok(())
    }
}

/// Return a choice that is due, after a failure the next one; else one that still has to be done.
fn choose<'a>(step: &'a Planned, s: &Snapshot, tries: u32) -> Option<&'a BoundOp> {
    let view = View::full(s);
    let due: Vec<&BoundOp> = step.choices.iter().filter(|c| c.due(&view)).collect();
    let open = || step.choices.iter().find(|c| !c.effect.holds(s)).or(step.choices.first());
    due.get(tries as usize % due.len().max(1)).copied().or_else(open)
}
