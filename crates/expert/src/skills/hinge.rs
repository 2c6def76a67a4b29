//! Doors and knobs: parts that turn about a hinge.

use std::f64::consts::PI;

use longarm_assets::robots::Grip;
use longarm_assets::{GraspKind, Part, PartMotion};
use longarm_task::part_pose;
use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::scoop::{self, Turn};
use super::{APPROACH, Moment, lever};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace, Stop};
use crate::scene::{PartId, Solid, SolidKind, part_bounds};

/// A handle this close to its axis is a knob: it is turned, not pulled.
const KNOB: f64 = 0.03;
/// How far past where a part should come the hand aims, radians: fingers give.
const OVER: f64 = 0.1;
/// Half the thickness of a bar.
const BAR: f64 = 0.006;
/// How much wider than the handle fingers come.
const WIDER: f64 = 0.015;
/// Share of a way the arm can only just follow that it takes.
const SURELY: f64 = 0.95;
/// A door open so far can be pushed from within.
const AJAR: f64 = 0.35;

/// A hinged part where it is now.
pub(super) struct Hinged<'a> {
    id: PartId,
    part: &'a Part,
    whole: Pose,
    pub(super) now: f64,
    /// Direction of positive turning and a point of the axis, in the world.
    pub(super) axis: DVec3,
    pivot: DVec3,
}

/// Where a part is to come, and when it has.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    pub(super) to: f64,
    pub(super) stop: Stop,
}

impl<'a> Hinged<'a> {
    fn of(now: &Moment<'a>, id: PartId) -> Option<Self> {
        let part = now.scene.part_info(id);
        let PartMotion::Hinge { axis, pivot } = part.motion else { return None };
        let whole = now.scene.pose(now.scene.whole(id.instance)?);
        let (axis, pivot) = (whole.dir(axis.into()), whole.point(pivot.into()));
        Some(Self { id, part, whole, now: now.scene.joint(id.body), axis, pivot })
    }

    /// Return which part it is.
    pub(super) fn id(&self) -> PartId {
        self.id
    }

    /// Return the part's frame in the world at a joint value.
    pub(super) fn frame(&self, q: f64) -> Pose {
        self.whole * part_pose(self.part, q)
    }

    /// Return the way from the axis to a point.
    pub(super) fn radius(&self, p: DVec3) -> DVec3 {
        let r = p - self.pivot;
        r - self.axis * r.dot(self.axis)
    }

    /// Whether the handle is a knob.
    fn knob(&self, handle: DVec3) -> bool {
        self.radius(self.frame(self.now).point(handle)).length() < KNOB
    }

