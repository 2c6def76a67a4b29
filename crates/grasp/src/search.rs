//! Poses at which a gripper could take hold of what is seen.

use std::cmp::Ordering;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

use longarm_types::{Bounds, DMat3, DQuat, DVec3, Pose, rotation_between};

use crate::cloud::{Cloud, Point};
use crate::contact::{Local, squareness};

/// Ways to come: from above, and leaning by these angles to this number of sides.
const LEANS: [f64; 4] = [0.3, 0.65, 1.05, FRAC_PI_2];
const SIDES: u32 = 12;
/// Ways to turn the fingers about the way the hand comes.
const TURNS: u32 = 12;
/// How far the pads' middle goes below what they meet first, metres.
const DEPTHS: [f64; 5] = [0.005, 0.011, 0.017, 0.023, 0.031];
/// Places across the object at which the fingers may close, at most this far apart.
const PLACES: i32 = 4;
const APART: f64 = 0.012;
/// Cosine of the friction cone's half angle.
const CONE: f64 = 0.8;
/// The opening spares this on both sides together where it can, and at least.
const SPARE: f64 = 0.024;
const LEAST: f64 = 0.008;
/// Room between fingers or palm and everything else, and between fingertips and the ground below.
const ROOM: f64 = 0.002;
const GROUND: f64 = 0.002;
/// Points inside a finger up to this number are taken to be wrong.
const STRAY: usize = 1;
/// Candidates nearer than this to a better one are the same.
const SAME: f64 = 0.012;
const SAME_TURN: f64 = 0.35;
/// How far from the middle of what is seen a hold is worth nothing; of what is long, its end.
const OFF: f64 = 0.06;
/// What is long is taken in sections of about this length: which end is of use is not known here, and what is
/// best in itself would leave no room for the others.
const SECTION: f64 = 0.06;
/// Most sections.
const SECTIONS: f64 = 6.0;

/// A gripper with two fingers: the tool points along z and closes along y, its origin between the pads.
#[derive(Clone, Debug)]
pub struct Gripper {
    /// Widest opening, metres.
    pub widest: f64,
    /// Half size of a finger along x, y and z about the pad's middle.
    pub finger: [f64; 3],
    /// How far the pads, and then the fingertips, reach past the origin.
    pub pad: f64,
    /// See `pad`.
    pub tip: f64,
    /// What is above the fingers.
    pub palm: Vec<Bounds>,
}

/// A way to take hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Pose of the tool.
    pub tool: Pose,
    /// Opening to come with.
    pub opening: f64,
    /// From 0 to 1, the best first.
    pub score: f64,
    /// Whether all the room that the fingers need was seen to be empty.
    pub sure: bool,
}

/// A surface to take hold of, and all that is around it.
pub struct Search<'a> {
    /// What is to be taken.
    pub target: &'a [Point],
    /// Everything else that is seen near it.
    pub around: &'a [DVec3],
    /// Tells what is hidden.
    pub cloud: &'a Cloud,
    /// What takes hold.
    pub gripper: &'a Gripper,
}

/// The target in the frame of one way to come.
struct Frame<'a> {
    search: &'a Search<'a>,
    rot: DQuat,
    own: Vec<Local>,
    others: Vec<DVec3>,
    /// The middle of the target, and how far from there a hold is worth nothing.
    middle: DVec3,
    off: f64,
}

impl Search<'_> {
    /// Return all ways to take hold.
    pub fn proposals(&self) -> Proposals {
        let mut all = Vec::new();
        let ends = ends(self.target);
        if !self.target.is_empty() {
            let middle = middle(self.target);
            let floor = self.target.iter().map(|p| p.at.z).fold(f64::MAX, f64::min);
            let off = OFF.max((ends[1] - ends[0]).length() / 2.0);
            for rot in ways() {
                Frame::new(self, rot, middle, off).propose(floor, &mut all);
            }
        }
        all.sort_by(best_first);
        Proposals { all, ends }
    }
}

/// The ways to take hold of a target, whatever they are for.
pub struct Proposals {
    /// The best first.
    all: Vec<Candidate>,
    /// The ends of the target.
    ends: [DVec3; 2],
}

impl Proposals {
    /// Return up to `most` of them that `reach` allows and that differ, the best first.
    pub fn choose(&self, most: usize, reach: &dyn Fn(&Pose) -> bool) -> Vec<Candidate> {
        let mut sections = self.sections();
        let mut chosen: Vec<Candidate> = Vec::new();
        while chosen.len() < most && !sections.is_empty() {
            sections.retain_mut(|section| {
                if chosen.len() == most {
                    return false;
                }
                let new = |c: &Candidate| !chosen.iter().any(|d| same(&c.tool, &d.tool));
                let next = section.find(|c| new(c) && reach(&c.tool));
                chosen.extend(next);
                next.is_some()
            });
        }
        chosen.sort_by(best_first);
        chosen
    }

