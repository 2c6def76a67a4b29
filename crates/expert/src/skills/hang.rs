//! Hanging an object on a hook by an opening of its own.

use longarm_assets::{Access, Region};
use longarm_task::plan::Target;
use longarm_types::{DQuat, DVec3, Pose, rotation_between};

use super::pick::pick;
use super::put::let_go;
use super::withdraw::withdraw_holding;
use super::{Moment, Script};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace, Stop};
use crate::scene::SceneObject;

/// How far before a hook's free end the opening is when the way on begins, and how far past it when it ends.
const BEFORE: f64 = 0.035;
const PAST: f64 = 0.05;
/// How far it is let down on the hook at most.
const DOWN: f64 = 0.02;
/// How high above the way on it is brought there.
const ABOVE: f64 = 0.03;

/// Hooks that an object goes on by its opening.
pub(super) struct Hooks<'a> {
    opening: &'a Region,
    /// Free end and outward direction of each.
    hooks: Vec<(DVec3, DVec3)>,
}

/// Tool poses over the free end, before it, on the hook, and let down.
type Way = [Pose; 4];

impl<'a> Hooks<'a> {
    /// Return the hooks of a place, if it has any and the object an opening.
    pub(super) fn of(now: &Moment<'a>, place: &Target, object: &SceneObject) -> Option<Self> {
        let Target::On(path) = place else { return None };
        let instance = now.scene.instance(path.split('/').next()?)?;
        let regions = &now.scene.info(instance).regions;
        let hooks: Vec<_> = regions
            .iter()
            .filter(|r| r.access == Access::Hook)
            .filter_map(|r| Some((now.scene.region_pose(instance, r)?, r.half[0])))
            .map(|(pose, half)| (pose.point(DVec3::X * half), pose.dir(DVec3::X)))
            .collect();
        let own = &now.scene.info(object.instance).regions;
        let opening = own.iter().find(|r| r.access == Access::Through)?;
        (!hooks.is_empty()).then_some(Self { opening, hooks })
    }

    /// Return the hooks on which the plan puts an object, if there are any.
    pub(super) fn destined(now: &Moment<'a>, object: &SceneObject) -> Option<Self> {
        let name = now.scene.name(object.body);
        now.scene.destinations(name).find_map(|place| Self::of(now, place, object))
    }

    /// Return the best way to bring the opening of an object held at `held` (the tool in the object's frame)
    /// onto a hook, and its cost.
    pub(super) fn way(&self, now: &Moment<'_>, held: &Pose) -> Option<(f64, Way)> {
        let (pose, half) = (&self.opening.pose, self.opening.half);
        let thin = (0..3).min_by(|&i, &j| half[i].total_cmp(&half[j])).unwrap_or(0);
        let through = pose.dir(DVec3::AXES[thin]);
        let heading = |d: DVec3| libm::atan2(d.y, d.x);
        let mut best = Cheapest::new();
        for (tip, out) in &self.hooks {
            for side in [1.0, -1.0] {
                let turn = heading(*out * side) - heading(through);
                let rot = DQuat::from_rotation_z(turn);
                let at = |p: DVec3| Pose::new(p - rot * pose.pos, rot) * *held;
                let before = *tip + *out * BEFORE;
                let on = *tip - *out * PAST;
                let up = DVec3::Z;
                let way = [before + up * ABOVE, before, on, on - up * DOWN].map(at);
                let Some(cost) = now.limb.track(&way) else { continue };
                let twist = rotation_between(now.scene.tool().rot, way[0].rot).length();
                best.offer(cost + twist, way);
            }
        }
        best.priced()
    }

    /// Hang a held object and let go.
    pub(super) fn put(&self, now: &Moment<'_>, object: &SceneObject) -> Script {
        if !now.scene.holds(object.body) {
            return Script::part(pick(now, object));
        }
        let held = object.frame.inverse() * now.scene.tool();
        let Some((_, [over, before, on, down])) = self.way(now, &held) else {
            return Script::whole(withdraw_holding(now));
        };
        let below = now.scene.tool().pos.z - object.lowest();
        let mut out = now.travel(&over, below, Some(object.body));
        out.push(Motion::go(before, Pace::CAREFUL));
        out.push(Motion::go(on, Pace::CAREFUL));
        out.push(Motion::until(down, Pace::GENTLE, Stop::Carried(object.body)));
        out.push(Motion::Wait(2));
        out.push(let_go(now));
        out.push(Motion::Retreat { by: 0.1, pace: Pace::TRAVEL });
        out.push(Motion::Wait(12));
        Script::whole(out)
    }
}

#[cfg(test)]
mod tests {
    use longarm_assets::Asset;
    use longarm_assets::objects::{Mug, MugTree};
    use longarm_task::Op;

    use super::*;
    use crate::fixture::{Bench, goals, gripper_rigs, middle};

    #[test]
    fn the_opening_goes_over_the_free_end_and_along_the_hook() {
        let rig = gripper_rigs()[0];
        let at = Pose::new(middle(rig) + DVec3::Y * 0.1, Default::default());
        let tree = Asset::from(MugTree {});
        let objects = [("mug", Asset::from(Mug {}), Pose::IDENTITY), ("tree", tree, at)];
        let place = Target::On("tree".into());
        let op = Op::Put { object: "mug".into(), place: place.clone() };
        let mut bench = Bench::with(rig, &objects, &[], std::slice::from_ref(&op), &[]);
        let tool = bench.limb.easy((middle(rig) - DVec3::Y * 0.1).with_z(0.3));
        bench.hold("mug", tool);
        let mug = bench.view().object("mug").unwrap();
        let now = bench.moment();
        let hooks = Hooks::of(&now, &place, &mug).unwrap();
        let way = goals(&bench.script(&op).motions);
        let held = mug.frame.inverse() * tool;
        let opening = |tool: &Pose| (*tool * held.inverse()).point(hooks.opening.pose.pos);
        let [.., before, on, _] = way[..] else { panic!("{way:?}") };
        let (from, to) = (opening(&before), opening(&on));
        let along = |(tip, out): &(DVec3, DVec3)| {
            ((from - *tip).dot(*out) - BEFORE).abs() < 1e-6
                && ((to - *tip).dot(*out) + PAST).abs() < 1e-6
                && (from - *tip).cross(*out).length() < 1e-6
        };
        assert!(hooks.hooks.iter().any(along), "{from} {to}");
    }
}
