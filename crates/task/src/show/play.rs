//! What is shown in an episode: bodies on declared ways, step by step.

use longarm_assets::{Bodies, BodyRole};
use longarm_types::{Bounds, CONTROL_HZ, DQuat, DVec3, Pose};

use super::{Carry, CarryTo, Cue, Show};
use crate::{BodyId, Scene, Snapshot, StageTracker, TaskSpec};

/// A body on its way through one control step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guided {
    /// The body.
    pub body: BodyId,
    /// Where it is at the beginning of the step.
    pub from: Pose,
    /// Where it is at its end.
    pub to: Pose,
}

/// An object of a scene that can be carried.
#[derive(Clone, Debug)]
struct Prop {
    body: BodyId,
    start: Pose,
    bounds: Bounds,
}

/// A carry in a scene.
#[derive(Clone, Debug)]
struct Way {
    prop: usize,
    to: BoundCarryTo,
    arch: f64,
    bend: f64,
    tilt: Option<f64>,
    contents: bool,
}

#[derive(Clone, Debug)]
enum BoundCarryTo {
    Place(usize),
    Onto(usize),
    From(usize, DVec3),
    Start,
    By(DVec3),
}

#[derive(Clone, Debug)]
struct Act {
    /// The stage after which it begins, and how many control steps later.
    after: Option<(usize, u32)>,
    steps: u32,
    ways: Vec<Way>,
}

/// A body under way: ends of its way, and how it bends.
#[derive(Clone, Copy, Debug)]
struct Leg {
    body: BodyId,
    from: Pose,
    to: Pose,
    arch: f64,
    aside: DVec3,
    /// The body it comes along with, by index among the legs, and where it is seen from there.
    rides: Option<(usize, Pose)>,
}

impl Leg {
    /// Where it is when a share of the time has passed.
    fn at(&self, share: f64) -> Pose {
        let u = share * share * (3.0 - 2.0 * share);
        let bow = 4.0 * u * (1.0 - u);
        let pos = self.from.pos.lerp(self.to.pos, u) + (DVec3::Z * self.arch + self.aside) * bow;
        Pose::new(pos, self.from.rot.slerp(self.to.rot, u).normalize())
    }
}

/// What is shown in an episode: what has been, what is under way.
#[derive(Clone, Debug)]
pub struct Shows {
    props: Vec<Prop>,
    acts: Vec<Act>,
    next: usize,
    /// Control steps of the present act that are over.
    gone: Option<u32>,
    legs: Vec<Leg>,
    guided: Vec<Guided>,
}

impl Shows {
    /// Prepare what is shown in a scene; `None` where nothing is.
    pub fn new(spec: &TaskSpec, scene: &Scene, stages: &[String]) -> Option<Self> {
        if spec.shows.is_empty() {
            return None;
        }
        let meanings = spec.meanings(&scene.variables);
        let cast = scene.structure.instances.iter().map(|i| (i.name.as_str(), &i.asset));
        let bodies = Bodies::of(cast).into_vec();
        let prop = |i: usize| {
            let body = bodies.iter().position(|b| b.role == BodyRole::Object(i))?;
            let bounds = scene.structure.instances[i].asset.info().bounds;
            Some(Prop { body, start: scene.poses[i], bounds })
        };
        let props: Vec<Prop> = (0..scene.poses.len()).filter_map(prop).collect();
        let find = |name: &str| scene.instance(&meanings.path(name));
        let way = |m: &Carry| {
            let to = match &m.to {
                CarryTo::Place(o) => BoundCarryTo::Place(find(o)?),
                CarryTo::Onto(o) => BoundCarryTo::Onto(find(o)?),
                CarryTo::From { object, by } => BoundCarryTo::From(find(object)?, (*by).into()),
                CarryTo::Start => BoundCarryTo::Start,
                CarryTo::By(by) => BoundCarryTo::By((*by).into()),
            };
            let prop = find(&m.object)?;
            let (arch, bend, tilt, contents) = (m.arch, m.bend, m.tilt, m.contents);
            Some(Way { prop, to, arch, bend, tilt, contents })
        };
        let steps = |seconds: f64| (seconds * f64::from(CONTROL_HZ)).round().max(1.0) as u32;
        let shown = |s: &&Show| s.when.as_ref().is_none_or(|w| w.holds(&scene.variables));
        let act = |s: &Show| Act {
            after: match &s.cue {
                Cue::Next => None,
                Cue::After { stage, seconds } => {
                    let stage = stages.iter().position(|n| n == stage);
                    stage.map(|k| (k, (seconds * f64::from(CONTROL_HZ)).round() as u32))
                }
            },
            steps: steps(s.seconds),
            ways: s.moves.iter().filter_map(way).collect(),
        };
        let acts = spec.shows.iter().filter(shown).map(act).collect();
        let (legs, guided) = (Vec::with_capacity(props.len()), Vec::with_capacity(props.len()));
        Some(Self { props, acts, next: 0, gone: None, legs, guided })
    }

