//! Where the expert's grasps come from, and pictures of those that are perceived.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use longarm_data::image::{ContactSheet, Image};
use longarm_eval::{ExpertSpec, images_for, perceived};
use longarm_sim::{Env, EnvSettings, ImageSettings};
use longarm_task::{Scene, TaskSpec};
use longarm_types::{Calibration, CameraImage, DVec3, Pose};

/// Where grasps come from.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Grasps {
    /// From what assets say of themselves.
    Known,
    /// From what the rig's cameras show.
    Perceived,
}

/// `--grasps` and `--grasp-noise`.
#[derive(clap::Args)]
pub(crate) struct GraspChoice {
    /// Where expert and reactive take their grasps from; the same as expert?grasps=perceived.
    #[arg(long, value_enum, value_name = "known|perceived")]
    grasps: Option<Grasps>,
    /// Standard deviation of the depth that perceived grasps are made of, metres at one metre; it grows with
    /// the square of the depth.
    #[arg(long, value_name = "METRES", requires = "grasps")]
    grasp_noise: Option<f64>,
}

impl GraspChoice {
    /// Return the policy that is meant, with where its grasps come from.
    pub(crate) fn policy(&self, policy: &str) -> Result<String> {
        let Some(grasps) = self.grasps else { return Ok(policy.to_owned()) };
        if ExpertSpec::of(policy).is_none() {
            bail!("--grasps is about the grasps of expert and reactive; {policy} has its own");
        }
        if policy.contains('?') {
            bail!("{policy} says already where its grasps come from; leave --grasps out");
        }
        Ok(match (grasps, self.grasp_noise) {
            (Grasps::Known, None) => policy.to_owned(),
            (Grasps::Known, Some(_)) => bail!("--grasp-noise is on --grasps perceived"),
            (Grasps::Perceived, None) => format!("{policy}?grasps=perceived"),
            (Grasps::Perceived, Some(n)) => format!("{policy}?grasps=perceived&noise={n}"),
        })
    }
}

/// Pixels a side of the pictures.
const SIDE: usize = 720;
/// Candidates that are drawn of each object.
const SHOWN: usize = 12;
/// From the worst candidate to the best, and the one an expert would take.
const WORST: [f64; 3] = [214.0, 96.0, 58.0];
const BEST: [f64; 3] = [58.0, 148.0, 214.0];
const CHOSEN: [u8; 3] = [24, 150, 70];
/// How far the lines of a gripper reach past its pads and back, metres.
const FINGERS: f64 = 0.045;
const STEM: f64 = 0.09;

/// Write pictures of the grasps that are perceived of what a task has taken, as its scene begins.
pub(crate) fn write(task: &Arc<TaskSpec>, scene: &Scene, path: &Path) -> Result<()> {
    let images = images_for("expert?grasps=perceived");
    let mut env = Env::new(task.clone(), EnvSettings { images })?;
    env.reset_scene(scene.clone())?;
    let objects = perceived(&mut env)?;
    let images =
        ImageSettings { smooth: true, size: Some((SIDE, SIDE)), ..ImageSettings::default() };
    let mut env = Env::new(task.clone(), EnvSettings { images: Some(images) })?;
    env.reset_scene(scene.clone())?;
    let mut sheet = ContactSheet::new().columns(2);
    for camera in &env.observe().cameras {
        let mut sketch = Sketch { rgb: camera.rgb.clone(), camera };
        for object in &objects {
            let shown = &object.candidates[..object.candidates.len().min(SHOWN)];
            for c in shown.iter().rev() {
                let mix = |k: usize| WORST[k] + (BEST[k] - WORST[k]) * c.score;
                sketch.gripper(&c.tool, c.opening, [0, 1, 2].map(|k| mix(k) as u8), 2);
            }
            if let Some((tool, opening)) = object.chosen {
                sketch.gripper(&tool, opening, CHOSEN, 3);
            }
        }
        let image = Image::new(camera.width, camera.height, sketch.rgb)?;
        sheet.push(format!("{}: the chosen one green", camera.name), image);
    }
    sheet.render()?.write_png(path)?;
    for o in &objects {
        let best = o.candidates.first().map_or(0.0, |c| c.score);
        let found = match o.candidates.len() {
            0 => "no grasp is seen".to_owned(),
            n => format!("{n} grasps, the best {best:.2}"),
        };
        let chosen = match o.chosen {
            Some((tool, opening)) => {
                let p = tool.pos;
                format!(
                    "taken at ({:.3}, {:.3}, {:.3}), opened {:.0} mm",
                    p.x,
                    p.y,
                    p.z,
                    1e3 * opening
                )
            }
            None => "none that the arm can use".to_owned(),
        };
        tell!("{}: {found}; {chosen}", o.name);
    }
    tell!("wrote {}", path.display());
    Ok(())
}

/// A picture that is drawn into.
struct Sketch<'a> {
    rgb: Vec<u8>,
    camera: &'a CameraImage,
}

impl Sketch<'_> {
    /// Draw a gripper as a fork.
    fn gripper(&mut self, tool: &Pose, opening: f64, colour: [u8; 3], wide: i64) {
        let at = |y: f64, z: f64| tool.point(DVec3::new(0.0, y, z));
        let half = opening / 2.0;
        let lines = [
            (at(-half, 0.0), at(-half, -FINGERS)),
            (at(half, 0.0), at(half, -FINGERS)),
            (at(-half, -FINGERS), at(half, -FINGERS)),
            (at(0.0, -FINGERS), at(0.0, -STEM)),
        ];
        for (a, b) in lines {
            self.line(a, b, colour, wide);
        }
    }

    fn line(&mut self, a: DVec3, b: DVec3, colour: [u8; 3], wide: i64) {
        let c = &self.camera.calibration;
        let (Some(a), Some(b)) = (pixel(c, a), pixel(c, b)) else { return };
        let steps = ((b[0] - a[0]).abs().max((b[1] - a[1]).abs())).ceil().clamp(1.0, 4e3) as u32;
        for k in 0..=steps {
            let t = f64::from(k) / f64::from(steps);
            let [x, y] = [0, 1].map(|i| (a[i] + (b[i] - a[i]) * t).floor() as i64);
            let around = (-(wide / 2)..=wide / 2)
                .flat_map(|i| (-(wide / 2)..=wide / 2).map(move |j| (i, j)));
            for (i, j) in around {
                self.dot(x + i, y + j, colour);
            }
        }
    }

    fn dot(&mut self, x: i64, y: i64, colour: [u8; 3]) {
        let (w, h) = (self.camera.width as i64, self.camera.height as i64);
        if (0..w).contains(&x) && (0..h).contains(&y) {
            let at = 3 * (y * w + x) as usize;
            self.rgb[at..at + 3].copy_from_slice(&colour);
        }
    }
}

/// Return the pixel that shows a point; `None` behind the camera.
fn pixel(c: &Calibration, p: DVec3) -> Option<[f64; 2]> {
    let d = p - DVec3::from(c.position.map(f64::from));
    let along = |k: usize| d.dot(DVec3::from(c.rotation.map(|row| f64::from(row[k]))));
    let ahead = along(2);
    let at = |k: usize| along(k) / ahead * f64::from(c.focal[k]) + f64::from(c.centre[k]);
    (ahead > 0.02).then(|| [at(0), at(1)])
}
