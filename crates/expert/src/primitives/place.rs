//! Putting things down.

use std::f64::consts::{FRAC_PI_2, TAU};

use longarm_assets::{BodyRole, Region, RegionKind};
use longarm_task::place::Rect;
use longarm_task::plan::Target;
use longarm_task::{BodyId, Snapshot};
use longarm_types::{DQuat, DVec3, Pose, yaw};

use super::{FINGERTIP, Primitives, Thing};
use crate::motion::{Motion, Pace, Stop};

/// Deeper containers are dropped into: there is no room for the hand between their walls.
const DEEP: f64 = 0.055;

/// Cosine of the tilt from which a held thing hangs askew.
const ASKEW: f64 = 0.97;

/// Where the frame of a held thing should come to stand.
pub(super) struct Spot {
    at: Pose,
    /// Its heading matters, up to this symmetry (0: not at all).
    turns: u32,
    /// Let go above it rather than set down.
    drop: bool,
    /// The drawer it is in.
    part: Option<BodyId>,
}

/// Where along its slide something can be put in a drawer, from the middle of the region.
pub(super) struct Depth {
    /// The way the drawer opens, in the world.
    pub(super) out_dir: DVec3,
    /// The middle of what has come out.
    pub(super) out: f64,
    /// As near to the drawer's front as it may be.
    pub(super) most: f64,
}

impl Spot {
    /// Standing there, turned exactly so.
    pub(super) fn facing(at: Pose) -> Self {
        Self { at, turns: 1, drop: false, part: None }
    }

    fn standing(at: Pose) -> Self {
        Self { at, turns: 0, drop: false, part: None }
    }
}

impl Primitives {
    /// Where a held thing should come to stand.
    pub(super) fn spot(&self, place: &Target, thing: &Thing, s: &Snapshot) -> Option<Spot> {
        let symmetry = self.infos[thing.instance].symmetry;
        match place {
            Target::On(name) | Target::In(name) | Target::Over(name) => {
                if let Some(r) = self.region(name) {
                    return Some(Spot::standing(self.free_point(r.rects.first()?, r.z, thing, s)));
                }
                let (object, region) = match name.split_once('/') {
                    Some((o, r)) => (o, Some(r)),
                    None => (name.as_str(), None),
                };
                let other = self.thing(object, s)?;
                let info = &self.infos[other.instance];
                let wanted = match place {
                    Target::In(_) => RegionKind::Volume,
                    _ => RegionKind::Surface,
                };
                let found = match region {
                    Some(r) => info.region(r),
                    None => info.regions.iter().find(|r| r.kind == wanted),
                };
                match found {
                    Some(r) => self.spot_in(r, thing, &other, object, s),
                    None => {
                        let top = other.bounds.centre[2] + other.bounds.half[2];
                        let pos = if matches!(place, Target::Over(_)) {
                            other.frame.pos
                        } else {
                            other.frame.point(DVec3::new(0.0, 0.0, top))
                        };
                        let at = Pose::new(pos, DQuat::from_rotation_z(yaw(other.frame.rot)));
                        Some(Spot {
                            at,
                            turns: if info.aligns { symmetry } else { 0 },
                            drop: false,
                            part: None,
                        })
                    }
                }
            }
            Target::At(name) => {
                let r = self.region(name)?;
                Some(Spot::standing(self.free_point(r.rects.first()?, r.z, thing, s)))
            }
            Target::Start { of, .. } => {
                let instance = match of {
                    Some(o) => self.scene.instance(o)?,
                    None => thing.instance,
                };
                let pose = self.scene.poses[instance];
                let at = Pose::new(pose.pos, DQuat::from_rotation_z(yaw(pose.rot)));
                Some(Spot { at, turns: symmetry, drop: false, part: None })
            }
        }
    }

