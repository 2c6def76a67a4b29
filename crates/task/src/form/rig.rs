//! Rigs of the user's own: one of ours with another place, posture, cameras or workspace.

use std::collections::BTreeMap;

use longarm_assets::{CameraMount, CameraSpec, Rig, RigName, look_at};
use longarm_types::{Bounds, DVec3, Digest, Pose, hint};
use schemars::JsonSchema;
use serde::Deserialize;

/// First part of the names of rigs that come from files.
const OWN: &str = "own-";

/// A rig of your own.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RigForm {
    /// The rig it is like; what is not said here is as there.
    pub like: String,
    /// Where the base of its robot stands, in metres; only for rigs with one robot.
    pub mount: Option<[f64; 3]>,
    /// Joints of its arm at the start, in radians; only for rigs with one arm.
    pub home: Option<Vec<f64>>,
    /// Lower and upper corner of where objects may be and tools may go.
    pub workspace: Option<[[f64; 3]; 2]>,
    /// Drop the cameras of the rig it is like.
    #[serde(default)]
    pub only_these_cameras: bool,
    /// Fixed cameras, by name; one of a known name replaces it.
    #[serde(default)]
    pub cameras: BTreeMap<String, CameraForm>,
}

/// A camera fixed in the world.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CameraForm {
    /// Where it is, in metres.
    pub eye: [f64; 3],
    /// What it looks at.
    pub target: [f64; 3],
    /// Pixels across and down.
    #[serde(default = "usual_size")]
    pub size: [usize; 2],
    /// Vertical field of view in degrees.
    #[serde(default = "usual_fovy")]
    pub fovy: f64,
}

fn usual_size() -> [usize; 2] {
    [256, 256]
}

fn usual_fovy() -> f64 {
    45.0
}

/// Pixels a camera may have along a side.
const MOST_PIXELS: usize = 2160;

fn finite<const N: usize>(v: [f64; N], what: &str) -> Result<[f64; N], String> {
    if v.iter().all(|x| x.is_finite() && x.abs() < 100.0) {
        Ok(v)
    } else {
        Err(format!("{what} = {v:?} is out of range"))
    }
}

impl CameraForm {
    fn camera(&self, name: &str) -> Result<CameraSpec, String> {
        let (eye, target) = (finite(self.eye, "eye")?, finite(self.target, "target")?);
        let along = DVec3::from(target) - DVec3::from(eye);
        if along.length() < 1e-3 {
            return Err(format!("cameras.{name}: eye and target are one point"));
        }
        let [width, height] = self.size;
        if ![width, height].iter().all(|n| (16..=MOST_PIXELS).contains(n)) {
            return Err(format!("cameras.{name}: each side has 16 to {MOST_PIXELS} pixels"));
        }
        if !(1.0..=170.0).contains(&self.fovy) {
            return Err(format!("cameras.{name}: fovy is from 1 to 170 degrees"));
        }
        // Straight down, the top of the picture is away from the robot.
        let steep = along.normalize().cross(DVec3::Z).length() < 1e-3;
        let up = if steep { DVec3::X } else { DVec3::Z };
        let mount = CameraMount::World(look_at(eye.into(), target.into(), up));
        Ok(CameraSpec { name: name.to_owned(), mount, width, height, fovy: self.fovy })
    }
}

impl RigForm {
    /// Register the rig under a name that tells its content.
    pub(super) fn register(&self, stem: &str) -> Result<RigName, String> {
        let known: Vec<&str> = RigName::all().into_iter().map(RigName::as_str).collect();
        let like = RigName::find(&self.like)
            .ok_or_else(|| format!("no rig {:?}{}", self.like, hint(&self.like, known)))?;
        let mut rig = like.rig();
        if let Some(at) = self.mount {
            let [x, y, z] = finite(at, "mount")?;
            match &mut rig.robots[..] {
                [one] => one.mount = Pose::new(DVec3::new(x, y, z), one.mount.rot),
                _ => return Err(format!("mount: {} has several robots", self.like)),
            }
        }
        if let Some(home) = &self.home {
            match &mut rig.robots[..] {
                [one] if one.home.len() == 1 && one.home[0].len() == home.len() => {
                    if home.iter().any(|q| !q.is_finite() || q.abs() > 10.0) {
                        return Err("home: joints are radians".into());
                    }
                    one.home = vec![home.clone()];
                }
                robots => {
                    let wanted: usize = robots.iter().flat_map(|r| &r.home).map(Vec::len).sum();
                    return Err(format!(
                        "home: {} numbers, {} has {wanted}",
                        home.len(),
                        self.like
                    ));
                }
            }
        }
        if let Some([lo, hi]) = self.workspace {
            let (lo, hi) =
                (DVec3::from(finite(lo, "workspace")?), DVec3::from(finite(hi, "workspace")?));
            if (hi - lo).min_element() <= 0.0 {
                return Err("workspace: the first corner is the lower one".into());
            }
            rig.workspace =
                Bounds { centre: ((lo + hi) / 2.0).to_array(), half: ((hi - lo) / 2.0).to_array() };
        }
        if self.only_these_cameras {
            rig.cameras.clear();
        }
        for (name, c) in &self.cameras {
            let ok = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            if name.is_empty() || !name.chars().all(ok) || *name == rig.view.name {
                return Err(format!(
                    "cameras: {name:?} is not a name for a camera: letters, digits, - and _"
                ));
            }
            let camera = c.camera(name)?;
            match rig.cameras.iter_mut().find(|k| k.name == *name) {
                Some(known) => *known = camera,
                None => rig.cameras.push(camera),
            }
        }
        if rig.cameras.is_empty() || rig.cameras.len() > 8 {
            return Err("a rig has one to eight cameras".into());
        }
        add(stem, rig)
    }
}

fn content(rig: &Rig) -> serde_json::Value {
    let mut value = serde_json::to_value(rig).unwrap_or_default();
    if let Some(map) = value.as_object_mut() {
        map.remove("name");
    }
    value
}

/// A rig from its content; its name is of no meaning.
fn parse(mut value: serde_json::Value) -> Result<Rig, String> {
    let any = RigName::all().first().map(|n| n.as_str()).unwrap_or_default();
    if let Some(map) = value.as_object_mut() {
        map.insert("name".into(), any.into());
    }
    serde_json::from_value(value).map_err(|e| e.to_string())
}

fn add(stem: &str, rig: Rig) -> Result<RigName, String> {
    let hash = Digest::of(content(&rig).to_string().as_bytes()).short();
    Rig::register(&format!("{OWN}{stem}-{hash}"), rig).map_err(|e| e.to_string())
}

/// The content of a rig that came from a file, for a task to carry.
pub fn own_rig(name: RigName) -> Option<serde_json::Value> {
    name.as_str().starts_with(OWN).then(|| content(&name.rig()))
}

/// Register a rig that a task carries. Its name tells its content, so one of that name is it.
pub(super) fn register_carried(name: &str, value: serde_json::Value) -> Result<(), String> {
    if !name.starts_with(OWN) {
        return Err(format!("{name:?} is not the name of a rig from a file"));
    }
    let rig = parse(value).map_err(|e| format!("rig {name:?}: {e}"))?;
    if RigName::find(name).is_none() {
        Rig::register(name, rig).map_err(|e| e.to_string())?;
    }
    Ok(())
}
