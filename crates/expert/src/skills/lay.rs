//! Taking cloth at a point and laying that point somewhere else: folding, spreading out, drawing over.

use longarm_assets::matter::{Cut, Matter};
use longarm_task::plan::Spot;
use longarm_task::{BodyId, Op, SoftState};
use longarm_types::{DVec3, Pose};

use super::push::middle_of;
use super::{Moment, Script, Skill};
use crate::motion::{Motion, Pace};

/// Opening with which fingers come down over cloth.
const OPENING: f64 = 0.03;
/// How far above the cloth's middle the ends of the pads close: below the next layer they reach nothing.
const ABOVE: f64 = 0.0035;
/// How far above that they let go, so that cloth falls out of them, and how far they open then.
const DROP: f64 = 0.006;
const RELEASE: f64 = 0.014;
/// From how high fingers come down.
const BEFORE: f64 = 0.05;
/// Height of the way over, as a share of its length, and at least and at most.
const ARCH: f64 = 0.5;
const ARCHES: [f64; 2] = [0.03, 0.16];
/// Pieces of the way over.
const PIECES: u32 = 8;
/// Control steps for which fingers close and open.
const CLOSE: u32 = 10;
const OPEN: u32 = 6;

/// Takes cloth at a point and lays that point down.
pub(super) struct LayPoint<'a> {
    pub(super) object: &'a str,
    pub(super) point: [f64; 2],
    pub(super) to: &'a Spot,
}

impl Skill for LayPoint<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let object = now.scene.object(self.object)?;
        let info = now.scene.info(object.instance);
        let Some(Matter::Fabric(fabric)) = info.matter.as_deref() else { return None };
        let soft = now.scene.soft(object.body)?;
        let at = soft.points[fabric.cut.nearest(self.point) as usize];
        let to = self.goal(now, &fabric.cut, soft, object.instance)?;
        let mut out = Vec::new();
        if !now.scene.holds(object.body) {
            out.extend(take(now, object.body, at));
        }
        out.extend(self.over(now, at, to));
        out.push(Motion::Wait(3));
        out.push(Motion::Grip { command: now.limb.command(RELEASE), steps: OPEN, held: None });
        out.push(Motion::Lift { by: DVec3::Z * 0.03, pace: Pace::GENTLE });
        out.push(Motion::Lift { by: DVec3::Z * 0.1, pace: Pace::TRAVEL });
        Some(Script::whole(out))
    }
}

impl LayPoint<'_> {
    /// Return where the point goes.
    fn goal(
        &self,
        now: &Moment<'_>,
        cut: &Cut,
        soft: &SoftState,
        instance: usize,
    ) -> Option<DVec3> {
        let thick = 2.0 * soft.form.radius;
        match self.to {
            Spot::Point(p) => Some(soft.points[cut.nearest(*p) as usize] + DVec3::Z * thick),
            Spot::Start([x, y]) => {
                let start = now.scene.start(instance);
                Some(start.point(DVec3::new(*x, *y, soft.form.radius)))
            }
            Spot::Region { name, at } => {
                let (frame, half) = middle_of(now, name)?;
                let off = DVec3::new(at[0] * half[0], at[1] * half[1], soft.form.radius);
                Some(frame.point(off))
            }
        }
    }

    /// Carry what is held over to a point, in an arch.
    fn over(&self, now: &Moment<'_>, at: DVec3, to: DVec3) -> Vec<Motion> {
        let up = now.limb.pad_end + ABOVE;
        let flat = (to - at).with_z(0.0);
        let high = (ARCH * flat.length()).clamp(ARCHES[0], ARCHES[1]);
        let rot = now.limb.easy(at).rot;
        let tool = |share: f64| {
            let rise = high * (4.0 * share * (1.0 - share)).sqrt();
            Pose::new(at.lerp(to, share) + DVec3::Z * (up + rise + DROP * share), rot)
        };
        let mut out = Vec::new();
        let mates = now.scene.ops().iter().filter(|op| self.joins(op)).count();
        if mates > 1 && now.scene.hands() > 1 {
            let body = now.scene.body(self.object).unwrap_or(0);
            out.push(Motion::Joined { body, hands: 2 });
        }
        for k in 1..PIECES {
            let pose = tool(f64::from(k) / f64::from(PIECES));
            out.push(Motion::Go {
                to: pose,
                pace: Pace::CAREFUL,
                via: 0.01,
                stop: crate::motion::Stop::Never,
            });
        }
        out.push(Motion::go(tool(1.0), Pace::CAREFUL));
        out
    }

    /// Whether another hand does this meanwhile.
    fn joins(&self, op: &Op) -> bool {
        matches!(op, Op::Lay { object, .. } if object == self.object)
    }
}

/// Come down over a point of cloth and close.
fn take(now: &Moment<'_>, body: BodyId, at: DVec3) -> Vec<Motion> {
    let tool = now.limb.easy(at + DVec3::Z * (now.limb.pad_end + ABOVE));
    let before = Pose::new(tool.pos + DVec3::Z * BEFORE, tool.rot);
    let mut out = vec![now.ready(OPENING)];
    out.extend(now.travel(&before, now.limb.fingertip(), None));
    out.push(Motion::go(tool, Pace::CAREFUL));
    out.push(Motion::Grip { command: 1.0, steps: CLOSE, held: Some(body) });
    out
}
