//! Where objects can come to stand: free points of regions, and how high they lie.

use longarm_assets::{BodyRole, Region, RegionKind};
use longarm_task::BodyId;
use longarm_task::place::{Rect, RegionSpec};
use longarm_types::{Bounds, DQuat, DVec3, Pose};

use super::{SceneObject, SceneView};
use crate::cheapest::Cheapest;

/// A point of a surface where an object can come to stand.
pub(crate) struct Seat {
    /// From the middle of the region, in its frame.
    pub(crate) offset: DVec3,
    /// What stands there now, highest first.
    pub(crate) taken: Vec<BodyId>,
    /// The way to where others of the same place go, in the region's frame, if there are any.
    pub(crate) beside: Option<DVec3>,
}

/// Where along its slide an object can be put in a drawer, from the middle of the region.
pub(crate) struct DrawerDepth {
    /// The way the drawer opens, in the world.
    pub(crate) out_dir: DVec3,
    /// The middle of what has come out.
    pub(crate) out: f64,
    /// As near to the drawer's front as it may be.
    pub(crate) most: f64,
}

impl SceneView<'_> {
    /// Return where a region of another object is, or the middle of what has come out with its drawer.
    pub(crate) fn reachable(
        &self,
        r: &Region,
        object: &SceneObject,
        other: &SceneObject,
    ) -> Option<Pose> {
        let at = self.region_pose(other.instance, r)?;
        let Some(depth) = self.drawer_depth(r, object, other.instance) else { return Some(at) };
        Some(Pose::new(at.pos + depth.out_dir * depth.out, at.rot))
    }

    /// Return how much of a region has come out with its drawer; `None` if it is in no drawer.
    pub(crate) fn drawer_depth(
        &self,
        r: &Region,
        object: &SceneObject,
        instance: usize,
    ) -> Option<DrawerDepth> {
        /// Room for the hand before the front of what the drawer slides out of.
        const HAND: f64 = 0.045;
        const FRONT: f64 = 0.004;
        let id = self.part_named(instance, r.part.as_ref()?)?;
        let (axis, out_dir) = (self.slide_axis(id)?, self.slide(id)?);
        let depth = 2.0 * (DVec3::from(r.half) * axis.abs()).element_sum();
        let inside = (depth - self.joint(id.body) + HAND).clamp(0.0, depth - 0.05);
        // Not so far that it would lean on the drawer's front.
        let most = (depth / 2.0 - object.radius() - FRONT).max(0.0);
        Some(DrawerDepth { out_dir, out: (inside / 2.0).min(most), most })
    }

    /// Return a free point of a region at a pose, the middle if it is free; `None` for what is dropped into.
    pub(crate) fn seat_in(
        &self,
        r: &Region,
        at: &Pose,
        object: &SceneObject,
        other: &SceneObject,
    ) -> Option<Seat> {
        if r.kind == RegionKind::Volume && r.part.is_none() {
            return None;
        }
        let down = if r.kind == RegionKind::Volume { r.half[2] } else { 0.0 };
        let own = object.radius();
        // A drawer is not out all the way: along its depth there is only the middle of what is.
        let free = |h: f64| (h - own).max(0.0);
        let (x, y) = (free(r.half[0]), if r.part.is_some() { 0.0 } else { free(r.half[1]) });
        let mut best = Cheapest::new();
        for i in -3..=3 {
            for j in -3..=3 {
                let offset = DVec3::new(x * f64::from(i) / 3.0, y * f64::from(j) / 3.0, 0.0);
                let point = at.point(offset - DVec3::Z * down);
                let taken = self.occupants(point, object, other);
                let cost = taken.len() as f64 + offset.length();
                best.offer(cost, Seat { offset, taken, beside: None });
            }
        }
        if r.part.is_none() && self.companions(object.body).len() == 1 {
            return self.shared_seat(r, at, object, other).or(best.candidate());
        }
        best.candidate()
    }

    /// Return a point of a surface that leaves room for the one other object that goes there: across the
    /// middle from it, or from where it comes. Only the middle of each must be on the region.
    fn shared_seat(
        &self,
        r: &Region,
        at: &Pose,
        object: &SceneObject,
        other: &SceneObject,
    ) -> Option<Seat> {
        /// Room between the two, and to the region's edge.
        const APART: f64 = 0.012;
        const EDGE: f64 = 0.012;
        let companion = self.object_of(*self.companions(object.body).first()?)?;
        let from = at.local(companion.frame.pos).with_z(0.0);
        let apart = (object.radius() + companion.radius() + APART) / 2.0;
        // Along the axis on which the other one is further off, as far as it goes.
        let axis = if from.x.abs() > from.y.abs() { DVec3::X } else { DVec3::Y };
        let reach = (DVec3::from(r.half) * axis).length() - EDGE;
        if apart > reach {
            return None;
        }
        let beside = axis * from.dot(axis).signum();
        let there = from.x.abs() < r.half[0] && from.y.abs() < r.half[1];
        let far = if there { (2.0 * apart - from.dot(beside)).clamp(apart, reach) } else { apart };
        let offset = -beside * far;
        let taken = self.occupants(at.point(offset), object, other);
        taken.is_empty().then_some(Seat { offset, taken, beside: Some(beside) })
    }

    /// Return a point over the top of a deep region, beside what already lies in it.
    pub(crate) fn free_of_contents(
        &self,
        at: &Pose,
        r: &Region,
        object: &SceneObject,
        other: &SceneObject,
    ) -> DVec3 {
        /// Share of the region's width to the side, and how near to what lies there is too near.
        const ASIDE: f64 = 0.5;
        const CROWDED: f64 = 0.06;
        /// From this half width on, objects lie side by side.
        const WIDE: f64 = 0.08;
        let inside: Vec<DVec3> = self
            .bodies()
            .filter(|b| ![object.body, other.body].contains(b))
            .filter(|b| matches!(self.role(*b), BodyRole::Object(_)))
            .map(|b| self.pose(b).pos)
            .filter(|p| (at.local(*p).abs() - DVec3::from(r.half)).max_element() < 0.0)
            .collect();
        let room = |p: &DVec3| nearest(&inside, *p);
        let [x, y, z] = r.half;
        let companions = self.companions(object.body).into_iter().filter_map(|b| self.object_of(b));
        let wide = companions.map(|c| c.radius() + object.radius()).reduce(f64::max);
        let side_by_side = |half: f64| wide.is_some_and(|wide| 2.0 * ASIDE * half > wide);
        let aside: &[[f64; 2]] = if x.min(y) > WIDE {
            &[[0.0, -1.0], [0.0, 1.0], [-1.0, 0.0], [0.0, 0.0]]
        } else if x > y && side_by_side(x) {
            &[[-1.0, 0.0], [1.0, 0.0]]
        } else if side_by_side(y) {
            &[[0.0, -1.0], [0.0, 1.0]]
        } else {
            &[[0.0, 0.0], [0.0, -1.0], [0.0, 1.0], [-1.0, 0.0]]
        };
        let points = aside
            .iter()
            .map(|[i, j]| at.point(DVec3::new(ASIDE * x * i, ASIDE * y * j, z + 0.004)));
        let free = points.clone().find(|p| room(p) > CROWDED);
        free.or_else(|| points.max_by(|p, q| room(p).total_cmp(&room(q)))).unwrap_or(at.pos)
    }

    /// Return points of the table where objects may be set aside: a raster over the rig's workspace.
    pub(crate) fn table_points(&self) -> impl Iterator<Item = DVec3> {
        /// Distance between neighbouring points.
        const RASTER: f64 = 0.05;
        let Bounds { centre, half } = self.model.scene.structure.rig.workspace;
        let foot = DVec3::from(centre) - DVec3::Z * half[2];
        let [nx, ny] = [half[0], half[1]].map(|h| (h / RASTER + 1e-9).floor() as i32);
        (-ny..=ny).flat_map(move |j| {
            (-nx..=nx).map(move |i| foot + DVec3::new(f64::from(i), f64::from(j), 0.0) * RASTER)
        })
    }

    /// Return a point of a region of the table that is free of other objects, the middle if it is.
    pub(crate) fn free_point(&self, region: &RegionSpec, object: &SceneObject) -> Option<Pose> {
        /// More room than this is no better.
        const ENOUGH: f64 = 0.06;
        let (rect, z): (&Rect, f64) = (region.rects.first()?, region.z);
        let radius = object.bounds.footprint_radius();
        let mut best = Cheapest::new();
        let ([cx, cy], [hx, hy]) = (rect.centre(), rect.half());
        for i in -2..=2 {
            for j in -2..=2 {
                let p = DVec3::new(cx + hx * 0.4 * f64::from(i), cy + hy * 0.4 * f64::from(j), z);
                let mut gap = ENOUGH;
                for b in self.bodies().filter(|b| *b != object.body) {
                    let BodyRole::Object(o) = self.role(b) else { continue };
                    let far = (self.pose(b).pos - p).truncate().length();
                    gap = gap.min(far - radius - self.info(o).bounds.footprint_radius());
                }
                let score = gap - 0.01 * (p - DVec3::new(cx, cy, z)).length();
                best.offer(-score, p);
            }
        }
        best.candidate().map(|at| Pose::new(at, DQuat::IDENTITY))
    }
}

