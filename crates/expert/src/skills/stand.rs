//! Standing up what lies, on the end that is near to something firm.

use longarm_assets::GraspKind;
use longarm_types::{Bounds, DQuat, DVec3, Pose};
use std::f64::consts::FRAC_PI_2;

use super::withdraw::withdraw;
use super::{APPROACH, Moment, Script, Skill};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace};
use crate::scene::{SceneObject, Solid, SolidKind, equivalents};

/// How much wider than the object fingers come.
const WIDER: f64 = 0.012;
/// Pieces in which the object turns.
const PIECES: u32 = 18;
/// How far the hand leans about the way its fingers close when it takes the object, radians.
const LEANS: [f64; 7] = [0.0, 0.3, -0.3, 0.6, -0.6, 0.8, -0.8];
/// Share of the object's turn that the hand turns: what is left it turns between the fingers.
const SHARES: [f64; 5] = [1.0, 0.75, 0.5, 0.25, 0.0];
/// What it costs to let it turn between the fingers.
const SLIPS: f64 = 20.0;
/// How far into what is firm it is pushed.
const PUSH: f64 = 0.004;
/// Room between leaning fingers and the table.
const CLEAR: f64 = 0.003;

/// Stands an object up against another.
pub(super) struct Stand<'a> {
    pub(super) object: &'a str,
    pub(super) against: &'a str,
}

impl Skill for Stand<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let object = now.scene.object(self.object)?;
        let firm = firm(now, self.against)?;
        Some(Script::whole(stand(now, &object, &firm).unwrap_or_else(|| withdraw(now))))
    }
}

/// Return an object or a region of one as a box.
fn firm(now: &Moment<'_>, path: &str) -> Option<Solid> {
    if let Some(object) = now.scene.object(path) {
        return Some(Solid::new(object.body, SolidKind::Fixed, &object.frame, &object.bounds));
    }
    let (name, region) = path.split_once('/')?;
    let instance = now.scene.instance(name)?;
    let region = now.scene.info(instance).region(region)?;
    let bounds = Bounds { centre: [0.0; 3], half: region.half };
    let frame = now.scene.region_pose(instance, region)?;
    Some(Solid::new(now.scene.whole(instance)?, SolidKind::Fixed, &frame, &bounds))
}

