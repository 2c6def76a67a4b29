//! Tasks that are played in a world of other people's files instead of a scene that is drawn.
//!
//! A suite says how such a world is put together ([`FromFiles`]); the simulation compiles, starts,
//! steps and looks at it, and asks the suite's own rule ([`SourceGoal`]) which facts hold.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use longarm_assets::outside::OutsideError;
use longarm_assets::source::{SourceModel, SourceRobot};
use longarm_types::{DMat3, DVec3, Digest, Pose, Seed};
use serde::{Serialize, Serializer};

/// What a goal may ask of a moment of such a world.
pub trait SourceView {
    /// Return where a body is.
    fn body(&self, name: &str) -> DVec3;
    /// Return where a site is and how it is turned.
    fn site(&self, name: &str) -> (DVec3, DMat3);
    /// Return a joint's position.
    fn joint(&self, name: &str) -> f64;
    /// Return whether felt geoms of two objects touch.
    fn touch(&self, a: &str, b: &str) -> bool;
}

/// What a goal asks about, so that it is looked up once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceNames {
    /// Bodies.
    pub bodies: Vec<String>,
    /// Sites.
    pub sites: Vec<String>,
    /// Joints.
    pub joints: Vec<String>,
    /// Objects whose contacts count: names of their bodies begin with these and `_`.
    pub objects: Vec<String>,
}

/// A rule of success that comes with the files.
pub trait SourceGoal: fmt::Debug + Send + Sync {
    /// Return what it asks about.
    fn names(&self) -> SourceNames;
    /// Return how many facts there are.
    fn facts(&self) -> usize;
    /// Return whether a fact holds. Nothing may allocate here.
    fn holds(&self, fact: usize, view: &dyn SourceView) -> bool;
}

/// A site that is seen while a joint is far enough, as of the end of the action before.
#[derive(Clone, Debug, PartialEq)]
pub struct Glow {
    /// The site.
    pub site: String,
    /// The joint.
    pub joint: String,
    /// Its least position.
    pub from: f64,
}

/// How an episode begins.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceStart {
    /// Bodies that are fixed to their parents, and where they stand.
    pub fixed: Vec<(String, Pose)>,
    /// Where joints are.
    pub state: SourceState,
}

/// Where the joints of a world are when an episode begins.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceState {
    /// Time, positions and velocities of all joints.
    Whole(Vec<f64>),
    /// Positions of these joints, at rest; the robot is at home, others are where the model puts them.
    Joints(Vec<(String, Vec<f64>)>),
}

/// When a stack learns what, where it does so late.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceTiming {
    /// The controller does not learn that a state was set: its first command counts from where the arm
    /// stood before.
    pub unaware: bool,
    /// Observations are sampled after this many physics steps of an action, poses as computed for the
    /// last of them; at the end of the action if `None`.
    pub sampled: Option<u32>,
    /// Actions taken after a start before anyone is asked.
    pub settle: Vec<[f64; 7]>,
}

/// Finds the start of an episode.
pub type Starts = Arc<dyn Fn(Seed) -> Result<SourceStart, OutsideError> + Send + Sync>;

/// A world from files, ready to compile.
#[derive(Clone)]
pub struct SourceScene {
    /// The model with its files.
    pub model: SourceModel,
    /// What moves, and how.
    pub robot: SourceRobot,
    /// Cameras of the rig, and what they are called in the model.
    pub cameras: Vec<(String, String)>,
    /// Where our origin lies in the model's world.
    pub origin: [f64; 3],
    /// What glows while it is on.
    pub glows: Vec<Glow>,
    /// What counts.
    pub goal: Arc<dyn SourceGoal>,
    /// How episodes begin.
    pub starts: Starts,
    /// When what is learned.
    pub timing: SourceTiming,
}

/// Puts a scene together under choices among its suite's options.
type Maker =
    Arc<dyn Fn(&BTreeMap<String, String>) -> Result<SourceScene, OutsideError> + Send + Sync>;

/// The files that a task is played in, and how they become a world.
#[derive(Clone)]
pub struct FromFiles {
    make: Maker,
    used: Arc<BTreeMap<String, Digest>>,
    /// What was chosen among the options of its suite, where that changes the world.
    pub choices: BTreeMap<String, String>,
}

impl FromFiles {
    /// A world that `make` puts together of the files in `used`.
    pub fn new(
        used: BTreeMap<String, Digest>,
        make: impl Fn(&BTreeMap<String, String>) -> Result<SourceScene, OutsideError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self { make: Arc::new(make), used: Arc::new(used), choices: BTreeMap::new() }
    }

    /// Every file, with its hash.
    pub fn used(&self) -> &BTreeMap<String, Digest> {
        &self.used
    }

    /// Put the world together. Refuses files that are not what they were.
    pub fn scene(&self) -> Result<SourceScene, OutsideError> {
        let scene = (self.make)(&self.choices)?;
        for (file, hash) in &scene.model.used {
            match self.used.get(file) {
                Some(known) if known == hash => {}
                Some(known) => {
                    let (now, then) = (hash.short(), known.short());
                    let say = format!("has changed: its hash is {now} and was {then}");
                    return Err(OutsideError::new(file, say));
                }
                None => return Err(OutsideError::new(file, "was not used before")),
            }
        }
        Ok(scene)
    }
}

impl fmt::Debug for FromFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FromFiles({} files, {:?})", self.used.len(), self.choices)
    }
}

impl PartialEq for FromFiles {
    fn eq(&self, other: &Self) -> bool {
        self.used == other.used && self.choices == other.choices
    }
}

impl Serialize for FromFiles {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        (&*self.used, &self.choices).serialize(s)
    }
}
