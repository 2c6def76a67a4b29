//! Putting objects where they cannot be set down from above: under a roof, in a groove, or lying in a
//! drawer that is to be shut over them.

mod front;

use std::f64::consts::{PI, TAU};

use longarm_assets::{Access, Region};
use longarm_task::plan::Target;
use longarm_task::{BodyId, Op};
use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::pick::pick;
use super::put::{Placement, let_go, put};
use super::withdraw::withdraw_holding;
use super::{APPROACH, Moment, Script, hold};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace, Stop};
use crate::scene::SceneObject;

/// A place that an object cannot be set down on from above.
pub(super) struct CoveredPlacement<'a> {
    region: &'a Region,
    /// The region's frame in the world.
    frame: Pose,
    /// The way what is laid there lies, in that frame.
    along: DVec3,
    /// How much further towards a drawer's front there is room.
    spare: DVec3,
    fixture: BodyId,
    entrance: Entrance,
}

#[derive(Clone, Copy, PartialEq)]
enum Entrance {
    /// Roofed and walled, open towards −y of its frame.
    Front,
    /// A groove along y of its frame.
    Groove,
    /// A drawer to be shut over what is too tall to stand in it.
    Drawer,
}

/// Tool poses that bring a held object in.
pub(super) struct Entry {
    /// Where the way in begins.
    before: Pose,
    at: Pose,
    /// It is not upright there: while it is carried, it still hangs.
    turned: bool,
}

/// How far above a drawer's walls the axis of what is dropped there is: fingers stay clear of them.
const ABOVE_WALLS: f64 = 0.025;
/// How far below the top of an object's side a groove's edges touch it, as a share of its radius.
const SUNK: f64 = 0.71;
/// Room wanted around what is set aside.
const ROOMY: f64 = 0.08;

impl<'a> CoveredPlacement<'a> {
    /// Return the place, if it is one of that kind for this object.
    pub(super) fn of(now: &Moment<'a>, place: &Target, object: &SceneObject) -> Option<Self> {
        let (Target::On(path) | Target::In(path)) = place else { return None };
        let (name, region) = path.split_once('/')?;
        let instance = now.scene.instance(name)?;
        let region = now.scene.info(instance).region(region);
        if too_tall_for(now, path, object) {
            let (other, region) = (now.scene.object(name)?, region?);
            let frame = now.scene.reachable(region, object, &other)?;
            let fixture = now.scene.part(path)?.body;
            let depth = now.scene.drawer_depth(region, object, instance);
            let spare = depth.as_ref().map_or(DVec3::ZERO, |d| d.out_dir * (d.most - d.out));
            // Across the way the drawer slides.
            let out = depth.map_or(DVec3::Y, |d| frame.rot.conjugate() * d.out_dir);
            let along = if out.x.abs() > out.y.abs() { DVec3::Y } else { DVec3::X };
            let entrance = Entrance::Drawer;
            return Some(Self { region, frame, along, spare, fixture, entrance });
        }
        let region = region?;
        let entrance = match region.access {
            Access::Groove => Entrance::Groove,
            Access::Front => Entrance::Front,
            Access::Above | Access::Through | Access::Below | Access::Hook => return None,
        };
        let fixture = now.scene.whole(instance)?;
        let frame = now.scene.pose(fixture) * region.pose;
        Some(Self { region, frame, along: DVec3::Y, spare: DVec3::ZERO, fixture, entrance })
    }

    /// Return where the plan puts an object, if that is such a place.
    pub(super) fn destined(now: &Moment<'a>, object: &SceneObject) -> Option<Self> {
        let name = now.scene.name(object.body);
        now.scene.destinations(name).find_map(|place| Self::of(now, place, object))
    }

    /// Return the best way to bring in an object held at `held` (the tool in the object's frame), and its
    /// cost.
    pub(super) fn entry(
        &self,
        now: &Moment<'_>,
        object: &SceneObject,
        held: &Pose,
    ) -> Option<(f64, Entry)> {
        match self.entrance {
            Entrance::Front => self.through_front(now, object, held),
            Entrance::Groove | Entrance::Drawer => self.lay(now, object, held),
        }
    }

