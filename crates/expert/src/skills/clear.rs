//! Getting out of the way what an operator cannot be done with: objects on the place where another
//! belongs, loads that leave fingers no room, drawers over or beside what is reached for.

use std::f64::consts::TAU;

use longarm_task::plan::Target;
use longarm_task::{BodyId, Op};
use longarm_types::{DQuat, DVec3, Pose, rotation_between, yaw};

use super::close::close;
use super::covered::CoveredPlacement;
use super::drawers::{beside, buried_by, shut_before};
use super::hold::{self, ANY_USE};
use super::pick::take;
use super::put::{Placement, put};
use super::{Moment, Script, Skill, open};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace};
use crate::scene::{PartId, SceneObject, Seat};

/// Room wanted around what is set aside.
const ROOMY: f64 = 0.06;
/// Fingers that overlap with what is beside them by this much get stuck on it.
const JAMMED: f64 = -0.012;

/// Does what has to be done before an operator can be, if anything.
pub(super) struct Clear<'a> {
    pub(super) op: &'a Op,
}

/// What keeps an operator from being done.
enum Hindrance {
    /// An object on the place where another belongs.
    Object(BodyId),
    /// A load in what is to be taken.
    Load(BodyId),
    /// A drawer that is out.
    Drawer(PartId),
}

impl Skill for Clear<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let mine = match self.op {
            Op::Pick { object, .. } | Op::Put { object, .. } => Some(now.scene.object(object)?),
            Op::Open { .. } => None,
            _ => return None,
        };
        if let Some(part) = shut_before(now, self.op) {
            // Pushed shut on the way: the object waits outside until the drawer is open again.
            let open = format!("open the {} again", now.scene.called(part.body));
            return match now.scene.held() {
                Some(held) => {
                    let placement = out_of_the_way(now, &held)?;
                    Some(Script::part(put(now, &held, &placement)).saying(open))
                }
                None => Some(Script { more: true, ..open::open(now, part) }.saying(open)),
            };
        }
        if let Some(held) = now.scene.held() {
            // Too late to clear anything for what is in the hand already.
            let body = mine.as_ref().map(|o| o.body);
            if body.is_some_and(|b| held.body == b || now.scene.in_hand(b)) {
                return None;
            }
            let placement = out_of_the_way(now, &held)?;
            let said = format!("put the {} out of the way", now.scene.called(held.body));
            return Some(Script::part(put(now, &held, &placement)).saying(said));
        }
        let hindered = match (self.op, &mine) {
            (Op::Open { part }, _) => {
                let over = now.scene.hanging_over(part).map(Hindrance::Drawer);
                over.or_else(|| buried_by(now, part).map(Hindrance::Object))
            }
            (_, Some(object)) => hindrance(now, object),
            _ => None,
        };
        let hindered = hindered?;
        // What is wedged in may not come: then the vessel is tried again with it.
        let whole = matches!(hindered, Hindrance::Load(_));
        let (motions, said) = match hindered {
            Hindrance::Drawer(part) => {
                let mut out = close(now, part);
                if let Some(Motion::Go { to, .. }) = out.last().copied() {
                    out.extend(now.straighten(&to));
                }
                (out, format!("close the {}", now.scene.called(part.body)))
            }
            Hindrance::Object(body) | Hindrance::Load(body) => {
                let object = now.scene.object_of(body)?;
                let hold = hold::of_object(now, &object, ANY_USE)?;
                let mut out = take(now, &object, &hold);
                if let Some(Motion::Lift { pace, .. }) = out.last_mut() {
                    *pace = Pace::TRAVEL;
                }
                (out, format!("take the {} out of the way", now.scene.called(body)))
            }
        };
        Some(Script { more: !whole, ..Script::whole(motions).saying(said) })
    }
}

/// Return what is in the way of taking an object and putting it where it belongs.
fn hindrance(now: &Moment<'_>, object: &SceneObject) -> Option<Hindrance> {
    let found = in_the_way_of(now, object).or_else(|| in_the_grip_of(now, object));
    // Another way to take it may do; if not, there must be more room.
    let cramped = match &found {
        Some(Hindrance::Object(b)) => beside(now, &now.scene.object_of(*b)?, false),
        None if now.attempt.tries > 0 => beside(now, object, true),
        _ => None,
    };
    cramped.map(Hindrance::Drawer).or(found)
}

