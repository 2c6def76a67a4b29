//! What observations are to hold, and whose names they have.

use std::str::FromStr;

use longarm_assets::{BodyRole, Rig, compose};
use longarm_policy::formats::{self, GRIP_FINGERS, GRIP_POSITION, OUTSIDE, WRIST, XYZW};
use longarm_render::Channels;
use longarm_sim::ImageSettings;
use longarm_task::{TaskSpec, sample};
use longarm_types::{
    Bounds, CloudSpec, Flip, FormatPictures, ObservationFormat, PictureKind, Seed, StatePart,
    nearest,
};

use super::{Field, VecEnvError};

/// Whose names observations have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Ours.
    #[default]
    Longarm,
    /// LeRobot's: `pixels` and `agent_pos`.
    LeRobot,
    /// robosuite's, with the world origin of its kitchens and pictures bottom row first.
    Robosuite,
}

impl Preset {
    /// All names.
    pub const NAMES: [&str; 3] = ["longarm", "lerobot", "libero"];

    /// What it calls what is observed.
    fn format(self) -> ObservationFormat {
        let joints = StatePart::Joints(None);
        let by_name = FormatPictures::All("", "");
        match self {
            Self::Longarm => {
                ObservationFormat { group: Some("pixels"), ..formats::native("", by_name) }
            }
            Self::LeRobot => ObservationFormat {
                group: Some("pixels"),
                ..formats::vectors(&[("agent_pos", &[joints, StatePart::Opening])], by_name)
            },
            // There are two cameras; ours are those that stand where they do.
            Self::Robosuite => formats::one_arm(
                &[
                    ("robot0_joint_pos", &[joints]),
                    ("robot0_joint_vel", &[StatePart::Velocities]),
                    ("robot0_eef_pos", &[GRIP_POSITION]),
                    ("robot0_eef_quat", &[XYZW]),
                    ("robot0_gripper_qpos", &[GRIP_FINGERS]),
                ],
                FormatPictures::keyed(&[
                    ("agentview_image", &OUTSIDE),
                    ("robot0_eye_in_hand_image", &WRIST),
                ]),
                Flip::Vertical,
            ),
        }
    }
}

impl Preset {
    /// Keys of what a camera tells beside its colours; `picture` is what those are called.
    fn path(self, picture: &str, camera: &str, what: &str) -> Vec<String> {
        match self {
            Self::Longarm | Self::LeRobot => vec![what.to_owned(), camera.to_owned()],
            // Beside the picture, as robosuite has them.
            Self::Robosuite => {
                vec![format!("{}_{what}", picture.strip_suffix("_image").unwrap_or(picture))]
            }
        }
    }
}

impl FromStr for Preset {
    type Err = VecEnvError;

    fn from_str(name: &str) -> Result<Self, VecEnvError> {
        match Self::NAMES.iter().position(|n| *n == name) {
            Some(0) => Ok(Self::Longarm),
            Some(1) => Ok(Self::LeRobot),
            Some(_) => Ok(Self::Robosuite),
            None => Err(VecEnvError(format!(
                "no observation preset {name:?}; there are {}",
                Self::NAMES.join(", ")
            ))),
        }
    }
}

/// Which cameras are in observations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cameras {
    /// None: nothing is drawn.
    None,
    /// All that policies see.
    #[default]
    All,
    /// These.
    Named(Vec<String>),
}

/// The point cloud that is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CloudView {
    /// How many points.
    pub points: usize,
    /// Least and greatest corner in the world frame; the rig's workspace and a little around it otherwise.
    pub corners: Option<([f64; 3], [f64; 3])>,
    /// How many of the points lie on the table and what else belongs to the world; evenly spread otherwise.
    pub furniture: Option<usize>,
}

/// What observations are to hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservationView {
    /// Names.
    pub preset: Preset,
    /// Cameras.
    pub cameras: Cameras,
    /// Width and height of pictures in place of the rig's own.
    pub size: Option<(usize, usize)>,
    /// Also the poses of all objects, which no policy on a real robot would have.
    pub privileged: bool,
    /// Also the depth of each camera.
    pub depth: bool,
    /// Also the segment ids of each camera.
    pub segmentation: bool,
    /// Also the normals of the surfaces each camera sees.
    pub normals: bool,
    /// Also where each camera is and how it projects.
    pub calibration: bool,
    /// Also a point cloud of what the cameras see.
    pub cloud: Option<CloudView>,
}

impl CloudView {
    fn spec(&self, rig: &Rig) -> CloudSpec {
        let mut spec = CloudSpec::around(&rig.workspace, self.points);
        if let Some((low, high)) = self.corners {
            let centre = [0, 1, 2].map(|k| 0.5 * (low[k] + high[k]));
            let half = [0, 1, 2].map(|k| 0.5 * (high[k] - low[k]));
            spec.bounds = Bounds { centre, half };
        }
        CloudSpec { furniture: self.furniture, ..spec }
    }

