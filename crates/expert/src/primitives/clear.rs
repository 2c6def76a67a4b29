//! Getting out of the way what an operator cannot be done with: things on the place where another
//! belongs, drawers that hang over the one to be reached.

use std::f64::consts::TAU;

use longarm_assets::{BodyRole, Region, RegionKind};
use longarm_task::plan::Target;
use longarm_task::{BodyId, Op, Snapshot};
use longarm_types::{DQuat, DVec3, Pose, yaw};

use super::hold::Hold;
use super::place::Spot;
use super::room::Solid;
use super::{Primitives, Script, Thing};
use crate::motion::{Motion, Pace};

/// Room kept between a place and what may stay beside it.
const BESIDE: f64 = 0.01;
/// A drawer out further than this hangs over what is below it.
const OUT: f64 = 0.02;
/// Room that is wanted around what is set aside.
const ROOMY: f64 = 0.06;

/// Fingers that overlap with what is beside them by so much get stuck on it.
const JAMMED: f64 = -0.012;

/// Where on a surface something can come to stand, and what would have to go for that.
pub(super) struct Seat {
    pub(super) offset: DVec3,
    /// What stands there, highest first.
    taken: Vec<BodyId>,
}

impl Primitives {
    /// What has to be done before the operator can be, if anything.
    pub(super) fn clear(&self, op: &Op, tries: u32, s: &Snapshot) -> Option<Script> {
        let mine = match op {
            Op::Pick { object, .. } | Op::Put { object, .. } => Some(self.thing(object, s)?),
            Op::Open { .. } => None,
            _ => return None,
        };
        if let Some(held) = self.held(s) {
            // Too late to clear anything for what is in the hand already.
            let body = mine.as_ref().map(|t| t.body);
            if body.is_some_and(|b| held.body == b || self.in_hand(b, s)) {
                return None;
            }
            let spot = self.out_of_the_way(&held, s)?;
            let said = format!("put the {} out of the way", self.called(held.body));
            return Some(Script::part(self.put(&held, &spot, s)).saying(said));
        }
        let hindered = match (op, &mine) {
            (Op::Open { part }, _) => self.hanging_over(part, s).map(Hindrance::Drawer),
            (_, Some(thing)) => self.hindrance(thing, tries, s),
            _ => None,
        };
        let hindered = hindered?;
        // What is wedged in may not come: then the vessel is tried again with it.
        let whole = matches!(hindered, Hindrance::Load(_));
        let (motions, said) = match hindered {
            Hindrance::Drawer(part) => {
                let mut out = self.close(part, s);
                if let Some(Motion::Go { to, .. }) = out.last().copied() {
                    out.extend(self.straighten(&to));
                }
                (out, format!("close the {}", self.called(part.0)))
            }
            Hindrance::Thing(body) | Hindrance::Load(body) => {
                let thing = self.thing_of(body, s)?;
                let hold = self.hold_of(&thing, s)?;
                let mut out = self.take(&thing, &hold, s);
                if let Some(Motion::Lift { pace, .. }) = out.last_mut() {
                    *pace = Pace::TRAVEL;
                }
                (out, format!("take the {} out of the way", self.called(body)))
            }
        };
        Some(Script { more: !whole, ..Script::whole(motions).saying(said) })
    }

    /// What is in the way of taking a thing and putting it where it belongs.
    fn hindrance(&self, thing: &Thing, tries: u32, s: &Snapshot) -> Option<Hindrance> {
        let found = self.in_the_way_of(thing, s).or_else(|| self.in_the_grip_of(thing, tries, s));
        // Another way to take it may do; if not, there must be more room.
        let cramped = match &found {
            Some(Hindrance::Thing(b)) => self.beside(&self.thing_of(*b, s)?, false, s),
            None if tries > 0 => self.beside(thing, true, s),
            _ => None,
        };
        cramped.map(Hindrance::Drawer).or(found)
    }

    fn called(&self, body: BodyId) -> String {
        self.scene.called(&self.bodies[body].name)
    }

    fn thing_of(&self, body: BodyId, s: &Snapshot) -> Option<Thing> {
        self.thing(&self.bodies[body].name, s)
    }