    /// Return tool poses from one joint value to another, starting with a tool pose given in the part's
    /// frame. The hand turns by a share of what the part turns.
    pub(super) fn path(&self, tool: &Pose, share: f64, from: f64, to: f64) -> Vec<Pose> {
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

/// Swing a hinged part open by its handle, or push it open from within.
pub(super) fn open(now: &Moment<'_>, id: PartId) -> Option<Vec<Motion>> {
    let h = Hinged::of(now, id)?;
    let part = h.part;
    let handle = now.scene.handles(id).next()?;
    let far = part.open[0] + (part.open[1] - part.open[0]).min(0.3) / 2.0;
    let goal = Goal { to: far, stop: Stop::JointAbove(id.body, far) };
    match handle.kind {
        GraspKind::Press => return lever::push(now, &h, goal),
        GraspKind::Scoop => return raise(now, &h, goal),
        _ => {}
    }
    if h.knob(handle.tool.pos) {
        return turn_by_handle(now, &h, far, goal);
    }
    // What the arm cannot surely pull all the way it pulls as far as it can, then pushes from within.
    let pull = |sure: f64| turn_by_handle(now, &h, sure, goal);
    let ajar = || {
        let least = h.now + 0.4;
        (1..12).map(|k| far - 0.1 * f64::from(k)).filter(|q| *q > least).find_map(pull)
    };
    let push = || push_open(now, &h, goal);
    match h.now < AJAR {
        true => pull(far).or_else(ajar).or_else(push),
        false => push().or_else(|| pull(far)).or_else(ajar),
    }
}

/// Raise a part that lies on its side with straight fingers under its edge.
fn raise(now: &Moment<'_>, h: &Hinged<'_>, goal: Goal) -> Option<Vec<Motion>> {
    let frame = h.frame(h.now);
    let edges: Vec<Pose> = now.scene.handles(h.id).map(|g| frame * g.tool).collect();
    let turn = Turn { pivot: h.pivot, by: goal.to - h.now + OVER / 2.0 };
    scoop::raise(now, h.id.body, &edges, h.axis, &[turn], goal.stop)
}

/// Push a door shut; turn a knob by its handle.
pub(super) fn close(now: &Moment<'_>, id: PartId) -> Option<Vec<Motion>> {
    let h = Hinged::of(now, id)?;
    let part = h.part;
    let handle = now.scene.handles(id).next()?;
    let shut = part.closed[0].max(part.range[0]);
    let goal = Goal { to: shut, stop: Stop::JointBelow(id.body, (shut + part.closed[1]) / 2.0) };
    match h.knob(handle.tool.pos) {
        true => turn_by_handle(now, &h, shut, goal),
        false => push_shut(now, &h, goal),
    }
}

/// Take the handle and turn the part with it up to `sure`, on the way to the goal.
fn turn_by_handle(now: &Moment<'_>, h: &Hinged<'_>, sure: f64, goal: Goal) -> Option<Vec<Motion>> {
    let (limb, to) = (now.limb, goal.to);
    let aim = to + OVER * (to - h.now).signum();
    let followed = ((sure - h.now) / (to - h.now)).clamp(0.0, 1.0);
    let around = now.scene.solids_beside(h.id.instance);
    let mut best = Cheapest::new();
    for (rank, g) in now.scene.handles(h.id).enumerate() {
        let along = h.frame(h.now).dir(g.tool.dir(DVec3::Z)).dot(h.axis).abs() > 0.99;
        // A bar along the axis turns in the fingers; anything else takes the hand with it.
        let turns_in_fingers = along && !h.knob(g.tool.pos);
        let shares: &[f64] = if turns_in_fingers { &[-0.5, 0.0, 0.5, 1.0] } else { &[1.0] };
        let grip = limb.grip(g);
        let hooked = grip == Grip::Hook && limb.fingered;
        let shares: &[f64] = if hooked { &[1.0, 0.7, 0.4] } else { shares };
        // Fingers hook from one side.
        let turns: &[f64] = if hooked { &[0.0] } else { &[0.0, PI] };
        for &half_turn in turns {
            let tool = g.tool * Pose::new(DVec3::ZERO, DQuat::from_rotation_z(half_turn));
            let tool = limb.gripping(tool, grip);
            for &share in shares {
                let path = h.path(&tool, share, h.now, aim);
                let before = path[0] * Pose::at(0.0, 0.0, -APPROACH);
                if limb.cost(&before).is_none() {
                    continue;
                }
                let far = (followed * path.len() as f64).ceil() as usize;
                let Some(cost) = limb.track(&path[..far]) else { continue };
                let crowded = limb.crowding(&path[0], &around)
                    + limb.crowding(&path[path.len() - 1], &around);
                best.offer_if(cost + 1.5 * rank as f64 + crowded, || {
                    // Further it would only stretch into a posture it cannot go on from.
                    let sure = if followed < 1.0 { SURELY } else { 1.0 };
                    let path = path[..((sure * far as f64) as usize).max(1)].to_vec();
                    Some((path, g.opening, grip))
                });
            }
        }
    }
    let (path, opening, grip) = best.candidate()?;
    let (first, last) = (path[0], path[path.len() - 1]);
    let before = first * Pose::at(0.0, 0.0, -APPROACH);
    let wide = (opening + WIDER).min(limb.widest);
    let mut out: Vec<Motion> = now.shape(grip).into_iter().collect();
    out.push(now.ready(wide));
    out.extend(match first.dir(DVec3::Z).z < -0.9 {
        true => now.travel(&before, limb.fingertip(), None),
        false => now.approach_front(&before),
    });
    out.push(Motion::go(first, Pace::CAREFUL));
    out.push(Motion::Grip { command: 1.0, steps: 16, held: Some(h.id.body) });
    out.extend(along(&path, goal.stop));
    out.push(Motion::Wait(2));
    out.push(now.release(wide));
    out.push(Motion::Retreat { by: APPROACH, pace: Pace::CAREFUL });
    out.push(now.rise(&(last * Pose::at(0.0, 0.0, -APPROACH))));
    Some(out)
}

/// Push a door that stands ajar open from within.
fn push_open(now: &Moment<'_>, h: &Hinged<'_>, goal: Goal) -> Option<Vec<Motion>> {
    let (limb, to) = (now.limb, goal.to);
    let info = now.scene.info(h.id.instance);
    let frame = h.frame(h.now);
    let axis = frame.rot.conjugate() * h.axis;
    let flat = |v: DVec3| v - axis * v.dot(axis);
    // The way the levellest grasp comes is straight onto the door.
    let level = now.scene.handles(h.id).max_by(|a, b| {
        let level = |g: &longarm_assets::Grasp| flat(g.tool.dir(DVec3::Z)).length();
        level(a).total_cmp(&level(b))
    })?;
    let inward = flat(level.tool.dir(DVec3::Z)).try_normalize()?;
    let pivot = frame.local(h.pivot);
    let arm = flat(level.tool.pos - pivot);
    let leaf = arm - inward * arm.dot(inward);
    let top = info.bounds.centre[2] + info.bounds.half[2] - h.part.rest.pos.z;
    let around = now.scene.solids_beside(h.id.instance);
    let door = part_bounds(info, h.part)?;
    let mut best = Cheapest::new();
    for share in [0.9, 0.75, 0.6] {
        let at = (pivot + leaf * share + inward * (2.0 * limb.finger_side())).with_z(top - 0.015);
        let end = h.frame(to).point(at);
        for lean in [0.0, 0.35, 0.7, 1.0] {
            let away = (end - limb.home_tool().pos).with_z(0.0).normalize();
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
                let Some(cost) = limb.track(&path) else { continue };
                let (first, last) = (&path[0], &path[path.len() - 1]);
                let leaf = |q: f64| [Solid::new(h.id.body, SolidKind::Part, &h.frame(q), &door)];
                let cost = cost
                    + limb.crowding(first, &around)
                    + limb.crowding(first, &leaf(h.now))
                    + limb.crowding(last, &leaf(to + 0.1))
                    + 2.0 * lean;
                best.offer(cost, path);
            }
        }
    }
    let path = best.candidate()?;
    let mut out: Vec<Motion> = now.shape(Grip::Power).into_iter().collect();
    out.push(Motion::Grip { command: 1.0, steps: 0, held: None });
    // By way of home: pulling has brought the arm into a posture it cannot go on from.
    let home = limb.home_tool();
    let height = now.cruise(home.pos, path[0].pos, limb.fingertip(), None).max(home.pos.z);
    let over = limb.lowered(Pose::new(path[0].pos.with_z(height), path[0].rot));
    out.push(now.rise(&Pose::new(now.scene.tool().pos, now.scene.hand().commanded.rot)));
    out.push(Motion::through(home, Pace::TRAVEL));
    out.extend(now.across(&home, &over));
    out.push(Motion::go(path[0], Pace::TRAVEL));
    out.extend(along(&path, goal.stop));
    out.push(Motion::Retreat { by: 0.1, pace: Pace::CAREFUL });
    out.push(Motion::Grip { command: -1.0, steps: 0, held: None });
    Some(out)
}

/// Push a door shut with closed fingers, at its handle or nearer to the hinge.
fn push_shut(now: &Moment<'_>, h: &Hinged<'_>, goal: Goal) -> Option<Vec<Motion>> {
    let (limb, to) = (now.limb, goal.to);
    let info = now.scene.info(h.id.instance);
    let grip = now.scene.handles(h.id).next()?.tool.pos;
    let frame = h.frame(h.now);
    let pivot = frame.local(h.pivot);
    let axis = frame.rot.conjugate() * h.axis;
    let top = info.bounds.centre[2] + info.bounds.half[2] - h.part.rest.pos.z;
    let mut best = Cheapest::new();
    // Near the hinge there is no bar to meet, only the door behind it.
    for (share_of_radius, z, over) in
        [(1.0, grip.z - 0.01, 0.08), (0.75, top - 0.024, 0.35), (0.5, top - 0.024, 0.5)]
    {
        let arm = (grip - pivot) - axis * (grip - pivot).dot(axis);
        let shut = arm.cross(axis).normalize();
        // Out along the door, as far before it as the bar is.
        let out = arm - shut * arm.dot(shut);
        let at = pivot + out * share_of_radius + shut * arm.dot(shut);
        let at = (at - shut * (BAR + limb.finger_side())).with_z(z);
        for turn in 0..4 {
            let down = frame.rot.conjugate() * DVec3::NEG_Z;
            let x = DQuat::from_axis_angle(down, f64::from(turn) * PI / 2.0) * shut;
            let rot = DQuat::from_mat3(&DMat3::from_cols(x, down.cross(x), down)).normalize();
            let tool = Pose::new(at, rot);
            for share in [1.0, 0.6, 0.3, 0.0] {
                let mut path = h.path(&tool, share, h.now + 0.15, to - over);
                // Coming from farther out, should the door stand far open.
                if limb.cost(&path[0]).is_none() {
                    path = h.path(&tool, share, h.now + 0.03, to - over);
                }
                let Some(cost) = limb.track(&path) else { continue };
                // Its narrow side meets the door best.
                let cost = cost + 2.0 * f64::from(turn % 2) + 4.0 * (1.0 - share_of_radius);
                best.offer(cost, path);
            }
        }
    }
    Some(shove(now, &best.candidate()?, goal.stop, 3))
}

/// Go along a path with closed fingers, pushing a part before them, stay for some steps and come back.
pub(super) fn shove(now: &Moment<'_>, path: &[Pose], stop: Stop, stay: u32) -> Vec<Motion> {
    let mut out: Vec<Motion> = now.shape(Grip::Power).into_iter().collect();
    out.push(Motion::Grip { command: 1.0, steps: 0, held: None });
    out.extend(now.travel(&path[0], now.limb.fingertip(), None));
    out.extend(along(path, stop));
    out.push(Motion::Wait(stay));
    out.push(Motion::Retreat { by: 0.1, pace: Pace::CAREFUL });
    out.push(Motion::Grip { command: -1.0, steps: 0, held: None });
    out
}

/// Go along a path in contact, until the part has come where it should.
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

#[cfg(test)]
mod tests;