/// Return what keeps an object from being put where the plan wants it.
fn in_the_way_of(now: &Moment<'_>, object: &SceneObject) -> Option<Hindrance> {
    let place = now.scene.destination(object.body)?;
    let (Target::On(to) | Target::In(to)) = place else { return None };
    if let Some(part) = now.scene.hanging_over(to) {
        return Some(Hindrance::Drawer(part));
    }
    // In a drawer there is room on top of what lies there.
    if now.scene.part(to).is_some() {
        return None;
    }
    let seat = seat(now, place, object)?;
    let belongs = |b: BodyId| now.scene.destinations(now.scene.name(b)).any(|p| p == place);
    let strays = seat.taken.into_iter().filter(|b| !belongs(*b));
    handiest(now, strays).map(Hindrance::Object)
}

/// Return a load that leaves fingers no room to take an object.
fn in_the_grip_of(now: &Moment<'_>, object: &SceneObject) -> Option<Hindrance> {
    let movable = now.scene.bodies().filter(|b| now.scene.movable(*b));
    let loads: Vec<BodyId> = movable.filter(|b| now.scene.loads(*b, object)).collect();
    // Often there is more room than it seems.
    if now.attempt.tries.is_multiple_of(2)
        || loads.is_empty()
        || hold::of_object(now, object, ANY_USE).is_some_and(|h| h.gap > JAMMED)
    {
        return None;
    }
    handiest(now, loads.into_iter()).map(Hindrance::Load)
}

/// Return the one that is taken most easily.
fn handiest(now: &Moment<'_>, of: impl Iterator<Item = BodyId>) -> Option<BodyId> {
    let priced = of.filter_map(|b| {
        let object = now.scene.object_of(b)?;
        Some((hold::of_object(now, &object, ANY_USE)?.cost, b))
    });
    priced.collect::<Cheapest<_>>().candidate()
}

/// Return a seat on (or in a drawer of) another object, as free as can be found.
fn seat(now: &Moment<'_>, place: &Target, object: &SceneObject) -> Option<Seat> {
    let (Target::On(path) | Target::In(path)) = place else { return None };
    if now.scene.region(path).is_some() || CoveredPlacement::of(now, place, object).is_some() {
        return None;
    }
    match path.split_once('/') {
        Some((name, region)) => {
            let other = now.scene.object(name)?;
            let r = now.scene.info(other.instance).region(region)?;
            let at = now.scene.reachable(r, object, &other)?;
            now.scene.seat_in(r, &at, object, &other)
        }
        None => {
            let other = now.scene.object(path)?;
            let taken = now.scene.occupants(other.frame.pos, object, &other);
            Some(Seat { offset: DVec3::ZERO, taken, beside: None })
        }
    }
}

/// Return a free place of the table, near, where a held object hinders nothing that is still to be done.
fn out_of_the_way(now: &Moment<'_>, object: &SceneObject) -> Option<Placement> {
    let (limb, hand) = (now.limb, now.scene.tool());
    let mut around = now.scene.solids(&[object.body]);
    around.extend(now.scene.swept());
    let wanted: Vec<_> = now
        .scene
        .ops()
        .iter()
        .filter_map(|op| match op {
            Op::Put { place: Target::At(name) | Target::On(name), .. } => now.scene.region(name),
            _ => None,
        })
        .flat_map(|r| &r.rects)
        .collect();
    let held = object.frame.inverse() * hand;
    let size = object.bounds.footprint_radius();
    let mut best = Cheapest::new();
    for point in now.scene.table_points() {
        let apart = |r: &&longarm_task::place::Rect| {
            let ([cx, cy], [hx, hy]) = (r.centre(), r.half());
            ((point.x - cx).abs() - hx).max((point.y - cy).abs() - hy) > size
        };
        if !wanted.iter().all(apart) {
            continue;
        }
        for turn in 0..8 {
            let turn = yaw(object.frame.rot) + TAU * f64::from(turn) / 8.0;
            let at = Pose::new(point, DQuat::from_rotation_z(turn));
            let Some((room, put)) = limb.stands(object, &at, &held, &around, ROOMY) else {
                continue;
            };
            let tool = at * held;
            let far = (at.pos - object.frame.pos).truncate().length();
            let twist = rotation_between(hand.rot, tool.rot).length();
            let cost = put
                + 20.0 * far
                + 2.0 * twist
                + limb.crowding(&tool, &around)
                + 60.0 * (ROOMY - room);
            best.offer(cost, at);
        }
    }
    best.candidate().map(Placement::facing)
}

#[cfg(test)]
mod tests {
    use longarm_assets::objects::{Block, Bowl, Cabinet, Plate};
    use longarm_assets::{Asset, RigName};
    use longarm_task::place::{Rect, rect, region};

    use super::*;
    use crate::fixture::{Bench, gripper_rigs, middle};

