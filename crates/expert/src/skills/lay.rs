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
const RELEASE: f64 = 0.026;
/// How far short of its place a point is laid that is folded over: the crease, round while the cloth is held, then
/// gives way and the upper layer slides on. A small flap would rise again: as a share of the way beyond a length.
const SHORT: f64 = 0.25;
const FLAP: f64 = 0.12;
/// How far within an edge fingers take cloth, and within what distance what is there tells where its inside is.
const INSIDE: f64 = 0.008;
const AROUND: f64 = 0.03;
/// How far fingers rise before they open wide.
const RISE: f64 = 0.012;
/// From how high fingers come down.
const BEFORE: f64 = 0.05;
/// Height of the way over, as a share of its length, and at least and at most.
const ARCH: f64 = 0.5;
const ARCHES: [f64; 2] = [0.03, 0.16];
/// Pieces of the way over.
const PIECES: u32 = 8;
/// Control steps for which fingers close and open.
const CLOSE: u32 = 10;
const OPEN: u32 = 8;

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
        let to = self.goal(now, &fabric.cut, soft, object.instance, at)?;
        let inwards = inside(&fabric.cut, soft, self.point);
        // What is folded over lies the other way round along its way.
        let ahead = (to - at).with_z(0.0).normalize_or_zero();
        let turned = match self.to {
            Spot::Point(_) => inwards - ahead * (2.0 * inwards.dot(ahead)),
            Spot::Start(_) | Spot::Region { .. } => inwards,
        };
        let (at, to) = (at + inwards, to + turned);
        let mut out = Vec::new();
        if !now.scene.holds(object.body) {
            out.extend(take(now, object.body, at));
        }
        out.extend(self.over(now, at, to));
        out.push(Motion::Wait(3));
        out.push(Motion::Grip { command: now.limb.command(RELEASE), steps: OPEN, held: None });
        out.push(Motion::Lift { by: DVec3::Z * RISE, pace: Pace::GENTLE });
        // What was gathered may be wider than that: it falls out before the hand rises.
        out.push(now.release(now.limb.widest));
        out.push(Motion::Lift { by: DVec3::Z * 0.05, pace: Pace::GENTLE });
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
        at: DVec3,
    ) -> Option<DVec3> {
        let thick = 2.0 * soft.form.radius;
        match self.to {
            Spot::Point(p) => {
                let to = soft.points[cut.nearest(*p) as usize] + DVec3::Z * thick;
                let way = (to - at).with_z(0.0);
                Some(to - way.normalize_or_zero() * (SHORT * (way.length() - FLAP).max(0.0)))
            }
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

/// The way from a point of cloth to where fingers take it: a little within the edge.
fn inside(cut: &Cut, soft: &SoftState, point: [f64; 2]) -> DVec3 {
    let corner = cut.nearest(point) as usize;
    let here = DVec3::from(cut.corners[corner]);
    let near = |c: &[f64; 3]| (DVec3::from(*c) - here).length() < AROUND;
    let around = cut.corners.iter().zip(&soft.points).filter(|(c, _)| near(c));
    let (sum, n) = around.fold((DVec3::ZERO, 0.0), |(sum, n), (_, p)| (sum + *p, n + 1.0));
    let way = (sum / f64::max(n, 1.0) - soft.points[corner]).with_z(0.0);
    // In the middle of a piece all sides are alike.
    way.normalize_or_zero() * INSIDE.min(2.0 * way.length())
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use longarm_assets::objects::Towel;
    use longarm_assets::{Asset, RigName};
    use longarm_task::place::{point, region};
    use longarm_task::{SoftForm, SoftKind};

    use super::*;
    use crate::fixture::{Bench, goals, gripper_rigs, middle};

    const HALF: f64 = 0.1;

    fn lay(to: Spot) -> Op {
        Op::Lay { object: "cloth".into(), point: [HALF, HALF], to }
    }

    /// A square of cloth about the middle of the workspace, its points moved by `bend`.
    fn bench(rig: RigName, bend: impl Fn(DVec3) -> DVec3) -> Bench {
        let c = middle(rig);
        let cloth = Asset::from(Towel::square(2.0 * HALF));
        let Some(Matter::Fabric(fabric)) = cloth.info().matter.as_deref().cloned() else {
            panic!("a towel is cloth")
        };
        let spot = region("spot", point([c.x, c.y + 0.05]));
        let at = Pose::new(c, Default::default());
        let mut bench = Bench::with(rig, &[("cloth", cloth, at)], &[spot], &[], &[]);
        let rest: Vec<DVec3> = fabric.cut.corners.iter().map(|p| DVec3::from(*p)).collect();
        let points = rest.iter().map(|p| c + bend(*p) + DVec3::Z * 0.002).collect();
        let kind = SoftKind::Sheet { triangles: fabric.cut.triangles.clone() };
        let form = Arc::new(SoftForm { rest, radius: fabric.radius, kind });
        let body = bench.body("cloth");
        bench.now.soft.push(SoftState { body, form, points, speed: 0.0 });
        bench
    }

    /// Where a script takes hold and where it lets go, from the middle of the workspace.
    fn ends(bench: &Bench, rig: RigName, op: &Op) -> (DVec3, DVec3, f64) {
        let motions = bench.script(op).motions;
        let taken = motions.iter().position(Motion::takes).unwrap();
        let hold = goals(&motions[..taken]).pop().unwrap();
        let way = goals(&motions[taken..]);
        let high = way.iter().map(|p| p.pos.z).fold(0.0, f64::max);
        let end = way.last().unwrap();
        (hold.pos - middle(rig), end.pos - middle(rig), high - hold.pos.z)
    }

    #[test]
    fn what_is_folded_over_goes_in_an_arch_and_stops_short() {
        for rig in gripper_rigs() {
            let op = lay(Spot::Point([-HALF, HALF]));
            let (hold, end, high) = ends(&bench(rig, |p| p), rig, &op);
            // Taken within the corner, laid within the other, short of it by what the crease gives.
            let inwards = 0.5f64.sqrt() * INSIDE;
            let short = SHORT * (2.0 * HALF - FLAP);
            assert!((hold.x - (HALF - inwards)).abs() < 2e-3, "{rig}: {hold}");
            assert!((end.x - (short - HALF + inwards)).abs() < 2e-3, "{rig}: {end}");
            assert!((end.y - hold.y).abs() < 2e-3, "{rig}: {end}");
            assert!(high > 0.5 * HALF, "{rig}: {high}");
        }
    }

    #[test]
    fn what_lies_folded_is_spread_to_where_it_began() {
        for rig in gripper_rigs() {
            let over = |p: DVec3| DVec3::new(-p.x.abs(), p.y, if p.x > 0.0 { 0.004 } else { 0.0 });
            let (hold, end, _) = ends(&bench(rig, over), rig, &lay(Spot::Start([HALF, HALF])));
            assert!(hold.x < 0.01 - HALF && end.x > HALF - 0.015, "{rig}: {hold} {end}");
            assert!(hold.y < HALF && hold.y > HALF - 0.015, "{rig}: within the edge, {hold}");
        }
    }

    #[test]
    fn what_is_drawn_over_a_place_ends_there() {
        for rig in gripper_rigs() {
            let op = lay(Spot::Region { name: "spot".into(), at: [0.0, 0.0] });
            let (_, end, _) = ends(&bench(rig, |p| p), rig, &op);
            let off = (end - DVec3::new(0.0, 0.05, 0.0)).truncate().length();
            assert!(off < INSIDE + 1e-3, "{rig}: {end}");
        }
    }
}
