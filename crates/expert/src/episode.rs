//! The state machine of an episode: decide which arm does what, move, check whether it worked.

mod allot;
mod decide;

use longarm_sim::Env;
use longarm_task::plan::{BoundOp, Onlooker, Planned};
use longarm_task::{Op, Reactive, Snapshot};
use longarm_types::{Action, ChannelKind, ControlMode};

use crate::arm::{Arm, State, TRIES};
use crate::scene::{SceneModel, Solid};
use crate::search::{Refine, Turning};
use crate::sight::Sight;
use crate::skills::{self, Moment, Pass};
use crate::{ExpertError, Memory, drive, traffic};
use allot::Next;

/// Pieces an operator may come in.
const PIECES: u32 = 12;
/// Control steps an effect may take to show.
const PATIENCE: u32 = 16;
/// Control steps without memory before it looks again when nothing is due.
const LOOK_AGAIN: u32 = 10;
/// Control steps an arm stays aside for another.
const STEP_ASIDE: u32 = 20;
/// Pixels, over all cameras, from which an object counts as seen.
const SEEN_PIXELS: u32 = 8;
/// Control steps for which somebody who is told what to do waits to hear what comes next, and how often.
const HEAR_AGAIN: u32 = 3;
const HEARINGS: u32 = 8;

/// What somebody was told to do.
struct Told {
    sentence: String,
    /// What it meant when it was said, one operator per object that would do.
    ops: Vec<BoundOp>,
    /// How often it was waited for another sentence.
    waited: u32,
}

/// An expert within one episode.
pub(crate) struct Episode {
    plan: Vec<Planned>,
    /// Which steps are done.
    done: Vec<bool>,
    given_up: bool,
    reactive: Option<Reactive>,
    onlooker: Onlooker,
    /// The hint of the moment, for one without memory.
    told: Option<Told>,
    /// Somebody else than the environment tells it what to do, and it sees everything.
    pub(crate) led: bool,
    order: Option<String>,
    model: SceneModel,
    arms: Vec<Arm>,
    pub(crate) doing: String,
    /// The task has just shown something.
    watched: bool,
    seen: Vec<bool>,
    counts: Vec<u32>,
    /// What the cameras show, where grasps are taken from that.
    pub(crate) sight: Option<Sight>,
    /// Decides instead of a script for as long as an operator is under way that has none.
    refine: Option<Refine>,
}

impl Episode {
    /// Prepare for the episode the environment was just reset to, at a share of the task's pace.
    pub(crate) fn new(env: &Env, memory: Memory, pace: f64) -> Result<Self, ExpertError> {
        let (task, scene, bound) = (env.instance().clone(), env.scene(), env.bound());
        let plan = task.plan.steps(bound, scene)?;
        let reactive = match memory {
            Memory::Whole => None,
            Memory::None => Some(Reactive::new(&task.plan, bound, scene)?),
        };
        let bodies = env.world().bodies().len();
        let rig = &scene.structure.rig;
        let ground = rig.arena.ground();
        let scale = env.world().tool_actions().tool_scale();
        let arm = |(i, limb): (usize, longarm_assets::RigLimb)| {
            let robot = rig.robots[limb.robot].name.clone();
            Arm::new(i, limb, robot, task.pace * pace, scale, &ground)
        };
        Ok(Self {
            model: SceneModel::new(&task, scene),
            arms: rig.limbs().into_iter().enumerate().map(arm).collect(),
            done: vec![false; plan.len()],
            given_up: false,
            plan,
            reactive,
            onlooker: Onlooker::new(&task, bound, scene),
            told: None,
            led: false,
            order: None,
            doing: String::new(),
            watched: false,
            seen: vec![true; bodies],
            counts: vec![0; bodies],
            sight: None,
            refine: None,
        })
    }

    /// Take in what is to be done from now on.
    pub(crate) fn tell(&mut self, sentence: &str) {
        if self.order.as_deref() != Some(sentence) {
            self.order = Some(sentence.to_owned());
        }
    }

