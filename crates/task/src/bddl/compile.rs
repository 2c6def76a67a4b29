//! What a problem means as a task.

use longarm_assets::RigName;
use longarm_assets::libero::table;
use longarm_types::Seed;

use super::world::{FactPlace, TABLES, World};
use super::{At, BddlError, Fact, Problem, Relation, Warning};
use crate::place::{PartStart, Place, Placement, Rect, rect};
use crate::predicate::{any, is_closed, is_open, on, origin_in, origin_on};
use crate::stage::{Stages, stage};
use crate::{ObjectSpec, Predicate, RegionSpec, RegionTest, SampleError, TaskSpec, sample, source};

/// Numbers of a region beyond this many metres are mistakes.
const FAR: f64 = 10.0;
/// How far an object may move while it settles and still be where it was put.
const DRIFT: f64 = 0.005;

/// Seeds drawn to find out whether there is room for everything.
const PROBED: [u64; 3] = [0, 1, 2];

/// What a file does not say.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Id of the task.
    pub id: String,
    /// Control steps after which an episode ends.
    pub horizon: u32,
    /// When an object is on a region of the table.
    pub region_test: RegionTest,
}

impl Options {
    /// With a horizon of 400 steps and regions that must carry what is on them.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), horizon: 400, region_test: RegionTest::Carried }
    }
}

/// A task and what its file says in vain.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The task.
    pub task: TaskSpec,
    /// What is ignored, as the original does.
    pub warnings: Vec<Warning>,
}

/// The task a problem describes.
pub fn compile(p: &Problem, options: &Options) -> Result<TaskSpec, BddlError> {
    read(p, options).map(|l| l.task)
}

/// The task a problem describes, with warnings about what is ignored in it. Objects for which there is
/// no room stand closer than they otherwise do, or on one another.
pub fn load(p: &Problem, options: &Options) -> Result<Loaded, BddlError> {
    let mut loaded = read(p, options)?;
    loaded.warnings.extend(make_room(&mut loaded.task, p));
    Ok(loaded)
}

fn read(p: &Problem, options: &Options) -> Result<Loaded, BddlError> {
    let rig = surroundings(p)?;
    let mut spec = TaskSpec::new_checked(&options.id, rig)
        .map_err(|e| p.at.says(e.to_string()))?
        .instruction(instruction(p)?)
        .horizon(options.horizon)
        .source(source("LIBERO, BDDL"));
    let (world, mut warnings) = World::new(p)?;
    let tables: Vec<&str> =
        p.fixtures.iter().filter(|f| table(&f.category).is_some()).map(|f| &*f.name).collect();
    for (inst, asset) in &world.cast {
        spec.objects.push(ObjectSpec {
            name: inst.name.clone(),
            assets: vec![asset.clone()],
            paint: crate::Paint::Own,
            when: None,
            called: None,
        });
    }
    for r in p.regions.iter().filter(|r| tables.contains(&&*r.target)) {
        spec.regions.push(table_region(r)?);
    }
    let mut places: Vec<(&str, Place, At)> = Vec::new();
    for f in p.init.iter().filter(|f| !world.is_left_out(f.subject())) {
        if let Some(warning) = world.idle_state(f) {
            warnings.push(warning);
            continue;
        }
        let spot = world.spot(f.place(), f.at)?;
        match f.relation {
            Relation::On | Relation::In => {
                world.declared(f.subject(), f.at)?;
                if places.iter().any(|(o, ..)| *o == f.subject()) {
                    return Err(f.at.says(format!("{:?} is placed a second time", f.subject())));
                }
                let place = match spot {
                    FactPlace::Whole(object) => {
                        Place::On { object, offset: [0.0; 2], spread: true }
                    }
                    other => Place::At(other.path().to_owned()),
                };
                places.push((f.subject(), place, f.at));
            }
            relation => {
                let start = match relation {
                    Relation::Open | Relation::TurnOn => PartStart::Open,
                    _ => PartStart::Closed,
                };
                for part in world.parts(&spot, f.at)? {
                    // What is said last holds, as in LIBERO.
                    spec.init.parts.retain(|(q, _)| *q != part);
                    spec.init.parts.push((part, start));
                }
            }
        }
    }
    for (inst, _) in &world.cast {
        let Some((_, place, _)) = places.iter().find(|(o, ..)| *o == inst.name) else {
            let name = &inst.name;
            return Err(inst.at.says(format!("{name:?} has no place: (:init (on {name} …))")));
        };
        let (object, place) = (inst.name.clone(), place.clone());
        spec.init.places.push(Placement { object, place, yaw: None });
    }
    let mut stages = Vec::new();
    for g in p.goal.conjuncts() {
        let name = g.to_string();
        if stages.iter().all(|s: &crate::Stage| s.name != name) {
            stages.push(stage(name, world.goal(g)?).at_end());
        }
    }
    spec.stages = Stages::Listed(stages);
    for name in p.interest.iter().filter(|n| !tables.contains(&n.as_str())) {
        match world.of_interest(name) {
            // A region of the table belongs to no object.
            Some(owner) if tables.contains(&owner) || spec.interest.iter().any(|i| i == owner) => {}
            Some(owner) => spec.interest.push(owner.to_owned()),
            None => warnings.push(p.at.warns(format!(
                "{name:?} of :obj_of_interest is neither an object nor a region; it is ignored"
            ))),
        }
    }
    spec.plan = super::plan::derive(&world, &p.goal)?;
    spec.judge_regions(options.region_test);
    spec.validate().map_err(|e| p.at.says(e.to_string()))?;
    Ok(Loaded { task: spec, warnings })
}

