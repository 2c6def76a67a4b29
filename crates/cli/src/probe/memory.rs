//! Which subtasks depend on memory, beside what a benchmark says of itself.

use std::io::Write;

use anyhow::Result;
use longarm_eval::probe::{HELD_NEAR, SubtaskProbe, TOLERANCE};
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

    /// How many do so exactly.
    fn exactly(&self) -> usize {
        self.subtasks.iter().filter(|s| s.exactly).count()
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

/// What the measurement is, and by how much moments may differ.
pub(super) fn method() -> String {
    let t = TOLERANCE;
    format!(
        "A subtask depends on memory (m) if at the moment of decision, from when it becomes the one to be done \
         until something moves, the scene looks as it does where something else is to be done, in the same \
         episode or in one of the same seed that differs in one drawn variable: all that the task speaks of \
         is the same as far as it is seen, what is seen lies on the same bodies, and the hand holds the same \
         within {:.0} mm. It does so exactly (M) if nothing could tell but memory: visible objects within \
         {:.0} mm and {:.2} rad, the hand within {:.0} mm, {:.2} rad and {:.0} mm of opening. The first \
         subtask never does.",
        1e3 * HELD_NEAR,
        1e3 * t.object,
        t.object_turn,
        1e3 * t.hand,
        t.hand_turn,
        1e3 * t.opening
    )
}

fn mark(s: &SubtaskProbe) -> char {
    match (s.memory_dependent, s.exactly) {
        (false, _) => '-',
        (true, false) => 'm',
        (true, true) => 'M',
    }
}

/// Why a subtask is what it was found to be.
fn why(s: &SubtaskProbe) -> String {
    match s.example.as_ref().filter(|_| s.memory_dependent) {
        Some(e) => {
            format!("step {} looks like step {} of {}: {}", e.step, e.other_step, e.episode, e.with)
        }
        None => "what is seen decides".to_owned(),
    }
}

/// Task by task, subtask by subtask, then the sums.
pub(super) fn print(
    out: &mut impl Write,
    all: &[Probed<'_>],
    claim: Option<&MemoryClaim>,
) -> Result<()> {
    writeln!(out, "\n{}", method())?;
    let longest = |n: usize, text: &str| n.max(text.chars().count());
    let sentences = all.iter().flat_map(|p| &p.subtasks).map(|s| s.sentence.as_str());
    let wide = sentences.fold(8, longest);
    for p in all {
        let rule = p.claimed(claim);
        writeln!(out, "\n{}: {} of {}", p.task.id, p.dependent(), p.subtasks.len())?;
        let by_rule = if rule.is_some() { "rule  " } else { "" };
        writeln!(out, "  found  {by_rule}{:wide$}  without memory", "subtask")?;
        let mut letters = rule.unwrap_or_default().chars();
        for s in &p.subtasks {
            let by_rule = letters.next().map_or(String::new(), |c| format!("{c:<6}"));
            let right = 100.0 * s.reactive_right;
            writeln!(
                out,
                "  {:<7}{by_rule}{:wide$}  right {right:3.0} %; {}",
                mark(s),
                s.sentence,
                why(s)
            )?;
        }
    }
    sums(out, all, claim)
}

/// One line a task, then the whole beside what is published.
fn sums(out: &mut impl Write, all: &[Probed<'_>], claim: Option<&MemoryClaim>) -> Result<()> {
    let wide = all.iter().map(|p| p.task.id.as_str().len()).max().unwrap_or(4).max(4);
    let rule = |p: &Probed<'_>| p.claimed(claim).map(|r| r.matches('m').count());
    let by_rule = if all.iter().any(|p| rule(p).is_some()) { "  by the rule" } else { "" };
    writeln!(out, "\n{:wide$}  subtasks  need memory  exactly{by_rule}", "task")?;
    for p in all {
        let theirs = rule(p).map_or(String::new(), |n| format!("  {n:>11}"));
        let (n, m, exactly) = (p.subtasks.len(), p.dependent(), p.exactly());
        writeln!(out, "{:wide$}  {n:>8}  {m:>11}  {exactly:>7}{theirs}", p.task.id.as_str())?;
    }
    let (m, n) = ratio(all);
    let exactly: usize = all.iter().map(Probed::exactly).sum();
    let theirs: usize = all.iter().filter_map(rule).sum();
    let theirs = if by_rule.is_empty() { String::new() } else { format!("  {theirs:>11}") };
    writeln!(out, "{:wide$}  {n:>8}  {m:>11}  {exactly:>7}{theirs}", "all")?;
    writeln!(out, "\nSubtasks that depend on memory: {m} of {n}, {:.1} %.", share(m, n))?;
    let Some(claim) = claim else { return Ok(()) };
    let (theirs, of) = (claim.dependent as usize, claim.subtasks as usize);
    writeln!(out, "Published: {theirs} of {of}, {:.1} %. {}", share(theirs, of), claim.source)?;
    let differ: Vec<&SubtaskProbe> =
        all.iter().flat_map(|p| p.differences(Some(claim))).map(|(_, s)| s).collect();
    let more = differ.iter().filter(|s| s.memory_dependent).count();
    writeln!(
        out,
        "Of {} subtasks the rule says otherwise: {more} depend on memory though it says that they do not, {} \
         do not though it says so.",
        differ.len(),
        differ.len() - more
    )?;
    for p in all {
        for (i, s) in p.differences(Some(claim)) {
            let (ours, theirs) = match s.memory_dependent {
                true => ("memory", "none"),
                false => ("none", "memory"),
            };
            let (id, why) = (&p.task.id, why(s));
            let n = i + 1;
            writeln!(out, "  {id}, {n}. {}: found {ours}, rule {theirs}; {why}", s.sentence)?;
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
        .map(|(i, s)| {
            json!({"subtask": i, "sentence": s.sentence, "measured": s.memory_dependent, "why": why(s)})
        })
        .collect();
    json!({
        "subtasks": p.subtasks.len(),
        "memory_dependent": p.dependent(),
        "exactly": p.exactly(),
        "ratio": p.dependent() as f64 / p.subtasks.len().max(1) as f64,
        "each": p.subtasks,
        "rule": p.claimed(claim),
        "differs": differs,
    })
}