    fn lay(&self, now: &Moment<'_>, object: &SceneObject, held: &Pose) -> Option<(f64, Entry)> {
        let around = now.scene.solids(&[object.body, self.fixture]);
        let radius = object.bounds.half[0];
        // A bottle's neck sticks out of a groove; a drawer is as long as it.
        let (middle, up) = match self.entrance {
            Entrance::Drawer => (0.88 * object.bounds.half[2], self.region.half[2] + ABOVE_WALLS),
            _ => (0.8 * object.bounds.half[2], SUNK * radius),
        };
        let mut best = Cheapest::new();
        // Near a drawer's front the hand keeps clear of what the drawer slides out of.
        let shares: &[f64] = match self.entrance {
            Entrance::Drawer => &[0.0, 0.5, 1.0],
            _ => &[0.0],
        };
        for (end, share) in [-1.0, 1.0].into_iter().flat_map(|e| shares.iter().map(move |f| (e, f)))
        {
            let z = self.frame.dir(self.along) * end;
            let x = DVec3::Z;
            let base = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z));
            for k in 0..16 {
                let rot = (base * DQuat::from_rotation_z(f64::from(k) * PI / 8.0)).normalize();
                let pos = self.frame.pos + self.spare * *share - z * middle + DVec3::Z * up;
                let at = Pose::new(pos, rot) * *held;
                // The hand must be above what it lays down.
                if at.dir(DVec3::Z).z > -0.6 {
                    continue;
                }
                let before = Pose::new(at.pos + DVec3::Z * 0.05, at.rot);
                let (Some(cost), Some(_)) = (now.limb.cost(&at), now.limb.cost(&before)) else {
                    continue;
                };
                let cost = cost + now.limb.crowding(&at, &around);
                best.offer(cost, Entry { before, at, turned: true });
            }
        }
        best.priced()
    }

    /// Bring a held object in and let go; if it is held so that it cannot go in, set it down where it
    /// can be taken otherwise.
    pub(super) fn put(&self, now: &Moment<'_>, object: &SceneObject) -> Script {
        if !now.scene.holds(object.body) {
            return Script::part(pick(now, object));
        }
        let held = object.frame.inverse() * now.scene.tool();
        let Some((_, Entry { before, at, turned })) = self.entry(now, object, &held) else {
            return match self.aside(now, object) {
                Some(placement) => Script::part(put(now, object, &placement)),
                None => Script::whole(withdraw_holding(now)),
            };
        };
        let below = object.bounds.footprint_radius().clamp(now.limb.fingertip(), 0.1);
        let below = match turned {
            true => below.max(now.scene.tool().pos.z - object.lowest()),
            false => below,
        };
        let mut out = now.travel(&before, below, Some(object.body));
        out.push(Motion::go(at, Pace::CAREFUL));
        if self.entrance != Entrance::Drawer {
            let down = Pose::new(at.pos - DVec3::Z * 0.02, at.rot);
            out.push(Motion::until(down, Pace::GENTLE, Stop::Carried(object.body)));
        }
        out.push(Motion::Wait(2));
        out.push(let_go(now));
        out.push(Motion::Retreat { by: 0.02, pace: Pace::CAREFUL });
        out.push(Motion::Retreat { by: 0.08, pace: Pace::TRAVEL });
        Script::whole(out)
    }

    /// Return a placement on the table from which a held object can be taken so that it goes in.
    fn aside(&self, now: &Moment<'_>, object: &SceneObject) -> Option<Placement> {
        let limb = now.limb;
        let good: Vec<Pose> = hold::ways(now, &Pose::IDENTITY, object.instance, None)
            .into_iter()
            .flat_map(|way| way.tools)
            .filter(|tool| self.entry(now, object, tool).is_some())
            .collect();
        let held = object.frame.inverse() * now.scene.tool();
        let around = now.scene.solids(&[object.body]);
        let mut best = Cheapest::new();
        for (k, point) in (0..12).flat_map(|k| now.scene.table_points().map(move |p| (k, p))) {
            let at = Pose::new(point, DQuat::from_rotation_z(TAU * f64::from(k) / 12.0));
            let Some((room, put)) = limb.stands(object, &at, &held, &around, ROOMY) else {
                continue;
            };
            let again = good
                .iter()
                .filter_map(|g| {
                    let tool = at * *g;
                    limb.cost(&(tool * Pose::at(0.0, 0.0, -APPROACH)))?;
                    Some(limb.cost(&tool)? + limb.crowding(&tool, &around))
                })
                .fold(f64::MAX, f64::min);
            // What hangs from its rim swings: with more room it knocks nothing over.
            let cost = put + again + limb.crowding(&(at * held), &around) + 50.0 * (ROOMY - room);
            if again < f64::MAX {
                best.offer(cost, at);
            }
        }
        best.candidate().map(Placement::facing)
    }
}

/// Whether an object standing in a drawer would keep it from being shut, as the plan wants.
fn too_tall_for(now: &Moment<'_>, drawer: &str, object: &SceneObject) -> bool {
    let Some(part) = now.scene.part(drawer) else { return false };
    let info = now.scene.info(part.instance);
    let region = drawer.split_once('/').and_then(|(_, r)| info.region(r));
    let shuts = |op: &Op| match op {
        Op::Close { part: p } => now.scene.part(p).is_some_and(|p| p.body == part.body),
        _ => false,
    };
    region.is_some_and(|r| object.bounds.half[2] > r.half[2]) && now.scene.ops().iter().any(shuts)
}

