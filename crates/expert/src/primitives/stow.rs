//! Putting things where they cannot be set down from above: under a roof, or lying in a cradle.

use std::f64::consts::{PI, TAU};

use longarm_assets::{Access, BodyRole, GraspKind, Region};
use longarm_task::plan::Target;
use longarm_task::{BodyId, Op, Snapshot};
use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::place::Spot;
use super::{APPROACH, FINGERTIP, Primitives, Script, Thing};
use crate::motion::{Motion, Pace, Stop};
use crate::reach::equivalents;

/// A place of that kind.
pub(super) struct Nook<'a> {
    region: &'a Region,
    /// The region's frame in the world.
    frame: Pose,
    /// How much further towards a drawer's front there is room.
    spare: DVec3,
    fixture: BodyId,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Roofed and walled, open towards −y of its frame.
    Covered,
    /// A groove along y of its frame.
    Cradle,
    /// A drawer to be shut over what is too tall to stand in it.
    Drawer,
}

/// Tool poses that bring a held thing in.
pub(super) struct Stow {
    /// Where the way in begins.
    before: Pose,
    at: Pose,
}

/// How far above a drawer's walls the axis of what is dropped there is: fingers stay clear of them.
const ABOVE_WALLS: f64 = 0.025;
/// How far below the top of a thing's side a groove's edges touch it, as a share of its radius.
const SUNK: f64 = 0.71;