/// Return the horizontal distance of a point from the nearest of others.
pub(crate) fn nearest(others: &[DVec3], p: DVec3) -> f64 {
    others.iter().map(|q| (*q - p).truncate().length()).fold(f64::MAX, f64::min)
}

#[cfg(test)]
mod tests {
    use longarm_assets::objects::{Bin, Block, Cabinet};
    use longarm_assets::{Access, Asset};
    use longarm_task::Op;
    use longarm_task::plan::Target;

    use crate::fixture::{Bench, gripper_rigs};
    use longarm_types::{DVec3, Pose};

    fn block() -> Asset {
        Asset::from(Block::cube(0.04))
    }

    #[test]
    fn points_of_the_table_cover_the_workspace_of_every_rig() {
        for rig in crate::fixture::one_limb_rigs() {
            let bench = Bench::new(rig, &[]);
            let points: Vec<DVec3> = bench.view().table_points().collect();
            let space = rig.rig().workspace;
            let (centre, half) = (DVec3::from(space.centre), DVec3::from(space.half));
            let inside = |p: &DVec3| ((*p - centre).abs() - half).truncate().max_element() < 1e-6;
            assert!(points.iter().all(inside), "{rig}");
            assert!(
                points.iter().all(|p| (p.z - (centre.z - half.z)).abs() < 1e-9),
                "{rig}: on the table"
            );
            let corner = centre - half;
            let near =
                points.iter().map(|p| (*p - corner).truncate().length()).fold(f64::MAX, f64::min);
            assert!(near < 0.071, "{rig}: {near} m from a corner");
        }
    }