/// Let objects stand closer, or on one another, where a scene has no room for them: the original
/// keeps only a small circle of each clear, and lets them overlap.
fn make_room(spec: &mut TaskSpec, p: &Problem) -> Option<Warning> {
    let crowded = |spec: &TaskSpec| {
        PROBED.into_iter().find_map(|seed| match sample(spec, Seed(seed)) {
            Err(SampleError::Crowded { object, blockers, .. }) => Some((object, blockers)),
            _ => None,
        })
    };
    crowded(spec)?;
    spec.init.clearance = 0.0;
    let (object, blockers) = crowded(spec)?;
    spec.init.pile = true;
    let at = p.instance(&object).map_or(p.at, |i| i.at);
    Some(
        at.warns(format!("no room for {object:?} beside {blockers}: it is set upon what is there")),
    )
}

/// What must be true once the scene of a problem has come to rest: each fact of its `:init` about
/// objects that move.
pub fn init_holds(p: &Problem) -> Result<Vec<(Fact, Predicate)>, BddlError> {
    let (world, _) = World::new(p)?;
    let mut out: Vec<(Fact, Predicate)> = Vec::new();
    let meant = |f: &&Fact| !world.is_left_out(f.subject()) && world.idle_state(f).is_none();
    for f in p.init.iter().filter(meant) {
        let fixed = world.cast.iter().any(|(i, a)| i.name == f.subject() && a.info().fixed);
        let spot = world.spot(f.place(), f.at)?;
        let holds = match (f.relation, &spot) {
            (Relation::On | Relation::In, _) if fixed => continue,
            (Relation::On | Relation::In, FactPlace::Table(_) | FactPlace::Surface(_)) => {
                origin_on(f.subject(), spot.path())
            }
            (Relation::On | Relation::In, FactPlace::Volume { path, .. }) => {
                origin_in(f.subject(), path)
            }
            // In a bowl an object may lean on the sides, on a plate lie off the middle.
            (Relation::On | Relation::In, FactPlace::Whole(b)) => {
                let half = world.asset(b).map_or([0.0; 3], |a| a.info().bounds.half);
                let over = on(f.subject(), b).within(half[0].max(half[1]));
                any([over, origin_on(f.subject(), b)])
            }
            (Relation::Open | Relation::TurnOn, _) => is_open(spot.path()),
            (Relation::Close | Relation::TurnOff, _) => is_closed(spot.path()),
        };
        // Of two contradicting states the later one holds.
        let opposite = f.relation.opposite();
        out.retain(|(g, _)| !(Some(g.relation) == opposite && g.args == f.args));
        out.push((f.clone(), holds));
    }
    Ok(out)
}

fn surroundings(p: &Problem) -> Result<RigName, BddlError> {
    let found: Vec<_> =
        p.fixtures.iter().filter_map(|f| table(&f.category).map(|t| (f, t))).collect();
    match found.as_slice() {
        [(_, t)] => Ok(*t),
        [] => {
            Err(p.at.says(format!("no table among the fixtures; tables are {}", TABLES.join(", "))))
        }
        [_, (second, _), ..] => Err(second.at.says(format!("a second table, {:?}", second.name))),
    }
}

fn instruction(p: &Problem) -> Result<String, BddlError> {
    match p.language.contains(['{', '}']) {
        true => Err(p.at.says("the language holds a curly brace, which no instruction may")),
        false => Ok(p.language.clone()),
    }
}

/// A table's frame is the world: its origin is the middle of the top.
fn table_region(r: &super::Region) -> Result<RegionSpec, BddlError> {
    if r.ranges.is_empty() {
        return Err(r.at.says(format!("region {:?} of the table has no (:ranges …)", r.name)));
    }
    let wide = |v: &f64| v.abs() > FAR;
    if r.ranges.iter().flatten().chain(r.yaw.iter().flatten()).any(wide) {
        return Err(r.at.says(format!("region {:?} has a number beyond ±{FAR}", r.name)));
    }
    let rects: Vec<Rect> = r.ranges.iter().map(|q| rect([q[0], q[1]], [q[2], q[3]])).collect();
    let [lo, hi] = r.yaw.unwrap_or([0.0; 2]);
    let yaw = [lo.min(hi), lo.max(hi)];
    Ok(RegionSpec { name: r.key(), rects, yaw, z: 0.0, tolerance: DRIFT })
}
