//! The expert of tasks whose actions are whole pick-and-places.
//!
//! It does the first step of the plan whose effect does not hold, or what it is told. Having nothing else to
//! remember, it is the same with memory and without.

use longarm_sim::Env;
use longarm_task::plan::Planned;
use longarm_task::{Bound, Op, Slot, Snapshot, speech};
use longarm_types::{Action, DQuat, DVec3, Pose, yaw};

use crate::ExpertError;

/// Tries per step before it goes on to the next.
const TRIES: u32 = 3;

/// The scripted planner and its hand.
pub(crate) struct Oracle {
    plan: Vec<Planned>,
    tries: Vec<u32>,
    doing: String,
    /// What somebody told it to do.
    order: Option<String>,
}

impl Oracle {
    pub(crate) fn new(env: &Env) -> Result<Self, ExpertError> {
        let plan = env.instance().plan.steps(env.bound(), env.scene())?;
        Ok(Self { tries: vec![0; plan.len()], plan, doing: String::new(), order: None })
    }

    pub(crate) fn doing(&self) -> &str {
        &self.doing
    }

    pub(crate) fn tell(&mut self, sentence: &str) {
        self.order = Some(sentence.to_owned());
    }

    /// Do what a sentence says: the step of the plan that has these words, else what they mean here.
    fn obey(&self, sentence: &str, env: &Env) -> Result<Action, ExpertError> {
        let now = env.snapshot();
        // Of several that one calls the same, the first that is not done.
        let meant = self.plan.iter().filter(|step| step.sentence == sentence);
        let mut meant = meant.filter_map(|step| step.choices.first()).peekable();
        let first = meant.peek().copied();
        let choice = meant.find(|c| !c.effect.holds(now)).or(first);
        match choice.map(|c| &c.op) {
            Some(Op::PickPlace { object, to }) => pick_place(object, to, env.bound(), now),
            _ => {
                let (object, to) = speech::understand(sentence, env.scene(), env.bound(), now)?;
                pick_place(&object, &to, env.bound(), now)
            }
        }
    }

    pub(crate) fn act(&mut self, env: &Env) -> Result<Action, ExpertError> {
        if let Some(order) = self.order.take() {
            let action = self.obey(&order, env)?;
            self.doing = order;
            return Ok(action);
        }
        let now = env.snapshot();
        for (step, tries) in self.plan.iter().zip(&mut self.tries) {
            let Some(choice) = step.choices.first() else { continue };
            if *tries >= TRIES || choice.effect.holds(now) {
                continue;
            }
            *tries += 1;
            self.doing.clone_from(&step.sentence);
            return match &choice.op {
                Op::PickPlace { object, to } => pick_place(object, to, env.bound(), now),
                other => Err(ExpertError::Unknown(other.sentence())),
            };
        }
        self.doing = "done".into();
        Ok(env.action_spec().idle())
    }
}

/// Return the action that picks an object from above and puts it in a place: the two tool poses.
pub fn pick_place(
    object: &str,
    to: &Slot,
    bound: &Bound,
    now: &Snapshot,
) -> Result<Action, ExpertError> {
    let known = bound.body(object).zip(bound.info(object));
    let Some((body, info)) = known else { return Err(ExpertError::Unknown(object.to_owned())) };
    let pose = &now.bodies[body].pose;
    let (centre, half) = (info.bounds.centre_in(pose), info.bounds.half_in(pose));
    let place = bound.slot_pose(to, now)?;
    let period = std::f64::consts::TAU / f64::from(info.symmetry.max(1));
    let turn = match to.turned {
        Some(_) if info.symmetry > 0 => {
            let d = yaw(place.rot) - yaw(pose.rot);
            d - period * (d / period).round()
        }
        _ => 0.0,
    };
    // Half the turn before and half after, so that the wrist stays near its middle.
    let tool = |at: DVec3, yaw: f64| Pose::new(at, DQuat::from_rotation_z(yaw));
    let pick = tool(centre.with_z(centre.z + half.z), -turn / 2.0);
    let put = tool(place.pos.with_z(place.pos.z + 2.0 * half.z), turn / 2.0);
    let mut values = [0.0f32; 14];
    for (out, p) in values.chunks_exact_mut(7).zip([pick, put]) {
        let [x, y, z] = p.pos.to_array();
        let [w, i, j, k] = p.wxyz();
        for (o, v) in out.iter_mut().zip([x, y, z, w, i, j, k]) {
            *o = v as f32;
        }
    }
    Ok(Action::new(&values))
}