    #[test]
    fn what_lies_in_a_bin_is_avoided() {
        let bin = Asset::from(Bin { size: [0.26, 0.24, 0.09], label: "BIN".into() });
        let region = bin.info().regions[0].clone();
        let lies = Pose::new(region.pose.pos - DVec3::Z * 0.02, Default::default());
        let objects = [
            ("mine", block(), Pose::at(0.0, 0.0, 1.0)),
            ("bin", bin, Pose::IDENTITY),
            ("other", block(), lies),
        ];
        let bench = Bench::new(gripper_rigs()[0], &objects);
        let object = |name| bench.view().object(name).unwrap();
        let p =
            bench.view().free_of_contents(&region.pose, &region, &object("mine"), &object("bin"));
        assert!((p - lies.pos).truncate().length() > 0.05, "{p}");
        assert!(p.z > region.pose.pos.z + region.half[2], "over the rim: {p}");
    }

    #[test]
    fn two_that_go_into_one_vessel_stand_side_by_side() {
        let tray = Asset::from(Bin { size: [0.28, 0.15, 0.08], label: "TRAY".into() });
        let region = tray.info().regions[0].clone();
        let put =
            |object: &str| Op::Put { object: object.into(), place: Target::In("tray".into()) };
        let wide = || Asset::from(Block::cube(0.09));
        let objects = [
            ("first", wide(), Pose::at(0.0, 0.5, 0.0)),
            ("tray", tray, Pose::IDENTITY),
            ("second", wide(), Pose::at(0.0, 0.7, 0.0)),
        ];
        let ops = [put("first"), put("second")];
        let mut bench = Bench::with(gripper_rigs()[0], &objects, &[], &ops, &[]);
        let point = |bench: &Bench, name: &str| {
            let (view, at) = (bench.view(), &region.pose);
            let (mine, tray) = (view.object(name).unwrap(), view.object("tray").unwrap());
            view.free_of_contents(at, &region, &mine, &tray)
        };
        let first = point(&bench, "first");
        let body = bench.body("first");
        bench.now.bodies[body].pose = Pose::new(first.with_z(0.01), Default::default());
        let second = point(&bench, "second");
        assert!((second - first).truncate().length() > 0.09, "{first} {second}");
    }