    /// Return how long the target is as far as it is seen, metres.
    pub fn length(&self) -> f64 {
        (self.ends[1] - self.ends[0]).length()
    }

    /// Sort them by where along the target they are.
    fn sections(&self) -> Vec<std::vec::IntoIter<Candidate>> {
        let [from, to] = self.ends;
        let along = to - from;
        let count = (along.length() / SECTION).round().clamp(1.0, SECTIONS);
        let mut sections = vec![Vec::new(); count as usize];
        for c in &self.all {
            let share = (c.tool.pos - from).dot(along) / along.length_squared();
            let k = (share * count).clamp(0.0, count - 1.0) as usize;
            sections[k].push(*c);
        }
        sections.into_iter().map(Vec::into_iter).collect()
    }
}

fn best_first(a: &Candidate, b: &Candidate) -> Ordering {
    b.score.total_cmp(&a.score)
}

/// Return the ends of the longest way through points, about.
fn ends(points: &[Point]) -> [DVec3; 2] {
    let furthest = |from: DVec3| {
        let off = |p: &DVec3| (*p - from).length_squared();
        let each = points.iter().map(|p| p.at);
        each.max_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(from)
    };
    let end = furthest(middle(points));
    [end, furthest(end)]
}

/// Return the middle of the box around points, which does not lie where more of them are seen.
fn middle(points: &[Point]) -> DVec3 {
    let low = points.iter().map(|p| p.at).fold(DVec3::MAX, DVec3::min);
    let high = points.iter().map(|p| p.at).fold(DVec3::MIN, DVec3::max);
    (low + high) / 2.0
}

/// Return rotations of the tool: all ways to come, each with all turns of the fingers.
fn ways() -> impl Iterator<Item = DQuat> {
    let down = DQuat::from_rotation_x(PI);
    let leaning = LEANS.into_iter().flat_map(move |lean| {
        (0..SIDES).map(move |k| {
            let side = TAU * f64::from(k) / f64::from(SIDES);
            let axis = DVec3::new(libm::cos(side), libm::sin(side), 0.0);
            DQuat::from_axis_angle(axis, lean) * down
        })
    });
    std::iter::once(down).chain(leaning).flat_map(|way| {
        (0..TURNS).map(move |k| {
            let turn = PI * f64::from(k) / f64::from(TURNS);
            (way * DQuat::from_rotation_z(turn)).normalize()
        })
    })
}

/// Whether two poses are the same hold, whichever finger is which.
fn same(a: &Pose, b: &Pose) -> bool {
    let turn = |rot| rotation_between(a.rot, rot).length();
    let other = b.rot * DQuat::from_rotation_z(PI);
    (a.pos - b.pos).length() < SAME && turn(b.rot).min(turn(other)) < SAME_TURN
}

impl<'a> Frame<'a> {
    fn new(search: &'a Search<'a>, rot: DQuat, middle: DVec3, off: f64) -> Self {
        let inverse = DMat3::from_quat(rot).transpose();
        let own = search
            .target
            .iter()
            .map(|p| Local { at: inverse * (p.at - middle), normal: inverse * p.normal });
        let own = own.collect();
        let others = search.around.iter().map(|p| inverse * (*p - middle)).collect();
        Self { search, rot, own, others, middle, off }
    }

    /// Add the holds there are from here.
    fn propose(&self, floor: f64, out: &mut Vec<Candidate>) {
        let gripper = self.search.gripper;
        let (low, high) = extent(self.own.iter().map(|p| p.at.x));
        let step = APART.max((high - low) / (2.0 * f64::from(PLACES)));
        let mut slab: Vec<Local> = Vec::new();
        for x in (-PLACES..=PLACES).map(|k| (low + high) / 2.0 + step * f64::from(k)) {
            slab.clear();
            slab.extend(
                self.own.iter().filter(|p| (p.at.x - x).abs() < gripper.finger[0]).copied(),
            );
            let (top, _) = extent(slab.iter().map(|p| p.at.z));
            if slab.is_empty() || x < low || x > high {
                continue;
            }
            let deepest = self.deepest(x, floor);
            let mut last = f64::MIN;
            for depth in DEPTHS.map(|d| (top + d).min(deepest)) {
                // What is low is taken as low as the ground allows, once.
                if depth > last && depth > top - gripper.pad {
                    last = depth;
                    self.close(x, depth, &slab, out);
                }
            }
        }
    }

    /// How far the tool can go before a corner of the fingertips meets the ground.
    fn deepest(&self, x: f64, floor: f64) -> f64 {
        let gripper = self.search.gripper;
        let axis = self.rot * DVec3::Z;
        if axis.z > -0.05 {
            return f64::MAX;
        }
        let (x_z, y_z) = ((self.rot * DVec3::X).z, (self.rot * DVec3::Y).z);
        let wide = gripper.finger[0] * x_z.abs() + gripper.widest / 2.0 * y_z.abs();
        let height = self.middle.z + x * x_z - wide - floor - GROUND;
        height / -axis.z - gripper.tip
    }

