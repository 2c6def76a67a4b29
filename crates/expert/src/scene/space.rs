//! What stands around, as boxes.

use longarm_assets::{AssetInfo, BodyRole, Part, PartMotion};
use longarm_task::{BodyId, part_pose};
use longarm_types::{Bounds, DVec3, Pose};

use super::{PartId, SceneObject, SceneView, Solid, SolidKind};

/// Room kept between a place and what may stay beside it.
const BESIDE: f64 = 0.01;
/// A drawer out further than this hangs over what is below it.
pub(crate) const OUT: f64 = 0.02;

/// Return the box around what moves with a part, in the part's frame: its places, its handles, its hinge.
pub(crate) fn part_bounds(info: &AssetInfo, part: &Part) -> Option<Bounds> {
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

impl SceneView<'_> {
    /// Return all that stands around, but for some bodies.
    pub(crate) fn solids(&self, skip: &[BodyId]) -> Vec<Solid> {
        let mut out = Vec::new();
        for b in self.bodies().filter(|b| !skip.contains(b)) {
            let (bounds, kind) = match self.role(b) {
                BodyRole::Object(i) => {
                    let info = self.info(i);
                    let kind = match info.fixed {
                        true => SolidKind::Fixed,
                        false => SolidKind::Movable { round: info.round },
                    };
                    (Some(info.bounds), kind)
                }
                BodyRole::Part(i, p) => {
                    (part_bounds(self.info(i), &self.info(i).parts[p]), SolidKind::Part)
                }
                BodyRole::World => (None, SolidKind::Fixed),
            };
            if let Some(bounds) = bounds {
                out.push(Solid::new(b, kind, &self.pose(b), &bounds));
            }
        }
        out.extend(self.others);
        out
    }

    /// Return all that stands around but what belongs to an instance.
    pub(crate) fn solids_beside(&self, instance: usize) -> Vec<Solid> {
        let mut around = self.solids(&[]);
        around.retain(|o| self.instance_of(o.body) != Some(instance));
        around
    }

    /// Return the room that drawers and doors take when they open.
    pub(crate) fn swept(&self) -> Vec<Solid> {
        self.bodies().filter_map(|b| self.part_of(b)).flat_map(|id| self.swept_by(id)).collect()
    }

    /// Return the room that a drawer or door takes when it opens.
    pub(crate) fn swept_by(&self, id: PartId) -> Vec<Solid> {
        let (info, part) = (self.info(id.instance), self.part_info(id));
        let (Some(bounds), Some(whole)) = (part_bounds(info, part), self.whole(id.instance)) else {
            return Vec::new();
        };
        let at = |k: i32| {
            let q = part.range[0] + (part.range[1] - part.range[0]) * f64::from(k) / 3.0;
            Solid::new(whole, SolidKind::Part, &(self.pose(whole) * part_pose(part, q)), &bounds)
        };
        (0..4).map(at).collect()
    }

    /// Return the movable bodies in the space that an object standing at a point of another would take,
    /// highest first.
    pub(crate) fn occupants(
        &self,
        at: DVec3,
        object: &SceneObject,
        other: &SceneObject,
    ) -> Vec<BodyId> {
        let own = object.radius();
        let mut out: Vec<(f64, BodyId)> = self
            .solids(&[object.body, other.body])
            .into_iter()
            .filter(|o| self.movable(o.body) && !self.now.held(o.body))
            // What it carries comes along, and what the other lies in stays.
            .filter(|o| !self.loads(o.body, object))
            .filter(|o| self.object_of(o.body).is_none_or(|under| !self.loads(other.body, &under)))
            .filter(|o| {
                let (lo, hi) = (o.centre.z - o.extent().z, o.centre.z + o.extent().z);
                hi > at.z + 0.004 && lo < at.z + 2.0 * object.bounds.half[2]
            })
            .filter(|o| o.beyond(at) < own + BESIDE)
            .map(|o| (o.centre.z, o.body))
            .collect();
        out.sort_by(|a, b| b.0.total_cmp(&a.0));
        out.into_iter().map(|(_, b)| b).collect()
    }

    /// Return the highest top of what stands within `berth` of a straight way, seen from above.
    pub(crate) fn top_between(
        &self,
        from: DVec3,
        to: DVec3,
        berth: f64,
        skip: Option<BodyId>,
    ) -> f64 {
        let mut top = 0.0f64;
        for solid in self.solids(skip.as_slice()) {
            let (c, h) = (solid.centre, solid.extent());
            // Distance of the box's centre from the path, against its reach plus the berth.
            let (a, d) = (from.truncate(), (to - from).truncate());
            let t = if d.length_squared() > 1e-9 {
                ((c.truncate() - a).dot(d) / d.length_squared()).clamp(0.0, 1.0)
            } else {
                0.0
            };
            let off = (c.truncate() - (a + d * t)).abs() - h.truncate();
            if off.max_element() < berth {
                top = top.max(c.z + h.z);
            }
        }
        top
    }

    /// Return the least room between a tool pose and the objects the hand does not hold; fixtures may be
    /// a little nearer than what can be knocked over.
    pub(crate) fn room_around(&self, tool: &Pose) -> f64 {
        let mut least = f64::MAX;
        for b in self.bodies() {
            let BodyRole::Object(i) = self.role(b) else { continue };
            if self.holds(b) {
                continue;
            }
            let (pose, bounds) = (&self.pose(b), &self.info(i).bounds);
            let gap = (bounds.centre_in(pose) - tool.pos).abs() - bounds.half_in(pose);
            let spare = if self.info(i).fixed { 0.05 } else { 0.0 };
            least = least.min(gap.max(DVec3::ZERO).length() + spare);
        }
        least
    }

    /// Return the open drawer above this part, the highest: from the top down each closes freely.
    pub(crate) fn hanging_over(&self, path: &str) -> Option<PartId> {
        let below = self.part(path)?;
        self.slide_axis(below)?;
        let parts = &self.info(below.instance).parts;
        (0..parts.len()).find_map(|q| {
            let id = self.part_at(below.instance, q)?;
            let above = parts[q].rest.pos.z > parts[below.part].rest.pos.z;
            (above && self.joint(id.body) > OUT).then_some(id)
        })
    }
}