impl Primitives {
    /// The place, if it is one of that kind.
    pub(super) fn nook(&self, place: &Target, thing: &Thing, s: &Snapshot) -> Option<Nook<'_>> {
        let (Target::On(name) | Target::In(name)) = place else { return None };
        let (object, region) = name.split_once('/')?;
        let instance = self.scene.instance(object)?;
        if self.too_tall_for(name, thing) {
            let other = self.thing(object, s)?;
            let region = self.infos[instance].region(region)?;
            let frame = self.reachable(region, thing, &other, object, s)?;
            let fixture = self.part(name)?.0;
            let depth = self.depth(region, thing, instance, object, s);
            let spare = depth.map_or(DVec3::ZERO, |d| d.out_dir * (d.most - d.out));
            return Some(Nook { region, frame, spare, fixture, kind: Kind::Drawer });
        }
        let region = self.infos[instance].region(region)?;
        let kind = match region.access {
            Access::Groove => Kind::Cradle,
            Access::Front => Kind::Covered,
            Access::Above | Access::Through | Access::Below => return None,
        };
        let fixture = self.bodies.iter().position(|b| b.role == BodyRole::Object(instance))?;
        let frame = s.bodies[fixture].pose * region.pose;
        Some(Nook { region, frame, spare: DVec3::ZERO, fixture, kind })
    }

    /// Whether a thing standing in a drawer would keep it from being shut, as the task wants.
    fn too_tall_for(&self, drawer: &str, thing: &Thing) -> bool {
        let Some((part, instance, _)) = self.part(drawer) else { return false };
        let region = drawer.split_once('/').and_then(|(_, r)| self.infos[instance].region(r));
        let shuts = |op: &&Op| match op {
            Op::Close { part: p } => self.part(p).is_some_and(|(body, ..)| body == part),
            _ => false,
        };
        region.is_some_and(|r| thing.bounds.half[2] > r.half[2])
            && self.task.ops().iter().any(shuts)
    }

    /// Where the task wants a thing put, if that is such a place.
    pub(super) fn destined(&self, thing: &Thing, s: &Snapshot) -> Option<Nook<'_>> {
        let name = &self.bodies[thing.body].name;
        self.task.ops().into_iter().find_map(|op| match op {
            Op::Put { object, place } if object == name => self.nook(place, thing, s),
            _ => None,
        })
    }

    /// The best way to bring in a thing held at `held` (the tool in the thing's frame).
    pub(super) fn stow(
        &self,
        thing: &Thing,
        held: &Pose,
        nook: &Nook<'_>,
        s: &Snapshot,
    ) -> Option<(f64, Stow)> {
        match nook.kind {
            Kind::Covered => self.slide_under(thing, held, nook, s),
            Kind::Cradle | Kind::Drawer => self.lay(thing, held, nook, s),
        }
    }

    fn slide_under(
        &self,
        thing: &Thing,
        held: &Pose,
        nook: &Nook<'_>,
        s: &Snapshot,
    ) -> Option<(f64, Stow)> {
        /// Room beside the thing, and before the front.
        const SIDE: f64 = 0.008;
        const FRONT: f64 = 0.03;
        let half = DVec3::from(nook.region.half);
        let (c, h) = (DVec3::from(thing.bounds.centre), DVec3::from(thing.bounds.half));
        let lift = ((2.0 * half.z - 2.0 * h.z) / 3.0).clamp(0.003, 0.014);
        let around = self.solids(&[thing.body], s);
        let mut best: Option<(f64, Stow)> = None;
        for k in 0..24 {
            let turn = DQuat::from_rotation_z(TAU * f64::from(k) / 24.0);
            let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
                .map(|(i, j)| turn * (c + DVec3::new(i * h.x, j * h.y, 0.0)));
            let deep = corners.iter().map(|p| p.y).fold(f64::MIN, f64::max);
            for (within, x) in [0.03, 0.045, 0.06]
                .into_iter()
                .flat_map(|w| [0.0, 0.04, -0.04, 0.08, -0.08].map(|x| (w, x)))
            {
                let y = within - half.y;
                let fits = corners
                    .iter()
                    .filter(|p| y + p.y > -half.y - 0.01)
                    .all(|p| (x + p.x).abs() < half.x - SIDE && y + p.y < half.y);
                if !fits {
                    continue;
                }
                let rot = (nook.frame.rot * turn).normalize();
                let tool_at = |y: f64| {
                    Pose::new(nook.frame.point(DVec3::new(x, y, lift - half.z)), rot) * *held
                };
                let at = tool_at(y);
                if self.hand_gap(&at, &around) < 0.004 {
                    continue;
                }
                let before = tool_at(-half.y - FRONT - deep);
                let Some(cost) = self.arm.track(&[before, before.halfway(&at), at]) else {
                    continue;
                };
                let cost = cost + 5.0 * x.abs() + self.crowding(&before, &around);
                if best.as_ref().is_none_or(|b| cost < b.0) {
                    best = Some((cost, Stow { before, at }));
                }
            }
        }
        best
    }

    fn lay(
        &self,
        thing: &Thing,
        held: &Pose,
        nook: &Nook<'_>,
        s: &Snapshot,
    ) -> Option<(f64, Stow)> {
        let around = self.solids(&[thing.body, nook.fixture], s);
        let radius = thing.bounds.half[0];
        // A bottle's neck sticks out of a groove; a drawer is as long as it.
        let (along, middle, up) = match nook.kind {
            Kind::Drawer => (
                DVec3::X,
                0.88 * thing.bounds.half[2],
                nook.region.half[2] + ABOVE_WALLS,
            ),
            _ => (DVec3::Y, 0.8 * thing.bounds.half[2], SUNK * radius),
        };
        let mut best: Option<(f64, Stow)> = None;
        // Near a drawer's front the hand keeps clear of what the drawer slides out of.
        let shares: &[f64] = match nook.kind {
            Kind::Drawer => &[0.0, 0.5, 1.0],
            _ => &[0.0],
        };
        for (end, share) in [-1.0, 1.0].into_iter().flat_map(|e| shares.iter().map(move |f| (e, f))) {
            let z = nook.frame.dir(along) * end;
            let x = DVec3::Z;
            let base = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z));
            for k in 0..16 {
                let rot = (base * DQuat::from_rotation_z(f64::from(k) * PI / 8.0)).normalize();
                let pos = nook.frame.pos + nook.spare * *share - z * middle + DVec3::Z * up;
                let at = Pose::new(pos, rot) * *held;
                // The hand must be above what it lays down.
                if at.dir(DVec3::Z).z > -0.6 {
                    continue;
                }
                let before = Pose::new(at.pos + DVec3::Z * 0.05, at.rot);
                let (Some(cost), Some(_)) = (self.arm.cost(&at), self.arm.cost(&before)) else {
                    continue;
                };
                let cost = cost + self.crowding(&at, &around);
                if best.as_ref().is_none_or(|b| cost < b.0) {
                    best = Some((cost, Stow { before, at }));
                }
            }
        }
        best
    }

    /// Brings a held thing in and lets go; if it is held so that it cannot go in, sets it down where
    /// it can be taken otherwise.
    pub(super) fn put_away(&self, thing: &Thing, nook: &Nook<'_>, s: &Snapshot) -> Script {
        if !s.hands[self.limb].holds[thing.body] {
            return Script::part(self.pick(thing, s));
        }
        let held = thing.frame.inverse() * s.hands[self.limb].pose;
        let Some((_, Stow { before, at })) = self.stow(thing, &held, nook, s) else {
            return match self.aside(thing, nook, s) {
                Some(spot) => Script::part(self.put(thing, &spot, s)),
                None => Script::whole(self.withdraw_holding(s)),
            };
        };
        let below = thing.bounds.footprint_radius().clamp(FINGERTIP, 0.1);
        let mut out = self.travel(&before, below, Some(thing.body), s);
        out.push(Motion::go(at, Pace::CAREFUL));
        if nook.kind != Kind::Drawer {
            let down = Pose::new(at.pos - DVec3::Z * 0.02, at.rot);
            out.push(Motion::until(down, Pace::GENTLE, Stop::Carried(thing.body)));
        }
        out.push(Motion::Wait(2));
        let ajar = (s.hands[self.limb].opening + 0.03).min(self.widest);
        out.push(Motion::Grip { command: self.command(ajar), steps: 6, held: None });
        out.push(Motion::Retreat { by: 0.02, pace: Pace::CAREFUL });
        out.push(Motion::Retreat { by: 0.08, pace: Pace::TRAVEL });
        Script::whole(out)
    }

    /// A place on the table, and a heading, from which a held thing can be taken so that it goes in.
    fn aside(&self, thing: &Thing, nook: &Nook<'_>, s: &Snapshot) -> Option<Spot> {
        let info = &self.infos[thing.instance];
        let good: Vec<Pose> = info
            .grasps
            .iter()
            .filter(|g| g.part.is_none() && g.kind != GraspKind::Suction)
            .flat_map(|g| equivalents(&Pose::IDENTITY, g, info.symmetry))
            .filter(|tool| self.stow(thing, tool, nook, s).is_some())
            .collect();
        let held = thing.frame.inverse() * s.hands[self.limb].pose;
        let around = self.solids(&[thing.body], s);
        let mut best: Option<(f64, Pose)> = None;
        for k in 0..(10 * 9 * 12) {
            let (x, y) = (-0.25 + 0.05 * f64::from(k % 10), -0.2 + 0.05 * f64::from(k / 10 % 9));
            let turn = DQuat::from_rotation_z(TAU * f64::from(k / 90) / 12.0);
            let at = Pose::new(DVec3::new(x, y, 0.0), turn);
            let Some((room, put)) = self.stands(thing, &at, &held, &around, 0.08) else {
                continue;
            };
            let again = good
                .iter()
                .filter_map(|g| {
                    let tool = at * *g;
                    self.arm.cost(&(tool * Pose::at(0.0, 0.0, -APPROACH)))?;
                    Some(self.arm.cost(&tool)? + self.crowding(&tool, &around))
                })
                .fold(f64::MAX, f64::min);
            // What hangs from its rim swings: with more room it knocks nothing over.
            let cost = put + again + self.crowding(&(at * held), &around) + 50.0 * (0.08 - room);
            if again < f64::MAX && best.as_ref().is_none_or(|b| cost < b.0) {
                best = Some((cost, at));
            }
        }
        best.map(|(_, at)| Spot::facing(at))
    }
}

trait Halfway {
    fn halfway(&self, to: &Self) -> Self;
}

impl Halfway for Pose {
    fn halfway(&self, to: &Self) -> Self {
        Self::new(self.pos.lerp(to.pos, 0.5), self.rot)
    }
}
