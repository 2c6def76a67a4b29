//! From a list of instances and a rig to one MJCF model.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::matter::Matter;
use crate::robots;
use crate::{Arena, Asset, AssetInfo, CameraMount, Mjcf, Rig};

/// A named object of a scene's structure; where it stands and its colour are not structure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instance {
    /// Name of its body.
    pub name: String,
    /// What it is.
    pub asset: Asset,
}

/// What decides the compiled model: rig and instances. Scenes that share it share the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Structure {
    /// Robot, furniture, cameras.
    pub rig: Rig,
    /// Objects and fixtures.
    pub instances: Vec<Instance>,
}

/// What a tracked body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyRole {
    /// Table, floor, walls.
    World,
    /// An instance as a whole.
    Object(usize),
    /// A moving part of an instance.
    Part(usize, usize),
}

/// A body whose pose and contacts predicates may ask for.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Name in the model.
    pub name: String,
    /// What it is.
    pub role: BodyRole,
}

/// The tracked bodies of a scene in the one order in which everybody counts them: the world, then
/// each instance followed by its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Bodies {
    all: Vec<Body>,
    first: Vec<usize>,
}

impl Bodies {
    /// Count the bodies of these instances, each a name and what it is.
    pub fn of<'a>(instances: impl IntoIterator<Item = (&'a str, &'a Asset)>) -> Self {
        let mut all = vec![Body { name: "world".into(), role: BodyRole::World }];
        let mut first = Vec::new();
        for (i, (name, asset)) in instances.into_iter().enumerate() {
            first.push(all.len());
            all.push(Body { name: name.to_owned(), role: BodyRole::Object(i) });
            for (p, part) in asset.info().parts.iter().enumerate() {
                let name = format!("{name}/{}", part.name);
                all.push(Body { name, role: BodyRole::Part(i, p) });
            }
        }
        Self { all, first }
    }

    /// The body of an instance as a whole; that of its part `p` is `1 + p` further.
    pub fn object(&self, instance: usize) -> usize {
        self.first[instance]
    }

    /// All of them; index 0 is the world.
    pub fn as_slice(&self) -> &[Body] {
        &self.all
    }

    /// All of them; index 0 is the world.
    pub fn into_vec(self) -> Vec<Body> {
        self.all
    }
}

/// A model ready to compile.
#[derive(Clone, Debug)]
pub struct Composed {
    /// MJCF.
    pub xml: String,
    /// Meshes and textures the MJCF names.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Tracked bodies; index 0 is the world.
    pub bodies: Vec<Body>,
    /// What each instance can do.
    pub infos: Vec<AssetInfo>,
}

/// What every model begins with. The elasticity of flexes needs an integrator of its own; scenes without
/// any keep theirs.
pub fn head(flexes: bool) -> String {
    if flexes { HEAD.replace("implicitfast", "discrete") } else { HEAD.to_owned() }
}

const HEAD: &str = r#"
  <compiler angle="radian" usethread="false" autolimits="true" boundmass="1e-6" boundinertia="1e-10"/>
  <option timestep="0.002" integrator="implicitfast" solver="Newton" cone="elliptic" impratio="10"
          iterations="50" ls_iterations="50" tolerance="1e-8">
    <flag sleep="enable"/>
  </option>
  <visual><map znear="0.01" zfar="20"/></visual>
  <statistic center="0.3 0 0.1" extent="1"/>
  <default>
    <default class="solid">
      <geom group="3" contype="1" conaffinity="1" condim="4" solref="0.01 1" friction="0.8 0.005 0.0001" rgba="0.6 0.6 0.65 1"/>
    </default>
    <default class="visual">
      <geom group="2" contype="0" conaffinity="0" mass="0"/>
    </default>
  </default>"#;

/// Writes the model of a structure.
pub fn compose(structure: &Structure) -> Composed {
    let mut out = Mjcf::default();
    let Structure { rig, instances } = structure;
    match rig.arena {
        Arena::Table => crate::objects::arena::table(&mut out),
        Arena::Studio => crate::objects::studio::studio(&mut out),
        Arena::Libero(room) => room.build(&mut out),
    }
    for c in rig.cameras.iter().chain([&rig.view]) {
        if let CameraMount::World(pose) = &c.mount {
            out.camera(&c.name, pose, c.fovy);
        }
    }
    robots::build(rig, &mut out);
    let limbs = rig.limbs();

    let bodies = Bodies::of(instances.iter().map(|i| (i.name.as_str(), &i.asset))).into_vec();
    let mut infos = Vec::new();
    for inst in instances {
        let info = inst.asset.info();
        inst.asset.build(&inst.name, &mut out);
        for limb in limbs.iter().filter(|_| !info.fixed && info.matter.is_none()) {
            let Some(cup) = limb.cup() else { continue };
            out.section(
                "equality",
                &format!(
                    "<weld name=\"{0}\" body1=\"{cup}\" body2=\"{1}\" active=\"false\" solref=\"0.004 1\"/>",
                    limb.weld(&inst.name),
                    inst.name
                ),
            );
        }
        infos.push(info.clone());
    }
    let flexes = infos.iter().any(|i| i.matter.as_deref().is_some_and(Matter::is_flex));
    let (xml, files) = out.finish(&head(flexes));
    Composed { xml, files, bodies, infos }
}
