//! Objects that belong in places, no two of them in one.
//!
//! What a tabletop rearrangement asks for is an assignment: these objects, those places, any that
//! fit. How much of it is done is the size of the largest matching, so that two objects can never
//! score for one place, and objects of a kind may go in any order.

use longarm_types::{Bounds, DVec3, Pose, yaw};
use serde::{Deserialize, Serialize};

use crate::{BodyId, Snapshot};

/// Most objects, and most places, a goal may have.
pub const MAX_SLOTS: usize = 32;

/// How near counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// The object's middle is within this many metres of the place's, seen from above.
    Near(f64),
    /// The whole object is inside a rectangle with these half sizes, seen from above.
    Inside([f64; 2]),
}

/// A place for one object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slot {
    /// The object it moves with; it belongs to the table if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Where the underside of what belongs here is: from the middle of the underside of `of`, or in
    /// the world.
    pub at: [f64; 3],
    /// Heading of what belongs here.
    #[serde(default)]
    pub yaw: f64,
    /// How near counts.
    pub fit: Fit,
    /// Largest difference in height; any height below the workspace's top if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<f64>,
    /// Largest difference in heading, up to the object's symmetry; any heading if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turned: Option<f64>,
}

impl Slot {
    /// A place on the table.
    pub fn on_table(at: [f64; 3], fit: Fit) -> Self {
        Self { of: None, at, yaw: 0.0, fit, level: None, turned: None }
    }

    /// A place that moves with an object.
    pub fn of(object: impl Into<String>, at: [f64; 3], fit: Fit) -> Self {
        Self { of: Some(object.into()), ..Self::on_table(at, fit) }
    }

    /// The height counts, to within this tolerance.
    pub fn level(self, tolerance: f64) -> Self {
        Self { level: Some(tolerance), ..self }
    }

    /// Any heading counts.
    pub fn any_heading(self) -> Self {
        Self { turned: None, ..self }
    }

    /// The heading counts, to within this tolerance.
    pub fn heading(self, yaw: f64, tolerance: f64) -> Self {
        Self { yaw, turned: Some(tolerance), ..self }
    }
}

/// An object and the places, by index, that it may take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Belongs {
    /// The object.
    pub object: String,
    /// Indices of slots.
    pub slots: Vec<usize>,
}

/// Objects and the places they belong in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// The places.
    pub slots: Vec<Slot>,
    /// Who belongs where.
    pub objects: Vec<Belongs>,
}

impl Goal {
    /// One object in one place.
    pub fn single(object: impl Into<String>, slot: Slot) -> Self {
        Self { slots: vec![slot], objects: vec![Belongs { object: object.into(), slots: vec![0] }] }
    }

    /// Adds objects of which any may take any of these places.
    pub fn any<N: Into<String>>(
        &mut self,
        objects: impl IntoIterator<Item = N>,
        slots: impl IntoIterator<Item = Slot>,
    ) {
        let first = self.slots.len();
        self.slots.extend(slots);
        let all: Vec<usize> = (first..self.slots.len()).collect();
        self.objects
            .extend(objects.into_iter().map(|o| Belongs { object: o.into(), slots: all.clone() }));
    }
}

/// The box of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BoxedBody {
    pub body: BodyId,
    pub bounds: Bounds,
}

impl BoxedBody {
    fn centre(&self, s: &Snapshot) -> DVec3 {
        self.bounds.centre_in(&s.bodies[self.body].pose)
    }

    fn half(&self, s: &Snapshot) -> DVec3 {
        self.bounds.half_in(&s.bodies[self.body].pose)
    }

    /// The middle of its underside as it lies now, with its heading.
    fn footing(&self, s: &Snapshot) -> Pose {
        let c = self.centre(s);
        Pose::at(c.x, c.y, c.z - self.half(s).z).yawed(heading(&s.bodies[self.body].pose))
    }
}

