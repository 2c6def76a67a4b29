//! How a goal is reached: first what stands in the way is shut, then what is needed opened, then
//! objects are put where they belong, what carries before what is carried, then doors are closed.

use super::world::{FactPlace, World};
use super::{BddlError, Fact, Goal, Relation};
use crate::plan::{Plan, PlanNode, Step, close, if_seen, open, pick, put, turn_off, turn_on};
use crate::predicate::{grasped, is_closed, is_open, not};

/// The facts a plan aims at: of alternatives the first.
fn aims(goal: &Goal) -> Vec<&Fact> {
    match goal {
        Goal::Fact(f) => vec![f],
        Goal::And(of) => of.iter().flat_map(aims).collect(),
        Goal::Or(of) => of.first().map(aims).unwrap_or_default(),
    }
}

pub(super) fn derive(world: &World<'_>, goal: &Goal) -> Result<Plan, BddlError> {
    let mut facts: Vec<(&Fact, FactPlace)> = Vec::new();
    for f in aims(goal) {
        if facts.iter().all(|(g, _)| *g != f) {
            facts.push((f, world.spot(f.place(), f.at)?));
        }
    }
    let of = |r: Relation| facts.iter().filter(move |(f, _)| f.relation == r);
    let parts = |r: Relation| -> Result<Vec<String>, BddlError> {
        let each: Vec<Vec<String>> =
            of(r).map(|(f, s)| world.parts(s, f.at)).collect::<Result<_, _>>()?;
        Ok(each.concat())
    };
    let mut needed: Vec<String> = Vec::new();
    let mut puts: Vec<(&Fact, &FactPlace)> = Vec::new();
    for (f, spot) in &facts {
        if f.relation.arity() == 2 {
            puts.push((f, spot));
            if let FactPlace::Volume { doors, .. } = spot {
                needed.extend(doors.iter().cloned());
            }
        }
    }
    let closes = parts(Relation::Close)?;
    let mut opens = parts(Relation::Open)?;
    opens.extend(needed.iter().cloned());
    opens.dedup();

    let mut plan = Plan::default();
    for part in closes.iter().filter(|p| !needed.contains(p)) {
        plan = plan.then(unless(is_closed(part), close(part)));
    }
    for part in parts(Relation::TurnOff)? {
        plan = plan.then(unless(is_closed(&part), turn_off(&part)));
    }
    for part in parts(Relation::TurnOn)? {
        plan = plan.then(unless(is_open(&part), turn_on(&part)));
    }
    for part in &opens {
        plan = plan.then(unless(is_open(part), open(part)));
    }
    for (f, spot) in supports_first(puts) {
        let x = f.subject();
        let there = match spot {
            FactPlace::Table(key) => put(x).at(key),
            FactPlace::Volume { path, .. } => put(x).in_(path),
            FactPlace::Whole(name) if f.relation == Relation::In => put(x).in_(name),
            FactPlace::Whole(p) | FactPlace::Surface(p) => put(x).on(p),
        };
        let goal = world.fact(f)?;
        plan = plan.then(unless_all(
            goal.clone(),
            [pick(x), there.with_effect(goal.and(not(grasped(x))))],
        ));
    }
    for part in closes.iter().filter(|p| needed.contains(p)) {
        // It was opened, or it was open: either way it is closed at the end.
        plan = plan.then(close(part));
    }
    Ok(plan)
}

/// Does it unless the scene begins so.
fn unless(p: crate::Predicate, step: Step) -> Plan {
    unless_all(p, [step])
}

fn unless_all<const N: usize>(p: crate::Predicate, steps: [Step; N]) -> Plan {
    if_seen(p, Plan(Vec::<PlanNode>::new()), steps)
}

/// What is put on or in something that is itself put somewhere comes after it.
fn supports_first<'a>(puts: Vec<(&'a Fact, &'a FactPlace)>) -> Vec<(&'a Fact, &'a FactPlace)> {
    let mut left = puts;
    let mut out = Vec::new();
    while !left.is_empty() {
        let moved = |name: &str| left.iter().any(|(f, _)| f.subject() == name);
        let carrier = |s: &FactPlace| s.path().split('/').next().unwrap_or_default().to_owned();
        // A circle (a on b, b on a) cannot be reached anyway: begin anywhere.
        let next = left.iter().position(|(_, s)| !moved(&carrier(s))).unwrap_or(0);
        out.push(left.remove(next));
    }
    out
}