#[cfg(test)]
mod tests {
    use longarm_assets::objects::{Bottle, Cabinet, samples};
    use longarm_assets::{Asset, RigName};

    use super::*;
    use crate::fixture::{Bench, gripper_rigs, middle};

    /// Return a tall object that is taken slanting from above.
    fn tall() -> Asset {
        let slanting = |asset: &Asset| {
            let info = asset.info();
            let slants = |g: &longarm_assets::Grasp| (-0.9..-0.6).contains(&g.tool.dir(DVec3::Z).z);
            !info.fixed && info.bounds.half[2] > 0.06 && info.grasps.iter().any(slants)
        };
        samples().into_iter().find(slanting).expect("a tall object with such a grasp")
    }

    /// Build a bottle before a chest whose drawer is out; the plan shuts it again or not.
    fn drawer(rig: RigName, shut: bool) -> Bench {
        let c = middle(rig);
        let objects = [
            ("bottle", tall(), Pose::new(c - DVec3::Y * 0.1, Default::default())),
            ("chest", Asset::from(Cabinet), Pose::new(c + DVec3::X * 0.2, Default::default())),
        ];
        let place = Target::In("chest/top_region".into());
        let mut ops = vec![Op::Put { object: "bottle".into(), place }];
        if shut {
            ops.push(Op::Close { part: "chest/top".into() });
        }
        let mut bench = Bench::with(rig, &objects, &[], &ops, &[]);
        bench.turn("chest/top", 0.15);
        bench
    }

    #[test]
    fn a_place_is_covered_by_what_it_is_and_by_what_the_plan_wants() {
        let rig = gripper_rigs()[0];
        for (shut, covered) in [(false, false), (true, true)] {
            let bench = drawer(rig, shut);
            let bottle = bench.view().object("bottle").unwrap();
            let found = CoveredPlacement::destined(&bench.moment(), &bottle);
            assert_eq!(found.is_some(), covered, "shut {shut}");
        }
        let mut seen = 0;
        for asset in samples() {
            for r in asset.info().regions.iter().filter(|r| r.part.is_none()) {
                let objects = [
                    ("it", asset.clone(), Pose::IDENTITY),
                    ("bottle", Asset::from(Bottle), Pose::IDENTITY),
                ];
                let bench = Bench::new(rig, &objects);
                let bottle = bench.view().object("bottle").unwrap();
                let place = Target::In(format!("it/{}", r.name));
                let found =
                    CoveredPlacement::of(&bench.moment(), &place, &bottle).map(|c| c.entrance);
                let expected = match r.access {
                    Access::Front => Some(Entrance::Front),
                    Access::Groove => Some(Entrance::Groove),
                    _ => None,
                };
                assert!(found == expected, "{} of {}", r.name, asset.kind());
                seen += usize::from(found.is_some());
            }
        }
        assert!(seen >= 2, "a roofed place and a groove");
    }

    #[test]
    fn near_a_drawers_front_the_hand_keeps_clear_of_the_chest() {
        let mut found = 0;
        for rig in gripper_rigs() {
            let bench = drawer(rig, true);
            let now = bench.moment();
            let bottle = bench.view().object("bottle").unwrap();
            let covered = CoveredPlacement::destined(&now, &bottle).unwrap();
            assert!(covered.spare.length() > 0.005, "{rig}: {}", covered.spare);
            let middle = CoveredPlacement {
                spare: DVec3::ZERO,
                ..CoveredPlacement::destined(&now, &bottle).unwrap()
            };
            let around = bench.view().solids(&[bottle.body, covered.fixture]);
            for g in &bench.view().info(bottle.instance).grasps {
                let best = [&covered, &middle].map(|c| c.entry(&now, &bottle, &g.tool));
                let [Some((_, near)), Some((_, far))] = best else { continue };
                let gap = |e: &Entry| now.limb.hand_gap(&e.at, &around);
                assert!(
                    gap(&near) >= gap(&far) - 1e-9,
                    "{rig}: {} against {}",
                    gap(&near),
                    gap(&far)
                );
                // The bottle's middle is above the drawer's walls, and over the drawer.
                let frame = near.at * g.tool.inverse();
                let centre = bottle.bounds.centre_in(&frame);
                let local = covered.frame.local(centre);
                assert!(local.z > covered.region.half[2], "{rig}: {local}");
                found += 1;
            }
        }
        assert!(found > 0, "some limb lays the bottle there");
    }
}
