//! Bringing objects in under a roof, from the front.

use std::f64::consts::{FRAC_PI_2, TAU};

use longarm_assets::Grasp;
use longarm_task::Op;
use longarm_types::{Bounds, DQuat, DVec3, Pose};

use super::super::Moment;
use super::super::tip_in::Covered;
use super::{CoveredPlacement, Entry};
use crate::cheapest::Cheapest;
use crate::scene::{SceneObject, Solid, SolidKind};

/// Room beside the object, and before the front.
const SIDE: f64 = 0.008;
const FRONT: f64 = 0.03;
/// Room the hand keeps.
const HAND: f64 = 0.004;
/// How far before a roofed place its walls and its roof may begin.
const RIM: f64 = 0.016;
/// What it costs to reach in between the walls.
const INSIDE: f64 = 8.0;
/// What it costs to tip something in that may be held level.
const TIPPED: f64 = 8.0;
/// Down component of a hand that is level enough to come in under a roof.
const LEVEL: f64 = -0.6;
/// Thinner than this share of its other sides an object may lie on its broad side.
const SLAB: f64 = 0.4;
/// How far before a roofed place its walls surely begin, and by how much its roof is higher.
const SURE_RIM: f64 = 0.01;
const SURE_ROOF: f64 = 0.003;
/// How far within the front the middle of what lies there is at least: it would tip over the edge.
const STEADY: f64 = 0.01;

