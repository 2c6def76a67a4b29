//! Doors and knobs: what turns about a hinge.

use std::f64::consts::PI;

use longarm_assets::{BodyRole, Part, PartMotion};
use longarm_task::{BodyId, Snapshot, part_pose};
use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::room::{Solid, part_bounds};
use super::{APPROACH, FINGERTIP, Primitives};
use crate::motion::{Motion, Pace, Stop};

/// A handle this close to its axis is a knob: it is turned, not pulled.
const KNOB: f64 = 0.03;
/// How far past where a part should come the hand aims, radians: fingers give.
const OVER: f64 = 0.1;
/// Distance from the middle of a closed finger to what its flat side pushes.
const FINGER_SIDE: f64 = 0.011;
/// Half the thickness of a bar.
const BAR: f64 = 0.006;

/// Share of a way the arm can only just follow that it takes.
const SURELY: f64 = 0.95;
/// A door open so far can be pushed from within.
const AJAR: f64 = 0.35;

/// A hinged part where it is now.
struct Hinged<'a> {
    body: BodyId,
    part: &'a Part,
    whole: Pose,
    now: f64,
    /// Direction of positive turning and a point of the axis, in the world.
    axis: DVec3,
    pivot: DVec3,
}

impl Hinged<'_> {
    fn frame(&self, q: f64) -> Pose {
        self.whole * part_pose(self.part, q)
    }

    fn radius(&self, p: DVec3) -> DVec3 {
        let r = p - self.pivot;
        r - self.axis * r.dot(self.axis)
    }

    /// Tool poses from `from` to `to`, starting with a tool pose given in the part's frame. The hand
    /// turns by a share of what the part turns.
    fn path(&self, tool: &Pose, share: f64, from: f64, to: f64) -> Vec<Pose> {
        let start = self.frame(from) * *tool;
        let arc = self.radius(start.pos).length() * (to - from).abs();
        let pieces = (arc / 0.012).max((to - from).abs() / 0.08).ceil().max(1.0) as u32;
        (0..=pieces)
            .map(|k| {
                let q = from + (to - from) * f64::from(k) / f64::from(pieces);
                let turn = DQuat::from_axis_angle(self.axis, share * (q - from));
                Pose::new((self.frame(q) * *tool).pos, (turn * start.rot).normalize())
            })
            .collect()
    }
}

