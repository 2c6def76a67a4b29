//! Room for the hand: what stands around it, as boxes.

use longarm_assets::{AssetInfo, BodyRole, Part, PartMotion};
use longarm_task::{BodyId, Snapshot};
use longarm_types::{Bounds, DMat3, DVec3, Pose};

use super::{Primitives, Thing};

/// A box turned and placed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solid {
    /// What it belongs to.
    pub(crate) body: BodyId,
    pub(crate) centre: DVec3,
    axes: [DVec3; 3],
    half: DVec3,
}

impl Solid {
    pub(crate) fn new(body: BodyId, frame: &Pose, bounds: &Bounds) -> Self {
        let m = DMat3::from_quat(frame.rot);
        Self {
            body,
            centre: bounds.centre_in(frame),
            axes: [m.x_axis, m.y_axis, m.z_axis],
            half: bounds.half.into(),
        }
    }

    fn reach(&self, along: DVec3) -> f64 {
        (0..3).map(|i| self.half[i] * self.axes[i].dot(along).abs()).sum()
    }

    /// The same with less of its corners.
    fn rounded(mut self) -> Self {
        self.half *= 0.75;
        self
    }

    /// Half size of the upright box around it.
    pub(crate) fn extent(&self) -> DVec3 {
        DVec3::new(self.reach(DVec3::X), self.reach(DVec3::Y), self.reach(DVec3::Z))
    }

    /// How far a point lies outside of it, seen from above.
    pub(crate) fn beyond(&self, p: DVec3) -> f64 {
        let d = (p - self.centre).with_z(0.0);
        let off = |i: usize| {
            let axis = self.axes[i].with_z(0.0);
            match axis.try_normalize() {
                Some(a) => (d.dot(a).abs() - self.reach(a)).max(0.0),
                None => 0.0,
            }
        };
        DVec3::new(off(0), off(1), off(2)).length()
    }

    /// Distance of a point from it, 0 inside.
    pub(crate) fn distance(&self, p: DVec3) -> f64 {
        let d = p - self.centre;
        let off = |i: usize| (d.dot(self.axes[i]).abs() - self.half[i]).max(0.0);
        DVec3::new(off(0), off(1), off(2)).length()
    }

    /// Widest gap along any separating axis, negative where the boxes overlap.
    pub(crate) fn gap(&self, other: &Self) -> f64 {
        let between = other.centre - self.centre;
        let along = |a: DVec3| between.dot(a).abs() - self.reach(a) - other.reach(a);
        let faces = self.axes.iter().chain(&other.axes).map(|a| along(*a));
        let edges = self
            .axes
            .iter()
            .flat_map(|a| other.axes.iter().filter_map(|b| a.cross(*b).try_normalize()).map(along));
        faces.chain(edges).fold(f64::MIN, f64::max)
    }
}

/// Thickness of the forearm, and a little.
const FOREARM: f64 = 0.075;
/// Room the hand should keep.
const SPARE: f64 = 0.008;

/// Box around what moves with a part, in the part's frame: its places, its handles, its hinge.
pub(super) fn part_bounds(info: &AssetInfo, part: &Part) -> Option<Bounds> {
    let (mut lo, mut hi) = (DVec3::MAX, DVec3::MIN);
    let mut cover = |centre: DVec3, half: DVec3| {
        lo = lo.min(centre - half);
        hi = hi.max(centre + half);
    };
    let own = |p: &Option<String>| p.as_deref() == Some(part.name.as_str());
    for r in info.regions.iter().filter(|r| own(&r.part)) {
        cover(r.pose.pos, DVec3::from(r.half) + DVec3::splat(0.006));
    }
    for g in info.grasps.iter().filter(|g| own(&g.part)) {
        cover(g.tool.pos, DVec3::splat(0.008));
    }
    if let PartMotion::Hinge { pivot, .. } = part.motion {
        let foot = part.rest.local(pivot.into());
        let top = info.bounds.centre[2] + info.bounds.half[2] - part.rest.pos.z;
        cover(foot.with_z(top / 2.0), DVec3::new(0.0, 0.0, top / 2.0));
    }
    (lo.x <= hi.x).then(|| Bounds {
        centre: ((lo + hi) / 2.0).to_array(),
        half: ((hi - lo) / 2.0).to_array(),
    })
}