    #[test]
    fn a_drawer_offers_what_has_come_out() {
        let chest = Asset::from(Cabinet);
        let inside = |r: &&longarm_assets::Region| r.part.is_some() && r.access == Access::Above;
        let region = chest.info().regions.iter().find(inside).unwrap().clone();
        let part = format!("chest/{}", region.part.clone().unwrap());
        let objects =
            [("mine", block(), Pose::at(0.0, 0.0, 1.0)), ("chest", chest, Pose::IDENTITY)];
        let mut bench = Bench::new(gripper_rigs()[0], &objects);
        let mut last = f64::MAX;
        for out in [0.06, 0.1, 0.15] {
            bench.turn(&part, out);
            let view = bench.view();
            let (mine, chest) = (view.object("mine").unwrap(), view.object("chest").unwrap());
            let at = view.reachable(&region, &mine, &chest).unwrap();
            let depth = view.drawer_depth(&region, &mine, chest.instance).unwrap();
            assert!(depth.out <= depth.most, "not through the front");
            let whole = view.region_pose(chest.instance, &region).unwrap();
            let shift = (at.pos - whole.pos).dot(depth.out_dir);
            assert!((shift - depth.out).abs() < 1e-12);
            assert!(shift <= last, "the further it is out, the nearer to its middle");
            last = shift;
        }
    }

    #[test]
    fn a_taken_seat_is_passed_over() {
        let top = |asset: &Asset| {
            asset
                .info()
                .regions
                .iter()
                .find(|r| r.kind == longarm_assets::RegionKind::Surface && r.half[0] > 0.08)
                .cloned()
        };
        let (shelf, region) = longarm_assets::objects::samples()
            .into_iter()
            .find_map(|a| top(&a).map(|r| (a, r)))
            .expect("something wide to stand on");
        for stray in [false, true] {
            let at = Pose::new(region.pose.pos, Default::default());
            let aside = Pose::at(5.0, 0.0, 0.0);
            let objects = [
                ("mine", block(), Pose::at(0.0, 0.0, 1.0)),
                ("shelf", shelf.clone(), Pose::IDENTITY),
                ("stray", block(), if stray { at } else { aside }),
            ];
            let bench = Bench::new(gripper_rigs()[0], &objects);
            let object = |name| bench.view().object(name).unwrap();
            let seat = bench
                .view()
                .seat_in(&region, &region.pose, &object("mine"), &object("shelf"))
                .unwrap();
            assert!(seat.taken.is_empty());
            assert_eq!(seat.offset.length() > 0.04, stray, "{}", seat.offset);
        }
    }

    #[test]
    fn two_that_share_a_place_leave_each_other_room() {
        let top = |asset: &Asset| {
            let wide = |r: &&longarm_assets::Region| {
                let [x, y, _] = r.half;
                r.kind == longarm_assets::RegionKind::Surface && (0.06..0.09).contains(&x.min(y))
            };
            (asset.info().regions.iter().find(wide)).filter(|r| r.part.is_none()).cloned()
        };
        let (stove, region) = longarm_assets::objects::samples()
            .into_iter()
            .find_map(|a| top(&a).map(|r| (a, r)))
            .expect("something that two fit on");
        let block = || Asset::from(Block::cube(0.08));
        let objects = [
            ("first", block(), Pose::at(0.5, 0.0, 0.0)),
            ("stove", stove, Pose::IDENTITY),
            ("second", block(), Pose::at(0.7, 0.1, 0.0)),
        ];
        let put = |object: &str| Op::Put {
            object: object.into(),
            place: Target::On(format!("stove/{}", region.name)),
        };
        let ops = [put("first"), put("second")];
        let mut bench = Bench::with(gripper_rigs()[0], &objects, &[], &ops, &[]);
        let seat = |bench: &Bench, name: &str| {
            let (view, at) = (bench.view(), &region.pose);
            let (mine, stove) = (view.object(name).unwrap(), view.object("stove").unwrap());
            at.point(view.seat_in(&region, at, &mine, &stove).unwrap().offset)
        };
        let first = seat(&bench, "first");
        let body = bench.body("first");
        bench.now.bodies[body].pose = Pose::new(first, Default::default());
        let second = seat(&bench, "second");
        assert!((second - first).length() > 0.08, "{first} {second}");
        for p in [first, second] {
            assert!((region.pose.local(p).abs() - DVec3::from(region.half)).max_element() < 0.0);
        }
    }
}
