//! The names of a problem and what they stand for.

use longarm_assets::libero::{self, table};
use longarm_assets::{Asset, RegionKind};
use longarm_types::nearest;

use super::{At, BddlError, Fact, Goal, Problem, Relation, Warning};
use crate::Predicate;
use crate::predicate::{is_closed, is_open, origin_in, origin_on};

/// Fixtures that everything else stands on.
pub(super) const TABLES: [&str; 6] =
    ["kitchen_table", "living_room_table", "study_table", "coffee_table", "main_table", "floor"];

/// Where a fact's argument is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FactPlace {
    /// A rectangle of the table, by its key.
    Table(String),
    /// An object or fixture as a whole.
    Whole(String),
    /// A surface of one.
    Surface(String),
    /// A space in one, and the parts that must be open to get there.
    Volume { path: String, doors: Vec<String> },
}

impl FactPlace {
    pub fn path(&self) -> &str {
        match self {
            Self::Table(p) | Self::Whole(p) | Self::Surface(p) | Self::Volume { path: p, .. } => p,
        }
    }
}

/// The names of a problem and what they stand for.
pub(super) struct World<'a> {
    problem: &'a Problem,
    /// Fixtures, then objects, without the table.
    pub cast: Vec<(&'a super::Instance, Asset)>,
}

impl<'a> World<'a> {
    pub fn new(problem: &'a Problem) -> Result<(Self, Vec<Warning>), BddlError> {
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
        let mut out = Self { problem, cast };
        let mut warnings = out.leave_out();
        for (i, r) in problem.regions.iter().enumerate() {
            if problem.regions[..i].iter().any(|q| q.key() == r.key()) {
                return Err(r.at.says(format!("region {:?} is declared twice", r.key())));
            }
            let on_table =
                problem.instance(&r.target).is_some_and(|t| table(&t.category).is_some());
            if on_table {
                continue;
            }
            // The original looks up the regions that facts name, and no other.
            match out.built_in(r) {
                Ok(()) => {}
                Err(e) if out.is_used(r) => return Err(e),
                Err(e) => warnings.push(Warning {
                    at: e.at,
                    message: format!("region {:?} is ignored: {}", r.name, e.message),
                }),
            }
        }
        Ok((out, warnings))
    }

    /// Take away objects that nothing places. The original skips a fact whose place it does not know, and such
    /// an object stays in the middle of the floor below the table.
    fn leave_out(&mut self) -> Vec<Warning> {
        let problem = self.problem;
        let known =
            |place: &str| problem.instance(place).is_some() || problem.region(place).is_some();
        let places = |f: &&Fact| f.relation.arity() == 2;
        let owner = |arg: &str| problem.region(arg).map_or(arg.to_owned(), |r| r.target.clone());
        let goal: Vec<String> =
            problem.goal.facts().iter().flat_map(|f| f.args.iter().map(|a| owner(a))).collect();
        let mut warnings = Vec::new();
        self.cast.retain(|(inst, _)| {
            let mut of = problem.init.iter().filter(places).filter(|f| f.subject() == inst.name);
            if goal.contains(&inst.name)
                || problem.fixtures.iter().any(|f| f.name == inst.name)
                || of.clone().any(|f| known(f.place()))
            {
                return true;
            }
            let why = match of.next() {
                Some(f) => format!("its place {:?} is not known", f.place()),
                None => "it has no place".to_owned(),
            };
            warnings.push(inst.at.warns(format!("{:?} is left out: {why}", inst.name)));
            false
        });
        warnings
    }

    /// Whether an object of the problem was left out.
    pub fn is_left_out(&self, name: &str) -> bool {
        self.problem.objects.iter().any(|o| o.name == name) && self.asset(name).is_none()
    }

    /// Whether a place or the goal names this region.
    fn is_used(&self, r: &super::Region) -> bool {
        let key = r.key();
        let goal = self.problem.goal.facts();
        let places = self.problem.init.iter().filter(|f| f.relation.arity() == 2);
        places.chain(goal).any(|f| f.args.contains(&key))
    }

    /// A place of the beginning that the original skips: one it does not know, of an object that has another.
    fn idle_place(&self, f: &Fact) -> Option<Warning> {
        let known = |place: &str| {
            self.problem.instance(place).is_some() || self.problem.region(place).is_some()
        };
        let another =
            |g: &&Fact| g.relation.arity() == 2 && g.subject() == f.subject() && known(g.place());
        if known(f.place()) || !self.problem.init.iter().any(|g| another(&g)) {
            return None;
        }
        let why = format!("no object or region {:?}", f.place());
        Some(f.at.warns(format!("({f}) is ignored: {why}")))
    }