    fn check(&self) -> Result<(), VecEnvError> {
        let (n, most) = (self.points, CloudSpec::MOST);
        if !(1..=most).contains(&n) {
            return Err(VecEnvError(format!("a point cloud of {n} points: 1 to {most} go")));
        }
        if let Some(quota) = self.furniture.filter(|quota| *quota > n) {
            let text = format!("a point cloud of {n} points cannot have {quota} on the table");
            return Err(VecEnvError(text));
        }
        if let Some((low, high)) = self.corners {
            for k in 0..3 {
                // Also false where one of them is not a number.
                let fits = low[k] < high[k] && low[k].is_finite() && high[k].is_finite();
                if !fits {
                    let (axis, a, b) = (["x", "y", "z"][k], low[k], high[k]);
                    let text =
                        format!("the point cloud's box reaches from {a} to {b} along {axis}");
                    return Err(VecEnvError(format!("{text}; the first must be less")));
                }
            }
        }
        Ok(())
    }
}

impl ObservationView {
    /// The cameras it shows, by their place in the rig.
    fn shown(&self, rig: &Rig) -> Result<Vec<usize>, VecEnvError> {
        match &self.cameras {
            Cameras::None => Ok(Vec::new()),
            Cameras::All => Ok((0..rig.cameras.len()).collect()),
            Cameras::Named(names) => names.iter().map(|n| camera(rig, n)).collect(),
        }
    }

    /// How pictures are taken of a rig; `None` when there are none.
    pub fn images(&self, rig: &Rig) -> Option<ImageSettings> {
        let cloud = self.cloud.map(|c| c.spec(rig));
        let only = match &self.cameras {
            // A cloud alone is of all cameras.
            _ if self.blind() => cloud.map(|_| None)?,
            Cameras::Named(names) => Some(names.clone()),
            Cameras::None | Cameras::All => None,
        };
        let channels = Channels {
            color: true,
            depth: self.depth,
            segment: self.segmentation,
            normals: self.normals,
        };
        Some(ImageSettings { channels, size: self.size, only, cloud, ..ImageSettings::default() })
    }

    /// Whether no camera is shown.
    fn blind(&self) -> bool {
        match &self.cameras {
            Cameras::None => true,
            Cameras::Named(names) => names.is_empty(),
            Cameras::All => false,
        }
    }

    /// Refuse what means nothing.
    fn check(&self) -> Result<(), VecEnvError> {
        let wanted = [
            ("depth", self.depth),
            ("segmentation", self.segmentation),
            ("normals", self.normals),
            ("calibration", self.calibration),
        ];
        if let Some((what, _)) = wanted.iter().find(|(_, wanted)| *wanted && self.blind()) {
            let text = format!("{what} is what cameras see and none is chosen; name some");
            return Err(VecEnvError(text));
        }
        self.cloud.map_or(Ok(()), |cloud| cloud.check())
    }

    /// The arrays of an observation of a task.
    pub fn fields(&self, task: &TaskSpec) -> Result<Vec<Field>, VecEnvError> {
        self.check()?;
        let rig = task.rig();
        let spec = rig.observation();
        let format = self.preset.format();
        let vectors = format.bind(&spec).map_err(VecEnvError)?;
        let mut out: Vec<Field> = vectors.into_iter().map(Field::numbers).collect();
        let shown = self.shown(&rig)?;
        let names: Vec<&str> = shown.iter().map(|i| spec.cameras[*i].name.as_str()).collect();
        for (key, i) in format.pictures.keys(&names) {
            let (camera, flip) = (shown[i], format.flip);
            let own = &spec.cameras[camera];
            let size = self.size.unwrap_or((own.width, own.height));
            let path = |what: &str| self.preset.path(&key, &own.name, what);
            let group = format.group.map(str::to_owned).into_iter();
            let colours = group.chain([key.clone()]).collect();
            out.push(Field::picture(PictureKind::Colour, colours, size, camera, flip));
            for (wanted, kind, name) in [
                (self.depth, PictureKind::Depth, "depth"),
                (self.segmentation, PictureKind::Segment, "segmentation"),
                (self.normals, PictureKind::Normals, "normals"),
            ] {
                out.extend(wanted.then(|| Field::picture(kind, path(name), size, camera, flip)));
            }
            if self.calibration {
                out.push(Field::intrinsics(path("intrinsics"), camera, flip));
                out.push(Field::extrinsics(path("extrinsics"), camera));
            }
        }
        if let Some(cloud) = self.cloud {
            out.extend(Field::cloud(cloud.spec(&rig)));
        }
        if self.privileged {
            // The structure may differ between seeds; names that a scene lacks read zero.
            let scene = sample(task, Seed(0)).map_err(|e| VecEnvError(e.to_string()))?;
            let bodies = compose(&scene.structure).bodies;
            let names: Vec<String> =
                bodies.into_iter().filter(|b| b.role != BodyRole::World).map(|b| b.name).collect();
            out.push(Field::poses(names));
        }
        Ok(out)
    }
}

fn camera(rig: &Rig, name: &str) -> Result<usize, VecEnvError> {
    rig.cameras.iter().position(|c| c.name == name).ok_or_else(|| {
        let names: Vec<&str> = rig.cameras.iter().map(|c| c.name.as_str()).collect();
        VecEnvError(match nearest(name, names.iter().copied()).first() {
            Some(near) => format!("no camera {name:?}; did you mean {near}?"),
            None => format!("no camera {name:?}; there are {}", names.join(", ")),
        })
    })
}
