//! Drawers.

use std::f64::consts::FRAC_PI_2;

use longarm_assets::{BodyRole, PartMotion};
use longarm_task::{BodyId, Snapshot};
use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::hold::Hold;
use super::{APPROACH, FINGERTIP, Primitives};
use crate::motion::{Motion, Pace, Stop};

impl Primitives {
    /// Direction of a sliding part in its asset's frame, and the asset's body.
    pub(super) fn slide(&self, instance: usize, part: usize) -> Option<(DVec3, BodyId)> {
        match self.infos[instance].parts[part].motion {
            PartMotion::Slide { axis } => {
                let whole =
                    self.bodies.iter().position(|b| b.role == BodyRole::Object(instance))?;
                Some((DVec3::from(axis), whole))
            }
            PartMotion::Hinge { .. } => None,
        }
    }

    /// Takes the handle and pulls along the slide.
    pub(super) fn open(
        &self,
        (body, instance, p): (BodyId, usize, usize),
        s: &Snapshot,
    ) -> Vec<Motion> {
        let part = &self.infos[instance].parts[p];
        let pose = &s.bodies[body].pose;
        let Some((axis, whole)) = self.slide(instance, p) else {
            return self.swing((body, instance, p), true, s).unwrap_or_else(|| self.withdraw(s));
        };
        let Some(Hold { tool, opening, .. }) =
            self.grasp(pose, body, instance, Some(&part.name), s, &|_| Some(0.0))
        else {
            return self.withdraw(s);
        };
        let out_dir = s.bodies[whole].pose.dir(axis);
        let before = tool * Pose::at(0.0, 0.0, -APPROACH);
        let goal = 0.5 * (part.open[0] + part.open[1].min(part.range[1])) + 0.004;
        let pull = Pose::new(tool.pos + out_dir * (goal - s.joints[body] + 0.01), tool.rot);
        let mut out = vec![Motion::Grip { command: self.command(opening), steps: 0, held: None }];
        out.extend(self.approach_front(&before, s));
        out.push(Motion::go(tool, Pace::CAREFUL));
        out.push(Motion::Grip { command: 1.0, steps: 16, held: Some(body) });
        out.push(Motion::until(pull, Pace::CAREFUL, Stop::JointAbove(body, goal)));
        out.push(Motion::Wait(2));
        let gone = tool.pos + out_dir * (goal - s.joints[body]);
        let there = Pose::new(gone, tool.rot);
        out.push(Motion::Grip { command: self.command(opening), steps: 6, held: None });
        out.push(Motion::through(there * Pose::at(0.0, 0.0, -APPROACH), Pace::CAREFUL));
        out.extend(self.rise(&(there * Pose::at(0.0, 0.0, -APPROACH))));
        out
    }

    /// Pushes the handle along the slide with closed fingers, from level to straight down.
    pub(super) fn close(
        &self,
        (body, instance, p): (BodyId, usize, usize),
        s: &Snapshot,
    ) -> Vec<Motion> {
        let part = &self.infos[instance].parts[p];
        let pose = &s.bodies[body].pose;
        let Some((axis, whole)) = self.slide(instance, p) else {
            return self.swing((body, instance, p), false, s).unwrap_or_else(|| self.withdraw(s));
        };
        let handle = self.infos[instance]
            .grasps
            .iter()
            .find(|g| g.part.as_deref() == Some(&part.name))
            .map(|g| pose.point(g.tool.pos));
        let Some(handle) = handle else { return self.withdraw(s) };
        let in_dir = -s.bodies[whole].pose.dir(axis);
        let goal = part.closed[0].max(part.range[0]);
        let travel = s.joints[body] - goal;
        let around = self.solids(&[body], s);
        let mut best: Option<(f64, [Pose; 3])> = None;
        for k in 0..10 {
            let slope = f64::from(k / 2) * FRAC_PI_2 / 4.0;
            let z = in_dir * libm::cos(slope) - DVec3::Z * libm::sin(slope);
            let y = DVec3::Z.cross(in_dir) * if k % 2 == 0 { 1.0 } else { -1.0 };
            let rot = DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)).normalize();
            // From the middle of the pads to what touches the bar: the tip, or the finger's side.
            let reach = 0.013 + FINGERTIP * libm::cos(slope);
            let at = |d: f64| Pose::new(handle - in_dir * d, rot);
            let path = [at(reach + 0.035), at(reach - travel - 0.02), at(reach - travel + 0.07)];
            let cost: Option<f64> = path[..2].iter().map(|p| self.arm.cost(p)).sum();
            let cost = cost.map(|c| {
                let crowd = |p| self.crowding(p, &around) + self.elbowing(p, &around);
                c + path[..2].iter().map(crowd).fold(0.0, f64::max)
            });
            if let Some(cost) = cost
                && best.as_ref().is_none_or(|b| cost < b.0)
            {
                best = Some((cost, path));
            }
        }
        let Some((_, [start, end, back])) = best else { return self.withdraw(s) };
        let mut out = vec![Motion::Grip { command: 1.0, steps: 0, held: None }];
        out.extend(self.approach_front(&start, s));
        out.push(Motion::until(end, Pace::CAREFUL, Stop::JointBelow(body, goal + 0.002)));
        out.push(Motion::through(back, Pace::CAREFUL));
        out.push(Motion::Grip { command: -1.0, steps: 0, held: None });
        out.extend(self.rise(&back));
        out
    }

    /// To a pose in front of a fixture: turn where there is room, then go there.
    pub(super) fn approach_front(&self, to: &Pose, s: &Snapshot) -> Vec<Motion> {
        /// Farther than this from home the arm is in another posture.
        const AWAY: f64 = 0.12;
        let home = self.arm.home_tool();
        let from = &s.hands[self.limb].pose;
        let height = home.pos.z.max(to.pos.z);
        let mut out = Vec::new();
        if from.pos.z < height - 0.02 {
            out.push(Motion::through(
                Pose::new(from.pos.with_z(height), s.hands[self.limb].commanded.rot),
                Pace::TRAVEL,
            ));
        }
        // An arm with an elbow to spare may fold up on the way; from home it does not.
        if self.arm.redundant() && from.error_to(&home).0 > AWAY {
            out.push(Motion::through(home, Pace::TRAVEL));
        }
        let turn = Pose::new(DVec3::new(home.pos.x.min(to.pos.x), to.pos.y, height), to.rot);
        if self.arm.cost(&turn).is_some() {
            out.push(Motion::through(turn, Pace::TRAVEL));
        }
        out.push(Motion::go(*to, Pace::TRAVEL));
        out
    }

    /// Back from a level posture to where any other can be taken up.
    pub(super) fn straighten(&self, from: &Pose) -> Vec<Motion> {
        let home = self.arm.home_tool();
        let turn = DVec3::new(home.pos.x.min(from.pos.x), from.pos.y, home.pos.z);
        vec![
            Motion::through(Pose::new(turn, from.rot), Pace::TRAVEL),
            Motion::through(home, Pace::TRAVEL),
        ]
    }

    pub(super) fn rise(&self, from: &Pose) -> Vec<Motion> {
        let home = self.arm.home_tool();
        let up = Pose::new(from.pos.with_z(from.pos.z.max(home.pos.z)), from.rot);
        vec![Motion::through(up, Pace::TRAVEL)]
    }
}
