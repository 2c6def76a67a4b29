//! A rope's end through rings. The hand cannot follow through a ring, so the end is pushed from
//! behind, let go, and taken again beyond.

use longarm_assets::BodyRole;
use longarm_task::{BodyId, Op, Snapshot};
use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::{APPROACH, FINGERTIP, Primitives, Script};
use crate::motion::{Motion, Pace};

/// Radius of the rope.
const ROPE: f64 = 0.005;
/// Where the stiff end is best held, from its tip.
const HOLD: f64 = 0.07;
/// The least that fingers can hold.
const GRASPABLE: f64 = 0.012;
/// The tool's centre comes no nearer to a ring's middle plane than this.
const CLEAR: f64 = 0.023;
/// Lean of the hand away from a ring, so that the palm passes beside it.
const LEAN: f64 = 0.2;
/// The pads' centre above the rope's: their lower edges clear the table.
const ABOVE: f64 = 0.0075;
/// How far before a ring the end is lined up.
const BEFORE: f64 = 0.02;
/// Sideways error that needs no more lining up.
const LINED_UP: f64 = 0.005;

/// An opening: its middle, and the way through it, away from the rope's tail.
#[derive(Clone, Copy)]
struct Ring {
    middle: DVec3,
    way: DVec3,
}

impl Primitives {
    /// The last body of a rope.
    fn tail(&self, rope: BodyId) -> BodyId {
        (rope + 1..self.bodies.len())
            .take_while(|b| matches!(self.bodies[*b].role, BodyRole::Part(..)))
            .last()
            .unwrap_or(rope)
    }

    fn ring(&self, path: &str, rope: BodyId, s: &Snapshot) -> Option<Ring> {
        let (object, region) = path.split_once('/')?;
        let post = self.thing(object, s)?;
        let r = self.infos[post.instance].region(region)?;
        let frame = post.frame * r.pose;
        let half = DVec3::from(r.half);
        let thin = if half.x <= half.y { DVec3::X } else { DVec3::Y };
        let way = frame.dir(thin);
        let behind = way.dot(frame.pos - s.bodies[self.tail(rope)].pose.pos) > 0.0;
        Some(Ring { middle: frame.pos, way: if behind { way } else { -way } })
    }

    /// The rings the plan leads the rope through, in order.
    fn rings(&self, rope: BodyId, s: &Snapshot) -> Vec<Ring> {
        let mut seen: Vec<&str> = Vec::new();
        for op in self.task.ops() {
            if let Op::Thread { opening, .. } = op
                && !seen.contains(&opening.as_str())
            {
                seen.push(opening);
            }
        }
        seen.into_iter().filter_map(|o| self.ring(o, rope, s)).collect()
    }

    /// Whether the rope passes through a ring: some piece of it crosses the plane inside.
    fn threaded(&self, rope: BodyId, ring: &Ring, s: &Snapshot) -> bool {
        (rope..self.tail(rope)).any(|b| {
            let at = |b: BodyId| s.bodies[b].pose.pos + DVec3::Z * ROPE - ring.middle;
            let (p, q) = (at(b), at(b + 1));
            let (dp, dq) = (p.dot(ring.way), q.dot(ring.way));
            (dp > 0.0) != (dq > 0.0) && (p + (q - p) * (dp / (dp - dq))).length() < 0.03
        })
    }

