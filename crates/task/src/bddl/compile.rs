//! What a problem means as a task.

use longarm_assets::libero::{self, table};
use longarm_assets::{Asset, RegionKind, RigName};
use longarm_types::nearest;

use super::{At, BddlError, Fact, Goal, Problem, Relation};
use crate::place::{PartStart, Place, Placement, Rect, rect};
use crate::predicate::{any, is_closed, is_open, on, origin_in, origin_on};
use crate::stage::{Stages, stage};
use crate::{ObjectSpec, Predicate, RegionSpec, RegionTest, TaskSpec, source};

/// Fixtures that everything else stands on.
const TABLES: [&str; 6] =
    ["kitchen_table", "living_room_table", "study_table", "coffee_table", "main_table", "floor"];
/// Numbers of a region beyond this many metres are mistakes.
const FAR: f64 = 10.0;
/// How far a thing may move while it settles and still be where it was put.
const DRIFT: f64 = 0.005;

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

/// Where a fact's argument is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Spot {
    /// A rectangle of the table, by its key.
    Table(String),
    /// An object or fixture as a whole.
    Whole(String),
    /// A surface of one.
    Surface(String),
    /// A space in one, and the parts that must be open to get there.
    Volume { path: String, doors: Vec<String> },
}

impl Spot {
    pub fn path(&self) -> &str {
        match self {
            Self::Table(p) | Self::Whole(p) | Self::Surface(p) | Self::Volume { path: p, .. } => p,
        }
    }
}

