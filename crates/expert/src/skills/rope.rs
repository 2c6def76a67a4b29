//! A rope and the rings it is led through.

use longarm_assets::BodyRole;
use longarm_task::{BodyId, Op};
use longarm_types::{DVec3, Pose};

use crate::scene::SceneView;

/// Radius of the rope.
pub(super) const ROPE: f64 = 0.005;
/// The tool's centre comes no nearer to a ring's middle plane than this.
pub(super) const CLEAR: f64 = 0.023;
/// How near to a ring's middle a rope that passes through it crosses the ring's plane.
const INSIDE: f64 = 0.03;

/// An opening: its middle, and the way through it, away from the rope's tail.
#[derive(Clone, Copy)]
pub(super) struct Ring {
    pub(super) middle: DVec3,
    pub(super) way: DVec3,
}

/// A rope by the body of its leading end; its other bodies follow.
#[derive(Clone, Copy)]
pub(super) struct Rope<'a> {
    scene: SceneView<'a>,
    pub(super) end: BodyId,
}

impl<'a> Rope<'a> {
    pub(super) fn new(scene: SceneView<'a>, end: BodyId) -> Self {
        Self { scene, end }
    }

    /// Return the pose of the leading end; its x axis points back along the rope.
    pub(super) fn pose(&self) -> Pose {
        self.scene.pose(self.end)
    }

    /// Return the middle of the rope at a distance from its tip.
    pub(super) fn point(&self, from_tip: f64) -> DVec3 {
        self.pose().point(DVec3::new(from_tip, 0.0, ROPE))
    }

    /// Return the last body.
    fn tail(&self) -> BodyId {
        (self.end + 1..self.scene.bodies().end)
            .take_while(|b| matches!(self.scene.role(*b), BodyRole::Part(..)))
            .last()
            .unwrap_or(self.end)
    }

    /// Return the ring at a path.
    pub(super) fn ring(&self, path: &str) -> Option<Ring> {
        let (object, region) = path.split_once('/')?;
        let post = self.scene.object(object)?;
        let r = self.scene.info(post.instance).region(region)?;
        let frame = post.frame * r.pose;
        let half = DVec3::from(r.half);
        let thin = if half.x <= half.y { DVec3::X } else { DVec3::Y };
        let way = frame.dir(thin);
        let behind = way.dot(frame.pos - self.scene.pose(self.tail()).pos) > 0.0;
        Some(Ring { middle: frame.pos, way: if behind { way } else { -way } })
    }

    /// Return the rings the plan leads the rope through, in order.
    pub(super) fn rings(&self) -> Vec<Ring> {
        let mut seen: Vec<&str> = Vec::new();
        for op in self.scene.ops() {
            if let Op::Thread { opening, .. } = op
                && !seen.contains(&opening.as_str())
            {
                seen.push(opening);
            }
        }
        seen.into_iter().filter_map(|o| self.ring(o)).collect()
    }

    /// Whether the rope passes through a ring: some piece of it crosses the plane inside.
    pub(super) fn threads(&self, ring: &Ring) -> bool {
        (self.end..self.tail()).any(|b| {
            let at = |b: BodyId| self.scene.pose(b).pos + DVec3::Z * ROPE - ring.middle;
            let (p, q) = (at(b), at(b + 1));
            let (dp, dq) = (p.dot(ring.way), q.dot(ring.way));
            (dp > 0.0) != (dq > 0.0) && (p + (q - p) * (dp / (dp - dq))).length() < INSIDE
        })
    }
}

#[cfg(test)]
mod tests {
    use longarm_assets::Asset;
    use longarm_assets::objects::{HolePost, Rope as RopeAsset};
    use longarm_types::DQuat;

    use crate::fixture::{Bench, gripper_rigs, middle};
    use crate::motion::Motion;
    use crate::skills::rope::Rope;
    use longarm_task::Op;
    use longarm_types::{DVec3, Pose};

    /// Build a straight rope, its tip a distance past a ring.
    fn bench(past: f64) -> Bench {
        let rig = gripper_rigs()[0];
        let c = middle(rig);
        // The ring looks along y; the rope lies towards −y, its tip ahead.
        let turned = DQuat::from_rotation_z(-std::f64::consts::FRAC_PI_2);
        let tip = Pose::new(c + DVec3::new(0.0, past, 0.075), turned);
        let objects = [
            ("rope", Asset::from(RopeAsset { length: 0.25 }), tip),
            ("post", Asset::from(HolePost { height: 0.08, hole: 0.03 }), Pose::new(c, turned)),
        ];
        let thread = Op::Thread { end: "rope".into(), opening: "post/hole".into(), past: 0.05 };
        Bench::with(rig, &objects, &[], &[thread], &[])
    }

    #[test]
    fn a_rope_is_through_a_ring_it_crosses() {
        for (past, through) in [(-0.05, false), (0.03, true), (0.1, true)] {
            let bench = bench(past);
            let rope = Rope::new(bench.view(), bench.body("rope"));
            let ring = rope.ring("post/hole").unwrap();
            assert!(ring.way.y > 0.999, "away from the tail: {}", ring.way);
            assert_eq!(rope.threads(&ring), through, "tip {past} m past the ring");
        }
    }

    #[test]
    fn the_end_is_held_where_the_ring_leaves_room() {
        let held = |past: f64| {
            let bench = bench(past);
            let motions = bench.script(&Op::Grasp { object: "rope".into() }).motions;
            let taken = motions.iter().position(Motion::takes).unwrap();
            let Motion::Go { to, .. } = motions[taken - 1] else { panic!("{motions:?}") };
            let rope = Rope::new(bench.view(), bench.body("rope"));
            (to.pos - rope.point(0.0)).truncate().length()
        };
        assert!((held(-0.05) - 0.07).abs() < 1e-6, "far from the ring it is held where it is best");
        assert!(held(0.06) < 0.06 - 0.023 + 1e-6, "beyond the ring, clear of it");
    }
}
