//! Raising an edge with straight fingers under it.

use longarm_assets::robots::Grip;
use longarm_task::BodyId;
use longarm_types::{DQuat, DVec3, Pose};

use super::Moment;
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace, Stop};

/// How far below an edge fingers come before they raise it, metres, and how far before it the approach
/// begins.
const BELOW: f64 = 0.025;
const BEFORE: f64 = 0.09;
/// How near all hands are to what they raise together.
const NEAR: f64 = 0.6;
/// Tips of straight fingers lifted against what they raise, radians.
const TIPPED: [f64; 4] = [0.0, 0.2, 0.4, 0.6];
/// Shares of the turn that the hand takes part in.
const SHARES: [f64; 4] = [0.0, 0.2, 0.4, -0.2];
/// Cost of an edge's distance from home, per metre: of several each limb has its own.
const AWAY: f64 = 40.0;
/// How far fingers draw back afterwards.
const BACK: f64 = 0.08;

/// A turn about a point of the axle's line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) pivot: DVec3,
    pub(super) by: f64,
}

/// Raise one of several edges and lead it through turns about axles that lie side by side. At an edge y is the
/// way fingers point and z the way out of the face that they raise.
pub(super) fn raise(
    now: &Moment<'_>,
    body: BodyId,
    edges: &[Pose],
    axis: DVec3,
    turns: &[Turn],
    stop: Stop,
) -> Option<Vec<Motion>> {
    let limb = now.limb;
    let home = limb.home_tool().pos;
    let mut best = Cheapest::new();
    for edge in edges {
        let away = AWAY * (edge.pos - home).length();
        for tipped in TIPPED {
            for share in SHARES {
                let way = path(edge, axis, turns, limb.finger_side(), tipped, share);
                let tools: Vec<Pose> = way.iter().map(|p| limb.with_tips_at(p)).collect();
                let before = limb.with_tips_at(&(way[0] * Pose::at(0.0, -BEFORE, 0.0)));
                let Some(cost) = limb.cost(&before).and(limb.track(&tools)) else { continue };
                best.offer(cost + away, (before, tools));
            }
        }
    }
    let (before, tools) = best.candidate()?;
    let (last, way) = tools.split_last()?;
    let back = (before.pos - tools[0].pos).normalize_or_zero() * BACK;
    let mut out =
        vec![Motion::Shape(Grip::PalmPress), Motion::Grip { command: -1.0, steps: 0, held: None }];
    out.extend(now.travel(&before, limb.fingertip(), None));
    out.push(Motion::go(tools[0], Pace::CAREFUL));
    out.push(Motion::Meet { body, within: NEAR });
    out.extend(way.iter().skip(1).map(|p| Motion::Go {
        to: *p,
        pace: Pace::CAREFUL,
        via: 0.012,
        stop,
    }));
    out.push(Motion::until(*last, Pace::CAREFUL, stop));
    out.push(Motion::Lift { by: back, pace: Pace::CAREFUL });
    out.push(Motion::Shape(Grip::Power));
    out.push(Motion::Lift { by: DVec3::Z * BACK, pace: Pace::TRAVEL });
    Some(out)
}

/// Return where tips of fingers go that raise an edge, from a little below it on.
fn path(edge: &Pose, axis: DVec3, turns: &[Turn], half: f64, tipped: f64, share: f64) -> Vec<Pose> {
    let level = DQuat::from_axis_angle(axis, -tipped) * edge.rot;
    let mut at = edge.pos + edge.dir(DVec3::Z) * half;
    let mut turned = 0.0;
    let mut out = Vec::new();
    for (k, turn) in turns.iter().enumerate() {
        let across = |p: DVec3| (p - turn.pivot) - axis * (p - turn.pivot).dot(axis);
        let radius = across(at).length().max(0.02);
        let from = if k == 0 { -BELOW / radius } else { 0.0 };
        let span = turn.by - from;
        let pieces = (radius * span / 0.012).max(span / 0.08).ceil().max(1.0) as u32;
        let begin = at;
        for i in 0..=pieces {
            let angle = from + span * f64::from(i) / f64::from(pieces);
            let spin = DQuat::from_axis_angle(axis, angle);
            at = turn.pivot + spin * (begin - turn.pivot);
            let own = DQuat::from_axis_angle(axis, share * (turned + angle).max(0.0));
            out.push(Pose::new(at, (own * level).normalize()));
        }
        turned += turn.by;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tips_stay_as_far_from_the_axle_as_the_edge() {
        let edge = Pose::new(
            DVec3::new(-0.2, 0.1, 0.05),
            DQuat::from_mat3(&longarm_types::DMat3::from_cols(
                DVec3::X.cross(DVec3::NEG_Z),
                DVec3::X,
                DVec3::NEG_Z,
            )),
        );
        let turn = Turn { pivot: DVec3::ZERO, by: 1.5 };
        let way = path(&edge, DVec3::Y, &[turn], 0.01, 0.2, 0.0);
        let radius = |p: &Pose| libm::hypot(p.pos.x, p.pos.z);
        let first = radius(&way[0]);
        let beside = |p: &Pose| (p.pos.y - 0.1).abs() < 1e-12;
        assert!(way.iter().all(|p| (radius(p) - first).abs() < 1e-9 && beside(p)), "{way:?}");
        assert!(way[0].pos.z < edge.pos.z - 0.02, "begins below it: {:?}", way[0]);
        let last = way[way.len() - 1];
        assert!(last.pos.z > 0.15, "{last:?}");
        assert!(last.dir(DVec3::Y).z > 0.15, "tips are lifted: {last:?}");
    }
}
