//! Skills: one per operator of a plan, from what is true now to a queue of motions.
//!
//! All a skill may ask is a [`Moment`]: the scene as it is seen now, the geometry of the limb that acts,
//! and how earlier attempts went.

mod catch;
mod clear;
mod close;
mod covered;
mod cradle;
mod dip;
mod drawers;
mod fit;
mod flip;
mod grasp;
mod hang;
mod hang_loop;
mod hinge;
mod hold;
mod insert;
mod lay;
mod lever;
mod open;
mod pass;
mod pick;
mod pick_both;
mod pour;
mod press;
mod pull;
mod push;
mod put;
mod rope;
mod scoop;
mod stand;
mod straighten;
mod thread;
mod throw;
mod tip_in;
mod travel;
mod wipe;
mod withdraw;

use longarm_task::Op;
use longarm_task::plan::Target;
use longarm_types::DVec3;

use crate::limb::LimbGeometry;
use crate::motion::Motion;
use crate::scene::SceneView;

pub(crate) use hold::chosen;
pub(crate) use pass::{Meeting, Pass, meeting, pass};
pub(crate) use pick::lifted_full;
pub(crate) use withdraw::{aside, at_rest, tuck, withdraw, withdraw_holding};

/// How far before a grasp the approach begins.
const APPROACH: f64 = 0.07;

/// What an operator comes to now.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) motions: Vec<Motion>,
    /// Only a piece: look again afterwards and go on, unless the effect holds.
    pub(crate) more: bool,
    /// What it is called, if not what the operator says.
    pub(crate) said: Option<String>,
}

impl Script {
    pub(crate) fn whole(motions: Vec<Motion>) -> Self {
        Self { motions, more: false, said: None }
    }

    pub(crate) fn part(motions: Vec<Motion>) -> Self {
        Self { motions, more: true, said: None }
    }

    fn saying(self, said: String) -> Self {
        Self { said: Some(said), ..self }
    }
}

/// How earlier attempts at the present operator went.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attempt {
    /// Attempts in vain so far.
    pub(crate) tries: u32,
    /// The last time the fingers closed on nothing: another way to take the object is better.
    pub(crate) missed: bool,
}

/// All a skill may ask.
#[derive(Clone, Copy)]
pub(crate) struct Moment<'a> {
    pub(crate) scene: SceneView<'a>,
    pub(crate) limb: &'a LimbGeometry,
    pub(crate) attempt: Attempt,
}

/// Carries out one operator.
pub(crate) trait Skill {
    /// Return what to do now, or `None` if the scene lacks what the operator names.
    fn script(&self, now: &Moment<'_>) -> Option<Script>;
}

/// Return the skill that carries out an operator, if there is one.
fn skill(op: &Op) -> Option<Box<dyn Skill + '_>> {
    Some(match op {
        Op::Pick { object, .. } => Box::new(pick::Pick { object }),
        Op::PickBoth { object, other } => Box::new(pick_both::PickBoth { object, other }),
        Op::Put { object, place } => Box::new(put::Put { object, place }),
        Op::Push { object, to } => Box::new(push::Push { object, to }),
        Op::Stand { object, against } => Box::new(stand::Stand { object, against }),
        Op::Flip { object } => Box::new(flip::Flip { object }),
        Op::Straighten { object } => Box::new(straighten::Straighten { object }),
        Op::Scoop { tool, matter, from } => Box::new(dip::Dip { tool, matter, from }),
        Op::Throw { object, into } => Box::new(throw::Throw { object, into }),
        Op::Insert { object, into } => Box::new(insert::Insert { object, into }),
        Op::Wipe { tool, surface, strokes, length } => {
            Box::new(wipe::Wipe { tool, surface, strokes: *strokes, length: *length })
        }
        Op::Pull { tool, part } => Box::new(pull::Pull { tool, part }),
        Op::Pour { from, into } => Box::new(pour::Pour { from, into, amount: None }),
        Op::Measure { from, into, matter, share } => {
            Box::new(pour::Pour { from, into, amount: Some((matter, *share)) })
        }
        Op::Open { part } | Op::TurnOn { part } => Box::new(open::Open { part }),
        Op::Close { part } | Op::TurnOff { part } => Box::new(close::Close { part }),
        Op::Grasp { object } => Box::new(grasp::GraspEnd { object }),
        Op::Thread { end, opening, past } => Box::new(thread::Thread { end, opening, past: *past }),
        Op::Lay { object, point, to } => Box::new(lay::LayPoint { object, point: *point, to }),
        Op::Hang { object, on } => Box::new(hang_loop::HangLoop { object, on }),
        Op::Withdraw => Box::new(withdraw::Withdraw),
        _ => return None,
    })
}

/// Whether no script carries out an operator: a search does.
pub(crate) fn searched(op: &Op) -> bool {
    matches!(op, Op::Turn { .. })
}

/// Return the points that an arm must reach to carry out an operator: what it is about, and where that goes.
pub(crate) fn places(op: &Op, scene: &SceneView<'_>) -> Vec<DVec3> {
    let at = |name: &str| {
        let object = scene.object(name).map(|o| o.bounds.centre_in(&o.frame));
        let handle = || {
            let id = scene.part(name)?;
            let hold = scene.handles(id).next().map_or(DVec3::ZERO, |g| g.tool.pos);
            Some(scene.pose(id.body).point(hold))
        };
        let region = || {
            let rect = scene.region(name)?.rects.first()?;
            Some(DVec3::new((rect.0 + rect.2) / 2.0, (rect.1 + rect.3) / 2.0, 0.0))
        };
        object.or_else(handle).or_else(region)
    };
    let Some(subject) = op.subject() else { return Vec::new() };
    let target = match op {
        Op::Put { place, .. } => Some(place),
        _ => scene.destinations(subject).next(),
    };
    let to = match target {
        Some(Target::On(to) | Target::In(to) | Target::At(to) | Target::Over(to)) => at(to),
        _ => None,
    };
    // Where a hand comes from above there must be room for its fingers.
    at(subject).into_iter().chain(to).map(|p| p.with_z(p.z.max(0.03))).collect()
}

/// Return what an operator comes to now: what must be cleared away first, or the operator itself.
/// `None` if no skill carries it out or the scene lacks what it names.
pub(crate) fn script(op: &Op, now: &Moment<'_>) -> Option<Script> {
    clear::Clear { op }.script(now).or_else(|| skill(op)?.script(now))
}
