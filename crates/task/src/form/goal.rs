//! What follows from a goal: the stages it comes to, and how it is reached.

use crate::plan::{Plan, PlanNode, Step, close, if_seen, open, pick, put};
use crate::predicate::{grasped, is_closed, is_open, not};
use crate::stage::{Stage, stage};
use crate::{Predicate, TaskSpec};

/// The facts that must hold, of alternatives the first.
fn facts(goal: &[Predicate]) -> Vec<&Predicate> {
    goal.iter()
        .flat_map(|p| match p {
            Predicate::All(of) => facts(of),
            Predicate::Any(of) => {
                of.first().map(|p| facts(std::slice::from_ref(p))).unwrap_or_default()
            }
            other => vec![other],
        })
        .collect()
}

/// One stage per part of the goal, in any order, each to hold at the end.
pub(super) fn stages(goal: &[Predicate]) -> Vec<Stage> {
    let parts: Vec<&Predicate> = goal
        .iter()
        .flat_map(|p| match p {
            Predicate::All(of) => of.iter().collect(),
            other => vec![other],
        })
        .collect();
    let mut out: Vec<Stage> = Vec::new();
    for p in parts {
        let base = said(p);
        let taken = |n: &str| out.iter().any(|s| s.name == n);
        let name = if taken(&base) {
            (2..).map(|k| format!("{base} ({k})")).find(|n| !taken(n)).unwrap_or(base)
        } else {
            base
        };
        out.push(stage(name, p.clone()).hold(0.25).at_end());
    }
    out
}

fn said(p: &Predicate) -> String {
    match p {
        Predicate::On { object, support, .. } => format!("{object} on {support}"),
        Predicate::In { object, region } => format!("{object} in {region}"),
        Predicate::At { object, region } => format!("{object} at {region}"),
        Predicate::Open { part } => format!("{part} open"),
        Predicate::Closed { part } => format!("{part} closed"),
        Predicate::AtStart { object, of: None, .. } => format!("{object} back"),
        _ => "goal".to_owned(),
    }
}

/// The drawer or door that must be open to get into a region.
fn door(region: &str, spec: &TaskSpec) -> Option<String> {
    let (object, name) = region.split_once('/')?;
    let info = spec.object(object)?.assets.first()?.info();
    let part = info.region(name)?.part.clone()?;
    Some(format!("{object}/{part}"))
}

/// Open what is needed, put everything where it belongs, carriers first, then close.
pub(super) fn plan(goal: &[Predicate], spec: &TaskSpec) -> Plan {
    let facts = facts(goal);
    let mut needed: Vec<String> = Vec::new();
    let mut puts: Vec<(&str, &str, Step, &Predicate)> = Vec::new();
    let (mut opens, mut closes) = (Vec::new(), Vec::new());
    for p in facts {
        match p {
            Predicate::On { object, support, .. } => {
                puts.push((object, support, put(object).on(support), p));
            }
            Predicate::At { object, region } => {
                puts.push((object, region, put(object).at(region), p));
            }
            Predicate::In { object, region } => {
                needed.extend(door(region, spec));
                puts.push((object, region, put(object).in_(region), p));
            }
            Predicate::Open { part } => opens.push(part.clone()),
            Predicate::Closed { part } => closes.push(part.clone()),
            _ => {}
        }
    }
    needed.dedup();
    opens.retain(|o| !needed.contains(o));
    let unless = |p: Predicate, steps: Vec<Step>| if_seen(p, Plan(Vec::<PlanNode>::new()), steps);
    let mut out = Plan::default();
    for part in closes.iter().filter(|p| !needed.contains(p)) {
        out = out.then(unless(is_closed(part), vec![close(part)]));
    }
    for part in needed.iter().chain(&opens) {
        out = out.then(unless(is_open(part), vec![open(part)]));
    }
    while !puts.is_empty() {
        // Next what stands on nothing that is still to be put somewhere.
        let carrier = |place: &str| place.split('/').next().unwrap_or(place).to_owned();
        let free = puts.iter().position(|(_, place, ..)| {
            let on = carrier(place);
            puts.iter().all(|(object, ..)| *object != on)
        });
        let (object, _, there, holds) = puts.remove(free.unwrap_or(0));
        let done = holds.clone().and(not(grasped(object)));
        out = out.then(unless(holds.clone(), vec![pick(object), there.with_effect(done)]));
    }
    for part in closes.iter().filter(|p| needed.contains(p)) {
        out = out.then(close(part));
    }
    out
}
