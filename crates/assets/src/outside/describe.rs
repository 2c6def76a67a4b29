//! The file beside a model: what the object is called, how it is taken, where others go.

use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;

use longarm_types::{Bounds, DQuat, DVec3, Pose};
use schemars::JsonSchema;
use serde::Deserialize;

use super::shape::Tree;
use crate::objects::common::{pinch, pinch_height, roomy, suction, tool};
use crate::{Access, AssetInfo, Grasp, GraspKind, Lies, Part, PartMotion, Region, RegionKind};

/// An object of your own.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectFile {
    /// The everyday word for it.
    pub noun: String,
    /// An MJCF file beside this one.
    pub model: Option<String>,
    /// A mesh file beside this one (.stl or .obj), instead of `model`.
    pub mesh: Option<String>,
    /// What the mesh's numbers are multiplied with: 0.001 if they are millimetres.
    pub scale: Option<f64>,
    /// Colour of the mesh: red, green and blue from 0 to 1.
    pub colour: Option<[f32; 3]>,
    /// Mass in kilograms; from `density` or the model if absent.
    pub mass: Option<f64>,
    /// Density in kilograms per cubic metre.
    pub density: Option<f64>,
    /// Sliding friction; 0.8 if absent.
    pub friction: Option<f64>,
    /// It stays where it is put, as furniture does.
    #[serde(default)]
    pub fixed: bool,
    /// Turning it by 2π/n about its vertical gives the same object; 0 means any angle does.
    #[serde(default = "one")]
    pub symmetry: u32,
    /// Rounder than its box: it rolls.
    #[serde(default)]
    pub round: bool,
    /// What is put upon it is turned like it, as with blocks.
    #[serde(default)]
    pub aligns: bool,
    /// It is the same object on any of its faces, as blocks are.
    #[serde(default)]
    pub any_face: bool,
    /// Names of geoms that take the colour a task draws; a mesh does if `tint = ["mesh"]`.
    #[serde(default)]
    pub tint: Vec<String>,
    /// Ways to take hold of it, best first; from its size if there are none.
    #[serde(default)]
    pub grasps: Vec<GraspForm>,
    /// Places in or on it, by name.
    #[serde(default)]
    pub regions: BTreeMap<String, ObjectRegion>,
    /// What its moving parts (bodies of the model with a joint) mean, by name.
    #[serde(default)]
    pub parts: BTreeMap<String, PartForm>,
}

fn one() -> u32 {
    1
}

/// A tool pose that takes hold of the object.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraspForm {
    /// Point between the finger tips, in the object's frame (the part's, where it names one).
    pub at: [f64; 3],
    /// Direction the gripper points; straight down if absent.
    pub approach: Option<[f64; 3]>,
    /// Direction in which the fingers close; along y if absent.
    pub close: Option<[f64; 3]>,
    /// Width between the fingers before the approach.
    pub opening: Option<f64>,
    /// How the tool meets the object.
    #[serde(default)]
    pub kind: GraspWord,
    /// The part it belongs to, such as a handle of a drawer.
    pub part: Option<String>,
}

/// How a tool meets an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GraspWord {
    /// Fingers around the body.
    #[default]
    Pinch,
    /// One finger inside, one outside a wall.
    Rim,
    /// Fingers around a handle.
    Handle,
    /// A suction cup on a flat top.
    Suction,
}

/// A place in or on an object.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectRegion {
    /// `surface` to put others on, `volume` to put others in.
    pub kind: RegionWord,
    /// Centre, in the object's frame (the part's, where it names one).
    pub at: [f64; 3],
    /// Full width, depth and height; of a surface, width and depth.
    pub size: Vec<f64>,
    /// The part it moves with.
    pub part: Option<String>,
    /// How objects get there: from above unless it says otherwise.
    #[serde(default)]
    pub access: Access,
}

/// Surface or volume.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RegionWord {
    /// Others stand on it.
    Surface,
    /// Others are inside it.
    Volume,
}

/// What the joint values of a part mean.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartForm {
    /// Joint values that count as open or on; the last fifth of its range if absent.
    pub open: Option<[f64; 2]>,
    /// Joint values that count as closed or off; the first twentieth of its range if absent.
    pub closed: Option<[f64; 2]>,
}

/// Widest object the fingers go around.
const WIDEST: f64 = 0.07;

impl ObjectFile {
    /// What the object can do; `lift` is how far its frame was moved up to stand on its origin.
    pub(super) fn info(&self, tree: &Tree, mass: f64, lift: f64) -> Result<AssetInfo, String> {
        let (lo, hi) = tree
            .all()
            .map(|(pose, g)| g.form.bounds(&pose))
            .fold((DVec3::MAX, DVec3::MIN), |(lo, hi), (a, b)| (lo.min(a), hi.max(b)));
        let bounds =
            Bounds { centre: ((lo + hi) / 2.0).to_array(), half: ((hi - lo) / 2.0).to_array() };
        if bounds.half.iter().any(|h| !(0.0005..=2.0).contains(h)) {
            let [x, y, z] = bounds.half.map(|h| 2.0 * h);
            return Err(format!(
                "the object is {x:.4} × {y:.4} × {z:.4} m; it must be from 1 mm to 4 m. \
                 Files in millimetres need scale = 0.001"
            ));
        }
        let mut info =
            if self.fixed { AssetInfo::fixture(bounds) } else { AssetInfo::movable(bounds, mass) };
        info.symmetry = self.symmetry;
        info.round = self.round;
        info.aligns = self.aligns;
        info.lies = if self.any_face { Lies::AnyFace } else { Lies::Upright };
        for p in &tree.parts {
            info.parts.push(self.part(p)?);
        }
        if let Some(name) = self.parts.keys().find(|n| info.part(n).is_none()) {
            return Err(format!(
                "parts.{name}: the model has no body {name:?} with a joint{}",
                longarm_types::hint(
                    name,
                    info.parts.iter().map(|p| p.name.as_str()).collect::<Vec<_>>()
                )
            ));
        }
        let known = |part: &Option<String>, what: &str| match part {
            Some(p) if info.part(p).is_none() => Err(format!("{what}: no part {p:?}")),
            _ => Ok(()),
        };
        let raise = |part: &Option<String>| if part.is_some() { 0.0 } else { lift };
        let mut regions = Vec::new();
        for (name, r) in &self.regions {
            known(&r.part, &format!("regions.{name}"))?;
            regions.push(r.region(name, raise(&r.part))?);
        }
        let mut grasps = Vec::new();
        for (i, g) in self.grasps.iter().enumerate() {
            known(&g.part, &format!("grasps[{i}]"))?;
            grasps.push(g.grasp(raise(&g.part)).map_err(|e| format!("grasps[{i}]: {e}"))?);
        }
        if grasps.iter().all(|g| g.part.is_some()) && !self.fixed {
            grasps.extend(by_size(&bounds, self.symmetry));
        }
        info.regions = regions;
        info.grasps = grasps;
        Ok(info)
    }