    /// Return the next action. `seen` is what it sees of the world, if not what is true
    /// now; effects are given `late` control steps more to show.
    pub(crate) fn act(
        &mut self,
        env: &mut Env,
        seen: Option<&Snapshot>,
        late: u32,
    ) -> Result<Action, ExpertError> {
        // Arms have been set back: the way they were going no longer begins where they are.
        if env.tracker().neutral() {
            self.arms.iter_mut().for_each(|a| a.mover.load([]));
        }
        // What it was about to do may no longer be what to do once it has seen all.
        if env.shows() {
            self.watched = true;
            return Ok(native(env, env.world().tool_actions().idle()));
        }
        if std::mem::take(&mut self.watched) {
            self.look_afresh(env);
        }
        self.hear(env);
        if let Some(action) = self.refine(env, seen)? {
            return Ok(action);
        }
        let mut out = env.world().tool_actions().idle();
        for i in 0..self.arms.len() {
            self.arms[i].wheels = [0.0; 3];
            let action = self.act_arm(i, env, seen, late)?;
            let command = action.values()[6];
            let fingers = self.arms[i].fingers(command);
            let limb = env.snapshot().hands[self.arms[i].limb].limb.as_str();
            for (channel, at) in env.world().tool_actions().slices() {
                if matches!(channel.kind, ChannelKind::BaseDelta(_)) {
                    if self.arms[i].drives(&channel.name) {
                        out.values_mut()[at].copy_from_slice(&self.arms[i].wheels);
                    }
                    continue;
                }
                let numbers = match channel.kind {
                    ChannelKind::ToolDelta(_) => &action.values()[..6],
                    ChannelKind::Gripper => &action.values()[6..],
                    ChannelKind::HandJoints => fingers.as_deref().unwrap_or_default(),
                    _ => continue,
                };
                if channel.limb.as_deref() == Some(limb) && numbers.len() == at.len() {
                    out.values_mut()[at].copy_from_slice(numbers);
                }
            }
        }
        if let Some(action) = self.refine(env, seen)? {
            return Ok(action);
        }
        if self.arms.len() > 1 {
            self.make_way(seen.unwrap_or(env.snapshot()));
        }
        let doing: Vec<&str> =
            self.arms.iter().map(|a| a.doing.as_str()).filter(|d| !d.is_empty()).collect();
        self.doing = doing.join("; ");
        Ok(native(env, out))
    }

    /// Return the next action of a search that is under way, unless what it is for is done or it gives up.
    fn refine(
        &mut self,
        env: &Env,
        seen: Option<&Snapshot>,
    ) -> Result<Option<Action>, ExpertError> {
        let Some(i) = self.arms.iter().position(|a| a.state == State::Refining) else {
            return Ok(None);
        };
        let settled = self.refine.as_ref().is_some_and(Refine::settled)
            && self.effected(i, env, seen.unwrap_or(env.snapshot()));
        if !settled && let Some(aim) = self.aim(i, env) {
            let search = match &mut self.refine {
                Some(search) => search,
                none => none.insert(Refine::new(env, aim)?),
            };
            if let Some(action) = search.act(env)? {
                self.doing.clone_from(&self.arms[i].doing);
                return Ok(Some(action));
            }
        }
        self.refine = None;
        self.arms[i].state = State::Checking(0);
        Ok(None)
    }

    /// Decide again after the task has shown something; what was just achieved is done.
    fn look_afresh(&mut self, env: &Env) {
        for i in 0..self.arms.len() {
            let state = self.arms[i].state;
            if state == State::Finished {
                continue;
            }
            let under_way = matches!(state, State::Moving | State::Checking(_));
            if under_way && self.effected(i, env, env.snapshot()) {
                if let Some(step) = self.arms[i].step.take() {
                    self.done[step] = true;
                }
                self.arms[i].attempt.tries = 0;
            }
            self.arms[i].mover.load([]);
            self.arms[i].begin_pieces();
        }
    }

    /// Return the next action of one arm.
    fn act_arm(
        &mut self,
        i: usize,
        env: &mut Env,
        seen: Option<&Snapshot>,
        late: u32,
    ) -> Result<Action, ExpertError> {
        loop {
            match self.arms[i].state {
                State::Deciding => {
                    if self.reactive.is_some() && !self.led {
                        self.look(env);
                    }
                    if let Some(sight) = &mut self.sight {
                        sight.look(env, self.reactive.is_none());
                    }
                    self.arms[i].counted = env.tracker().status().completed();
                    let s = seen.unwrap_or(env.snapshot());
                    if !self.decide(i, s)? {
                        return Ok(self.arms[i].mover.stay(s));
                    }
                }
                State::Moving if self.at_rest(i) => self.arms[i].state = State::Checking(0),
                State::Aside if self.arms[i].mover.idle() => {
                    self.arms[i].state = State::Waiting(STEP_ASIDE);
                }
                State::Driving if self.arms[i].mover.idle() => {
                    let arm = &mut self.arms[i];
                    if arm.drive_on(env.snapshot()) {
                        return Ok(arm.mover.hold());
                    }
                    arm.state = State::Deciding;
                }
                State::Refining => {
                    return Ok(self.arms[i].mover.hold());
                }
                State::Moving
                | State::Driving
                | State::Aside
                | State::Helping
                | State::Finished => return Ok(self.go(i, env, seen)),
                State::Checking(waited) => {
                    let done = self.effected(i, env, seen.unwrap_or(env.snapshot()));
                    let arm = &mut self.arms[i];
                    if done {
                        if let Some(step) = arm.step.take() {
                            self.done[step] = true;
                        }
                        arm.attempt.tries = 0;
                        self.end_step(i);
                    } else if arm.more && arm.pieces < PIECES {
                        arm.pieces += 1;
                        arm.state = State::Deciding;
                    } else if waited >= PATIENCE + late {
                        arm.attempt.tries += 1;
                        self.end_step(i);
                    } else {
                        arm.state = State::Checking(waited + 1);
                        return Ok(arm.mover.stay(seen.unwrap_or(env.snapshot())));
                    }
                }
                State::Waiting(0) => self.arms[i].state = State::Deciding,
                State::Waiting(n) => {
                    self.arms[i].state = State::Waiting(n - 1);
                    return Ok(self.arms[i].mover.stay(seen.unwrap_or(env.snapshot())));
                }
            }
        }
    }

