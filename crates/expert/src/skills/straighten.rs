//! Pulling a rope straight by one of its ends: it follows the hand, and lies along the way it was pulled.

use longarm_task::SoftState;
use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::withdraw::withdraw;
use super::{APPROACH, Moment, Script, Skill};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace};

/// Where an end is held, from its tip.
const HOLD: f64 = 0.022;
/// The pads' centre above the rope's: their lower edges pass its middle and clear the table.
const ABOVE: f64 = 0.0075;
/// Opening of the fingers around the rope.
const OPENING: f64 = 0.035;
/// How much farther than its length from the other end a rope is pulled, which then follows; more each time.
const OVER: [f64; 4] = [0.03, 0.06, 0.09, 0.12];
/// The hand is raised by this while it pulls.
const RAISED: f64 = 0.004;
/// Ways to pull it, radians from the way its ends lie, and what that costs.
const WAYS: [f64; 13] = [0.0, 0.3, -0.3, 0.6, -0.6, 0.9, -0.9, 1.3, -1.3, 1.8, -1.8, 2.4, -2.4];
const TURNING: f64 = 1.2;
/// Farthest that the hand turns with the rope.
const TWIST: f64 = 1.7;
/// What it costs to pull a rope over something, and how near that is.
const IN_THE_WAY: f64 = 8.0;
const NEAR: f64 = 0.05;

const PULL: Pace = Pace { metres: 0.010, radians: 0.06 };

/// Pulls a rope straight.
pub(super) struct Straighten<'a> {
    pub(super) object: &'a str,
}

/// A way to pull.
#[derive(Clone, Copy)]
struct Haul {
    hold: Pose,
    to: Pose,
}

impl Skill for Straighten<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let body = now.scene.body(self.object)?;
        let rope = now.scene.soft(body)?;
        if now.scene.holds(body) {
            return Some(Script::part(let_go(now)));
        }
        let others: Vec<DVec3> = now.scene.beside_soft(body).collect();
        let Some(haul) = best(now, rope, &others) else { return Some(Script::part(withdraw(now))) };
        let before = haul.hold * Pose::at(0.0, 0.0, -APPROACH);
        let raised = Pose::new(haul.hold.pos + DVec3::Z * RAISED, haul.hold.rot);
        let mut out = vec![now.ready(OPENING)];
        out.extend(now.travel(&before, now.limb.fingertip(), Some(body)));
        out.push(Motion::go(haul.hold, Pace::CAREFUL));
        out.push(Motion::Grip { command: 1.0, steps: 14, held: Some(body) });
        out.push(Motion::Wait(2));
        out.push(Motion::go(raised, Pace::CAREFUL));
        out.push(Motion::go(haul.to, PULL));
        out.push(Motion::Wait(4));
        out.extend(let_go(now));
        Some(Script::part(out))
    }
}

/// Open the fingers and leave upwards.
fn let_go(now: &Moment<'_>) -> Vec<Motion> {
    vec![
        Motion::Grip { command: now.limb.command(OPENING), steps: 5, held: None },
        Motion::Retreat { by: 0.02, pace: Pace::CAREFUL },
        Motion::Retreat { by: 0.06, pace: Pace::TRAVEL },
        Motion::Wait(3),
    ]
}

/// Return the best way to pull a rope straight now.
fn best(now: &Moment<'_>, rope: &SoftState, others: &[DVec3]) -> Option<Haul> {
    let length: f64 = rope.form.rest.windows(2).map(|p| p[0].distance(p[1])).sum();
    let tries = now.attempt.tries as usize;
    let over = OVER[tries.min(OVER.len() - 1)];
    let mut best = Cheapest::new();
    for (k, ahead) in [true, false].into_iter().enumerate() {
        let (at, out) = near_end(&rope.points, ahead);
        let far = if ahead { rope.points[0] } else { rope.points[rope.points.len() - 1] };
        let chord = (at - far).with_z(0.0);
        let chord = chord.try_normalize().unwrap_or(out);
        // What failed with one end may succeed with the other.
        let again = if tries > 0 && k != tries % 2 { 2.0 } else { 0.0 };
        for way in WAYS {
            let way_cost = again + TURNING * way.abs();
            let way = DQuat::from_rotation_z(way) * chord;
            let end = far + way * (length - HOLD + over);
            let crossed = others.iter().any(|o| from_line(far, end, *o) < NEAR);
            let cost = way_cost + if crossed { IN_THE_WAY } else { 0.0 };
            for side in [1.0, -1.0] {
                let z = at.z + ABOVE;
                let hold = across(at.with_z(z), out, side);
                let turn = libm::atan2(out.cross(way).z, out.dot(way)).clamp(-TWIST, TWIST);
                let led = DQuat::from_rotation_z(turn) * out;
                let to = across(end.with_z(z + RAISED), led, side);
                let way = |share: f64| {
                    let led = DQuat::from_rotation_z(share * turn) * out;
                    across(at.lerp(end, share).with_z(z + RAISED), led, side)
                };
                let before = hold * Pose::at(0.0, 0.0, -APPROACH);
                let path = [before, hold, way(0.2), way(0.4), way(0.6), way(0.8), to];
                if let Some(reach) = now.limb.track(&path) {
                    best.offer(cost + reach, Haul { hold, to });
                }
            }
        }
    }
    best.candidate()
}