impl CoveredPlacement<'_> {
    /// Return the best way in for an object held at `held`: upright; slabs also lying.
    pub(super) fn through_front(
        &self,
        now: &Moment<'_>,
        object: &SceneObject,
        held: &Pose,
    ) -> Option<(f64, Entry)> {
        let around = now.scene.solids(&[object.body]);
        let mut inside = around.clone();
        inside.retain(|o| o.body != self.fixture);
        inside.extend(self.walls(now));
        self.slide_under(now, object, held, &around)
            .or_else(|| {
                let (cost, entry) = self.slide_under(now, object, held, &inside)?;
                Some((cost + INSIDE, entry))
            })
            .or_else(|| self.lean_in(now, object, held, &inside))
            .or_else(|| self.tip_in(now, object, held))
    }

    /// Tip in what neither lies on its broad side nor can be held level.
    fn tip_in(&self, now: &Moment<'_>, object: &SceneObject, held: &Pose) -> Option<(f64, Entry)> {
        // Of what is seen there are many holds: whether a level one is of use shows when it is tried.
        let seen = now.scene.sight().is_some();
        let level = |g: &Grasp| g.part.is_none() && g.tool.dir(DVec3::Z).z > LEVEL;
        let known = &now.scene.info(object.instance).grasps;
        if slab(object) || !seen && known.iter().any(level) {
            return None;
        }
        let half = DVec3::from(self.region.half);
        let covered = Covered { frame: self.frame, half, fixture: self.fixture };
        let (cost, [before, at]) = covered.tip_in(now, object, held)?;
        Some((cost + if seen { TIPPED } else { 0.0 }, Entry { before, at, turned: false }))
    }

    /// Return roof, floor, sides and back around the place: the fixture but for its mouth.
    fn walls(&self, now: &Moment<'_>) -> Vec<Solid> {
        let Some(instance) = now.scene.instance_of(self.fixture) else { return Vec::new() };
        let b = now.scene.info(instance).bounds;
        let half = DVec3::from(self.region.half);
        let centre = DVec3::from(b.centre) - self.region.pose.pos;
        let (low, high) = (centre - DVec3::from(b.half), centre + DVec3::from(b.half));
        let low = low.with_y(low.y.max(-half.y - RIM));
        let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
        let boards = [
            (low, high - z * (high.z + half.z)),
            (low + z * (half.z - low.z), high),
            (low, high - x * (high.x + half.x)),
            (low + x * (half.x - low.x), high),
            (low + y * (half.y - low.y), high),
        ];
        let solid = |(lo, hi): (DVec3, DVec3)| {
            let bounds = Bounds {
                centre: ((lo + hi) / 2.0).to_array(),
                half: ((hi - lo) / 2.0).max(DVec3::ZERO).to_array(),
            };
            Solid::new(self.fixture, SolidKind::Fixed, &self.frame, &bounds)
        };
        boards.into_iter().map(solid).collect()
    }

    /// Whether the plan shuts a door before this place.
    fn shut_behind(&self, now: &Moment<'_>) -> bool {
        let own = |p: &str| {
            let part = now.scene.part(p);
            part.is_some_and(|p| now.scene.whole(p.instance) == Some(self.fixture))
        };
        now.scene.ops().iter().any(|op| matches!(op, Op::Close { part } if own(part)))
    }

    /// Slide an object in as it stands.
    fn slide_under(
        &self,
        now: &Moment<'_>,
        object: &SceneObject,
        held: &Pose,
        around: &[Solid],
    ) -> Option<(f64, Entry)> {
        let limb = now.limb;
        let half = DVec3::from(self.region.half);
        let (c, h) = (DVec3::from(object.bounds.centre), DVec3::from(object.bounds.half));
        // Of other shapes what is highest may stay outside.
        if h.z > half.z && slab(object) {
            return None;
        }
        let lift = ((2.0 * half.z - 2.0 * h.z) / 3.0).clamp(0.003, 0.014);
        // Behind a door it must be in all the way.
        let (depths, whole): (&[f64], bool) = match self.shut_behind(now) {
            false => (&[0.03, 0.045, 0.06], false),
            true => (&[0.06, 0.07, 0.08, 0.09, 0.1], true),
        };
        let mut best = Cheapest::new();
        for k in 0..24 {
            let turn = DQuat::from_rotation_z(TAU * f64::from(k) / 24.0);
            let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
                .map(|(i, j)| turn * (c + DVec3::new(i * h.x, j * h.y, 0.0)));
            let deep = corners.iter().map(|p| p.y).fold(f64::MIN, f64::max);
            let sides = [0.0, 0.04, -0.04, 0.08, -0.08];
            for (within, x) in depths.iter().flat_map(|w| sides.map(|x| (*w, x))) {
                let y = within - half.y;
                let fits = corners
                    .iter()
                    .filter(|p| whole || y + p.y > -half.y - 0.01)
                    .all(|p| (x + p.x).abs() < half.x - SIDE && y + p.y < half.y)
                    && (!whole || corners.iter().all(|p| y + p.y > -half.y - 0.01));
                if !fits {
                    continue;
                }
                let rot = (self.frame.rot * turn).normalize();
                let tool_at = |y: f64| {
                    Pose::new(self.frame.point(DVec3::new(x, y, lift - half.z)), rot) * *held
                };
                let at = tool_at(y);
                if limb.hand_gap(&at, around) < HAND {
                    continue;
                }
                let before = tool_at(-half.y - FRONT - deep);
                let halfway = Pose::new(before.pos.lerp(at.pos, 0.5), before.rot);
                let Some(cost) = limb.track(&[before, halfway, at]) else { continue };
                let cost = cost + 5.0 * x.abs() + limb.crowding(&before, around);
                best.offer(cost, Entry { before, at, turned: false });
            }
        }
        best.priced()
    }

    /// Bring a slab in foot first, leaning back so far that it falls on its broad side when let go.
    fn lean_in(
        &self,
        now: &Moment<'_>,
        object: &SceneObject,
        held: &Pose,
        around: &[Solid],
    ) -> Option<(f64, Entry)> {
        let half = DVec3::from(self.region.half);
        let [hx, hy, hz] = object.bounds.half;
        if !slab(object) {
            return None;
        }
        let flat = if hx < hy { 0.0 } else { FRAC_PI_2 };
        // On the table it may stick out; anywhere else it would tip over the edge.
        let edge = if self.frame.pos.z - half.z < 0.01 { 0.012 } else { hz + STEADY };
        let mut best = Cheapest::new();
        for (lean, side) in
            (0..13).map(|k| 0.85 + 0.0375 * f64::from(k)).flat_map(|l| [0.0, 2.0].map(|s| (l, s)))
        {
            let turn = DQuat::from_rotation_z(FRAC_PI_2 + flat + side * FRAC_PI_2);
            let rot = DQuat::from_rotation_x(lean) * turn;
            let corners = corners(&object.bounds).map(|p| rot * p);
            let lowest = corners.iter().map(|p| p.z).fold(f64::MAX, f64::min);
            let deep = corners.iter().map(|p| p.y).fold(f64::MIN, f64::max);
            let wide = corners.iter().map(|p| p.x.abs()).fold(0.0, f64::max);
            for (y, x) in (0..5)
                .map(|k| edge - half.y + 0.008 * f64::from(k))
                .flat_map(|y| [0.0, 0.04, -0.04, 0.08, -0.08].map(|x| (y, x)))
            {
                // Its foot is let down the last bit.
                let foot = DVec3::new(x, y, 0.002 - half.z - lowest);
                let placed = corners.map(|p| foot + p);
                if y + deep > half.y
                    || x.abs() + wide > half.x - SIDE
                    || highest_beyond(&placed, -half.y - SURE_RIM) > half.z + SURE_ROOF
                {
                    continue;
                }
                let tool_at = |y: f64| {
                    let rot = (self.frame.rot * rot).normalize();
                    Pose::new(self.frame.point(foot.with_y(y)), rot) * *held
                };
                let at = tool_at(y);
                let table = now.limb.lowest(&at);
                if table < HAND || now.limb.hand_gap(&at, around) < HAND {
                    continue;
                }
                let before = tool_at(-half.y - FRONT - deep);
                let halfway = Pose::new(before.pos.lerp(at.pos, 0.5), before.rot);
                let Some(cost) = now.limb.track(&[before, halfway, at]) else { continue };
                let steeper = (lean - 1.1).abs();
                best.offer(cost + 5.0 * x.abs() + steeper, Entry { before, at, turned: true });
            }
        }
        best.priced()
    }
}