    fn part(&self, p: &super::shape::PartRead) -> Result<Part, String> {
        let [lo, hi] = p.joint.range;
        let form = self.parts.get(&p.name);
        let finite = |range: [f64; 2], what: &str| {
            let ok = range.iter().all(|v| v.is_finite()) && range[0] <= range[1];
            if ok { Ok(range) } else { Err(format!("parts.{}: {what} is not a range", p.name)) }
        };
        let open = form.and_then(|f| f.open).unwrap_or([hi - 0.2 * (hi - lo), hi + 0.002]);
        let closed = form.and_then(|f| f.closed).unwrap_or([lo - 0.002, lo + 0.05 * (hi - lo)]);
        let axis = (p.pose.rot * DVec3::from(p.joint.axis)).to_array();
        Ok(Part {
            name: p.name.clone(),
            rest: p.pose,
            motion: if p.joint.hinge {
                PartMotion::Hinge { axis, pivot: p.pose.point(p.joint.pos.into()).to_array() }
            } else {
                PartMotion::Slide { axis }
            },
            range: [lo, hi],
            open: finite(open, "open")?,
            closed: finite(closed, "closed")?,
            starts: None,
        })
    }
}

/// Grasps that follow from a box: across each side that is narrow enough, and from the top.
fn by_size(b: &Bounds, symmetry: u32) -> Vec<Grasp> {
    let [cx, cy, _] = b.centre;
    let height = b.centre[2] + b.half[2];
    let mut sides = [(2.0 * b.half[0], 0.0), (2.0 * b.half[1], FRAC_PI_2)];
    sides.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut out: Vec<Grasp> = sides
        .into_iter()
        .take(if symmetry == 0 { 1 } else { 2 })
        .filter(|(width, _)| *width <= WIDEST)
        .map(|(width, angle)| pinch([cx, cy, pinch_height(height)], angle, roomy(width)))
        .collect();
    out.push(suction([cx, cy, height]));
    out
}

fn finite(v: [f64; 3], what: &str) -> Result<DVec3, String> {
    let v = DVec3::from(v);
    if v.is_finite() && v.abs().max_element() < 10.0 {
        Ok(v)
    } else {
        Err(format!("{what} is not finite"))
    }
}

impl GraspForm {
    fn grasp(&self, lift: f64) -> Result<Grasp, String> {
        let at = finite(self.at, "at")? + DVec3::Z * lift;
        let approach = finite(self.approach.unwrap_or([0.0, 0.0, -1.0]), "approach")?;
        let close = finite(self.close.unwrap_or([0.0, 1.0, 0.0]), "close")?;
        if approach.length() < 1e-6 || approach.cross(close).length() < 1e-6 {
            return Err("approach and close must be two different directions".into());
        }
        let kind = match self.kind {
            GraspWord::Pinch => GraspKind::Pinch,
            GraspWord::Rim => GraspKind::Rim,
            GraspWord::Handle => GraspKind::Handle,
            GraspWord::Suction => GraspKind::Suction,
        };
        let usual = if kind == GraspKind::Suction { 0.0 } else { 0.06 };
        let opening = self.opening.unwrap_or(usual);
        if !(0.0..=0.2).contains(&opening) {
            return Err(format!("opening = {opening}: it is from 0 to 0.2 m"));
        }
        let tool = tool(at.to_array(), approach, close);
        Ok(Grasp { kind, tool, opening, part: self.part.clone() })
    }
}

impl ObjectRegion {
    fn region(&self, name: &str, lift: f64) -> Result<Region, String> {
        let at = finite(self.at, "at").map_err(|e| format!("regions.{name}: {e}"))?;
        let half = match (self.kind, &self.size[..]) {
            (RegionWord::Surface, &[x, y]) => [x / 2.0, y / 2.0, 0.002],
            (_, &[x, y, z]) => [x / 2.0, y / 2.0, z / 2.0],
            _ => return Err(format!("regions.{name}: size is [width, depth, height]")),
        };
        if half.iter().any(|h| !(1e-4..=2.0).contains(h)) {
            return Err(format!("regions.{name}: size {:?} is from 0.2 mm to 4 m", self.size));
        }
        Ok(Region {
            name: name.to_owned(),
            part: self.part.clone(),
            kind: match self.kind {
                RegionWord::Surface => RegionKind::Surface,
                RegionWord::Volume => RegionKind::Volume,
            },
            pose: Pose::new(at + DVec3::Z * lift, DQuat::IDENTITY),
            half,
            access: self.access,
        })
    }
}