    /// A place in or on a region of another thing.
    fn spot_in(
        &self,
        r: &Region,
        thing: &Thing,
        other: &Thing,
        object: &str,
        s: &Snapshot,
    ) -> Option<Spot> {
        let at = self.reachable(r, thing, other, object, s)?;
        let volume = r.kind == RegionKind::Volume;
        let flat = DQuat::from_rotation_z(yaw(at.rot));
        if volume && r.part.is_none() && 2.0 * r.half[2] > DEEP {
            let rim = self.free_of_contents(&at, r, other, thing, s);
            // Something long goes in along the longer side.
            let [x, y, _] = thing.bounds.half;
            let across = (x > y) != (r.half[0] > r.half[1]);
            let long = x.max(y) > 1.3 * x.min(y);
            let turn = DQuat::from_rotation_z(if across { FRAC_PI_2 } else { 0.0 });
            return Some(Spot {
                at: Pose::new(rim, flat * turn),
                turns: if long { 2 } else { 0 },
                drop: true,
                part: None,
            });
        }
        let down = if volume { r.half[2] } else { 0.0 };
        let free = self.seat_in(r, &at, thing, other, s).map_or(DVec3::ZERO, |seat| seat.offset);
        let part = r.part.as_ref().and_then(|p| Some(self.part(&format!("{object}/{p}"))?.0));
        let at = Pose::new(at.point(free - DVec3::Z * down), flat);
        Some(Spot { part, ..Spot::standing(at) })
    }

    /// A point over the top of a deep region, beside what already lies in it.
    fn free_of_contents(
        &self,
        at: &Pose,
        r: &Region,
        other: &Thing,
        thing: &Thing,
        s: &Snapshot,
    ) -> DVec3 {
        /// Share of the region's width to the side, and how near to what lies there is too near.
        const ASIDE: f64 = 0.5;
        const CROWDED: f64 = 0.06;
        /// From this half width on, things lie side by side.
        const WIDE: f64 = 0.08;
        let inside: Vec<DVec3> = (0..self.bodies.len())
            .filter(|b| ![thing.body, other.body].contains(b))
            .filter(|b| matches!(self.bodies[*b].role, BodyRole::Object(_)))
            .map(|b| s.bodies[b].pose.pos)
            .filter(|p| (at.local(*p).abs() - DVec3::from(r.half)).max_element() < 0.0)
            .collect();
        let room = |p: &DVec3| {
            inside.iter().map(|q| (*q - *p).truncate().length()).fold(f64::MAX, f64::min)
        };
        let [x, y, z] = r.half;
        let mut aside = [[0.0, 0.0], [0.0, -1.0], [0.0, 1.0], [-1.0, 0.0]];
        if x.min(y) > WIDE {
            aside.rotate_left(1);
        }
        let points =
            aside.map(|[i, j]| at.point(DVec3::new(ASIDE * x * i, ASIDE * y * j, z + 0.004)));
        let free = points.into_iter().find(|p| room(p) > CROWDED);
        free.or_else(|| points.into_iter().max_by(|p, q| room(p).total_cmp(&room(q))))
            .unwrap_or(at.pos)
    }

    /// Where a region of another thing is, or what of it can be reached.
    pub(super) fn reachable(
        &self,
        r: &Region,
        thing: &Thing,
        other: &Thing,
        object: &str,
        s: &Snapshot,
    ) -> Option<Pose> {
        let base = match &r.part {
            Some(p) => s.bodies[self.part(&format!("{object}/{p}"))?.0].pose,
            None => s.bodies[other.body].pose,
        };
        let at = base * r.pose;
        let Some(depth) = self.depth(r, thing, other.instance, object, s) else { return Some(at) };
        Some(Pose::new(at.pos + depth.out_dir * depth.out, at.rot))
    }

    /// How much of a region has come out with its drawer.
    pub(super) fn depth(
        &self,
        r: &Region,
        thing: &Thing,
        instance: usize,
        object: &str,
        s: &Snapshot,
    ) -> Option<Depth> {
        /// Room for the hand before the front of what the drawer slides out of.
        const HAND: f64 = 0.045;
        const FRONT: f64 = 0.004;
        let (body, _, p) = self.part(&format!("{object}/{}", r.part.as_ref()?))?;
        let (axis, whole) = self.slide(instance, p)?;
        let depth = 2.0 * (DVec3::from(r.half) * axis.abs()).element_sum();
        let inside = (depth - s.joints[body] + HAND).clamp(0.0, depth - 0.05);
        // Not so far that it would lean on the drawer's front.
        let [x, y, _] = thing.bounds.half;
        let most = (depth / 2.0 - x.min(y) - FRONT).max(0.0);
        Some(Depth { out_dir: s.bodies[whole].pose.dir(axis), out: (inside / 2.0).min(most), most })
    }