/// The task a problem describes.
pub fn compile(p: &Problem, options: &Options) -> Result<TaskSpec, BddlError> {
    let rig = surroundings(p)?;
    let mut spec = TaskSpec::new_checked(&options.id, rig)
        .map_err(|e| p.at.says(e.to_string()))?
        .instruction(instruction(p)?)
        .horizon(options.horizon)
        .source(source("LIBERO, BDDL"));
    let world = World::new(p)?;
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
    for f in &p.init {
        let spot = world.spot(f.place(), f.at)?;
        match f.relation {
            Relation::On | Relation::In => {
                world.thing(f.subject(), f.at)?;
                if places.iter().any(|(o, ..)| *o == f.subject()) {
                    return Err(f.at.says(format!("{:?} is placed a second time", f.subject())));
                }
                let place = match spot {
                    Spot::Whole(object) => Place::On { object, offset: [0.0; 2], spread: true },
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
        world.thing(name, p.at)?;
        spec.interest.push(name.clone());
    }
    spec.plan = super::plan::derive(&world, &p.goal)?;
    spec.judge_regions(options.region_test);
    spec.validate().map_err(|e| p.at.says(e.to_string()))?;
    Ok(spec)
}

/// What must be true once the scene of a problem has come to rest: each fact of its `:init` about
/// things that move.
pub fn init_holds(p: &Problem) -> Result<Vec<(Fact, Predicate)>, BddlError> {
    let world = World::new(p)?;
    let mut out: Vec<(Fact, Predicate)> = Vec::new();
    for f in &p.init {
        let fixed = world.cast.iter().any(|(i, a)| i.name == f.subject() && a.info().fixed);
        let spot = world.spot(f.place(), f.at)?;
        let holds = match (f.relation, &spot) {
            (Relation::On | Relation::In, _) if fixed => continue,
            (Relation::On | Relation::In, Spot::Table(_) | Spot::Surface(_)) => {
                origin_on(f.subject(), spot.path())
            }
            (Relation::On | Relation::In, Spot::Volume { path, .. }) => {
                origin_in(f.subject(), path)
            }
            // In a bowl a thing may lean on the sides, on a plate lie off the middle.
            (Relation::On | Relation::In, Spot::Whole(b)) => {
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

/// The names of a problem and what they stand for.
pub(super) struct World<'a> {
    problem: &'a Problem,
    /// Fixtures, then objects, without the table.
    pub cast: Vec<(&'a super::Instance, Asset)>,
}

impl<'a> World<'a> {
    fn new(problem: &'a Problem) -> Result<Self, BddlError> {
        let mut cast: Vec<(&super::Instance, Asset)> = Vec::new();
        let mut unknown: Vec<&super::Instance> = Vec::new();
        let all = problem.fixtures.iter().chain(&problem.objects);
        for inst in all.clone().filter(|i| table(&i.category).is_none()) {
            match libero::asset(&inst.category) {
                Some(asset) => cast.push((inst, asset)),
                None => unknown.push(inst),
            }
        }
        if let [first, rest @ ..] = unknown.as_slice() {
            return Err(first.at.says(unknown_category(&first.category, rest)));
        }
        let mut seen: Vec<&str> = Vec::new();
        for inst in all {
            if seen.contains(&&*inst.name) {
                return Err(inst.at.says(format!("{:?} is declared twice", inst.name)));
            }
            seen.push(&inst.name);
        }
        let out = Self { problem, cast };
        for (i, r) in problem.regions.iter().enumerate() {
            if problem.regions[..i].iter().any(|q| q.key() == r.key()) {
                return Err(r.at.says(format!("region {:?} is declared twice", r.key())));
            }
            let on_table =
                problem.instance(&r.target).is_some_and(|t| table(&t.category).is_some());
            if !on_table {
                out.built_in(r)?;
            }
        }
        Ok(out)
    }

    fn asset(&self, name: &str) -> Option<&Asset> {
        self.cast.iter().find(|(i, _)| i.name == name).map(|(_, a)| a)
    }

    /// Refuses a region that its target does not have.
    fn built_in(&self, r: &super::Region) -> Result<(), BddlError> {
        self.thing(&r.target, r.at)?;
        if !r.ranges.is_empty() {
            let say = format!("(:ranges …) of {:?}: only tables have measured regions", r.target);
            return Err(r.at.says(say));
        }
        let info = self.asset(&r.target).map(Asset::info);
        let known: Vec<String> =
            info.iter().flat_map(|i| i.regions.iter().map(|r| r.name.clone())).collect();
        if known.contains(&r.name) {
            return Ok(());
        }
        let there = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Err(r.at.says(format!("{:?} has no region {:?}; it has {there}", r.target, r.name)))
    }

    /// Refuses what is no object or fixture.
    pub fn thing(&self, name: &str, at: At) -> Result<(), BddlError> {
        if self.asset(name).is_some() {
            return Ok(());
        }
        let known = self.cast.iter().map(|(i, _)| i.name.as_str());
        Err(at.says(format!("no object {name:?}{}", hint(name, known))))
    }

    pub fn spot(&self, arg: &str, at: At) -> Result<Spot, BddlError> {
        if self.asset(arg).is_some() {
            return Ok(Spot::Whole(arg.to_owned()));
        }
        let Some(r) = self.problem.region(arg) else {
            let keys: Vec<String> = self.problem.regions.iter().map(super::Region::key).collect();
            let known = self.cast.iter().map(|(i, _)| i.name.as_str());
            let known = known.chain(keys.iter().map(String::as_str));
            return Err(at.says(format!("no object or region {arg:?}{}", hint(arg, known))));
        };
        let Some(info) = self.asset(&r.target).map(Asset::info) else {
            return Ok(Spot::Table(r.key()));
        };
        let path = format!("{}/{}", r.target, r.name);
        let Some(region) = info.region(&r.name) else {
            return Err(at.says(format!("{:?} has no region {:?}", r.target, r.name)));
        };
        Ok(match region.kind {
            RegionKind::Surface => Spot::Surface(path),
            RegionKind::Volume => {
                // A space of its own part (a drawer), or behind whatever the thing has (a door).
                let doors = match &region.part {
                    Some(part) => vec![format!("{}/{part}", r.target)],
                    None => info.parts.iter().map(|p| format!("{}/{}", r.target, p.name)).collect(),
                };
                Spot::Volume { path, doors }
            }
        })
    }

    /// The parts a state is about.
    pub fn parts(&self, spot: &Spot, at: At) -> Result<Vec<String>, BddlError> {
        let found = match spot {
            Spot::Volume { doors, .. } => doors.clone(),
            Spot::Whole(name) => {
                let info = self.asset(name).map(Asset::info);
                info.iter()
                    .flat_map(|i| i.parts.iter().map(|p| format!("{name}/{}", p.name)))
                    .collect()
            }
            Spot::Table(_) | Spot::Surface(_) => Vec::new(),
        };
        if found.is_empty() {
            return Err(at.says(format!("{:?} has no drawer, door or knob", spot.path())));
        }
        Ok(found)
    }

    fn goal(&self, g: &Goal) -> Result<Predicate, BddlError> {
        let each = |of: &[Goal]| of.iter().map(|g| self.goal(g)).collect::<Result<Vec<_>, _>>();
        Ok(match g {
            Goal::And(of) => Predicate::All(each(of)?),
            Goal::Or(of) => Predicate::Any(each(of)?),
            Goal::Fact(f) => self.fact(f)?,
        })
    }

    /// LIBERO's test of a fact.
    pub fn fact(&self, f: &Fact) -> Result<Predicate, BddlError> {
        let spot = self.spot(f.place(), f.at)?;
        if f.relation.arity() == 2 {
            self.thing(f.subject(), f.at)?;
            if f.subject() == f.place() {
                return Err(f.at.says(format!(
                    "{:?} cannot be {} itself",
                    f.subject(),
                    f.relation.name()
                )));
            }
        } else {
            self.parts(&spot, f.at)?;
        }
        Ok(match (f.relation, &spot) {
            // Nothing stands upon a space: being on it is being in it.
            (Relation::On, Spot::Volume { path, .. }) => origin_in(f.subject(), path),
            (Relation::On, _) => origin_on(f.subject(), spot.path()),
            (Relation::In, _) => origin_in(f.subject(), spot.path()),
            (Relation::Open | Relation::TurnOn, _) => is_open(spot.path()),
            (Relation::Close | Relation::TurnOff, _) => is_closed(spot.path()),
        })
    }
}

fn hint<'s>(name: &str, known: impl Iterator<Item = &'s str>) -> String {
    match nearest(name, known).first() {
        Some(n) => format!("; did you mean {n}?"),
        None => String::new(),
    }
}

fn unknown_category(first: &str, rest: &[&super::Instance]) -> String {
    let known = || libero::CATEGORIES.iter().copied().chain(TABLES.iter().copied());
    let mut say = format!("object category {first:?} is not known");
    let near = nearest(first, known());
    if near.is_empty() {
        say += &format!("; known are {}", known().collect::<Vec<_>>().join(", "));
    } else {
        say += &format!("; categories near it: {}", near.join(", "));
    }
    let mut others: Vec<&str> = Vec::new();
    for i in rest {
        if i.category != first && !others.contains(&&*i.category) {
            others.push(&i.category);
        }
    }
    if !others.is_empty() {
        say += &format!("; not known either: {}", others.join(", "));
    }
    say
}
