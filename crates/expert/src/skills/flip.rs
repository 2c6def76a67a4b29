//! Turning an object over by an edge, away from the hands.

use longarm_assets::{Grasp, GraspKind};
use longarm_types::{DVec3, Pose};
use std::f64::consts::FRAC_PI_2;

use super::scoop::{self, Turn};
use super::withdraw::withdraw;
use super::{Moment, Script, Skill};
use crate::motion::Stop;

/// How far an object is led on after it lies on its side, radians: then it falls over by itself.
const ON: f64 = 0.75;

/// Turns an object over.
pub(super) struct Flip<'a> {
    pub(super) object: &'a str,
}

impl Skill for Flip<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let object = now.scene.object(self.object)?;
        let info = now.scene.info(object.instance);
        let scoops = |g: &&Grasp| g.part.is_none() && g.kind == GraspKind::Scoop;
        let edges: Vec<Pose> =
            info.grasps.iter().filter(scoops).map(|g| object.frame * g.tool).collect();
        // The way its edge goes over: fingers point there.
        let ahead = edges.first()?.dir(DVec3::Y).with_z(0.0).try_normalize()?;
        let half = DVec3::from(object.bounds.half);
        let reach = (object.frame.rot.conjugate() * ahead).abs().dot(half);
        let far = object.bounds.centre_in(&object.frame) + ahead * reach;
        // First about its farther feet, then about the edge above them, which comes to lie before them.
        let feet = far.with_z(object.lowest());
        let turns = [
            Turn { pivot: feet, by: FRAC_PI_2 },
            Turn { pivot: feet + ahead * 2.0 * half.z, by: ON },
        ];
        let axis = DVec3::Z.cross(ahead);
        let over = scoop::raise(now, object.body, &edges, axis, &turns, Stop::Never);
        Some(Script::whole(over.unwrap_or_else(|| withdraw(now))))
    }
}