    /// The movable thing in the hand.
    fn held(&self, s: &Snapshot) -> Option<Thing> {
        let movable = |b: &BodyId| self.movable(*b);
        let body = (0..self.bodies.len()).filter(movable).find(|b| s.hands[self.limb].holds[*b])?;
        self.thing_of(body, s)
    }

    pub(super) fn movable(&self, body: BodyId) -> bool {
        matches!(self.bodies[body].role, BodyRole::Object(i) if !self.infos[i].fixed)
    }

    /// What keeps a thing from being put where the task wants it.
    fn in_the_way_of(&self, thing: &Thing, s: &Snapshot) -> Option<Hindrance> {
        let name = &self.bodies[thing.body].name;
        let place = self.task.ops().into_iter().find_map(|op| match op {
            Op::Put { object, place } if object == name => Some(place),
            _ => None,
        })?;
        let (Target::On(to) | Target::In(to)) = place else { return None };
        if let Some(part) = self.hanging_over(to, s) {
            return Some(Hindrance::Drawer(part));
        }
        // In a drawer there is room on top of what lies there.
        if self.part(to).is_some() {
            return None;
        }
        let seat = self.seat(place, thing, s)?;
        let there: Vec<&str> = self
            .task
            .ops()
            .into_iter()
            .filter_map(|op| match op {
                Op::Put { object, place: p } if p == place => Some(object.as_str()),
                _ => None,
            })
            .collect();
        let stray = |b: &BodyId| !there.contains(&self.bodies[*b].name.as_str());
        self.handiest(seat.taken.into_iter().filter(stray), s).map(Hindrance::Thing)
    }

    /// What a thing is so full of that fingers find no room.
    fn in_the_grip_of(&self, thing: &Thing, tries: u32, s: &Snapshot) -> Option<Hindrance> {
        let loads: Vec<BodyId> = (0..self.bodies.len())
            .filter(|b| self.movable(*b) && self.loads(*b, thing, s))
            .collect();
        // Often there is more room than it seems.
        if tries.is_multiple_of(2)
            || loads.is_empty()
            || self.hold_of(thing, s).is_some_and(|h| h.gap > JAMMED)
        {
            return None;
        }
        self.handiest(loads.into_iter(), s).map(Hindrance::Load)
    }

    /// An open drawer the hand would bump into when it takes a thing, if nobody needs it open.
    fn beside(&self, thing: &Thing, careful: bool, s: &Snapshot) -> Option<(BodyId, usize, usize)> {
        let hold = self.hold_of(thing, s)?;
        let reached_into = |o: &Solid| o.distance(thing.frame.pos) == 0.0;
        let mut around = self.solids(&[thing.body], s);
        around.retain(|o| s.joints[o.body] > OUT && !reached_into(o));
        self.bumps(&hold.tool, hold.opening, &around).into_iter().find_map(|body| {
            let BodyRole::Part(instance, p) = self.bodies[body].role else { return None };
            self.slide(instance, p)?;
            let needed = |op: &&Op| match op {
                Op::Open { part } | Op::Put { place: Target::In(part), .. } => {
                    self.part(part).is_some_and(|(b, ..)| b == body)
                }
                _ => false,
            };
            // What stands before it would be pushed over.
            let handles = &self.infos[instance].grasps;
            let name = Some(self.infos[instance].parts[p].name.as_str());
            let pull = handles.iter().find(|g| g.part.as_deref() == name)?;
            let (axis, whole) = self.slide(instance, p)?;
            let before =
                s.bodies[body].pose.point(pull.tool.pos) + s.bodies[whole].pose.dir(axis) * 0.05;
            let loose = self.solids(&[], s).into_iter().filter(|o| self.movable(o.body));
            let tall = loose.filter(|o| o.centre.z + o.extent().z > before.z - 0.005);
            let free = tall.map(|o| o.beyond(before)).fold(f64::MAX, f64::min) > 0.04;
            ((free || !careful) && !self.task.ops().iter().any(needed))
                .then_some((body, instance, p))
        })
    }