/// Whether an object may lie on its broad side.
fn slab(object: &SceneObject) -> bool {
    let [x, y, z] = object.bounds.half;
    x.min(y) < SLAB * x.max(y).min(z)
}

fn corners(b: &Bounds) -> [DVec3; 8] {
    std::array::from_fn(|k| {
        let sign = |bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        DVec3::from(b.centre) + DVec3::from(b.half) * DVec3::new(sign(0), sign(1), sign(2))
    })
}

/// Return how high a box is where it is beyond a plane across y.
fn highest_beyond(corners: &[DVec3; 8], plane: f64) -> f64 {
    let mut top = f64::MIN;
    for p in corners {
        if p.y >= plane {
            top = top.max(p.z);
        }
        // Diagonals lie within the box and change nothing.
        for q in corners.iter().filter(|q| q.y < plane && p.y >= plane) {
            top = top.max(p.lerp(*q, (p.y - plane) / (p.y - q.y)).z);
        }
    }
    top
}

#[cfg(test)]
mod tests {
    use longarm_assets::objects::samples;
    use longarm_assets::{Access, Affordance, Asset, Region, RigName};
    use longarm_task::plan::Target;

    use super::*;
    use crate::fixture::{Bench, gripper_rigs, limb, middle};

    fn find(of: impl Fn(&Asset) -> bool) -> Asset {
        samples().into_iter().find(of).expect("such an object")
    }

    /// Return a slab too tall to stand under the roof of a fixture.
    fn tall_slab() -> Asset {
        find(|a| {
            let [x, y, z] = a.info().bounds.half;
            !a.info().fixed && x.min(y) < SLAB * x.max(y).min(z) && z > 0.06
        })
    }

    fn roofed(asset: &Asset) -> Option<Region> {
        asset.info().regions.iter().find(|r| r.access == Access::Front).cloned()
    }