    /// A point of a rectangle that is free of other things, the middle if it is.
    fn free_point(&self, r: &Rect, z: f64, thing: &Thing, s: &Snapshot) -> Pose {
        let radius = thing.bounds.footprint_radius();
        let mut best = (f64::MIN, DVec3::ZERO);
        let ([cx, cy], [hx, hy]) = (r.centre(), r.half());
        for i in -2..=2 {
            for j in -2..=2 {
                let p = DVec3::new(cx + hx * 0.4 * f64::from(i), cy + hy * 0.4 * f64::from(j), z);
                let mut gap = 0.06f64;
                for (b, body) in self.bodies.iter().enumerate() {
                    let BodyRole::Object(o) = body.role else { continue };
                    if b == thing.body {
                        continue;
                    }
                    let far = (s.bodies[b].pose.pos - p).truncate().length();
                    gap = gap.min(far - radius - self.infos[o].bounds.footprint_radius());
                }
                let score = gap - 0.01 * (p - DVec3::new(cx, cy, z)).length();
                if score > best.0 {
                    best = (score, p);
                }
            }
        }
        Pose::new(best.1, DQuat::IDENTITY)
    }

    /// Brings a held thing to a spot and lets go.
    pub(super) fn put(&self, thing: &Thing, spot: &Spot, s: &Snapshot) -> Vec<Motion> {
        // What hangs askew is let down as it hangs: levelling it would tilt the hand into things.
        let askew = thing.frame.dir(DVec3::Z).z < ASKEW;
        let frame = match askew {
            true => Pose::new(thing.frame.pos, DQuat::from_rotation_z(yaw(thing.frame.rot))),
            false => thing.frame,
        };
        let held = frame.inverse() * s.hands[self.limb].pose;
        let (turns, base) = match spot.turns {
            0 => (24, yaw(thing.frame.rot)),
            n => (n, yaw(spot.at.rot)),
        };
        let mut around = self.solids(&[thing.body], s);
        around.retain(|o| Some(o.body) != spot.part);
        let mut best: Option<(f64, Pose)> = None;
        for k in 0..turns {
            let turn = base + TAU * f64::from(k) / f64::from(turns);
            let tool = Pose::new(spot.at.pos, DQuat::from_rotation_z(turn)) * held;
            let above = Pose::new(tool.pos + DVec3::Z * 0.05, tool.rot);
            let (Some(cost), Some(_)) = (self.arm.cost(&tool), self.arm.cost(&above)) else {
                continue;
            };
            let twist =
                longarm_types::rotation_between(s.hands[self.limb].pose.rot, tool.rot).length();
            let cost = cost + 2.0 * twist + self.crowding(&tool, &around);
            if best.as_ref().is_none_or(|b| cost < b.0) {
                best = Some((cost, tool));
            }
        }
        let Some((_, tool)) = best else { return self.withdraw_holding(s) };
        let lowest = thing.bounds.centre_in(&thing.frame).z - thing.bounds.half_in(&thing.frame).z;
        let below = held.pos.z.max(FINGERTIP);
        let below = if askew { below.max(s.hands[self.limb].pose.pos.z - lowest) } else { below };
        let high = |dz: f64| Pose::new(tool.pos + DVec3::Z * dz, tool.rot);
        let mut out =
            self.travel(&high(if spot.drop { 0.01 } else { 0.04 }), below, Some(thing.body), s);
        if spot.drop {
            out.push(Motion::go(tool, Pace::CAREFUL));
        } else {
            out.push(Motion::go(high(0.012), Pace::CAREFUL));
            out.push(Motion::until(high(-0.006), Pace::GENTLE, Stop::Carried(thing.body)));
        }
        out.push(Motion::Wait(2));
        let ajar = if spot.drop {
            self.widest
        } else {
            (s.hands[self.limb].opening + 0.03).min(self.widest)
        };
        out.push(Motion::Grip { command: self.command(ajar), steps: 6, held: None });
        let back = tool * Pose::at(0.0, 0.0, -0.02);
        out.push(Motion::through(back, Pace::CAREFUL));
        out.push(Motion::through(tool * Pose::at(0.0, 0.0, -0.09), Pace::TRAVEL));
        out
    }
}