/// A tool that points down, its fingers across a direction.
fn across(at: DVec3, along: DVec3, side: f64) -> Pose {
    let z = DVec3::NEG_Z;
    let y = DVec3::Z.cross(along).normalize_or(DVec3::Y) * side;
    Pose::new(at, DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)).normalize())
}

/// Where a rope is held near one end, and the level direction in which it leads out to the tip.
fn near_end(points: &[DVec3], ahead: bool) -> (DVec3, DVec3) {
    let n = points.len();
    let node = |i: usize| if ahead { points[n - 1 - i] } else { points[i] };
    let (mut i, mut left) = (0, HOLD);
    while i + 2 < n && node(i).distance(node(i + 1)) < left {
        left -= node(i).distance(node(i + 1));
        i += 1;
    }
    let (p, q) = (node(i), node(i + 1));
    let at = p + (q - p).normalize_or_zero() * left;
    let inner = node((i + 2).min(n - 1));
    let out = (node(i.saturating_sub(1)) - inner).with_z(0.0);
    (at, out.normalize_or(DVec3::X))
}

/// Distance from a point to a line between two others, seen from above.
fn from_line(a: DVec3, b: DVec3, p: DVec3) -> f64 {
    let (way, d) = ((b - a).with_z(0.0), (p - a).with_z(0.0));
    let along = (d.dot(way) / way.length_squared().max(1e-12)).clamp(0.0, 1.0);
    (d - way * along).length()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use longarm_assets::Asset;
    use longarm_assets::objects::Cord;
    use longarm_task::{Op, SoftForm, SoftKind};

    use super::*;
    use crate::fixture::{Bench, goals, gripper_rigs, middle};

    const LENGTH: f64 = 0.3;

    /// A rope bent to a right angle about the middle of the workspace.
    fn bench(rig: longarm_assets::RigName) -> Bench {
        let c = middle(rig);
        let cord = Asset::from(Cord { length: LENGTH, curl: [0.0; 2] });
        let mut bench = Bench::new(rig, &[("rope", cord, Pose::new(c, Default::default()))]);
        let n = 24;
        let at = |i: i32| {
            let s = LENGTH * f64::from(i) / f64::from(n) - LENGTH / 2.0;
            c + DVec3::new(s.min(0.0), s.max(0.0), 0.005)
        };
        let rest = (0..=n).map(|i| DVec3::X * (LENGTH * f64::from(i) / f64::from(n))).collect();
        let form = Arc::new(SoftForm { rest, radius: 0.005, kind: SoftKind::Line });
        let body = bench.body("rope");
        let points = (0..=n).map(at).collect();
        bench.now.soft.push(SoftState { body, form, points, speed: 0.0 });
        bench
    }

    #[test]
    fn an_end_is_taken_across_and_led_a_length_away_from_the_other() {
        for rig in gripper_rigs() {
            let bench = bench(rig);
            let op = Op::Straighten { object: "rope".into() };
            let motions = bench.script(&op).motions;
            let taken = motions.iter().position(Motion::takes).unwrap();
            let Motion::Go { to: hold, .. } = motions[taken - 1] else { panic!("{motions:?}") };
            let rope = &bench.now.soft[0].points;
            let ends = [rope[0], rope[rope.len() - 1]];
            let held = ends.iter().position(|e| e.distance(hold.pos) < 0.04);
            let held = held.unwrap_or_else(|| panic!("{rig}: {hold:?}"));
            let along = if held == 0 { DVec3::X } else { DVec3::Y };
            assert!(hold.dir(DVec3::Y).dot(along).abs() < 0.05, "{rig}: fingers close across it");
            let to = goals(&motions[taken..]).pop().unwrap();
            let pulled = to.pos.distance(ends[1 - held]);
            assert!(pulled > LENGTH - HOLD, "{rig}: {pulled}");
            assert!((hold.pos.z - 0.0125).abs() < 1e-6, "{rig}: the pads pass its middle");
        }
    }

    #[test]
    fn what_lies_beside_it_is_not_pulled_over() {
        let rig = gripper_rigs()[0];
        let mut bench = bench(rig);
        let rope = bench.now.soft[0].clone();
        let first = best(&bench.moment(), &rope, &[]).unwrap();
        // Something in the middle of the way.
        let far = [rope.points[0], rope.points[rope.points.len() - 1]];
        let far = far
            .into_iter()
            .max_by(|a, b| a.distance(first.hold.pos).total_cmp(&b.distance(first.hold.pos)));
        let far = far.unwrap();
        let block = far.lerp(first.to.pos, 0.7);
        bench.attempt.tries = 0;
        let second = best(&bench.moment(), &rope, &[block]).unwrap();
        assert!(from_line(far, second.to.pos, block) > NEAR || second.to.pos.distance(far) < 0.2);
    }
}