    /// Takes the end as far back as the rings it is through allow.
    pub(super) fn take_end(&self, rope: BodyId, s: &Snapshot) -> Script {
        let end = s.bodies[rope].pose;
        let back = end.dir(DVec3::X);
        let through: Vec<Ring> =
            self.rings(rope, s).into_iter().filter(|r| self.threaded(rope, r, s)).collect();
        let point = |d: f64| end.point(DVec3::new(d, 0.0, ROPE));
        let beyond = |r: &Ring, d: f64| (point(d) - r.middle).dot(r.way);
        // No finger fits where the end has only just come through: such a ring is still before it.
        let (passed, barely): (Vec<Ring>, Vec<Ring>) =
            through.into_iter().partition(|r| beyond(r, GRASPABLE) > CLEAR);
        let room = |d: f64| {
            let each = passed.iter().map(|r| beyond(r, d));
            each.chain(barely.iter().map(|r| -beyond(r, d))).fold(f64::MAX, f64::min)
        };
        let hold = (0..12).map(|k| HOLD - 0.005 * f64::from(k)).find(|d| room(*d) > CLEAR);
        let hold = hold.unwrap_or(GRASPABLE);
        let ahead = -back.with_z(0.0).normalize_or(DVec3::NEG_Y);
        // Close behind a ring the palm keeps to the far side.
        let near = passed.iter().any(|r| beyond(r, hold) < 0.05);
        let lean = if near { -LEAN } else { LEAN };
        let z = ahead * libm::sin(lean) - DVec3::Z * libm::cos(lean);
        let mut best: Option<(f64, Pose)> = None;
        for side in [1.0, -1.0] {
            let y = DVec3::Z.cross(ahead) * side;
            let rot = DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)).normalize();
            let tool = Pose::new(point(hold) + DVec3::Z * ABOVE, rot);
            let turn =
                longarm_types::rotation_between(s.hands[self.limb].pose.rot, tool.rot).length();
            if let Some(cost) = self.arm.cost(&tool).map(|c| c + 2.0 * turn)
                && best.as_ref().is_none_or(|b| cost < b.0)
            {
                best = Some((cost, tool));
            }
        }
        let Some((_, tool)) = best else { return Script::whole(self.withdraw(s)) };
        let before = tool * Pose::at(0.0, 0.0, -APPROACH);
        let mut out = vec![Motion::Grip { command: self.command(0.035), steps: 0, held: None }];
        out.extend(self.travel(&before, FINGERTIP, Some(rope), s));
        out.push(Motion::go(tool, Pace::CAREFUL));
        out.push(Motion::Grip { command: 1.0, steps: 14, held: Some(rope) });
        out.push(Motion::Wait(2));
        Script::whole(out)
    }

    /// One piece of the way through a ring; more follow until the end is far enough.
    pub(super) fn thread(
        &self,
        rope: BodyId,
        opening: &str,
        past: f64,
        s: &Snapshot,
    ) -> Option<Script> {
        let ring = self.ring(opening, rope, s)?;
        if !s.hands[self.limb].holds[rope] {
            return Some(Script::part(self.take_end(rope, s).motions));
        }
        let end = s.bodies[rope].pose;
        let held = end.inverse() * s.hands[self.limb].pose;
        let hold = held.pos.x;
        // The end lies level, pointing through the ring.
        let x = -ring.way;
        let level = DQuat::from_mat3(&DMat3::from_cols(x, DVec3::Z.cross(x), DVec3::Z)).normalize();
        let at = |tip: DVec3| Pose::new(tip - DVec3::Z * ROPE, level) * held;
        let tip = end.point(DVec3::new(0.0, 0.0, ROPE)) - ring.middle;
        let along = tip.dot(ring.way);
        let hand_past = (s.hands[self.limb].pose.pos - ring.middle).dot(ring.way);
        let release = || {
            let mut out = vec![Motion::Wait(2)];
            out.push(Motion::Grip { command: self.command(0.04), steps: 5, held: None });
            out.push(Motion::Retreat { by: 0.02, pace: Pace::CAREFUL });
            out.push(Motion::Retreat { by: 0.06, pace: Pace::TRAVEL });
            out
        };
        if self.threaded(rope, &ring, s) && along > 0.0 {
            if hand_past > 0.0 {
                // Held beyond: draw it on.
                let goal =
                    s.hands[self.limb].commanded.pos + ring.way * (past + 0.012 - along).max(0.0);
                let mut out = vec![Motion::go(
                    Pose::new(goal, s.hands[self.limb].commanded.rot),
                    Pace::CAREFUL,
                )];
                out.extend(release());
                return Some(Script::whole(out));
            }
            let most = hold - CLEAR;
            if along < most - 0.006 {
                let mut out = vec![Motion::go(at(ring.middle + ring.way * most), Pace::CAREFUL)];
                out.extend(release());
                return Some(Script::part(out));
            }
            return Some(Script::part(release()));
        }
        if hold - CLEAR < 0.02 {
            // Too little sticks out in front of the hand: bring it before the ring, lay it down and
            // take it further back.
            let mut out = vec![Motion::Lift { by: DVec3::Z * 0.015, pace: Pace::CAREFUL }];
            let tip = ring.middle - ring.way * BEFORE;
            out.push(Motion::go(at(tip), Pace::CAREFUL));
            out.push(Motion::go(at(tip.with_z(0.5 * tip.z)), Pace::CAREFUL));
            out.extend(release());
            return Some(Script::part(out));
        }
        let aside = (tip - ring.way * along).length();
        let straight = -end.dir(DVec3::X).dot(ring.way);
        let before = (-BEFORE - 0.015..=-0.004).contains(&along);
        if aside > LINED_UP || !before || straight < 0.985 {
            let mut out = Vec::new();
            if tip.z < -0.01 {
                out.push(Motion::Lift { by: DVec3::Z * (0.01 - tip.z), pace: Pace::CAREFUL });
            }
            out.push(Motion::go(at(ring.middle - ring.way * BEFORE), Pace::CAREFUL));
            out.push(Motion::Wait(3));
            return Some(Script::part(out));
        }
        let goal = (hold - CLEAR).min(past + 0.03);
        let mut out = vec![Motion::go(at(ring.middle + ring.way * goal), Pace::GENTLE)];
        out.extend(release());
        Some(Script::part(out))
    }
}