    /// A fact of the beginning that the original skips: of something that is not there or cannot have it, or with
    /// a place it does not know.
    pub fn idle_state(&self, f: &Fact) -> Option<Warning> {
        if f.relation.arity() == 2 {
            return self.idle_place(f);
        }
        let wrong = self.spot(f.place(), f.at).and_then(|s| self.parts(&s, f.at)).err()?;
        Some(Warning { at: wrong.at, message: format!("({f}) is ignored: {}", wrong.message) })
    }

    /// The object, fixture or table that a name of interest stands for.
    pub fn of_interest<'n>(&'n self, name: &'n str) -> Option<&'n str> {
        match self.asset(name) {
            Some(_) => Some(name),
            None => {
                let owner = &*self.problem.region(name)?.target;
                self.problem.instance(owner).map(|_| owner)
            }
        }
    }

    pub fn asset(&self, name: &str) -> Option<&Asset> {
        self.cast.iter().find(|(i, _)| i.name == name).map(|(_, a)| a)
    }

    /// Refuses a region that its target does not have.
    fn built_in(&self, r: &super::Region) -> Result<(), BddlError> {
        self.declared(&r.target, r.at)?;
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

    /// Refuses what is neither an object nor a fixture nor the table.
    fn known(&self, name: &str, at: At) -> Result<(), BddlError> {
        if self.problem.instance(name).is_some() { Ok(()) } else { self.declared(name, at) }
    }

    /// Refuses what is neither object nor fixture.
    pub fn declared(&self, name: &str, at: At) -> Result<(), BddlError> {
        if self.asset(name).is_some() {
            return Ok(());
        }
        let known = self.cast.iter().map(|(i, _)| i.name.as_str());
        Err(at.says(format!("no object {name:?}{}", hint(name, known))))
    }

    pub fn spot(&self, arg: &str, at: At) -> Result<FactPlace, BddlError> {
        if self.asset(arg).is_some() {
            return Ok(FactPlace::Whole(arg.to_owned()));
        }
        let Some(r) = self.problem.region(arg) else {
            let keys: Vec<String> = self.problem.regions.iter().map(super::Region::key).collect();
            let known = self.cast.iter().map(|(i, _)| i.name.as_str());
            let known = known.chain(keys.iter().map(String::as_str));
            return Err(at.says(format!("no object or region {arg:?}{}", hint(arg, known))));
        };
        let Some(info) = self.asset(&r.target).map(Asset::info) else {
            self.known(&r.target, at)?;
            return Ok(FactPlace::Table(r.key()));
        };
        let path = format!("{}/{}", r.target, r.name);
        let Some(region) = info.region(&r.name) else {
            return Err(at.says(format!("{:?} has no region {:?}", r.target, r.name)));
        };
        Ok(match region.kind {
            RegionKind::Surface => FactPlace::Surface(path),
            RegionKind::Volume => {
                // A space of its own part (a drawer), or behind whatever the object has (a door).
                let doors = match &region.part {
                    Some(part) => vec![format!("{}/{part}", r.target)],
                    None => info.parts.iter().map(|p| format!("{}/{}", r.target, p.name)).collect(),
                };
                FactPlace::Volume { path, doors }
            }
        })
    }

    /// The parts a state is about.
    pub fn parts(&self, spot: &FactPlace, at: At) -> Result<Vec<String>, BddlError> {
        let found = match spot {
            FactPlace::Volume { doors, .. } => doors.clone(),
            FactPlace::Whole(name) => {
                let info = self.asset(name).map(Asset::info);
                info.iter()
                    .flat_map(|i| i.parts.iter().map(|p| format!("{name}/{}", p.name)))
                    .collect()
            }
            FactPlace::Table(_) | FactPlace::Surface(_) => Vec::new(),
        };
        if found.is_empty() {
            return Err(at.says(format!("{:?} has no drawer, door or knob", spot.path())));
        }
        Ok(found)
    }

    pub fn goal(&self, g: &Goal) -> Result<Predicate, BddlError> {
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
            self.declared(f.subject(), f.at)?;
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
            (Relation::On, FactPlace::Volume { path, .. }) => origin_in(f.subject(), path),
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
