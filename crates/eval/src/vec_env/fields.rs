//! What observations hold and how it is called.

use std::str::FromStr;

use longarm_assets::{BodyRole, Rig, compose};
use longarm_policy::remote::Part;
use longarm_sim::{Env, ImageSettings};
use longarm_task::{TaskSpec, sample};
use longarm_types::{Seed, nearest};

use super::VecEnvError;

/// Whose names observations have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Ours.
    #[default]
    Longarm,
    /// LeRobot's: `pixels` and `agent_pos`.
    LeRobot,
    /// LIBERO's, with its world origin and pictures bottom row first.
    Libero,
}

impl Preset {
    /// All names.
    pub const NAMES: [&str; 3] = ["longarm", "lerobot", "libero"];
}

impl FromStr for Preset {
    type Err = VecEnvError;

    fn from_str(name: &str) -> Result<Self, VecEnvError> {
        match Self::NAMES.iter().position(|n| *n == name) {
            Some(0) => Ok(Self::Longarm),
            Some(1) => Ok(Self::LeRobot),
            Some(_) => Ok(Self::Libero),
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
pub struct View {
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
    Numbers { parts: Vec<Part> },
    Picture { camera: usize, upside_down: bool },
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
pub(super) enum Row<'a> {
    Numbers(&'a mut [f32]),
    Picture(&'a mut [u8]),
}

/// The pose of each object and part: position, then quaternion w x y z.
const POSE: usize = 7;
/// A Panda finger when open, metres from the middle.
const FINGER: f64 = 0.04;
const OUTSIDE: [&str; 4] = ["agentview", "front", "top", "left"];
const WRIST: [&str; 3] = ["wrist", "eye_in_hand", "hand"];

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

    fn numbers(key: &str, len: usize, parts: &[Part]) -> Self {
        let content = Content::Numbers { parts: parts.to_vec() };
        Self { path: vec![key.to_owned()], shape: vec![len], content }
    }

    /// Writes what the environment last observed.
    pub(super) fn write(
        &self,
        env: &mut Env,
        found: &[Option<usize>],
        numbers: &mut Vec<f64>,
        row: &mut Row<'_>,
    ) -> Result<(), String> {
        match (&self.content, row) {
            (Content::Numbers { parts }, Row::Numbers(out)) => {
                numbers.clear();
                for part in parts {
                    part.append(env.last_observation(), numbers)?;
                }
                for (to, from) in out.iter_mut().zip(numbers.iter()) {
                    *to = *from as f32;
                }
            }
            (Content::Picture { camera, upside_down }, Row::Picture(out)) => {
                let image = &env.last_observation().cameras[*camera];
                let wide = image.width * 3;
                if *upside_down {
                    let rows = image.rgb.chunks_exact(wide).rev();
                    out.chunks_exact_mut(wide).zip(rows).for_each(|(o, i)| o.copy_from_slice(i));
                } else {
                    out.copy_from_slice(&image.rgb);
                }
            }
            (Content::Bodies(_), Row::Numbers(out)) => {
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

impl View {
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
        let n = rig.dof();
        let shown = self.shown(&rig)?;
        let picture = |path: &[&str], camera: usize, upside_down: bool| {
            let spec = &rig.cameras[camera];
            let (w, h) = self.size.unwrap_or((spec.width, spec.height));
            Field {
                path: path.iter().map(|p| (*p).to_owned()).collect(),
                shape: vec![h, w, 3],
                content: Content::Picture { camera, upside_down },
            }
        };
        let mut out = match self.preset {
            Preset::Longarm => vec![
                Field::numbers("joint_position", n, &[Part::Joints(None)]),
                Field::numbers("joint_velocity", n, &[Part::Velocities]),
                Field::numbers("tool_pose", 7, &[Part::Position, Part::Wxyz]),
                Field::numbers("gripper_opening", 1, &[Part::Opening]),
            ],
            Preset::LeRobot => {
                vec![Field::numbers("agent_pos", n + 1, &[Part::Joints(None), Part::Opening])]
            }
            Preset::Libero => {
                vec![
                    Field::numbers("robot0_joint_pos", n, &[Part::Joints(None)]),
                    Field::numbers("robot0_joint_vel", n, &[Part::Velocities]),
                    Field::numbers("robot0_eef_pos", 3, &[Part::LiberoPosition]),
                    Field::numbers("robot0_eef_quat", 4, &[Part::Xyzw]),
                    Field::numbers("robot0_gripper_qpos", 2, &[Part::Fingers(FINGER)]),
                ]
            }
        };
        if self.preset == Preset::Libero {
            // LIBERO has two cameras; ours are those that stand where they do.
            let keys = [("agentview_image", &OUTSIDE[..]), ("robot0_eye_in_hand_image", &WRIST)];
            for (key, candidates) in keys {
                let named = |c: &&str| shown.iter().find(|i| rig.cameras[**i].name == **c);
                if let Some(camera) = candidates.iter().find_map(named) {
                    out.push(picture(&[key], *camera, true));
                }
            }
        } else {
            out.extend(
                shown.iter().map(|i| picture(&["pixels", &rig.cameras[*i].name], *i, false)),
            );
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
