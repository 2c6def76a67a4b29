//! Where fixtures stand after a reset: LIBERO's own draws, in LIBERO's own order.
//!
//! A stored state holds joints, not fixtures. The original draws their places at every reset, between
//! those of objects, from NumPy's global generator; so all draws up to the last fixture are made here.

use longarm_task::bddl::{Problem, Relation};
use longarm_types::{DQuat, DVec3, LegacyRandom, Pose};

use super::arena::Class;
use super::objects::Extent;
use super::{OriginalError, unary};

/// Categories whose rotation is drawn about two axes.
const TWO_TURNS: [&str; 7] = [
    "ketchup",
    "macaroni_and_cheese",
    "mayo",
    "milk",
    "orange_juice",
    "salad_dressing",
    "new_salad_dressing",
];
/// How often a model was loaded by the end of the first reset. Each time, the original appends its
/// samplers of joints to those there are.
const LOADS: usize = 2;
/// How often an object's place is drawn before the original gives up.
const TRIES: usize = 5000;

struct Placed {
    at: DVec3,
    extent: Extent,
}

/// Draw the poses of all fixtures as a reset after `numpy.random.seed` does.
pub(super) fn fixtures(
    problem: &Problem,
    class: &Class,
    extents: &[(String, Extent)],
    seed: u32,
) -> Result<Vec<(String, Pose)>, OriginalError> {
    let mut random = LegacyRandom::new(seed);
    // The noise of the arm's joints, drawn even where it is none.
    for _ in 0..7 {
        random.normal();
    }
    let states = problem.init.iter().filter(|f| unary(f.relation)).count();
    for _ in 0..LOADS * states {
        random.unit();
    }
    let mut placed: Vec<Placed> = Vec::new();
    let mut out = Vec::new();
    for fact in problem.init.iter().filter(|f| f.relation == Relation::On) {
        let Some(region) = problem.region(fact.place()) else { continue };
        let fixed = problem.fixtures.iter().any(|i| i.name == fact.subject());
        let own = extents.iter().find(|(name, _)| name == fact.subject());
        // Regions of objects are drawn after all others.
        let on_table = extents.iter().all(|(name, _)| *name != region.target);
        let (Some((name, extent)), true) = (own, on_table) else { continue };
        let inset = if fixed || !class.inside { 0.0 } else { extent.radius };
        let raised = if fixed { class.fixture_lift } else { 0.01 };
        let mut tries = 0..TRIES;
        let at = loop {
            if tries.next().is_none() || region.ranges.is_empty() {
                return Err(OriginalError::Crowded { name: name.clone() });
            }
            let [x0, y0, x1, y1] = region.ranges[random.below(region.ranges.len() as u32) as usize];
            let x = random.uniform(x0 + inset, x1 - inset) + class.origin[0];
            let y = random.uniform(y0 + inset, y1 - inset) + class.origin[1];
            let at = DVec3::new(x, y, raised + class.origin[2] - extent.bottom);
            let free = |other: &Placed| {
                let apart = (at - other.at).truncate().length();
                apart > other.extent.radius + extent.radius
                    || at.z - other.at.z > other.extent.top - extent.bottom
            };
            if fixed || placed.iter().all(free) {
                break at;
            }
        };
        placed.push(Placed { at, extent: *extent });
        if fixed {
            let [a, b] = region.yaw.unwrap_or([0.0, 0.0]);
            let yaw = random.uniform(a.min(b), a.max(b));
            out.push((name.clone(), Pose::new(at, DQuat::from_rotation_z(yaw))));
        } else {
            let category = problem.instance(name).map_or("", |i| &i.category);
            for _ in 0..if TWO_TURNS.contains(&category) { 2 } else { 1 } {
                random.unit();
            }
        }
    }
    Ok(out)
}
