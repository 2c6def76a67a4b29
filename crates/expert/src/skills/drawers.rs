//! Drawers that are in the way, or not as an operator needs them.

use longarm_task::plan::Target;
use longarm_task::{BodyId, Op};
use longarm_types::{DVec3, Pose};

use super::Moment;
use super::hold::{self, ANY_USE};
use crate::cheapest::Cheapest;
use crate::scene::{OUT, PartId, SceneObject, Solid, SolidKind};

/// Return the drawer that an operator puts something into, if it is shut.
pub(super) fn shut_before(now: &Moment<'_>, op: &Op) -> Option<PartId> {
    let Op::Put { place: Target::In(path), .. } = op else { return None };
    let id = now.scene.part(path)?;
    now.scene.slide(id)?;
    (now.scene.joint(id.body) < 0.5 * now.scene.part_info(id).open[0]).then_some(id)
}

/// Return an object that the plan takes and that no hand would reach below the open drawer.
pub(super) fn buried_by(now: &Moment<'_>, drawer: &str) -> Option<BodyId> {
    let id = now.scene.part(drawer)?;
    now.scene.slide(id)?;
    let swept = now.scene.swept_by(id);
    let wanted = now.scene.ops().iter().filter_map(|op| match op {
        Op::Pick { object, .. } => now.scene.object(object),
        _ => None,
    });
    // What lies in another drawer is taken when that one is out and this one is not.
    let own = now.scene.solids(&[]);
    let own = own.iter().filter(|o| now.scene.instance_of(o.body) == Some(id.instance));
    let outside = |o: &SceneObject| own.clone().all(|s| s.distance(o.frame.pos) > 0.0);
    let below = |o: &SceneObject| {
        let top = o.bounds.centre_in(&o.frame).z + o.bounds.half_in(&o.frame).z;
        let hangs = |s: &Solid| s.beyond(o.frame.pos) < o.radius() && s.centre.z > top;
        swept.iter().any(hangs) && hold::clear_of(now, o, &swept, ANY_USE).is_none()
    };
    wanted.filter(outside).find(below).map(|o| o.body)
}

/// Return the drawers that are out, but for one that an object lies in.
pub(super) fn hanging(now: &Moment<'_>, object: &SceneObject) -> Vec<Solid> {
    let mut around = now.scene.solids(&[object.body]);
    around.retain(|o| now.scene.part_of(o.body).is_some_and(|id| now.scene.slide(id).is_some()));
    around.retain(|o| now.scene.joint(o.body) > OUT && o.distance(object.frame.pos) > 0.0);
    around
}

/// Return the way along which a held object and the hand come out from below drawers; `None` if nothing
/// is above them.
pub(super) fn way_out(now: &Moment<'_>, object: &SceneObject, tool: &Pose) -> Option<DVec3> {
    /// Heights at which hand and object are looked at on their way up.
    const HEIGHTS: [f64; 5] = [0.04, 0.08, 0.12, 0.16, 0.2];
    const STEP: f64 = 0.02;
    const MOST: i32 = 8;
    let drawers = hanging(now, object);
    let caught = |shift: DVec3| {
        HEIGHTS.iter().any(|h| {
            let by = shift + DVec3::Z * *h;
            let lifted = |p: &Pose| Pose::new(p.pos + by, p.rot);
            let held =
                Solid::new(object.body, SolidKind::Fixed, &lifted(&object.frame), &object.bounds);
            now.limb.hand_gap(&lifted(tool), &drawers) < 0.0
                || drawers.iter().any(|d| d.gap(&held) < 0.0)
        })
    };
    if drawers.is_empty() || !caught(DVec3::ZERO) {
        return None;
    }
    let ways = drawers.iter().filter_map(|d| now.scene.slide(now.scene.part_of(d.body)?));
    let reached = |by: &DVec3| now.limb.cost(&Pose::new(tool.pos + *by, tool.rot)).is_some();
    let free = |way: DVec3| {
        let far = (1..=MOST).map(move |k| way * STEP * f64::from(k));
        far.filter(reached).find(|by| !caught(*by))
    };
    ways.filter_map(free).map(|by| (by.length(), by)).collect::<Cheapest<_>>().candidate()
}

/// Return an open drawer the hand would bump into when it takes an object, if nobody needs it open.
pub(super) fn beside(now: &Moment<'_>, object: &SceneObject, careful: bool) -> Option<PartId> {
    let scene = &now.scene;
    let hold = hold::of_object(now, object, ANY_USE)?;
    let around = hanging(now, object);
    now.limb.bumps(&hold.tool, hold.opening, &around).into_iter().find_map(|body| {
        let id = scene.part_of(body)?;
        let out_dir = scene.slide(id)?;
        let needed = |op: &Op| match op {
            Op::Open { part } | Op::Put { place: Target::In(part), .. } => {
                scene.part(part).is_some_and(|p| p.body == body)
            }
            _ => false,
        };
        // What stands before it would be pushed over.
        let pull = scene.handles(id).next()?;
        let before = scene.pose(body).point(pull.tool.pos) + out_dir * 0.05;
        let loose = scene.solids(&[]).into_iter().filter(|o| scene.movable(o.body));
        let tall = loose.filter(|o| o.centre.z + o.extent().z > before.z - 0.005);
        let free = tall.map(|o| o.beyond(before)).fold(f64::MAX, f64::min) > 0.04;
        ((free || !careful) && !scene.ops().iter().any(needed)).then_some(id)
    })
}

