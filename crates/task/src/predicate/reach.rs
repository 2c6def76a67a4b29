//! Where a hand must go to act on something.

use longarm_types::{Bounds, DVec3};

use super::cast::{Bound, Referent};
use crate::{BodyId, LimbId, Snapshot};

/// A place at which an object or part can be acted on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Handhold {
    /// Anywhere at the box around a body.
    Around(BodyId, Bounds),
    /// A point that moves with a body.
    Point(BodyId, DVec3),
}

impl Handhold {
    fn distance(&self, s: &Snapshot, tool: DVec3) -> f64 {
        match self {
            Self::Around(body, bounds) => {
                let local = s.bodies[*body].pose.local(tool) - DVec3::from(bounds.centre);
                (local.abs() - DVec3::from(bounds.half)).max(DVec3::ZERO).length()
            }
            Self::Point(body, at) => (s.bodies[*body].pose.point(*at) - tool).length(),
        }
    }
}

/// How far the hand of a limb, or the nearest hand, is from the nearest of these.
pub(crate) fn nearest(holds: &[Handhold], limb: Option<LimbId>, s: &Snapshot) -> f64 {
    let hands = s.hands_of(limb).iter().map(|h| h.pose.pos);
    let each = hands.flat_map(|tool| holds.iter().map(move |h| h.distance(s, tool)));
    each.fold(f64::INFINITY, f64::min)
}

impl Bound {
    /// Append the places at which an object, a part or a member of a group can be acted on: the
    /// grasps of a part, the box around an object. Nothing for what is not in this scene.
    pub(crate) fn handholds(&self, name: &str, out: &mut Vec<Handhold>) {
        for name in self.members(name) {
            match self.resolve(&name) {
                Ok(Referent::Object(m)) => {
                    out.extend(m.body.map(|b| Handhold::Around(b, m.info.bounds)));
                }
                Ok(Referent::Part(m, p)) => {
                    let Some(body) = m.body.map(|b| b + 1 + p) else { continue };
                    let own = m.info.grasps.iter();
                    let own = own.filter(|g| g.part.as_deref() == Some(&m.info.parts[p].name));
                    let before = out.len();
                    out.extend(own.map(|g| Handhold::Point(body, g.tool.pos)));
                    if out.len() == before {
                        out.push(Handhold::Point(body, DVec3::ZERO));
                    }
                }
                _ => {}
            }
        }
    }
}