impl Primitives {
    fn hinged(
        &self,
        (body, instance, p): (BodyId, usize, usize),
        s: &Snapshot,
    ) -> Option<Hinged<'_>> {
        let part = &self.infos[instance].parts[p];
        let PartMotion::Hinge { axis, pivot } = part.motion else { return None };
        let whole = self.bodies.iter().position(|b| b.role == BodyRole::Object(instance))?;
        let whole = s.bodies[whole].pose;
        let (axis, pivot) = (whole.dir(axis.into()), whole.point(pivot.into()));
        Some(Hinged { body, part, whole, now: s.joints[body], axis, pivot })
    }

    /// Swings a hinged part open or shut: by its handle, but a door is pushed shut.
    pub(super) fn swing(
        &self,
        id: (BodyId, usize, usize),
        open: bool,
        s: &Snapshot,
    ) -> Option<Vec<Motion>> {
        let h = self.hinged(id, s)?;
        let part = h.part;
        let handle = self.infos[id.1]
            .grasps
            .iter()
            .find(|g| g.part.as_deref() == Some(&part.name))
            .map(|g| h.frame(h.now).point(g.tool.pos))?;
        let knob = h.radius(handle).length() < KNOB;
        let (to, stop) = if open {
            let far = part.open[0] + (part.open[1] - part.open[0]).min(0.3) / 2.0;
            (far, Stop::JointAbove(h.body, far))
        } else {
            let shut = part.closed[0].max(part.range[0]);
            (shut, Stop::JointBelow(h.body, (shut + part.closed[1]) / 2.0))
        };
        if knob {
            return self.turn_by_handle(&h, id.1, to, to, stop, s);
        }
        if !open {
            return self.push_shut(&h, id.1, to, stop, s);
        }
        // What the arm cannot surely pull all the way it pulls as far as it can, then pushes from
        // within.
        let pull = |sure: f64| self.turn_by_handle(&h, id.1, sure, to, stop, s);
        let ajar = || {
            let least = h.now + 0.4;
            (1..12).map(|k| to - 0.1 * f64::from(k)).filter(|q| *q > least).find_map(pull)
        };
        let push = || self.push_open(&h, id.1, to, stop, s);
        match h.now < AJAR {
            true => pull(to).or_else(ajar).or_else(push),
            false => push().or_else(|| pull(to)).or_else(ajar),
        }
    }

    /// Takes the handle and turns the part with it up to `sure`, on the way to `to`.
    fn turn_by_handle(
        &self,
        h: &Hinged<'_>,
        instance: usize,
        sure: f64,
        to: f64,
        stop: Stop,
        s: &Snapshot,
    ) -> Option<Vec<Motion>> {
        let aim = to + OVER * (to - h.now).signum();
        let followed = ((sure - h.now) / (to - h.now)).clamp(0.0, 1.0);
        let own = |b: BodyId| match self.bodies[b].role {
            BodyRole::Object(i) | BodyRole::Part(i, _) => i == instance,
            _ => false,
        };
        let mut around = self.solids(&[], s);
        around.retain(|o| !own(o.body));
        let mut best: Option<(f64, Vec<Pose>, f64)> = None;
        let handles =
            self.infos[instance].grasps.iter().filter(|g| g.part.as_deref() == Some(&h.part.name));
        for (rank, g) in handles.enumerate() {
            let knob = h.radius(h.frame(h.now).point(g.tool.pos)).length() < KNOB;
            let along = h.frame(h.now).dir(g.tool.dir(DVec3::Z)).dot(h.axis).abs() > 0.99;
            // A bar along the axis turns in the fingers; anything else takes the hand with it.
            let shares: &[f64] = if along && !knob { &[-0.5, 0.0, 0.5, 1.0] } else { &[1.0] };
            for half_turn in [0.0, PI] {
                let tool = g.tool * Pose::new(DVec3::ZERO, DQuat::from_rotation_z(half_turn));
                for &share in shares {
                    let path = h.path(&tool, share, h.now, aim);
                    let before = path[0] * Pose::at(0.0, 0.0, -APPROACH);
                    if self.arm.cost(&before).is_none() {
                        continue;
                    }
                    let far = (followed * path.len() as f64).ceil() as usize;
                    let Some(cost) = self.arm.track(&path[..far]) else { continue };
                    let crowded = self.crowding(&path[0], &around)
                        + self.crowding(&path[path.len() - 1], &around);
                    let cost = cost + 1.5 * rank as f64 + crowded;
                    if best.as_ref().is_none_or(|b| cost < b.0) {
                        // Further it would only stretch into a posture it cannot go on from.
                        let sure = if followed < 1.0 { SURELY } else { 1.0 };
                        let path = path[..((sure * far as f64) as usize).max(1)].to_vec();
                        best = Some((cost, path, g.opening));
                    }
                }
            }
        }
        let (_, path, opening) = best?;
        let (first, last) = (path[0], path[path.len() - 1]);
        let before = first * Pose::at(0.0, 0.0, -APPROACH);
        let wide = self.command((opening + 0.015).min(self.widest));
        let mut out = vec![Motion::Grip { command: wide, steps: 0, held: None }];
        if first.dir(DVec3::Z).z < -0.9 {
            out.extend(self.travel(&before, FINGERTIP, None, s));
        } else {
            out.extend(self.approach_front(&before, s));
        }
        out.push(Motion::go(first, Pace::CAREFUL));
        out.push(Motion::Grip { command: 1.0, steps: 16, held: Some(h.body) });
        out.extend(along(&path, stop));
        out.push(Motion::Wait(2));
        out.push(Motion::Grip { command: wide, steps: 6, held: None });
        out.push(Motion::Retreat { by: APPROACH, pace: Pace::CAREFUL });
        out.extend(self.rise(&(last * Pose::at(0.0, 0.0, -APPROACH))));
        Some(out)
    }

    /// Pushes a door that stands ajar open from within.
    fn push_open(
        &self,
        h: &Hinged<'_>,
        instance: usize,
        to: f64,
        stop: Stop,
        s: &Snapshot,
    ) -> Option<Vec<Motion>> {
        let info = &self.infos[instance];
        let own = info.grasps.iter().filter(|g| g.part.as_deref() == Some(&h.part.name));
        let frame = h.frame(h.now);
        let axis = frame.rot.conjugate() * h.axis;
        let flat = |v: DVec3| v - axis * v.dot(axis);
        // The way the levellest grasp comes is straight onto the door.
        let level = own.max_by(|a, b| {
            let level = |g: &longarm_assets::Grasp| flat(g.tool.dir(DVec3::Z)).length();
            level(a).total_cmp(&level(b))
        })?;
        let inward = flat(level.tool.dir(DVec3::Z)).try_normalize()?;
        let pivot = frame.local(h.pivot);
        let arm = flat(level.tool.pos - pivot);
        let leaf = arm - inward * arm.dot(inward);
        let top = info.bounds.centre[2] + info.bounds.half[2] - h.part.rest.pos.z;
        let mut around = self.solids(&[], s);
        around.retain(|o| match self.bodies[o.body].role {
            BodyRole::Object(i) | BodyRole::Part(i, _) => i != instance,
            _ => true,
        });
        let door = part_bounds(info, h.part)?;
        let mut best: Option<(f64, Vec<Pose>)> = None;
        for share in [0.9, 0.75, 0.6] {
            let at = (pivot + leaf * share + inward * (2.0 * FINGER_SIDE)).with_z(top - 0.015);
            let end = h.frame(to).point(at);
            for lean in [0.0, 0.35, 0.7, 1.0] {
                let away = (end - self.arm.home_tool().pos).with_z(0.0).normalize();
                let z = away * libm::sin(lean) - DVec3::Z * libm::cos(lean);
                for k in 0..8 {
                    let side = DVec3::Z.cross(away);
                    let y = DQuat::from_axis_angle(z, f64::from(k) * PI / 4.0) * side;
                    let rot = DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)).normalize();
                    let tool = Pose::new(at, (frame.rot.conjugate() * rot).normalize());
                    let mut path = h.path(&tool, 0.0, h.now - 0.12, to + 0.15);
                    for p in &mut path {
                        p.rot = rot;
                    }
                    let Some(cost) = self.arm.track(&path) else { continue };
                    let (first, last) = (&path[0], &path[path.len() - 1]);
                    let leaf = |q: f64| [Solid::new(h.body, &h.frame(q), &door)];
                    let cost = cost
                        + self.crowding(first, &around)
                        + self.crowding(first, &leaf(h.now))
                        + self.crowding(last, &leaf(to + 0.1))
                        + 2.0 * lean;
                    if best.as_ref().is_none_or(|b| cost < b.0) {
                        best = Some((cost, path));
                    }
                }
            }
        }
        let (_, path) = best?;
        let mut out = vec![Motion::Grip { command: 1.0, steps: 0, held: None }];
        // By way of home: pulling has brought the arm into a posture it cannot go on from.
        let home = self.arm.home_tool();
        let height = self.cruise(home.pos, path[0].pos, FINGERTIP, None, s).max(home.pos.z);
        let over = self.arm.lowered(Pose::new(path[0].pos.with_z(height), path[0].rot));
        out.extend(
            self.rise(&Pose::new(s.hands[self.limb].pose.pos, s.hands[self.limb].commanded.rot)),
        );
        out.push(Motion::through(home, Pace::TRAVEL));
        out.extend(self.across(&home, &over));
        out.push(Motion::go(path[0], Pace::TRAVEL));
        out.extend(along(&path, stop));
        out.push(Motion::Retreat { by: 0.1, pace: Pace::CAREFUL });
        out.push(Motion::Grip { command: -1.0, steps: 0, held: None });
        Some(out)
    }

    /// Pushes a door shut with closed fingers, at its handle or nearer to the hinge.
    fn push_shut(
        &self,
        h: &Hinged<'_>,
        instance: usize,
        to: f64,
        stop: Stop,
        s: &Snapshot,
    ) -> Option<Vec<Motion>> {
        let info = &self.infos[instance];
        let handle = info.grasps.iter().find(|g| g.part.as_deref() == Some(&h.part.name))?;
        let frame = h.frame(h.now);
        let grip = handle.tool.pos;
        let pivot = frame.local(h.pivot);
        let axis = frame.rot.conjugate() * h.axis;
        let top = info.bounds.centre[2] + info.bounds.half[2] - h.part.rest.pos.z;
        let mut best: Option<(f64, Vec<Pose>)> = None;
        // Near the hinge there is no bar to meet, only the door behind it.
        for (share_of_radius, z, over) in
            [(1.0, grip.z - 0.01, 0.08), (0.75, top - 0.024, 0.35), (0.5, top - 0.024, 0.5)]
        {
            let arm = (grip - pivot) - axis * (grip - pivot).dot(axis);
            let shut = arm.cross(axis).normalize();
            // Out along the door, as far before it as the bar is.
            let out = arm - shut * arm.dot(shut);
            let at = pivot + out * share_of_radius + shut * arm.dot(shut);
            let at = (at - shut * (BAR + FINGER_SIDE)).with_z(z);
            for turn in 0..4 {
                let down = frame.rot.conjugate() * DVec3::NEG_Z;
                let x = DQuat::from_axis_angle(down, f64::from(turn) * PI / 2.0) * shut;
                let rot = DQuat::from_mat3(&DMat3::from_cols(x, down.cross(x), down)).normalize();
                let tool = Pose::new(at, rot);
                for share in [1.0, 0.6, 0.3, 0.0] {
                    let mut path = h.path(&tool, share, h.now + 0.15, to - over);
                    // Coming from farther out, should the door stand far open.
                    if self.arm.cost(&path[0]).is_none() {
                        path = h.path(&tool, share, h.now + 0.03, to - over);
                    }
                    let Some(cost) = self.arm.track(&path) else { continue };
                    // Its narrow side meets the door best.
                    let cost = cost + 2.0 * f64::from(turn % 2) + 4.0 * (1.0 - share_of_radius);
                    if best.as_ref().is_none_or(|b| cost < b.0) {
                        best = Some((cost, path));
                    }
                }
            }
        }
        let (_, path) = best?;
        let mut out = vec![Motion::Grip { command: 1.0, steps: 0, held: None }];
        out.extend(self.travel(&path[0], FINGERTIP, None, s));
        out.extend(along(&path, stop));
        out.push(Motion::Wait(3));
        out.push(Motion::Retreat { by: 0.1, pace: Pace::CAREFUL });
        out.push(Motion::Grip { command: -1.0, steps: 0, held: None });
        Some(out)
    }
}

/// Along a path in contact, until something happens.
fn along(path: &[Pose], stop: Stop) -> Vec<Motion> {
    let Some((last, way)) = path.split_last() else { return vec![] };
    let mut out: Vec<Motion> = way
        .iter()
        .skip(1)
        .map(|p| Motion::Go { to: *p, pace: Pace::CAREFUL, via: 0.012, stop })
        .collect();
    out.push(Motion::until(*last, Pace::CAREFUL, stop));
    out
}
