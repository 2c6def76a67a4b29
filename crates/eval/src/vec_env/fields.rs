//! What observations hold and how it is called.

use std::str::FromStr;

use longarm_assets::{BodyRole, Rig, compose};
use longarm_policy::formats::{self, GRIP_FINGERS, GRIP_POSITION, OUTSIDE, WRIST, XYZW};
use longarm_sim::{Env, ImageSettings};
use longarm_task::{TaskSpec, sample};
use longarm_types::{
    BoundVector, Flip, FormatPictures, ObservationFormat, Seed, StatePart, nearest,
};

use super::VecEnvError;

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
}

#[derive(Clone, Debug, PartialEq)]
enum Content {
    Numbers(BoundVector),
    Picture { camera: usize, flip: Flip },
    Bodies(Vec<String>),
}

/// One array of an observation.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Keys from the outermost dictionary inwards.
    pub path: Vec<String>,
    /// Shape for one environment.
    pub shape: Vec<usize>,
    content: Content,
}

/// Where one environment's part of an array goes.
pub(super) enum FieldBuffer<'a> {
    Numbers(&'a mut [f32]),
    Picture(&'a mut [u8]),
}

/// The pose of each object and part: position, then quaternion w x y z.
const POSE: usize = 7;

impl Field {
    /// Values per environment.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of a picture, or single-precision numbers.
    pub fn is_picture(&self) -> bool {
        matches!(self.content, Content::Picture { .. })
    }

    /// Names of the bodies whose poses it holds.
    pub(super) fn bodies(&self) -> Option<&[String]> {
        match &self.content {
            Content::Bodies(names) => Some(names),
            _ => None,
        }
    }

    fn numbers(vector: BoundVector) -> Self {
        let (path, shape) = (vec![vector.key.clone()], vec![vector.names.len()]);
        Self { path, shape, content: Content::Numbers(vector) }
    }

    /// Writes what the environment last observed.
    pub(super) fn write(
        &self,
        env: &mut Env,
        found: &[Option<usize>],
        numbers: &mut Vec<f64>,
        row: &mut FieldBuffer<'_>,
    ) -> Result<(), String> {
        match (&self.content, row) {
            (Content::Numbers(vector), FieldBuffer::Numbers(out)) => {
                numbers.clear();
                vector.append(env.observation_spec(), env.last_observation(), numbers)?;
                for (to, from) in out.iter_mut().zip(numbers.iter()) {
                    *to = *from as f32;
                }
            }
            (Content::Picture { camera, flip }, FieldBuffer::Picture(out)) => {
                let image = &env.last_observation().cameras[*camera];
                flip.write(&image.rgb, image.width, out);
            }
            (Content::Bodies(_), FieldBuffer::Numbers(out)) => {
                let bodies = &env.snapshot().bodies;
                for (to, at) in out.chunks_exact_mut(POSE).zip(found) {
                    let Some(body) = at.and_then(|i| bodies.get(i)) else {
                        to.fill(0.0);
                        continue;
                    };
                    let (pos, rot) = (body.pose.pos.to_array(), body.pose.wxyz());
                    let values = pos.iter().chain(&rot).map(|v| *v as f32);
                    to.iter_mut().zip(values).for_each(|(o, v)| *o = v);
                }
            }
            _ => return Err("a buffer is of the wrong type".into()),
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

    /// How pictures are taken; `None` when there are none.
    pub fn images(&self) -> Option<ImageSettings> {
        let only = match &self.cameras {
            Cameras::None => return None,
            Cameras::All => None,
            Cameras::Named(names) if names.is_empty() => return None,
            Cameras::Named(names) => Some(names.clone()),
        };
        Some(ImageSettings { size: self.size, only, ..ImageSettings::default() })
    }

    /// The arrays of an observation of a task.
    pub fn fields(&self, task: &TaskSpec) -> Result<Vec<Field>, VecEnvError> {
        let rig = task.rig();
        let spec = rig.observation();
        let format = self.preset.format();
        let vectors = format.bind(&spec).map_err(VecEnvError)?;
        let mut out: Vec<Field> = vectors.into_iter().map(Field::numbers).collect();
        let shown = self.shown(&rig)?;
        let names: Vec<&str> = shown.iter().map(|i| spec.cameras[*i].name.as_str()).collect();
        for (key, i) in format.pictures.keys(&names) {
            let camera = shown[i];
            let own = &spec.cameras[camera];
            let (w, h) = self.size.unwrap_or((own.width, own.height));
            out.push(Field {
                path: format.group.map(str::to_owned).into_iter().chain([key]).collect(),
                shape: vec![h, w, 3],
                content: Content::Picture { camera, flip: format.flip },
            });
        }
        if self.privileged {
            // The structure may differ between seeds; names that a scene lacks read zero.
            let scene = sample(task, Seed(0)).map_err(|e| VecEnvError(e.to_string()))?;
            let bodies = compose(&scene.structure).bodies;
            let names: Vec<String> =
                bodies.into_iter().filter(|b| b.role != BodyRole::World).map(|b| b.name).collect();
            out.push(Field {
                path: vec!["environment_state".to_owned()],
                shape: vec![names.len() * POSE],
                content: Content::Bodies(names),
            });
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
