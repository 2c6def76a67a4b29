//! Ways through free space.

use longarm_assets::BodyRole;
use longarm_assets::robots::Grip;
use longarm_task::BodyId;
use longarm_types::{DVec3, Pose};

use super::Moment;
use crate::motion::{Motion, Pace};

/// Room kept between what is carried and what stands in the way.
const MARGIN: f64 = 0.025;
/// Lowest height to travel at.
const CRUISE: f64 = 0.12;
/// Room kept beside a travelling hand.
const BERTH: f64 = 0.06;

impl Moment<'_> {
    /// Return the height at which the tool passes over all between two points, carrying something
    /// that reaches `below` it.
    pub(super) fn cruise(
        &self,
        from: DVec3,
        to: DVec3,
        below: f64,
        carried: Option<BodyId>,
    ) -> f64 {
        // A wide load needs a wide berth.
        let berth = match carried.map(|b| self.scene.role(b)) {
            Some(BodyRole::Object(i)) => self.scene.info(i).bounds.footprint_radius().max(BERTH),
            _ => BERTH,
        };
        let top = self.scene.top_between(from, to, berth, carried);
        (top + below.max(self.limb.fingertip()) + MARGIN).max(CRUISE)
    }

    /// Go from one pose to another at travelling height, turning the long way round if the short one
    /// passes what the wrist can do.
    pub(super) fn across(&self, from: &Pose, to: &Pose) -> Vec<Motion> {
        let mut out = Vec::new();
        if !self.limb.straight(from, to) {
            let between = from.pos.lerp(to.pos, 0.5);
            out.push(Motion::through(self.limb.lowered(self.limb.easy(between)), Pace::TRAVEL));
        }
        out.push(Motion::through(*to, Pace::TRAVEL));
        out
    }

    /// Go up, across at a safe height, and down to a pose.
    pub(super) fn travel(&self, to: &Pose, below: f64, carried: Option<BodyId>) -> Vec<Motion> {
        let from = self.scene.tool();
        let height = self.cruise(from.pos, to.pos, below, carried).max(to.pos.z);
        let over = self.limb.lowered(Pose::new(to.pos.with_z(height), to.rot));
        let mut up = Pose::new(from.pos, self.scene.hand().commanded.rot);
        let mut out = Vec::new();
        if from.pos.z < height - 0.02 {
            up = self.limb.lowered(Pose::new(from.pos.with_z(height), up.rot));
            out.push(Motion::through(up, Pace::TRAVEL));
        }
        out.extend(self.across(&up, &over));
        out.push(Motion::go(*to, Pace::TRAVEL));
        out
    }

    /// Go to a pose in front of a fixture: turn where there is room, then approach.
    pub(super) fn approach_front(&self, to: &Pose) -> Vec<Motion> {
        /// Farther than this from home the limb is in another posture.
        const AWAY: f64 = 0.12;
        let home = self.limb.home_tool();
        let from = self.scene.tool();
        let height = home.pos.z.max(to.pos.z);
        let mut out = Vec::new();
        if from.pos.z < height - 0.02 {
            out.push(Motion::through(
                Pose::new(from.pos.with_z(height), self.scene.hand().commanded.rot),
                Pace::TRAVEL,
            ));
        }
        // A limb with an elbow to spare may fold up on the way; from home it does not.
        if self.limb.redundant() && from.error_to(&home).0 > AWAY {
            out.push(Motion::through(home, Pace::TRAVEL));
        }
        let turn = Pose::new(self.limb.drawn_back(to.pos).with_z(height), to.rot);
        if self.limb.cost(&turn).is_some() {
            out.push(Motion::through(turn, Pace::TRAVEL));
        }
        out.push(Motion::go(*to, Pace::TRAVEL));
        out
    }

    /// Go back from a level posture to where any other can be taken up.
    pub(super) fn straighten(&self, from: &Pose) -> Vec<Motion> {
        let home = self.limb.home_tool();
        let turn = self.limb.drawn_back(from.pos).with_z(home.pos.z);
        vec![
            Motion::through(Pose::new(turn, from.rot), Pace::TRAVEL),
            Motion::through(home, Pace::TRAVEL),
        ]
    }

    /// Go straight up to the height of home.
    pub(super) fn rise(&self, from: &Pose) -> Motion {
        let home = self.limb.home_tool();
        let up = Pose::new(from.pos.with_z(from.pos.z.max(home.pos.z)), from.rot);
        Motion::through(up, Pace::TRAVEL)
    }

    /// Open the gripper to a gap while moving on.
    pub(super) fn ready(&self, opening: f64) -> Motion {
        Motion::Grip { command: self.limb.command(opening), steps: 0, held: None }
    }

    /// Let the fingers of a hand close in this way from now on; other ends close in one way only.
    pub(super) fn shape(&self, grip: Grip) -> Option<Motion> {
        self.limb.fingered.then_some(Motion::Shape(grip))
    }

    /// Open the gripper to a gap and wait until it has let go.
    pub(super) fn release(&self, opening: f64) -> Motion {
        Motion::Grip { command: self.limb.command(opening), steps: 6, held: None }
    }
}

#[cfg(test)]
mod tests {
    use longarm_assets::Asset;
    use longarm_assets::objects::{Block, Vase};

    use super::*;
    use crate::fixture::{Bench, goals, gripper_rigs, middle};

    #[test]
    fn travels_over_what_stands_between() {
        for rig in gripper_rigs() {
            let c = middle(rig);
            let tall = Asset::from(Vase { height: 0.16 });
            let bench = Bench::new(rig, &[("tall", tall, Pose::new(c, Default::default()))]);
            let now = bench.moment();
            let (left, right) = (c - DVec3::Y * 0.15, c + DVec3::Y * 0.15);
            assert!(now.cruise(left, right, 0.05, None) >= 0.16 + 0.05 + MARGIN, "{rig}");
            let beside = DVec3::X * 0.2;
            assert_eq!(now.cruise(left - beside, right - beside, 0.05, None), CRUISE, "{rig}");
        }
    }

    #[test]
    fn a_wide_load_keeps_a_wide_berth() {
        let rig = gripper_rigs()[0];
        let c = middle(rig);
        let tall = Asset::from(Vase { height: 0.16 });
        let long = Asset::from(Block { size: [0.3, 0.02, 0.02] });
        let objects =
            [("tall", tall, Pose::new(c, Default::default())), ("long", long, Pose::IDENTITY)];
        let bench = Bench::new(rig, &objects);
        let (from, to) = (c + DVec3::new(-0.16, -0.2, 0.0), c + DVec3::new(-0.16, 0.2, 0.0));
        let now = bench.moment();
        assert!(
            now.cruise(from, to, 0.03, Some(bench.body("long"))) > now.cruise(from, to, 0.03, None)
        );
    }

    #[test]
    fn every_way_ends_where_it_leads() {
        for rig in gripper_rigs() {
            let bench = Bench::new(rig, &[]);
            let to = bench.limb.easy(middle(rig).with_z(0.06));
            let way = goals(&bench.moment().travel(&to, 0.02, None));
            assert_eq!(way.last(), Some(&to), "{rig}");
            assert!(way.iter().all(|p| bench.limb.cost(p).is_some()), "{rig}: in reach");
            assert!(way[..way.len() - 1].iter().all(|p| p.pos.z >= CRUISE - 1e-9), "{rig}: high");
        }
    }
}
