//! LIBERO's scenes from LIBERO's and robosuite's own files, composed as the originals compose them.
//!
//! Nothing of either is in this repository: a [`Library`] names the folders on the user's disk. Facts
//! here are LIBERO's (commit 8f1084e) and robosuite 1.4.0's.

mod arena;
mod folders;
mod objects;
mod placement;
mod release;
mod robot;
mod success;
mod task;
mod turns;

use longarm_assets::outside::OutsideError;
use longarm_assets::outside::limits::is_name;
use longarm_assets::source::{AssetFolders, Element, Library, SourceModel, SourceRobot};
use longarm_task::Glow;
use longarm_task::bddl::{BddlError, Problem, Region, Relation};
use longarm_types::Pose;

pub use folders::library;
pub use placement::Drawn;
pub(crate) use release::{LIBERO, ROBOMEMARENA, ROBOMEMARENA_FOLDERS, Release};
pub use success::OriginalGoal;
pub(crate) use task::{FAITHFUL, Original, PHYSICS, SCRIPT, play};

/// Names of the folders that tasks are played in.
pub(crate) const FOLDERS: &[&str] = &["libero", "robosuite"];

/// Why a scene cannot be put together from the originals.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OriginalError {
    /// A file is missing or malformed.
    #[error(transparent)]
    File(#[from] OutsideError),
    /// A BDDL file does not say what it should.
    #[error(transparent)]
    Bddl(#[from] BddlError),
    /// A name that the originals do not have.
    #[error("{what} {name:?} is not one of LIBERO's: {remedy}")]
    Unknown {
        /// What it would be.
        what: &'static str,
        /// Its name.
        name: String,
        /// What to do.
        remedy: &'static str,
    },
    /// No room for an object.
    #[error("there is no room for {name} in its region")]
    Crowded {
        /// The object.
        name: String,
    },
    /// A file lacks an element that scenes are made of.
    #[error("{file} has no {what}")]
    Lacking {
        /// The file.
        file: String,
        /// What it lacks.
        what: String,
    },
}

/// A scene of the originals, ready to compile.
#[derive(Clone, Debug)]
pub struct OriginalScene {
    /// The model with its files.
    pub model: SourceModel,
    /// What moves.
    pub robot: SourceRobot,
    /// Names of movable objects, in the order of the state.
    pub objects: Vec<String>,
    /// Names of fixtures, in the order of the model.
    pub fixtures: Vec<String>,
    /// What is asked for.
    pub goal: OriginalGoal,
    /// What glows while it is on.
    pub glows: Vec<Glow>,
    problem: Problem,
    class: &'static arena::Class,
    items: Vec<objects::Item>,
    release: &'static Release,
}

impl OriginalScene {
    /// Return where everything is after the original's `env.seed(seed)` and one `env.reset()`.
    pub fn reset(&self, seed: u32) -> Result<Drawn, OriginalError> {
        let Self { problem, class, items, goal, release, .. } = self;
        placement::Sampler { problem, class, items, parts: goal.parts(), release }.reset(seed)
    }

    /// Return where fixtures stand then.
    pub fn fixture_poses(&self, seed: u32) -> Result<Vec<(String, Pose)>, OriginalError> {
        Ok(self.reset(seed)?.fixtures)
    }
}

/// Return the name of the root body of an object or fixture.
pub fn root_body(instance: &str) -> String {
    format!("{instance}_main")
}

/// Which of several versions of the physics a scene is to behave like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Physics {
    /// The engine's MuJoCo as it is.
    #[default]
    Current,
    /// Nearer to MuJoCo 2.3.7, LIBERO's own: without the newer convex collision, pictures with all
    /// textures linear.
    Earlier,
}

/// Put a problem's scene together from the files of a library.
pub fn compose(
    library: &Library,
    problem: &Problem,
    physics: Physics,
) -> Result<OriginalScene, OriginalError> {
    put_together(library, problem, (physics, &LIBERO), |world| library.finish(world))
}

/// Return what a reset of a problem draws in the files of these folders: RoboMemArena's where they are given,
/// else LIBERO's.
pub fn drawn(folders: &AssetFolders, problem: &Problem, seed: u32) -> Result<Drawn, OriginalError> {
    let fork = folders.of("robomemarena").next().is_some();
    let release = if fork { &ROBOMEMARENA } else { &LIBERO };
    let library = folders::open(folders, release)?;
    let empty = |_: &Element| Ok(SourceModel::default());
    put_together(&library, problem, (Physics::Current, release), empty)?.reset(seed)
}

