//! Steps against a scene, one by one: what each names, whether it can be done then, whether the arm gets there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use longarm_agent::chat::{Decomposition, Motion, Step};
use longarm_assets::{Access, Affordance, RegionKind};
use longarm_types::{DVec3, hint};

use super::names::{Names, Spot, quoted};

/// Most steps of a task.
const MOST: usize = 60;
/// Faults that are told at once.
const FAULTS: usize = 6;

/// What is wrong with a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The step, by its number; the whole answer without it.
    pub step: Option<u32>,
    /// What is wrong and what to do, in a sentence.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            Some(n) => write!(f, "step {n}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// A decomposition as a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Planned {
    /// Steps of the task language, one per subtask.
    pub lines: Vec<String>,
    /// What must not happen: name and event.
    pub forbid: Vec<(String, String)>,
}

/// What is so while a plan is gone through.
struct State {
    held: Option<String>,
    open: BTreeSet<String>,
    /// Objects that are no longer where they began, and the part each is behind now.
    moved: BTreeMap<String, Option<String>>,
    puts: BTreeMap<(String, String), u32>,
    pours: BTreeMap<(String, String), u32>,
}

/// Return the plan that steps come to in a scene, or what is wrong with them.
pub fn check(names: &Names<'_>, steps: &Decomposition) -> Result<Planned, Vec<Fault>> {
    let mut faults = Vec::new();
    let all = |what: &str| vec![Fault { step: None, what: what.to_owned() }];
    if steps.subtasks.is_empty() {
        return Err(all("there are no steps"));
    }
    if steps.subtasks.len() > MOST {
        return Err(all(&format!("there are more than {MOST} steps")));
    }
    let mut state = State {
        held: None,
        open: names.open(),
        moved: BTreeMap::new(),
        puts: BTreeMap::new(),
        pours: BTreeMap::new(),
    };
    let mut lines = Vec::new();
    for (i, step) in steps.subtasks.iter().enumerate() {
        let due = i as u32 + 1;
        if step.step_id != due {
            let what = format!("its step_id should be {due}; number the steps from 1 on");
            faults.push(Fault { step: Some(step.step_id), what });
            break;
        }
        match names.line(step, &mut state) {
            Ok(line) => lines.push(line),
            Err(what) => faults.push(Fault { step: Some(step.step_id), what }),
        }
        if faults.len() == FAULTS {
            break;
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let put = |((object, place), n): (&(String, String), &u32)| {
        let (word, target) = place.split_once(' ').unwrap_or_default();
        let (held, target) = (quoted(object), target.to_owned());
        // What is led in and out in the hand is not there yet, or no longer.
        let event = format!("{word}({held}, {}) and not grasped({held})", quoted(&target));
        let name = format!("{object} {word} {target} more than {n} times");
        (name, format!("times({event}) > {n}"))
    };
    let pour = |((from, into), n): (&(String, String), &u32)| {
        let event = format!("times(pours({}, {})) > {n}", quoted(from), quoted(into));
        (format!("{from} poured into {into} more than {n} times"), event)
    };
    // Only repetitions: what is jolted out of its place and falls back would count again.
    let counted = state.puts.iter().filter(|(_, n)| **n > 1);
    let forbid = counted.map(put).chain(state.pours.iter().map(pour)).collect();
    Ok(Planned { lines, forbid })
}

impl Names<'_> {
    /// Return the line of a step and do it in the state, or say what is wrong; then the state goes on as if it
    /// had been done, so that what follows is judged by itself.
    fn line(&self, step: &Step, state: &mut State) -> Result<String, String> {
        match step.planner {
            Motion::Move => self.take(&step.target, state),
            Motion::Place => self.place(&step.target, state),
            Motion::Pour => self.pour(&step.target, state),
            Motion::Open | Motion::Close => self.part(step, state),
        }
    }

    fn take(&self, target: &str, state: &mut State) -> Result<String, String> {
        let before = state.held.replace(target.to_owned());
        let Some(i) = self.scene.instance(target) else {
            return Err(format!(
                "Move: there is no object {target:?}{}",
                hint(target, self.movable())
            ));
        };
        if !self.info(i).affords(Affordance::Graspable) {
            return Err(format!("Move: {target} cannot be taken{}", hint("", self.movable())));
        }
        if let Some(held) = before {
            return Err(match held == target {
                true => format!("Move: {target} is in the hand already"),
                false => format!("Move: {held} is still in the hand; Place it first"),
            });
        }
        let behind = state.moved.get(target).cloned().unwrap_or_else(|| self.behind(target));
        if let Some(part) = behind.filter(|p| !state.open.contains(p)) {
            return Err(format!("Move: {target} is behind {part}, which is closed; Open it first"));
        }
        if !state.moved.contains_key(target) {
            self.reached("Move", target, self.point(&Spot::Object(i)))?;
        }
        Ok(format!("pick {}", quoted(target)))
    }

    fn place(&self, target: &str, state: &mut State) -> Result<String, String> {
        let Some(held) = state.held.take() else {
            return Err("Place: nothing is in the hand; Move to an object first".to_owned());
        };
        let object = quoted(&held);
        if target == "start" {
            state.moved.insert(held.clone(), self.behind(&held));
            return Ok(format!("put {object} back"));
        }
        if let Some(other) = target.strip_prefix("start of ") {
            if self.scene.instance(other).is_none() {
                let near = hint(other, self.movable());
                return Err(format!("Place: there is no object {other:?}{near}"));
            }
            state.moved.insert(held.clone(), self.behind(other));
            return Ok(format!("put {object} where {} was", quoted(other)));
        }
        let Some(spot) = self.spot(target) else {
            let mut known = self.places();
            known.extend(self.instances().map(|i| self.name(i).to_owned()));
            let near = hint(target, known.iter().map(String::as_str).collect::<Vec<_>>());
            return Err(format!("Place: there is no place {target:?}{near}"));
        };
        if target == held {
            return Err(format!("Place: {held} cannot be put on itself"));
        }
        let (word, door) = match &spot {
            Spot::Table(_) => ("at", None),
            Spot::Of(i, region) => {
                let word = if region.kind == RegionKind::Volume { "in" } else { "on" };
                (word, self.door(*i, region))
            }
            Spot::Object(i) => {
                let info = self.info(*i);
                if !info.affords(Affordance::Container) && !info.affords(Affordance::Carries) {
                    let on = info.bounds.half[0].min(info.bounds.half[1]) > 0.015;
                    if !on {
                        return Err(format!("Place: nothing can stand on {target}"));
                    }
                }
                let inside = info.regions.iter().find(|r| {
                    r.kind == RegionKind::Volume && r.part.is_none() && r.access == Access::Above
                });
                (if inside.is_some() && info.fixed { "in" } else { "on" }, None)
            }
        };
        if let Some(part) = door.as_ref().filter(|p| !state.open.contains(*p)) {
            state.moved.insert(held, door.clone());
            return Err(format!(
                "Place: {target} is behind {part}, which is closed; Open it first"
            ));
        }
        let moved = matches!(&spot, Spot::Object(i) if state.moved.contains_key(self.name(*i)));
        if !moved {
            self.reached("Place", target, self.point(&spot))?;
        }
        *state.puts.entry((held.clone(), format!("{word} {target}"))).or_default() += 1;
        state.moved.insert(held, door);
        Ok(format!("put {object} {word} {}", quoted(target)))
    }

    fn pour(&self, target: &str, state: &mut State) -> Result<String, String> {
        let Some(held) = state.held.clone() else {
            return Err("Pour: nothing is in the hand; Move to a vessel first".to_owned());
        };
        let pours = |i: usize| self.info(i).affords(Affordance::Pourable);
        // What is unknown was said where it was to be taken.
        let pourable = self.scene.instance(&held).is_none_or(pours);
        if !pourable {
            return Err(format!("Pour: nothing can be poured from {held}"));
        }
        let Some(i) = self.scene.instance(target) else {
            let known: Vec<&str> = self.instances().map(|i| self.name(i)).collect();
            return Err(format!("Pour: there is no object {target:?}{}", hint(target, known)));
        };
        if target == held {
            return Err(format!("Pour: {held} cannot be poured into itself"));
        }
        if !state.moved.contains_key(target) {
            self.reached("Pour", target, self.point(&Spot::Object(i)))?;
        }
        *state.pours.entry((held.clone(), target.to_owned())).or_default() += 1;
        Ok(format!("pour {} into {}", quoted(&held), quoted(target)))
    }

    fn part(&self, step: &Step, state: &mut State) -> Result<String, String> {
        let (part, opens) = (&step.target, step.planner == Motion::Open);
        let verb = if opens { "Open" } else { "Close" };
        let known = self.parts();
        if !known.contains(part) {
            let near = hint(part, known.iter().map(String::as_str).collect::<Vec<_>>());
            return Err(format!("{verb}: there is nothing to open called {part:?}{near}"));
        }
        let was = match opens {
            true => !state.open.insert(part.clone()),
            false => !state.open.remove(part),
        };
        if let Some(held) = &state.held {
            return Err(format!("{verb}: the hand holds {held}; Place it first"));
        }
        if was {
            let is = if opens { "open" } else { "closed" };
            return Err(format!("{verb}: {part} is {is} already"));
        }
        if let Some((i, handle)) = self.handle(part) {
            self.reached(verb, part, self.scene.poses[i].point(handle))?;
        }
        Ok(format!("{} {}", verb.to_lowercase(), quoted(part)))
    }

    /// Return the object of a part and where its handle is in the object's frame.
    fn handle(&self, part: &str) -> Option<(usize, DVec3)> {
        let (object, name) = part.split_once('/')?;
        let i = self.scene.instance(object)?;
        let info = self.info(i);
        let own = info.grasps.iter().find(|g| g.part.as_deref() == Some(name))?;
        Some((i, info.part(name)?.rest.point(own.tool.pos)))
    }

    fn reached(&self, verb: &str, target: &str, at: DVec3) -> Result<(), String> {
        if longarm_expert::reaches(self.scene, at) {
            return Ok(());
        }
        Err(format!(
            "{verb}: {target} at ({:.2}, {:.2}, {:.2}) is out of the arm's reach",
            at.x, at.y, at.z
        ))
    }
}

#[cfg(test)]
mod tests;