#[cfg(test)]
mod tests {
    use longarm_assets::objects::{Block, Cabinet};
    use longarm_assets::{Asset, RigName};

    use super::*;
    use crate::fixture::{Bench, gripper_rigs, middle};
    use crate::motion::Motion;

    fn pick(object: &str) -> Op {
        Op::Pick { object: object.into(), from: None }
    }

    /// A chest and a block before it that the plan puts into its top drawer.
    fn before_a_chest(rig: RigName, planned: bool) -> Bench {
        let (part, block) = ("chest/top", Asset::from(Block::cube(0.04)));
        let at = Pose::new(middle(rig) + DVec3::X * 0.2, Default::default());
        let chest = ("chest", Asset::from(Cabinet), at);
        let alone = Bench::new(rig, std::slice::from_ref(&chest));
        let id = alone.view().part(part).unwrap();
        let out = alone.view().swept_by(id)[3].centre + alone.view().slide(id).unwrap() * 0.03;
        let mine = ("mine", block, Pose::new(out.with_z(0.0), Default::default()));
        let put = Op::Put { object: "mine".into(), place: Target::In("chest/top_region".into()) };
        let ops = [Op::Open { part: part.into() }, pick("mine"), put];
        Bench::with(rig, &[chest, mine], &[], if planned { &ops } else { &ops[..1] }, &[])
    }

    #[test]
    fn what_a_drawer_would_hang_over_is_taken_away_before_it_opens() {
        let open = Op::Open { part: "chest/top".into() };
        for rig in gripper_rigs() {
            let said = |planned| before_a_chest(rig, planned).script(&open).said;
            assert_eq!(said(true).as_deref(), Some("take the mine out of the way"), "{rig}");
            assert_eq!(said(false), None, "{rig}: nobody wants it");
        }
    }

    #[test]
    fn beside_an_open_drawer_the_hand_leans_away_from_it() {
        let redundant = |rig: &RigName| crate::fixture::limb(*rig).redundant();
        let rig = gripper_rigs().into_iter().find(redundant).expect("an arm of seven joints");
        let c = middle(rig);
        let chest = Pose::new(c + DVec3::X * 0.3, Default::default());
        let alone = Bench::new(rig, &[("chest", Asset::from(Cabinet), chest)]);
        let id = alone.view().part("chest/top").unwrap();
        let front = alone.view().swept_by(id)[3];
        let way = alone.view().slide(id).unwrap();
        let far = front.extent().dot(way.abs()) - 0.02;
        let at = Pose::new((front.centre + way * far).with_z(0.0), Default::default());
        let bowl = Asset::from(longarm_assets::objects::Bowl { radius: 0.055 });
        let objects = [("bowl", bowl, at), ("chest", Asset::from(Cabinet), chest)];
        let mut bench = Bench::new(rig, &objects);
        bench.turn("chest/top", alone.view().part_info(id).range[1]);
        let (now, bowl) = (bench.moment(), bench.view().object("bowl").unwrap());
        let drawers = hanging(&now, &bowl);
        let plain = hold::of_object(&now, &bowl, ANY_USE).unwrap();
        assert!(!hold::keeps_clear(&now, &plain.tool, &drawers), "from above it bumps");
        let clear = hold::clear_of(&now, &bowl, &drawers, ANY_USE).expect("another way");
        assert!(hold::keeps_clear(&now, &clear.tool, &drawers));
        let up = way_out(&now, &bowl, &clear.tool).expect("the drawer is above the bowl");
        assert!(up.dot(way) > 0.03, "out the way the drawer comes: {up}");
        let motions = bench.script(&pick("bowl")).motions;
        assert!(motions.iter().any(|m| matches!(m, Motion::Lift { by, .. } if *by == up)));
    }

    #[test]
    fn what_lies_in_another_drawer_stays_there_until_that_one_is_open() {
        for rig in gripper_rigs() {
            let mut bench = before_a_chest(rig, true);
            let (view, body) = (bench.view(), bench.body("mine"));
            let chest = view.instance("chest").unwrap();
            let region = view.info(chest).region("middle_region").unwrap();
            let at = view.region_pose(chest, region).unwrap();
            bench.now.bodies[body].pose = Pose::new(at.pos, Default::default());
            assert_eq!(bench.script(&Op::Open { part: "chest/top".into() }).said, None, "{rig}");
        }
    }

    #[test]
    fn a_drawer_that_was_pushed_shut_is_opened_again() {
        let put = Op::Put { object: "mine".into(), place: Target::In("chest/top_region".into()) };
        for rig in gripper_rigs() {
            let mut bench = before_a_chest(rig, true);
            bench.hold("mine", bench.limb.easy(middle(rig).with_z(0.25)));
            let script = bench.script(&put);
            assert!(script.said.unwrap_or_default().starts_with("open the "), "{rig}");
            assert!(script.more, "{rig}: it is still to be put there");
            bench.turn("chest/top", 0.15);
            assert_eq!(bench.script(&put).said, None, "{rig}");
        }
    }
}