impl Primitives {
    fn fingers(&self, tool: &Pose, opening: f64) -> [Solid; 2] {
        let half = self.outline.finger;
        [-1.0, 1.0].map(|side| {
            let at = *tool * Pose::at(0.0, side * (opening / 2.0 + half[1]), 0.0);
            Solid::new(0, &at, &Bounds { centre: [0.0; 3], half })
        })
    }

    fn palm(&self, tool: &Pose) -> impl Iterator<Item = Solid> {
        self.outline.palm.iter().map(|b| Solid::new(0, tool, b))
    }

    /// Everything that stands around, but for some bodies.
    pub(super) fn solids(&self, skip: &[BodyId], s: &Snapshot) -> Vec<Solid> {
        let mut out = Vec::new();
        for (b, body) in self.bodies.iter().enumerate() {
            let bounds = match body.role {
                BodyRole::Object(i) => Some(self.infos[i].bounds),
                BodyRole::Part(i, p) => part_bounds(&self.infos[i], &self.infos[i].parts[p]),
                _ => None,
            };
            if let Some(bounds) = bounds.filter(|_| !skip.contains(&b)) {
                out.push(Solid::new(b, &s.bodies[b].pose, &bounds));
            }
        }
        out
    }

    /// The least gap between the hand and what stands around it.
    pub(super) fn hand_gap(&self, tool: &Pose, around: &[Solid]) -> f64 {
        let hand: Vec<Solid> = self.palm(tool).collect();
        around.iter().flat_map(|o| hand.iter().map(|h| h.gap(o))).fold(f64::MAX, f64::min)
    }

    /// The least gap between the open fingers and what can be pushed over or away.
    pub(super) fn finger_gap(&self, tool: &Pose, opening: f64, around: &[Solid]) -> f64 {
        let fingers = self.fingers(tool, opening);
        // Of drawers only those that the hand does not reach into.
        let part = |o: &Solid| matches!(self.bodies[o.body].role, BodyRole::Part(..));
        let beside = |o: &Solid| part(o) && o.distance(tool.pos) > 0.0;
        let loose = around.iter().filter(|o| self.movable(o.body) || beside(o));
        let shaped = loose.map(|o| if self.round(o.body) { o.rounded() } else { *o });
        shaped.flat_map(|o| fingers.map(|f| f.gap(&o))).fold(0.05, f64::min)
    }

    /// Which of these the hand and its open fingers would bump into.
    pub(super) fn bumps(&self, tool: &Pose, opening: f64, around: &[Solid]) -> Vec<BodyId> {
        const TOUCH: f64 = -0.002;
        let hand: Vec<Solid> = self.palm(tool).chain(self.fingers(tool, opening)).collect();
        let hit = |o: &&Solid| hand.iter().any(|h| h.gap(o) < TOUCH);
        around.iter().filter(hit).map(|o| o.body).collect()
    }

    /// How much room, up to `enough`, a thing held at `held` has where it is set down on the table, and
    /// what reaching there costs the arm; nothing where it does not fit or the arm does not reach.
    pub(super) fn stands(
        &self,
        thing: &Thing,
        at: &Pose,
        held: &Pose,
        around: &[Solid],
        enough: f64,
    ) -> Option<(f64, f64)> {
        let stands = Solid::new(thing.body, at, &thing.bounds);
        let room = around.iter().map(|o| o.gap(&stands)).fold(enough, f64::min);
        if room < 0.015 {
            return None;
        }
        let tool = *at * *held;
        let put = self.arm.cost(&tool)?;
        self.arm.cost(&Pose::new(tool.pos + DVec3::Z * 0.05, tool.rot))?;
        Some((room, put))
    }

    /// What it costs that the hand has too little room there.
    pub(super) fn crowding(&self, tool: &Pose, around: &[Solid]) -> f64 {
        let gap = self.hand_gap(tool, around);
        if gap < SPARE { 3.0 + 400.0 * (SPARE - gap) } else { 0.0 }
    }

    /// The same for the forearm.
    pub(super) fn elbowing(&self, tool: &Pose, around: &[Solid]) -> f64 {
        let arm = self.arm.forearm(tool);
        let gaps = around.iter().flat_map(|o| arm.iter().map(|p| o.distance(*p)));
        let gap = gaps.fold(FOREARM, f64::min);
        if gap < FOREARM { 2.0 + 100.0 * (FOREARM - gap) } else { 0.0 }
    }
}
