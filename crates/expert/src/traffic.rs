//! Arms that do not hit each other: who waits, who gets out of the way.

use longarm_assets::kinematics::Joints;
use longarm_sim::Env;
use longarm_task::{BodyId, Op, Snapshot};
use longarm_types::{Action, DQuat, DVec3, Pose, ToolScale};

use crate::arm::{Arm, State};
use crate::limb::{Ball, gap};
use crate::scene::SceneModel;

/// Room that an arm which makes way for another may take from it for a moment.
const SQUEEZE: f64 = -0.03;
/// Room kept between arms, metres.
const MARGIN: f64 = 0.04;
/// How many control steps ahead an arm looks.
const AHEAD: f64 = 4.0;
/// Control steps for which an arm waits before one of the two gets out of the way.
const PATIENCE: u32 = 14;

/// The room an arm takes in a posture, with what it carries.
fn room(arm: &Arm, q: &Joints, tool: &Pose, model: &SceneModel, s: &Snapshot) -> Vec<Ball> {
    let hand = &s.hands[arm.limb];
    let mut out = arm.geometry.room(q, arm.geometry.width(hand.opening));
    let scene = model.at(s, arm.limb);
    // What is soft yields.
    let solid = |b: &BodyId| hand.holds[*b] && scene.movable(*b) && s.soft_of(*b).is_none();
    let held = (1..s.bodies.len()).filter(solid);
    for object in held.filter_map(|b| scene.object_of(b)) {
        let moved = *tool * (hand.pose.inverse() * object.frame);
        let half = DVec3::from(object.bounds.half);
        let long = (0..3).max_by(|a, b| half[*a].total_cmp(&half[*b])).unwrap_or(0);
        let mut thick = half;
        thick[long] = 0.0;
        let radius = thick.max_element();
        let reach = DVec3::AXES[long] * (half[long] - radius).max(0.0);
        let centre = DVec3::from(object.bounds.centre);
        out.extend(
            [-1.0, -0.5, 0.0, 0.5, 1.0]
                .map(|k| Ball { at: moved.point(centre + reach * k), radius }),
        );
    }
    out
}

/// Where a tool delta leads in a few control steps.
fn led(from: &Pose, action: &Action, scale: ToolScale) -> Pose {
    let v = action.values();
    let by = |i: usize, scale: f64| {
        DVec3::new(v[i].into(), v[i + 1].into(), v[i + 2].into()) * scale * AHEAD
    };
    let turn = DQuat::from_scaled_axis(by(3, scale.radians));
    Pose::new(from.pos + by(0, scale.metres), (turn * from.rot).normalize())
}

/// Whether two arms take or move the same object, each at its own place.
fn joined(arm: &Arm, other: &Arm) -> bool {
    let takes = |a: &Arm| match a.current.as_ref().map(|c| &c.op) {
        Some(Op::Pick { object, .. } | Op::Flip { object } | Op::Lay { object, .. }) => {
            Some(object.clone())
        }
        Some(Op::Open { part } | Op::TurnOn { part }) if a.step.is_some() => Some(whole(part)),
        _ => None,
    };
    takes(arm).is_some_and(|object| takes(other) == Some(object))
}

/// Whether an arm brings what it holds into what another holds.
fn mates(arm: &Arm, other: &Arm, model: &SceneModel, s: &Snapshot) -> bool {
    let Some(Op::Insert { into, .. }) = arm.current.as_ref().map(|c| &c.op) else { return false };
    let body = model.at(s, arm.limb).body(into);
    body.is_some_and(|b| s.hands[other.limb].holds[b])
}

/// Return the object a path belongs to.
fn whole(path: &str) -> String {
    path.split('/').next().unwrap_or(path).to_owned()
}

/// Whether an arm opens what another holds for it.
fn helped(arm: &Arm, other: &Arm, model: &SceneModel, s: &Snapshot) -> bool {
    let Some(Op::Open { part }) = arm.current.as_ref().map(|c| &c.op) else { return false };
    let held = model.at(s, other.limb).body(&whole(part));
    held.is_some_and(|b| s.hands[other.limb].holds[b])
}

/// Whether an arm may act so without coming too near to another that does not share its step.
pub(crate) fn clear(
    arms: &[Arm],
    i: usize,
    action: &Action,
    model: &SceneModel,
    env: &Env,
) -> bool {
    let s = env.snapshot();
    let joints = |arm: &Arm| env.world().limb_state(arm.limb).joints();
    let arm = &arms[i];
    let (q, hand) = (joints(arm), &s.hands[arm.limb]);
    let tool = led(&hand.commanded, action, env.world().tool_actions().tool_scale());
    let now = room(arm, &q, &hand.pose, model, s);
    let then = room(arm, &arm.geometry.near(&tool, &q), &tool, model, s);
    arms.iter().enumerate().all(|(k, other)| {
        let shares = arm.helper == Some(k)
            || other.helper == Some(i)
            || joined(arm, other)
            || mates(arm, other, model, s)
            || mates(other, arm, model, s)
            || helped(arm, other, model, s);
        if k == i || shares {
            return true;
        }
        let theirs = room(other, &joints(other), &s.hands[other.limb].pose, model, s);
        let (near, nearer) = (gap(&now, &theirs), gap(&then, &theirs));
        let least = if arm.state == State::Aside { SQUEEZE } else { MARGIN };
        nearer > least || nearer > near - 1e-4
    })
}

/// Return the arm that is to get out of the way, if arms have waited for each other long enough.
pub(crate) fn yields(arms: &[Arm], s: &Snapshot) -> Option<usize> {
    let waiting = (0..arms.len()).filter(|&i| arms[i].blocked >= PATIENCE);
    // What comes later in the plan waits for what comes before; who makes way already and cannot leaves it
    // to the other.
    let rank = |i: usize| (arms[i].state != State::Aside, arms[i].step.unwrap_or(usize::MAX), i);
    let last = waiting.clone().max_by_key(|&i| rank(i))?;
    if waiting.clone().count() > 1 {
        return Some(last);
    }
    let idle = |i: &usize| {
        let still = matches!(arms[*i].state, State::Deciding | State::Waiting(_));
        *i != last && arms[*i].step.is_none() && still && s.hands[arms[*i].limb].is_empty()
    };
    (0..arms.len()).find(idle)
}