    /// Whether something is shown in the control step to come.
    pub fn playing(&self) -> bool {
        self.gone.is_some()
    }

    /// See whether something begins now, or the next begins where the last has ended.
    pub fn cue(&mut self, now: &Snapshot, tracker: &StageTracker) {
        let Some(act) = self.acts.get(self.next).filter(|_| self.gone.is_none()) else { return };
        let begins = match act.after {
            None => true,
            Some((stage, wait)) => {
                let done = tracker.status().stages.get(stage).and_then(|s| s.completed);
                done.is_some_and(|at| now.step >= at + wait)
            }
        };
        if begins {
            self.begin(now);
        }
    }

    fn begin(&mut self, now: &Snapshot) {
        self.gone = Some(0);
        self.legs.clear();
        let pose = |prop: &Prop| now.bodies[prop.body].pose;
        for way in &self.acts[self.next].ways {
            let own = &self.props[way.prop];
            let from = pose(own);
            let pos = match &way.to {
                BoundCarryTo::Place(o) => pose(&self.props[*o]).pos.with_z(from.pos.z),
                BoundCarryTo::Onto(o) => {
                    let other = &self.props[*o];
                    pose(other).pos + DVec3::Z * (other.bounds.centre[2] + other.bounds.half[2])
                }
                BoundCarryTo::From(o, by) => pose(&self.props[*o]).pos + *by,
                BoundCarryTo::Start => own.start.pos,
                BoundCarryTo::By(by) => from.pos + *by,
            };
            let rot = match (way.tilt, &way.to) {
                (Some(tilt), _) => (DQuat::from_rotation_x(tilt) * own.start.rot).normalize(),
                (None, BoundCarryTo::Start) => own.start.rot,
                (None, _) => from.rot,
            };
            let along = (pos - from.pos).with_z(0.0).normalize_or_zero();
            let leader = self.legs.len();
            self.legs.push(Leg {
                body: own.body,
                from,
                to: Pose::new(pos, rot),
                arch: way.arch,
                aside: DVec3::Z.cross(along) * way.bend,
                rides: None,
            });
            if !way.contents {
                continue;
            }
            for other in self.props.iter().filter(|p| p.body != own.body) {
                let seen = from.inverse() * pose(other);
                let middle = from.local(other.bounds.centre_in(&pose(other)));
                let off = (middle - DVec3::from(own.bounds.centre)).abs();
                if off.cmple(DVec3::from(own.bounds.half)).all() {
                    let rides = Some((leader, seen));
                    let leg = self.legs[leader];
                    self.legs.push(Leg { body: other.body, rides, ..leg });
                }
            }
        }
    }

    /// Return where bodies are guided in the control step to come, and count it.
    pub fn advance(&mut self) -> &[Guided] {
        self.guided.clear();
        let Some(gone) = self.gone else { return &self.guided };
        let steps = self.acts[self.next].steps;
        let share = |k: u32| f64::from(k) / f64::from(steps);
        for leg in &self.legs {
            let at = |k: u32| match leg.rides {
                None => leg.at(share(k)),
                Some((leader, seen)) => self.legs[leader].at(share(k)) * seen,
            };
            self.guided.push(Guided { body: leg.body, from: at(gone), to: at(gone + 1) });
        }
        self.gone = (gone + 1 < steps).then_some(gone + 1);
        if self.gone.is_none() {
            self.next += 1;
        }
        &self.guided
    }
}
