//! Going home, or somewhere like it.

use longarm_types::{DVec3, Pose};

use super::{Moment, Script, Skill};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace};
use crate::scene::Solid;

/// Room around the hand that is enough to rest there.
const ROOMY: f64 = 0.13;

/// Opens the hand and goes home.
pub(super) struct Withdraw;

impl Skill for Withdraw {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        Some(Script::whole(withdraw(now)))
    }
}

/// Return the home pose, or a place like it with more room around it.
fn resting_place(now: &Moment<'_>) -> Pose {
    let home = now.limb.home_tool();
    let room = |p: &Pose| now.scene.room_around(p);
    let offsets = [
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.07],
        [0.0, 0.12, 0.0],
        [0.0, -0.12, 0.0],
        [-0.05, 0.0, 0.05],
    ];
    let places = offsets
        .map(|o| Pose::new(home.pos + now.limb.ahead(o.into()), home.rot))
        .into_iter()
        .filter(|p| now.limb.cost(p).is_some());
    let roomy = places.clone().find(|p| room(p) > ROOMY);
    roomy.or_else(|| places.max_by(|p, q| room(p).total_cmp(&room(q)))).unwrap_or(home)
}

/// Go home with whatever the hand holds.
pub(crate) fn withdraw_holding(now: &Moment<'_>) -> Vec<Motion> {
    let (rest, tool) = (resting_place(now), now.scene.tool());
    let height = now.cruise(tool.pos, rest.pos, now.limb.fingertip(), None).max(rest.pos.z);
    let up = Pose::new(tool.pos.with_z(height), now.scene.hand().commanded.rot);
    let up = now.limb.lowered(up);
    let over = now.limb.lowered(Pose::new(rest.pos.with_z(height), rest.rot));
    let mut out = vec![Motion::through(up, Pace::TRAVEL)];
    out.extend(now.across(&up, &over));
    out.push(Motion::go(rest, Pace::TRAVEL));
    out
}

/// Go from where it rests to where the hand has the most room from those of others.
pub(crate) fn aside(now: &Moment<'_>, others: &[Solid]) -> Vec<Motion> {
    const OFFSETS: [[f64; 3]; 6] = [
        [-0.1, 0.2, 0.15],
        [-0.1, -0.2, 0.15],
        [-0.15, 0.3, 0.2],
        [-0.15, -0.3, 0.2],
        [-0.12, 0.0, 0.25],
        [0.0, 0.0, 0.2],
    ];
    let home = now.limb.home_tool();
    let mut best = Cheapest::new();
    for offset in OFFSETS {
        let at = Pose::new(home.pos + now.limb.ahead(offset.into()), home.rot);
        if now.limb.cost(&at).is_some() && now.limb.cramped(&at) == 0.0 {
            best.offer(-now.limb.hand_gap(&at, others).min(0.5), at);
        }
    }
    best.candidate().map(|to| Motion::go(to, Pace::TRAVEL)).into_iter().collect()
}

/// Bring the hand, with whatever it holds, close to the limb's foot and above everything: a base can drive so.
pub(crate) fn tuck(now: &Moment<'_>) -> Vec<Motion> {
    /// Room above what stands on the table.
    const SPARE: f64 = 0.08;
    /// How far to the front of its foot the hand may be, nearest first.
    const AHEAD: [f64; 6] = [0.3, 0.35, 0.4, 0.45, 0.5, 0.55];
    let (tool, scene) = (now.scene.tool(), &now.scene);
    let held = scene.held();
    let below = held.as_ref().map_or(0.0, |o| tool.pos.z - o.lowest());
    let held = held.map(|o| o.body);
    let tops = scene.solids(held.as_slice()).into_iter().map(|o| o.centre.z + o.extent().z);
    let top = tops.fold(0.0, f64::max);
    let height = (top + below.max(now.limb.fingertip()) + SPARE).max(now.limb.home_tool().pos.z);
    let at = |ahead: f64| {
        now.limb.easy(now.limb.foot().with_z(height) + now.limb.ahead(DVec3::X * ahead))
    };
    let fits = |p: &Pose| now.limb.cost(p).is_some() && now.limb.cramped(p) == 0.0;
    let to = AHEAD.map(at).into_iter().find(fits).unwrap_or(now.limb.home_tool());
    let up = Pose::new(tool.pos.with_z(height.max(tool.pos.z)), scene.hand().commanded.rot);
    vec![Motion::through(now.limb.lowered(up), Pace::TRAVEL), Motion::go(to, Pace::TRAVEL)]
}

/// Open the hand and go home.
pub(crate) fn withdraw(now: &Moment<'_>) -> Vec<Motion> {
    let mut out = vec![Motion::Grip { command: -1.0, steps: 4, held: None }];
    out.extend(withdraw_holding(now));
    out
}

/// Whether the hand is where it withdraws to.
pub(crate) fn at_rest(now: &Moment<'_>) -> bool {
    let (far, turn) = now.scene.tool().error_to(&resting_place(now));
    far < 0.02 && turn < 0.1
}

#[cfg(test)]
mod tests {
    use longarm_assets::Asset;
    use longarm_assets::objects::Vase;
    use longarm_task::Op;

    use super::*;
    use crate::fixture::{Bench, goals, middle, one_limb_rigs};

    #[test]
    fn opens_the_hand_and_goes_home() {
        for rig in one_limb_rigs() {
            let mut bench = Bench::new(rig, &[]);
            assert!(at_rest(&bench.moment()), "{rig}");
            bench.now.hands[0].pose = bench.limb.easy(middle(rig).with_z(0.1));
            assert!(!at_rest(&bench.moment()), "{rig}");
            let motions = bench.script(&Op::Withdraw).motions;
            assert!(matches!(motions[0], Motion::Grip { command: -1.0, .. }), "{rig}");
            assert_eq!(goals(&motions).last(), Some(&bench.limb.home_tool()), "{rig}");
        }
    }

    #[test]
    fn rests_beside_what_stands_at_home() {
        for rig in one_limb_rigs() {
            let home = Bench::new(rig, &[]).limb.home_tool();
            let under = Pose::new(home.pos.with_z(home.pos.z - 0.1), Default::default());
            let tall = Asset::from(Vase { height: 0.16 });
            let bench = Bench::new(rig, &[("tall", tall, under)]);
            let rest = resting_place(&bench.moment());
            let room = |p: &Pose| bench.view().room_around(p);
            assert!(room(&rest) > room(&home), "{rig}: {rest:?}");
        }
    }
}
