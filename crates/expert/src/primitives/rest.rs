//! Going home, or somewhere like it.

use longarm_assets::BodyRole;
use longarm_task::Snapshot;
use longarm_types::{DVec3, Pose};

use super::{FINGERTIP, Primitives};
use crate::motion::{Motion, Pace};

impl Primitives {
    /// The home pose, or a place like it with more room around it.
    pub(super) fn away(&self, s: &Snapshot) -> Pose {
        let home = self.arm.home_tool();
        let room = |p: &Pose| {
            let mut least = f64::MAX;
            for (b, body) in self.bodies.iter().enumerate() {
                let BodyRole::Object(i) = body.role else { continue };
                if s.hands[self.limb].holds[b] {
                    continue;
                }
                let (pose, bounds) = (&s.bodies[b].pose, &self.infos[i].bounds);
                let gap = (bounds.centre_in(pose) - p.pos).abs() - bounds.half_in(pose);
                // Only what can move must be left well alone.
                let spare = if self.infos[i].fixed { 0.05 } else { 0.0 };
                least = least.min(gap.max(DVec3::ZERO).length() + spare);
            }
            least
        };
        let offsets = [
            [0.0, 0.0, 0.0],
            [0.0, 0.0, 0.07],
            [0.0, 0.12, 0.0],
            [0.0, -0.12, 0.0],
            [-0.05, 0.0, 0.05],
        ];
        let places = offsets
            .map(|o| Pose::new(home.pos + DVec3::from(o), home.rot))
            .into_iter()
            .filter(|p| self.arm.cost(p).is_some());
        let roomy = places.clone().find(|p| room(p) > 0.13);
        roomy.or_else(|| places.max_by(|p, q| room(p).total_cmp(&room(q)))).unwrap_or(home)
    }

    pub(super) fn withdraw_holding(&self, s: &Snapshot) -> Vec<Motion> {
        let away = self.away(s);
        let height =
            self.cruise(s.hands[self.limb].pose.pos, away.pos, FINGERTIP, None, s).max(away.pos.z);
        let up =
            Pose::new(s.hands[self.limb].pose.pos.with_z(height), s.hands[self.limb].commanded.rot);
        let up = self.arm.lowered(up);
        let over = self.arm.lowered(Pose::new(away.pos.with_z(height), away.rot));
        let mut out = vec![Motion::through(up, Pace::TRAVEL)];
        out.extend(self.across(&up, &over));
        out.push(Motion::go(away, Pace::TRAVEL));
        out
    }

    /// Opens the hand and goes home.
    pub(crate) fn withdraw(&self, s: &Snapshot) -> Vec<Motion> {
        let mut out = vec![Motion::Grip { command: -1.0, steps: 4, held: None }];
        out.extend(self.withdraw_holding(s));
        out
    }

    pub(crate) fn at_home(&self, s: &Snapshot) -> bool {
        let (far, turn) = s.hands[self.limb].pose.error_to(&self.away(s));
        far < 0.02 && turn < 0.1
    }
}