    /// Add the holds there are at a place across and a depth: around all that lies between the fingers, or
    /// around a wall of it.
    fn close(&self, x: f64, z: f64, slab: &[Local], out: &mut Vec<Candidate>) {
        let gripper = self.search.gripper;
        let mut between: Vec<Local> =
            slab.iter().filter(|p| (p.at.z - z).abs() < gripper.pad).copied().collect();
        between.sort_by(|a, b| a.at.y.total_cmp(&b.at.y));
        let gap = 2.0 * gripper.finger[1] + LEAST;
        let runs: Vec<&[Local]> = between.chunk_by(|a, b| b.at.y - a.at.y < gap).collect();
        let mut from = 0;
        for (i, run) in runs.iter().enumerate() {
            let mut to = from;
            for (j, other) in runs[i..].iter().enumerate() {
                to += other.len();
                // Single points are no wall.
                if j > 0 || run.len() > 2 {
                    out.extend(self.hold(x, z, &between[from..to]));
                }
            }
            from += run.len();
        }
    }

    /// Return the hold around some points, if it is one.
    fn hold(&self, x: f64, z: f64, held: &[Local]) -> Option<Candidate> {
        let gripper = self.search.gripper;
        let (low, high) = (held.first()?.at.y, held.last()?.at.y);
        let width = high - low;
        if width + LEAST > gripper.widest {
            return None;
        }
        let square = squareness(held, -1.0, low).min(squareness(held, 1.0, high));
        if square < CONE {
            return None;
        }
        let opening = (width + SPARE).min(gripper.widest);
        let at = DVec3::new(x, (low + high) / 2.0, z);
        if !self.fits(at, width, opening) {
            return None;
        }
        let tool = Pose::new(self.middle + self.rot * at, self.rot);
        let hidden = self.hidden(&tool, opening);
        let off = (tool.pos - self.middle).truncate().length();
        let centred = 1.0 - (off / self.off).min(1.0);
        let (upper, lower) = extent(held.iter().map(|p| p.at.z));
        let covered = ((lower - upper) / (1.6 * gripper.pad)).min(1.0);
        let down = -(self.rot * DVec3::Z).z;
        let score = 0.35 * (square - CONE) / (1.0 - CONE)
            + 0.25 * centred
            + 0.15 * covered
            + 0.25 * (1.0 + down) / 2.0
            - 0.4 * hidden;
        Some(Candidate { tool, opening, score: score.clamp(0.0, 1.0), sure: hidden == 0.0 })
    }

    /// Whether fingers and palm have room, on the fingers' way to what they close on.
    fn fits(&self, at: DVec3, width: f64, opening: f64) -> bool {
        let gripper = self.search.gripper;
        let [wide, thick, long] = gripper.finger;
        let (inner, outer) = (width / 2.0 + ROOM, opening / 2.0 + 2.0 * thick + ROOM);
        let finger = |p: DVec3, inner: f64| {
            let d = p - at;
            d.x.abs() < wide
                && (inner..outer).contains(&d.y.abs())
                && (-long..gripper.tip).contains(&d.z)
        };
        let palm = |p: DVec3| {
            gripper.palm.iter().any(|b| {
                let (c, h) = (DVec3::from(b.centre), DVec3::from(b.half));
                ((p - at - c).abs() - h).max_element() < ROOM
            })
        };
        let mine = self.own.iter().filter(|p| finger(p.at, inner)).take(STRAY + 1).count();
        mine <= STRAY
            && !self.own.iter().any(|p| palm(p.at))
            && !self.others.iter().any(|p| finger(*p, opening / 2.0 - ROOM) || palm(*p))
    }

    /// Return the share of the fingers' room of which no camera sees that it is empty.
    fn hidden(&self, tool: &Pose, opening: f64) -> f64 {
        let gripper = self.search.gripper;
        let [wide, thick, _] = gripper.finger;
        let y = opening / 2.0 + thick;
        let mut unseen = 0;
        let mut all = 0;
        for side in [-1.0, 1.0] {
            for x in [-0.7 * wide, 0.7 * wide] {
                for z in [-gripper.pad, 0.0, 0.8 * gripper.tip] {
                    all += 1;
                    unseen +=
                        u32::from(self.search.cloud.hides(tool.point(DVec3::new(x, side * y, z))));
                }
            }
        }
        f64::from(unseen) / f64::from(all)
    }
}

/// Return the least and the most of some numbers.
fn extent(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    numbers.fold((f64::MAX, f64::MIN), |(low, high), n| (low.min(n), high.max(n)))
}

#[cfg(test)]
mod tests;