/// Put a scene together, with what becomes of its elements.
fn put_together(
    library: &Library,
    problem: &Problem,
    (physics, release): (Physics, &'static Release),
    finish: impl Fn(&Element) -> Result<SourceModel, OutsideError>,
) -> Result<OriginalScene, OriginalError> {
    let class = arena::class(&problem.name)?;
    check(problem)?;
    let mut world = library.model("robosuite:base.xml")?;
    world.inline_defaults();
    let option = world.section("option");
    option.set("timestep", "0.002");
    if physics == Physics::Earlier {
        let off = Element::new("flag").with("nativeccd", "disable").with("multiccd", "disable");
        option.children.push(off);
    }
    merge(&mut world, arena::arena(library, class, problem, release)?);
    merge(&mut world, robot::robot(library, class)?);
    let mut items = Vec::new();
    let mut parts = success::Parts::default();
    for (list, movable) in [(&problem.objects, true), (&problem.fixtures, false)] {
        for instance in list.iter().filter(|i| i.category != class.table_category) {
            let (item, assets) = objects::object(library, instance, movable)?;
            parts.add(instance, &item.body);
            merge_assets(&mut world, assets);
            world.section("worldbody").children.push(item.body.clone());
            items.push(item);
        }
    }
    if physics == Physics::Earlier {
        for texture in &mut world.section("asset").children {
            if texture.tag() == "texture" {
                texture.set("colorspace", "linear");
            }
        }
    }
    let names = |movable: bool| {
        items.iter().filter(|i| i.movable == movable).map(|i| i.name.clone()).collect::<Vec<_>>()
    };
    Ok(OriginalScene {
        goal: OriginalGoal::new(problem, class.workspace, parts, release)?,
        model: finish(&world)?,
        robot: robot::drive(),
        glows: success::glows(problem),
        objects: names(true),
        fixtures: names(false),
        problem: problem.clone(),
        class,
        items,
        release,
    })
}

/// Refuse names and numbers of a BDDL file that no model could have.
fn check(problem: &Problem) -> Result<(), OriginalError> {
    let instances = problem.objects.iter().chain(&problem.fixtures);
    let names = instances.flat_map(|i| [i.name.clone(), i.category.clone()]);
    let mut names = names.chain(problem.regions.iter().map(Region::key));
    if let Some(name) = names.find(|n| !n.split('_').all(|w| w.is_empty() || is_name(w))) {
        return Err(OriginalError::Unknown {
            what: "name",
            name,
            remedy: "names are of letters, digits and underscores",
        });
    }
    let far = |r: &&Region| {
        let numbers = r.ranges.iter().flatten().chain(r.rgba.iter().flatten());
        numbers.chain(r.yaw.iter().flatten()).any(|v| !v.is_finite() || v.abs() > 100.0)
    };
    match problem.regions.iter().find(far) {
        None => Ok(()),
        Some(region) => Err(OriginalError::Unknown {
            what: "region",
            name: region.key(),
            remedy: "its numbers are beyond 100",
        }),
    }
}

/// Put all sections of one model into another, as robosuite merges models.
fn merge(world: &mut Element, mut other: Element) {
    for tag in ["worldbody", "actuator", "sensor", "equality"] {
        let children = std::mem::take(&mut other.section(tag).children);
        world.section(tag).children.extend(children);
    }
    merge_assets(world, std::mem::take(&mut other.section("asset").children));
}

/// Add assets but those whose kind and name are there already.
fn merge_assets(world: &mut Element, assets: Vec<Element>) {
    let own = world.section("asset");
    for asset in assets {
        let known = |a: &Element| a.tag() == asset.tag() && a.name() == asset.name();
        if !own.children.iter().any(known) {
            own.children.push(asset);
        }
    }
}

/// Give every felt geom the colour of its kind, and no material.
fn recolour(worldbody: &mut Element, rgba: &str) {
    worldbody.visit(&mut |e| {
        let felt = e.tag() == "geom" && matches!(e.get("group"), None | Some("0"));
        if felt && e.name() != Some("floor") {
            e.set("rgba", rgba);
            e.remove("material");
        }
    });
}

fn lacking(file: &str, what: &str) -> OriginalError {
    OriginalError::Lacking { file: file.to_owned(), what: what.to_owned() }
}

/// Facts that hold of one object alone.
fn unary(relation: Relation) -> bool {
    relation.arity() == 1
}

#[cfg(test)]
mod tests;