    fn scene(rig: RigName) -> (Bench, Rect) {
        let (c, block) = (middle(rig), || Asset::from(Block::cube(0.04)));
        let at = |x: f64, y: f64, z: f64| Pose::new(c + DVec3::new(x, y, z), Default::default());
        let objects = [
            ("mine", block(), at(-0.02, -0.15, 0.0)),
            ("plate", Asset::from(Plate { radius: 0.08 }), at(0.0, 0.0, 0.0)),
            ("stray", block(), at(0.0, 0.0, 0.005)),
        ];
        let wanted = rect([c.x - 0.05, c.y + 0.1], [c.x + 0.05, c.y + 0.2]);
        let put = |object: &str, place| Op::Put { object: object.into(), place };
        let ops =
            [put("mine", Target::On("plate".into())), put("mine", Target::At("wanted".into()))];
        (Bench::with(rig, &objects, &[region("wanted", wanted)], &ops, &[]), wanted)
    }

    fn pick(object: &str) -> Op {
        Op::Pick { object: object.into(), from: None }
    }

    #[test]
    fn a_stray_on_the_place_is_taken_away_first() {
        for rig in gripper_rigs() {
            let (mut bench, _) = scene(rig);
            let script = bench.script(&pick("mine"));
            assert_eq!(script.said.as_deref(), Some("take the stray out of the way"), "{rig}");
            assert!(script.more, "{rig}: the operator itself is still to be done");
            // Elsewhere it does not matter.
            let stray = bench.body("stray");
            bench.now.bodies[stray].pose.pos += DVec3::X * 0.5;
            assert_eq!(bench.script(&pick("mine")).said, None, "{rig}");
        }
    }

    #[test]
    fn what_is_set_aside_hinders_nothing() {
        for rig in gripper_rigs() {
            let (mut bench, wanted) = scene(rig);
            bench.hold("stray", bench.limb.easy(middle(rig).with_z(0.2)));
            let stray = bench.view().object("stray").unwrap();
            let script = bench.script(&pick("mine"));
            assert_eq!(script.said.as_deref(), Some("put the stray out of the way"), "{rig}");
            let released =
                script.motions.iter().position(|m| matches!(m, Motion::Wait(2))).unwrap();
            let Motion::Go { to, .. } = script.motions[released - 1] else { panic!("{rig}") };
            let at = to * (stray.frame.inverse() * bench.now.hands[0].pose).inverse();
            let far = |name: &str| {
                (at.pos - bench.view().object(name).unwrap().frame.pos).truncate().length()
            };
            assert!(far("plate") > 0.1 && far("mine") > 0.05, "{rig}: {at:?}");
            let ([x, y], [hx, hy]) = (wanted.centre(), wanted.half());
            let outside = ((at.pos.x - x).abs() - hx).max((at.pos.y - y).abs() - hy);
            assert!(outside > 0.02, "{rig}: {at:?} in the region that is wanted");
        }
    }

    #[test]
    fn a_drawer_that_hangs_over_another_is_closed_first() {
        for rig in gripper_rigs() {
            let at = Pose::new(middle(rig) + DVec3::X * 0.2, Default::default());
            let mut bench = Bench::new(rig, &[("chest", Asset::from(Cabinet), at)]);
            let open = Op::Open { part: "chest/bottom".into() };
            assert_eq!(bench.script(&open).said, None, "{rig}");
            bench.turn("chest/top", 0.1);
            let said = bench.script(&open).said.unwrap_or_default();
            assert!(said.starts_with("close the ") && said.contains("top"), "{rig}: {said}");
        }
    }

    #[test]
    fn what_a_target_lies_in_stays_where_it_is() {
        let rig = gripper_rigs()[0];
        let (c, block) = (middle(rig), || Asset::from(Block::cube(0.04)));
        let at = |x: f64, z: f64| Pose::new(c + DVec3::new(x, 0.0, z), Default::default());
        let objects = [
            ("mine", block(), at(-0.15, 0.0)),
            ("dish", Asset::from(Bowl { radius: 0.08 }), at(0.0, 0.0)),
            ("target", block(), at(0.0, 0.006)),
        ];
        let put = Op::Put { object: "mine".into(), place: Target::On("target".into()) };
        let mut bench = Bench::with(rig, &objects, &[], &[pick("mine"), put], &[]);
        let (dish, target) = (bench.body("dish"), bench.body("target"));
        let said = |bench: &Bench| bench.script(&pick("mine")).said;
        assert_eq!(said(&bench).as_deref(), Some("take the dish out of the way"));
        bench.now.touching.set(dish, target, true);
        bench.now.touching.set(target, dish, true);
        assert_eq!(said(&bench), None);
    }
}