/// Heading by the first axis that is not upright, so that a cube on its side has one too.
fn heading(pose: &Pose) -> f64 {
    let x = pose.dir(DVec3::X);
    if x.z.abs() < 0.7 {
        return yaw(pose.rot);
    }
    let y = pose.dir(DVec3::Y);
    libm::atan2(y.y, y.x)
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BoundSlot {
    pub of: Option<BoxedBody>,
    pub slot: Slot,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BoundObject {
    pub solid: BoxedBody,
    /// Turn after which it looks the same; 0 if every turn.
    pub period: f64,
    /// Bit per slot it may take.
    pub may: u32,
}

/// A goal whose names have become bodies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BoundGoal {
    pub slots: Vec<BoundSlot>,
    pub objects: Vec<BoundObject>,
    /// Nothing counts above this.
    pub ceiling: f64,
}

impl BoundSlot {
    /// Where the underside of what belongs here should be.
    pub fn pose(&self, s: &Snapshot) -> Pose {
        let local =
            Pose::at(self.slot.at[0], self.slot.at[1], self.slot.at[2]).yawed(self.slot.yaw);
        match &self.of {
            Some(solid) => solid.footing(s) * local,
            None => local,
        }
    }
}

impl BoundGoal {
    /// How far an object is off a place, seen from above, and how far it may be.
    fn off(&self, o: &BoundObject, slot: &BoundSlot, s: &Snapshot) -> (f64, f64) {
        let (place, c) = (slot.pose(s), o.solid.centre(s));
        match slot.slot.fit {
            Fit::Near(eps) => (libm::hypot(c.x - place.pos.x, c.y - place.pos.y), eps),
            Fit::Inside([hx, hy]) => {
                let body = &s.bodies[o.solid.body].pose;
                let local = Pose::new(place.local(c), place.rot.conjugate() * body.rot);
                let half = Bounds { centre: [0.0; 3], half: o.solid.bounds.half }.half_in(&local);
                let over = (local.pos.x.abs() + half.x - hx).max(local.pos.y.abs() + half.y - hy);
                (over.max(0.0), 0.0)
            }
        }
    }

    fn fits(&self, o: &BoundObject, slot: &BoundSlot, s: &Snapshot) -> bool {
        /// Rounding of an object put exactly on the edge.
        const EDGE: f64 = 1e-4;
        let (off, most) = self.off(o, slot, s);
        if off > most + EDGE {
            return false;
        }
        let (footing, place) = (o.solid.footing(s), slot.pose(s));
        let high = match slot.slot.level {
            Some(tolerance) => (footing.pos.z - place.pos.z).abs() <= tolerance,
            None => footing.pos.z <= self.ceiling,
        };
        let turned = slot.slot.turned.is_none_or(|most| {
            let d = yaw(footing.rot) - yaw(place.rot);
            o.period <= 0.0 || (d - o.period * (d / o.period).round()).abs() <= most
        });
        high && turned && !s.held(o.solid.body)
    }

    /// Which object has each place in a largest assignment.
    pub fn matching(&self, s: &Snapshot) -> [Option<u8>; MAX_SLOTS] {
        let mut edges = [0u32; MAX_SLOTS];
        for (o, edge) in self.objects.iter().zip(&mut edges) {
            for (j, slot) in self.slots.iter().enumerate() {
                if o.may >> j & 1 == 1 && self.fits(o, slot, s) {
                    *edge |= 1 << j;
                }
            }
        }
        let mut owner = [None; MAX_SLOTS];
        for o in 0..self.objects.len() {
            let mut tried = 0;
            augment(o, &edges, &mut owner, &mut tried);
        }
        owner
    }

    /// How many objects are where they belong.
    pub fn placed(&self, s: &Snapshot) -> usize {
        self.matching(s).iter().flatten().count()
    }

    /// Of each object that has no place: its body, how far it is off the nearest one still free,
    /// and how far it may be.
    pub fn missing(&self, s: &Snapshot, mut tell: impl FnMut(BodyId, f64, f64)) {
        self.unplaced(s, |i, off, most| tell(self.objects[i].solid.body, off, most));
    }

    /// The same by index of the object.
    pub fn unplaced(&self, s: &Snapshot, mut tell: impl FnMut(usize, f64, f64)) {
        let owner = self.matching(s);
        for (i, o) in self.objects.iter().enumerate() {
            if owner.iter().flatten().any(|w| usize::from(*w) == i) {
                continue;
            }
            let free = (0..self.slots.len()).filter(|j| o.may >> j & 1 == 1 && owner[*j].is_none());
            let near = free
                .map(|j| self.off(o, &self.slots[j], s))
                .min_by(|a, b| (a.0 - a.1).total_cmp(&(b.0 - b.1)));
            if let Some((off, most)) = near {
                tell(i, off, most);
            }
        }
    }
}

/// Finds a place for object `o`, moving others on where that helps.
fn augment(
    o: usize,
    edges: &[u32; MAX_SLOTS],
    owner: &mut [Option<u8>; MAX_SLOTS],
    tried: &mut u32,
) -> bool {
    for j in 0..MAX_SLOTS {
        if edges[o] >> j & 1 == 0 || *tried >> j & 1 == 1 {
            continue;
        }
        *tried |= 1 << j;
        if owner[j].is_none_or(|other| augment(usize::from(other), edges, owner, tried)) {
            owner[j] = Some(o as u8);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(body: BodyId, may: u32) -> BoundObject {
        let solid = BoxedBody { body, bounds: Bounds::standing(0.02, 0.02, 0.04) };
        BoundObject { solid, period: std::f64::consts::FRAC_PI_2, may }
    }

    fn goal(slots: Vec<Slot>, objects: Vec<BoundObject>) -> BoundGoal {
        let slots = slots.into_iter().map(|slot| BoundSlot { of: None, slot }).collect();
        BoundGoal { slots, objects, ceiling: 0.3 }
    }

    fn at(places: &[[f64; 3]]) -> Snapshot {
        let mut s = Snapshot::empty(places.len() + 1, &["arm"]);
        for (i, [x, y, z]) in places.iter().enumerate() {
            s.bodies[i + 1].pose = Pose::at(*x, *y, *z);
        }
        s
    }

    #[test]
    fn two_objects_cannot_share_a_place() {
        let here = Slot::on_table([0.5, 0.0, 0.0], Fit::Near(0.05));
        let there = Slot::on_table([0.5, 0.2, 0.0], Fit::Near(0.05));
        let g = goal(vec![here, there], vec![cube(1, 3), cube(2, 3)]);
        assert_eq!(g.placed(&at(&[[0.5, 0.0, 0.0], [0.51, 0.0, 0.04]])), 1);
        assert_eq!(g.placed(&at(&[[0.5, 0.0, 0.0], [0.5, 0.2, 0.0]])), 2);
    }

    #[test]
    fn a_greedy_choice_is_undone() {
        // The first fits both, the second only the first place: the largest assignment has both.
        let a = Slot::on_table([0.5, 0.0, 0.0], Fit::Near(0.06));
        let b = Slot::on_table([0.5, 0.1, 0.0], Fit::Near(0.06));
        let g = goal(vec![a, b], vec![cube(1, 3), cube(2, 3)]);
        assert_eq!(g.placed(&at(&[[0.5, 0.05, 0.0], [0.5, -0.02, 0.0]])), 2);
        assert_eq!(g.placed(&at(&[[0.5, -0.02, 0.0], [0.5, -0.03, 0.0]])), 1);
    }

    #[test]
    fn heights_headings_and_edges() {
        let zone = Slot::on_table([0.5, 0.0, 0.0], Fit::Inside([0.05, 0.05]));
        let g = goal(vec![zone.clone()], vec![cube(1, 1)]);
        assert_eq!(g.placed(&at(&[[0.53, 0.0, 0.0]])), 1);
        assert_eq!(g.placed(&at(&[[0.532, 0.0, 0.0]])), 0);
        assert_eq!(g.placed(&at(&[[0.5, 0.0, 0.4]])), 0);
        let g = goal(vec![zone.level(0.015)], vec![cube(1, 1)]);
        assert_eq!(g.placed(&at(&[[0.5, 0.0, 0.01]])), 1);
        assert_eq!(g.placed(&at(&[[0.5, 0.0, 0.02]])), 0);
        let straight = Slot::on_table([0.5, 0.0, 0.0], Fit::Near(0.01)).heading(0.3, 0.26);
        let g = goal(vec![straight], vec![cube(1, 1)]);
        let mut s = at(&[[0.5, 0.0, 0.0]]);
        assert_eq!(g.placed(&s), 0);
        s.bodies[1].pose = s.bodies[1].pose.yawed(0.3 + std::f64::consts::FRAC_PI_2);
        assert_eq!(g.placed(&s), 1);
        s.hands[0].holds[1] = true;
        assert_eq!(g.placed(&s), 0);
    }
}