    /// Whether the motions of an arm's present script are over, its own or its helper's.
    fn at_rest(&self, i: usize) -> bool {
        let arm = &self.arms[i];
        arm.mover.idle() && arm.helper.is_none_or(|h| self.arms[h].mover.idle())
    }

    /// End an attempt; a helper is free again.
    fn end_step(&mut self, i: usize) {
        if let Some(helper) = self.arms[i].helper {
            self.arms[helper].state = State::Deciding;
        }
        self.arms[i].begin_pieces();
    }

    /// Move on, unless another arm is in the way.
    fn go(&mut self, i: usize, env: &Env, seen: Option<&Snapshot>) -> Action {
        let s = seen.unwrap_or(env.snapshot());
        if self.arms.len() == 1 {
            return self.arms[i].mover.act(s);
        }
        let mut moved = self.arms[i].mover.clone();
        let action = moved.act(s);
        let clear = traffic::clear(&self.arms, i, &action, &self.model, env);
        let arm = &mut self.arms[i];
        if clear {
            arm.blocked = 0;
            arm.mover = moved;
            return action;
        }
        arm.blocked += 1;
        arm.mover.stay(s)
    }

    /// Send an arm out of the way where arms wait for each other, or for one that has nothing to do.
    fn make_way(&mut self, s: &Snapshot) {
        let Some(i) = traffic::yields(&self.arms, s) else { return };
        let others = self.others(i, s);
        let mut now = self.moment(i, s);
        now.scene = now.scene.beside(&others);
        let motions = match skills::at_rest(&now) {
            // Where it rests it is in the way.
            true => skills::aside(&now, &others),
            false => skills::withdraw_holding(&now),
        };
        let arm = &mut self.arms[i];
        arm.mover.load(motions);
        arm.state = State::Aside;
        self.arms.iter_mut().for_each(|a| a.blocked = 0);
    }

    /// Whether an arm's present operator has had its effect.
    fn effected(&self, i: usize, env: &Env, seen: &Snapshot) -> bool {
        let arm = &self.arms[i];
        arm.current.as_ref().is_none_or(|c| {
            // Wiping and pouring leave no trace to check but that they were counted; a stroke too short
            // is drawn again.
            let counted = env.tracker().status().completed() > arm.counted;
            let done = counted || arm.attempt.tries + 1 >= TRIES || self.reactive.is_some();
            let scene = self.model.at(env.snapshot(), arm.limb);
            c.op.leaves_no_trace() && done
                || c.effect.holds(seen)
                || skills::lifted_full(&c.op, &scene)
        })
    }

    /// Take in what one without memory is told, when it is said.
    fn hear(&mut self, env: &Env) {
        let hint = self.order.as_deref().or_else(|| env.hint());
        let (Some(reactive), Some(hint)) = (&self.reactive, hint) else { return };
        if self.told.as_ref().is_none_or(|t| t.sentence != hint) {
            let ops = reactive.meant(hint, &self.onlooker, env.snapshot());
            self.told = Some(Told { sentence: hint.to_owned(), ops, waited: 0 });
        }
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

    /// The room that the hands of other arms take.
    fn others(&self, i: usize, s: &Snapshot) -> Vec<Solid> {
        let hand = |a: &Arm| {
            let hand = &s.hands[a.limb];
            a.geometry.hand_solids(&hand.pose, a.geometry.width(hand.opening))
        };
        self.arms.iter().filter(|a| a.limb != self.arms[i].limb).flat_map(hand).collect()
    }

    /// What the skills of an arm may ask.
    fn moment<'a>(&'a self, i: usize, s: &'a Snapshot) -> Moment<'a> {
        let arm = &self.arms[i];
        let scene = self.model.at(s, arm.limb).seeing(self.sight.as_ref());
        Moment { scene, limb: &arm.geometry, attempt: arm.attempt }
    }
}

/// Return the action of the task's control mode that moves arms as tool deltas would.
fn native(env: &Env, action: Action) -> Action {
    match env.world().structure().rig.control {
        ControlMode::ToolDelta => action,
        _ => env.world().from_tool_action(action.values()),
    }
}