    /// Return a limb with an elbow to spare, a fixture with a roofed place beside it, and an object.
    fn bench(fixture: Asset, object: Asset, ops: &[Op]) -> (Bench, Region) {
        let redundant = |rig: &RigName| limb(*rig).redundant();
        let rig = gripper_rigs().into_iter().find(redundant).expect("an arm of seven joints");
        let (c, region) = (middle(rig), roofed(&fixture).expect("a roofed place"));
        let objects = [
            ("mine", object, Pose::new(c, Default::default())),
            ("fixture", fixture, Pose::new(c + DVec3::new(0.05, 0.28, 0.0), Default::default())),
        ];
        (Bench::with(rig, &objects, &[], ops, &[]), region)
    }

    /// Return the ways in, by the grasps that allow one.
    fn entries(bench: &Bench, region: &Region) -> Vec<(Grasp, Entry)> {
        let (now, mine) = (bench.moment(), bench.view().object("mine").unwrap());
        let place = Target::In(format!("fixture/{}", region.name));
        let covered = CoveredPlacement::of(&now, &place, &mine).expect("it has a roof");
        let grasps = &bench.view().info(mine.instance).grasps;
        let found = grasps.iter().map(|g| (g.clone(), covered.through_front(&now, &mine, &g.tool)));
        found.filter_map(|(g, e)| Some((g, e?.1))).collect()
    }

    #[test]
    fn a_slab_too_tall_to_stand_there_is_leant_in() {
        let shelf = find(|a| a.info().parts.is_empty() && roofed(a).is_some());
        let (bench, region) = bench(shelf, tall_slab(), &[]);
        let found = entries(&bench, &region);
        assert!(!found.is_empty());
        let fixture = bench.view().object("fixture").unwrap();
        let mine = bench.view().object("mine").unwrap();
        let frame = fixture.frame * region.pose;
        for (grasp, entry) in found {
            assert!(entry.turned);
            let object = entry.at * grasp.tool.inverse();
            let up = object.dir(DVec3::Z);
            assert!((0.2..0.7).contains(&up.z), "{up}");
            let placed = corners(&mine.bounds).map(|p| frame.local(object.point(p)));
            assert!(highest_beyond(&placed, -region.half[1]) < region.half[2] + 0.004);
            // Lying, its middle is within the place.
            let foot = frame.local(object.pos).y;
            assert!(foot - mine.bounds.half[2] > -region.half[1], "{foot}");
            assert!(bench.limb.lowest(&entry.at) > 0.0);
        }
    }

    #[test]
    fn only_slabs_are_laid_down() {
        let shelf = find(|a| a.info().parts.is_empty() && roofed(a).is_some());
        let stout = |a: &Asset| {
            let [x, y, z] = a.info().bounds.half;
            !a.info().fixed && x.min(y) > 0.5 * z && z > 0.04
        };
        let (bench, region) = bench(shelf, find(stout), &[]);
        assert!(entries(&bench, &region).iter().all(|(_, e)| !e.turned));
    }

    #[test]
    fn behind_a_door_nothing_sticks_out() {
        let oven = || find(|a| !a.info().parts.is_empty() && roofed(a).is_some());
        let cup = find(|a| {
            let level = |g: &Grasp| g.tool.dir(DVec3::Z).z.abs() < 0.3;
            a.info().affords(Affordance::Pourable) && a.info().grasps.iter().any(level)
        });
        let part = format!("fixture/{}", oven().info().parts[0].name);
        let (mut bench, region) = bench(oven(), cup, &[Op::Close { part: part.clone() }]);
        bench.turn(&part, 1.6);
        let found = entries(&bench, &region);
        assert!(!found.is_empty());
        let mine = bench.view().object("mine").unwrap();
        let frame = bench.view().object("fixture").unwrap().frame * region.pose;
        for (grasp, entry) in found {
            let object = entry.at * grasp.tool.inverse();
            for p in corners(&mine.bounds).map(|p| frame.local(object.point(p))) {
                assert!(p.y > -region.half[1] - 0.011 && p.y < region.half[1], "{p}");
            }
            assert!(entry.at.dir(DVec3::Z).z > -0.7, "level under the roof");
        }
    }
}
