//! What a task itself moves before the policy's eyes: a hand that swaps cups, a demonstrator.
//!
//! A [`Show`] moves objects along declared ways in a declared time. The robot is held still meanwhile and
//! nothing counts, so that no policy can meddle and nothing shown is scored. All of it is data of the task,
//! hence part of its hash; what is shown follows from the scene and the steps taken, without randomness of
//! its own.

use longarm_assets::{Bodies, BodyRole};
use longarm_types::{Bounds, CONTROL_HZ, DQuat, DVec3, Pose, hint};
use serde::{Deserialize, Serialize};

use crate::{BodyId, Given, Scene, Snapshot, SpecError, StageTracker, TaskSpec};

/// A motion of objects that the task makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// Name.
    pub name: String,
    /// When it begins.
    #[serde(default)]
    pub cue: Cue,
    /// Seconds it takes.
    pub seconds: f64,
    /// What goes where, all at once; nothing for a pause.
    #[serde(default)]
    pub moves: Vec<Carry>,
    /// It is shown only where a variable has such a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Given>,
}

/// When a show begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Cue {
    /// When the one before it is over; the first one when the episode begins.
    #[default]
    Next,
    /// A number of seconds after a stage was completed.
    After {
        /// The stage.
        stage: String,
        /// The seconds.
        seconds: f64,
    },
}

/// Where an object is carried, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carry {
    /// The object, or an alias of it.
    pub object: String,
    /// Where it goes.
    pub to: Whither,
    /// By how much its way rises half way, metres.
    #[serde(default)]
    pub arch: f64,
    /// By how much its way bends to the left half way, metres.
    #[serde(default)]
    pub bend: f64,
    /// How far it is tilted about the world's x in the end, radians, against how it began the episode; as it is
    /// if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tilt: Option<f64>,
    /// What it covers or contains comes along.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub contents: bool,
}

/// Where an object is carried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Whither {
    /// To the place that another object has when the show begins.
    Place(String),
    /// Onto another object.
    Onto(String),
    /// Beside or above another object, by world metres from its origin.
    From {
        /// The object.
        object: String,
        /// World metres.
        by: [f64; 3],
    },
    /// To where it began the episode.
    Start,
    /// By world metres from where it is.
    By([f64; 3]),
}

/// Carry an object somewhere.
pub fn carry(object: impl Into<String>, to: Whither) -> Carry {
    Carry { object: object.into(), to, arch: 0.0, bend: 0.0, tilt: None, contents: false }
}

/// A motion that follows the one before it.
pub fn show<const N: usize>(name: impl Into<String>, seconds: f64, moves: [Carry; N]) -> Show {
    Show { name: name.into(), cue: Cue::Next, seconds, moves: moves.into(), when: None }
}

impl Carry {
    /// Let its way rise.
    pub fn arch(self, arch: f64) -> Self {
        Self { arch, ..self }
    }

    /// Let its way bend to the left.
    pub fn bend(self, bend: f64) -> Self {
        Self { bend, ..self }
    }

    /// Tilt it about the world's x, against how it began the episode.
    pub fn tilt(self, radians: f64) -> Self {
        Self { tilt: Some(radians), ..self }
    }

    /// Take along what it covers or contains.
    pub fn with_contents(self) -> Self {
        Self { contents: true, ..self }
    }
}

impl Show {
    /// Begin some seconds after a stage was completed.
    pub fn after(self, stage: impl Into<String>, seconds: f64) -> Self {
        Self { cue: Cue::After { stage: stage.into(), seconds }, ..self }
    }

    /// Show it only where a variable has such a value.
    pub fn when(self, given: Given) -> Self {
        Self { when: Some(given), ..self }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.moves.iter().flat_map(|m| {
            let other = match &m.to {
                Whither::Place(o) | Whither::Onto(o) | Whither::From { object: o, .. } => Some(o),
                Whither::Start | Whither::By(_) => None,
            };
            [Some(&m.object), other].into_iter().flatten().map(String::as_str)
        })
    }
}

impl TaskSpec {
    /// Move objects before the policy's eyes.
    pub fn show(mut self, show: Show) -> Self {
        self.shows.push(show);
        self
    }

    /// Everything that is wrong with what is shown.
    pub(crate) fn show_problems(&self) -> Vec<SpecError> {
        let mut found = Vec::new();
        let task = || self.id.to_string();
        let mut unknown = |kind, name: &str, known: Vec<&str>| {
            let hint = hint(name, known);
            found.push(SpecError::Unknown { task: task(), kind, name: name.to_owned(), hint });
        };
        let stages = self.stage_names();
        for show in &self.shows {
            for name in show.names() {
                if self.object(name).is_none() && !self.aliases.contains_key(name) {
                    let objects = self.objects.iter().map(|o| o.name.as_str());
                    unknown(
                        "object",
                        name,
                        objects.chain(self.aliases.keys().map(String::as_str)).collect(),
                    );
                }
            }
            if let Cue::After { stage, .. } = &show.cue
                && !stages.contains(stage)
            {
                unknown("stage", stage, stages.iter().map(String::as_str).collect());
            }
            if let Some(given) =
                show.when.as_ref().filter(|g| !self.variables.contains_key(&g.variable))
            {
                unknown(
                    "variable",
                    &given.variable,
                    self.variables.keys().map(String::as_str).collect(),
                );
            }
        }
        for show in &self.shows {
            if !(show.seconds > 0.0 && show.seconds <= 60.0) {
                let what = format!("the seconds of the show {:?}", show.name);
                let (value, wanted) = (show.seconds.to_string(), "more than 0 and at most 60");
                found.push(SpecError::BadNumber { task: task(), what, value, wanted });
            }
        }
        found
    }
}

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
    to: BoundWhither,
    arch: f64,
    bend: f64,
    tilt: Option<f64>,
    contents: bool,
}

#[derive(Clone, Debug)]
enum BoundWhither {
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
                Whither::Place(o) => BoundWhither::Place(find(o)?),
                Whither::Onto(o) => BoundWhither::Onto(find(o)?),
                Whither::From { object, by } => BoundWhither::From(find(object)?, (*by).into()),
                Whither::Start => BoundWhither::Start,
                Whither::By(by) => BoundWhither::By((*by).into()),
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
                BoundWhither::Place(o) => pose(&self.props[*o]).pos.with_z(from.pos.z),
                BoundWhither::Onto(o) => {
                    let other = &self.props[*o];
                    pose(other).pos + DVec3::Z * (other.bounds.centre[2] + other.bounds.half[2])
                }
                BoundWhither::From(o, by) => pose(&self.props[*o]).pos + *by,
                BoundWhither::Start => own.start.pos,
                BoundWhither::By(by) => from.pos + *by,
            };
            let rot = match (way.tilt, &way.to) {
                (Some(tilt), _) => (DQuat::from_rotation_x(tilt) * own.start.rot).normalize(),
                (None, BoundWhither::Start) => own.start.rot,
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
