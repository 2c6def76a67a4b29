//! Which subtasks depend on memory, beside what a benchmark says of itself.

use std::io::Write;

use anyhow::Result;
use longarm_eval::probe::{SubtaskProbe, TOLERANCE};
use longarm_task::TaskSpec;
use longarm_types::protocol::MemoryClaim;
use serde_json::{Value, json};

/// The subtasks of a task.
pub(super) struct Probed<'a> {
    pub(super) task: &'a TaskSpec,
    pub(super) subtasks: Vec<SubtaskProbe>,
}

impl Probed<'_> {
    /// How many depend on memory.
    pub(super) fn dependent(&self) -> usize {
        self.subtasks.iter().filter(|s| s.memory_dependent).count()
    }

    /// What a benchmark's own rule says of each subtask, where it says so of every one.
    fn claimed<'c>(&self, claim: Option<&'c MemoryClaim>) -> Option<&'c str> {
        let letters = claim?.tasks.get(self.task.id.as_str())?;
        (letters.chars().count() == self.subtasks.len()).then_some(letters.as_str())
    }

    /// Subtasks of which the rule says otherwise: index, sentence, what was measured.
    fn differences(&self, claim: Option<&MemoryClaim>) -> Vec<(usize, &SubtaskProbe)> {
        let Some(letters) = self.claimed(claim) else { return Vec::new() };
        let each = self.subtasks.iter().zip(letters.chars()).enumerate();
        each.filter(|(_, (s, c))| s.memory_dependent != (*c == 'm'))
            .map(|(i, (s, _))| (i, s))
            .collect()
    }
}

/// Both sums of some tasks: subtasks that depend on memory, and all.
pub(super) fn ratio(all: &[Probed<'_>]) -> (usize, usize) {
    all.iter().fold((0, 0), |(m, n), p| (m + p.dependent(), n + p.subtasks.len()))
}

/// What the measurement is, and by how much moments may differ, in one sentence.
pub(super) fn method() -> String {
    let t = TOLERANCE;
    format!(
        "A subtask depends on memory (m) where one of its moments looks the same as a moment at which \
         something else is to be done, in the same episode or in one of the same seed that differs in \
         one drawn variable: visible objects within {:.0} mm and {:.2} rad, the hand within {:.0} mm, \
         {:.2} rad and {:.0} mm of opening, the same instruction. The first subtask never does.",
        1e3 * t.object,
        t.object_turn,
        1e3 * t.hand,
        t.hand_turn,
        1e3 * t.opening
    )
}

/// Task by task, subtask by subtask.
pub(super) fn print(
    out: &mut impl Write,
    all: &[Probed<'_>],
    claim: Option<&MemoryClaim>,
) -> Result<()> {
    writeln!(out, "\n{}", method())?;
    for p in all {
        writeln!(out, "{}: {} of {}", p.task.id, p.dependent(), p.subtasks.len())?;
        for s in &p.subtasks {
            let mark = if s.memory_dependent { 'm' } else { '-' };
            let right = 100.0 * s.reactive_right;
            write!(out, "  {mark} {:52} without memory right {right:3.0} %", s.sentence)?;
            if let Some(e) = s.example.as_ref().filter(|_| s.memory_dependent) {
                let (step, other) = (e.step, e.other_step);
                write!(out, "; step {step} = step {other} of {}: {}", e.episode, e.with)?;
            }
            writeln!(out)?;
        }
    }
    let (m, n) = ratio(all);
    writeln!(out, "memory-dependent subtasks: {m} of {n}, {:.1} %", share(m, n))?;
    let Some(claim) = claim else { return Ok(()) };
    let (theirs, of) = (claim.dependent as usize, claim.subtasks as usize);
    writeln!(out, "published: {theirs} of {of}, {:.1} % ({})", share(theirs, of), claim.source)?;
    for p in all {
        for (i, s) in p.differences(claim.into()) {
            let (ours, theirs) = match s.memory_dependent {
                true => ("memory", "none"),
                false => ("none", "memory"),
            };
            let id = &p.task.id;
            writeln!(
                out,
                "differs: {id} {}. {}: measured {ours}, by the rule {theirs}",
                i + 1,
                s.sentence
            )?;
        }
    }
    Ok(())
}

fn share(m: usize, n: usize) -> f64 {
    100.0 * m as f64 / n.max(1) as f64
}

/// The fields that a task has in JSON.
pub(super) fn fields(p: &Probed<'_>, claim: Option<&MemoryClaim>) -> Value {
    let differs: Vec<Value> = p
        .differences(claim)
        .into_iter()
        .map(|(i, s)| json!({"subtask": i, "sentence": s.sentence, "measured": s.memory_dependent}))
        .collect();
    json!({
        "subtasks": p.subtasks.len(),
        "memory_dependent": p.dependent(),
        "ratio": p.dependent() as f64 / p.subtasks.len().max(1) as f64,
        "each": p.subtasks,
        "rule": p.claimed(claim),
        "differs": differs,
    })
}