/// Take an object by its far end and turn it up about the edge that meets what is firm.
fn stand(now: &Moment<'_>, object: &SceneObject, firm: &Solid) -> Option<Vec<Motion>> {
    let limb = now.limb;
    let info = now.scene.info(object.instance);
    let (centre, half) = (DVec3::from(object.bounds.centre), DVec3::from(object.bounds.half));
    let foot = if object.frame.local(firm.centre).x > centre.x { 1.0 } else { -1.0 };
    // The lower edge of the end that becomes the foot, and the axis that lifts the other end.
    let edge = object.frame.point(DVec3::new(centre.x + foot * half.x, centre.y, 0.0));
    let towards = object.frame.dir(DVec3::X * foot).with_z(0.0).normalize();
    let axis = (-towards).cross(DVec3::Z);
    // Pushed against what is firm it cannot but turn as the hand rises: its upper edge stays there, and the
    // lower one slides back.
    let meets = edge + towards * (firm.beyond(edge) + PUSH);
    let turned = |pose: &Pose, q: f64, share: f64| {
        let (turn, hand) =
            (DQuat::from_axis_angle(axis, q), DQuat::from_axis_angle(axis, share * q));
        let slid = meets - towards * 2.0 * half.z * libm::sin(q);
        Pose::new(slid + turn * (pose.pos - edge), (hand * pose.rot).normalize())
    };
    let mut best = Cheapest::new();
    for grasp in info.grasps.iter().filter(|g| g.kind == GraspKind::Pinch && g.part.is_none()) {
        let far = |tool: &Pose| (object.frame.local(tool.pos).x - centre.x) * foot < 0.0;
        for tool in equivalents(&object.frame, grasp, info.symmetry).into_iter().filter(far) {
            for lean in LEANS {
                let tool = tool * Pose::new(DVec3::ZERO, DQuat::from_rotation_y(lean));
                if tool.dir(DVec3::Z).z > -0.5 {
                    continue;
                }
                // The corners of leaning fingers come first.
                let sunk = CLEAR - limb.lowest_fingertip(&tool);
                let tool = Pose::new(tool.pos + DVec3::Z * sunk.max(0.0), tool.rot);
                let before = tool * Pose::at(0.0, 0.0, -APPROACH);
                for share in SHARES {
                    let at =
                        |k: u32| turned(&tool, FRAC_PI_2 * f64::from(k) / f64::from(PIECES), share);
                    let path: Vec<Pose> = (0..=PIECES).map(at).collect();
                    let leaves = path[PIECES as usize] * Pose::at(0.0, 0.0, -APPROACH);
                    let whole: Vec<Pose> =
                        [before].into_iter().chain(path.iter().copied()).chain([leaves]).collect();
                    let Some(cost) = limb.track(&whole) else { continue };
                    best.offer(cost + SLIPS * (1.0 - share), (path, grasp.opening, leaves));
                }
            }
        }
    }
    let (path, opening, leaves) = best.candidate()?;
    let tool = Pose::new(path[0].pos - (meets - edge), path[0].rot);
    let before = tool * Pose::at(0.0, 0.0, -APPROACH);
    let mut out = vec![now.ready((opening + WIDER).min(limb.widest))];
    out.extend(now.travel(&before, limb.fingertip(), None));
    out.push(Motion::go(tool, Pace::CAREFUL));
    out.push(Motion::Grip { command: 1.0, steps: 16, held: Some(object.body) });
    out.push(Motion::Wait(2));
    out.push(Motion::go(path[0], Pace::CAREFUL));
    out.extend(path[1..].iter().map(|p| Motion::Go {
        to: *p,
        pace: Pace::CAREFUL,
        via: 0.012,
        stop: crate::motion::Stop::Never,
    }));
    out.push(Motion::go(*path.last()?, Pace::GENTLE));
    out.push(Motion::Wait(3));
    out.push(now.release(limb.widest));
    out.push(Motion::through(leaves, Pace::CAREFUL));
    Some(out)
}

#[cfg(test)]
mod tests {
    use longarm_assets::Asset;
    use longarm_assets::objects::{Backstop, Book};
    use longarm_task::Op;

    use super::*;
    use crate::fixture::{Bench, goals, gripper_rigs, middle};

    #[test]
    fn the_end_away_from_the_wall_goes_up() {
        let rig = gripper_rigs()[0];
        let c = middle(rig);
        let book = Asset::from(Book { size: [0.026, 0.062, 0.16], lying: true });
        let wall = Asset::from(Backstop { size: [0.2, 0.2, 0.09] });
        let at = Pose::new(c + DVec3::new(-0.01, 0.0, 0.016), Default::default());
        let objects = [("book", book, at), ("wall", wall, Pose::new(c, Default::default()))];
        let bench = Bench::new(rig, &objects);
        let op = Op::Stand { object: "book".into(), against: "wall/face".into() };
        let motions = bench.script(&op).motions;
        let taken = motions.iter().position(Motion::takes).expect("it is taken");
        let way = goals(&motions[taken..]);
        let Motion::Go { to: first, .. } = motions[taken - 1] else { panic!("{motions:?}") };
        assert!(first.pos.x < c.x - 0.05, "taken by its far end: {first:?}");
        let up = way[way.len() - 2];
        assert!(up.pos.z > 0.12 && up.pos.x > first.pos.x + 0.05, "{up:?}");
        assert!(way.windows(2).all(|w| (w[1].pos - w[0].pos).length() < 0.1), "in small pieces");
    }
}