    /// Whether a body lies in or on a thing. In a bowl it may touch only slanting walls.
    fn loads(&self, body: BodyId, thing: &Thing, s: &Snapshot) -> bool {
        let at = thing.frame.local(s.bodies[body].pose.pos);
        s.touching.get(body, thing.body)
            && at.z > 0.0
            && at.truncate().length() < thing.bounds.footprint_radius()
    }

    /// Rounder than its box.
    pub(super) fn round(&self, body: BodyId) -> bool {
        let BodyRole::Object(i) = self.bodies[body].role else { return false };
        self.infos[i].round
    }

    /// The one that is taken most easily.
    fn handiest(&self, of: impl Iterator<Item = BodyId>, s: &Snapshot) -> Option<BodyId> {
        let cost = |b: &BodyId| {
            let thing = self.thing_of(*b, s)?;
            Some((self.hold_of(&thing, s)?.cost, *b))
        };
        of.filter_map(|b| cost(&b)).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, b)| b)
    }

    fn hold_of(&self, thing: &Thing, s: &Snapshot) -> Option<Hold> {
        self.grasp(&thing.frame, thing.body, thing.instance, None, s, &|_| Some(0.0))
    }

    /// An open drawer above this one, the highest: from the top down each closes freely.
    fn hanging_over(&self, path: &str, s: &Snapshot) -> Option<(BodyId, usize, usize)> {
        let (_, instance, p) = self.part(path)?;
        self.slide(instance, p)?;
        let parts = &self.infos[instance].parts;
        (0..parts.len()).find_map(|q| {
            let body = self.bodies.iter().position(|b| b.role == BodyRole::Part(instance, q))?;
            let above = parts[q].rest.pos.z > parts[p].rest.pos.z;
            (above && s.joints[body] > OUT).then_some((body, instance, q))
        })
    }

    /// A place on (or in a drawer of) something, as free as can be found.
    fn seat(&self, place: &Target, thing: &Thing, s: &Snapshot) -> Option<Seat> {
        let (Target::On(name) | Target::In(name)) = place else { return None };
        if self.region(name).is_some() || self.nook(place, thing, s).is_some() {
            return None;
        }
        match name.split_once('/') {
            Some((object, region)) => {
                let other = self.thing(object, s)?;
                let r = self.infos[other.instance].region(region)?;
                let at = self.reachable(r, thing, &other, object, s)?;
                self.seat_in(r, &at, thing, &other, s)
            }
            None => {
                let other = self.thing(name, s)?;
                let top = other.frame.pos;
                let taken = self.occupants(top, thing, &other, s);
                Some(Seat { offset: DVec3::ZERO, taken })
            }
        }
    }

    /// A free point of a region, the middle if it is, as an offset from there in its frame.
    pub(super) fn seat_in(
        &self,
        r: &Region,
        at: &Pose,
        thing: &Thing,
        other: &Thing,
        s: &Snapshot,
    ) -> Option<Seat> {
        if r.kind == RegionKind::Volume && r.part.is_none() {
            return None;
        }
        let down = if r.kind == RegionKind::Volume { r.half[2] } else { 0.0 };
        let own = radius(thing);
        // A drawer is not out all the way: along its depth there is only the middle of what is.
        let free = |h: f64| (h - own).max(0.0);
        let (x, y) = (free(r.half[0]), if r.part.is_some() { 0.0 } else { free(r.half[1]) });
        let mut best: Option<(f64, Seat)> = None;
        for i in -3..=3 {
            for j in -3..=3 {
                let offset = DVec3::new(x * f64::from(i) / 3.0, y * f64::from(j) / 3.0, 0.0);
                let point = at.point(offset - DVec3::Z * down);
                let taken = self.occupants(point, thing, other, s);
                let cost = taken.len() as f64 + offset.length();
                if best.as_ref().is_none_or(|b| cost < b.0) {
                    best = Some((cost, Seat { offset, taken }));
                }
            }
        }
        best.map(|(_, seat)| seat)
    }

    /// Movable things in the space a thing standing there would take, highest first.
    fn occupants(&self, at: DVec3, thing: &Thing, other: &Thing, s: &Snapshot) -> Vec<BodyId> {
        let own = radius(thing);
        let mut out: Vec<(f64, BodyId)> = self
            .solids(&[thing.body, other.body], s)
            .into_iter()
            .filter(|o| self.movable(o.body) && !s.hands[self.limb].holds[o.body])
            // What it carries comes along.
            .filter(|o| !self.loads(o.body, thing, s))
            .filter(|o| {
                let (lo, hi) = (o.centre.z - o.extent().z, o.centre.z + o.extent().z);
                hi > at.z + 0.004 && lo < at.z + 2.0 * thing.bounds.half[2]
            })
            .filter(|o| o.beyond(at) < own + BESIDE)
            .map(|o| (o.centre.z, o.body))
            .collect();
        out.sort_by(|a, b| b.0.total_cmp(&a.0));
        out.into_iter().map(|(_, b)| b).collect()
    }

    /// A free place of the table, near, where a held thing hinders nothing that is still to be done.
    fn out_of_the_way(&self, thing: &Thing, s: &Snapshot) -> Option<Spot> {
        let mut around = self.solids(&[thing.body], s);
        around.extend(self.ways(s));
        let wanted: Vec<_> = self
            .task
            .ops()
            .into_iter()
            .filter_map(|op| match op {
                Op::Put { place: Target::At(name) | Target::On(name), .. } => self.region(name),
                _ => None,
            })
            .flat_map(|r| &r.rects)
            .collect();
        let held = thing.frame.inverse() * s.hands[self.limb].pose;
        let size = thing.bounds.footprint_radius();
        let mut best: Option<(f64, Pose)> = None;
        for k in 0..(11 * 15) {
            let (x, y) = (-0.25 + 0.05 * f64::from(k % 11), -0.35 + 0.05 * f64::from(k / 11));
            let apart = |r: &&longarm_task::place::Rect| {
                let ([cx, cy], [hx, hy]) = (r.centre(), r.half());
                ((x - cx).abs() - hx).max((y - cy).abs() - hy) > size
            };
            if !wanted.iter().all(apart) {
                continue;
            }
            for turn in 0..8 {
                let turn = yaw(thing.frame.rot) + TAU * f64::from(turn) / 8.0;
                let at = Pose::new(DVec3::new(x, y, 0.0), DQuat::from_rotation_z(turn));
                let Some((room, put)) = self.stands(thing, &at, &held, &around, ROOMY) else {
                    continue;
                };
                let tool = at * held;
                let far = (at.pos - thing.frame.pos).truncate().length();
                let twist =
                    longarm_types::rotation_between(s.hands[self.limb].pose.rot, tool.rot).length();
                let cost = put
                    + 20.0 * far
                    + 2.0 * twist
                    + self.crowding(&tool, &around)
                    + 60.0 * (ROOMY - room);
                if best.as_ref().is_none_or(|b| cost < b.0) {
                    best = Some((cost, at));
                }
            }
        }
        best.map(|(_, at)| Spot::facing(at))
    }

    /// The room that drawers and doors take when they open.
    fn ways(&self, s: &Snapshot) -> Vec<Solid> {
        let mut out = Vec::new();
        for body in &self.bodies {
            let BodyRole::Part(i, p) = body.role else { continue };
            let (info, part) = (&self.infos[i], &self.infos[i].parts[p]);
            let Some(bounds) = super::room::part_bounds(info, part) else { continue };
            let Some(whole) = self.bodies.iter().position(|b| b.role == BodyRole::Object(i)) else {
                continue;
            };
            for k in 0..4 {
                let q = part.range[0] + (part.range[1] - part.range[0]) * f64::from(k) / 3.0;
                let frame = s.bodies[whole].pose * longarm_task::part_pose(part, q);
                out.push(Solid::new(whole, &frame, &bounds));
            }
        }
        out
    }
}

enum Hindrance {
    /// Something on the place where another belongs.
    Thing(BodyId),
    /// Something in what is to be taken.
    Load(BodyId),
    /// A drawer that is out.
    Drawer((BodyId, usize, usize)),
}

/// Half the width of what a thing stands on.
fn radius(thing: &Thing) -> f64 {
    thing.bounds.half[0].min(thing.bounds.half[1])
}
