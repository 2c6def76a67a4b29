//! Plans bound to a scene: for the expert who knows everything and for the one without memory.

use super::{FlatStep, Onlooker, Op, Plan, PlanNode, Step, Test};
use crate::predicate::{Bound, BoundPredicate, View};
use crate::{LimbId, Scene, Snapshot, SpecError};

/// An operator on concrete objects, ready to be judged.
#[derive(Clone, Debug)]
pub struct BoundOp {
    /// The operator.
    pub op: Op,
    /// The limb that does it; whichever will do if `None`.
    pub limb: Option<LimbId>,
    /// What must hold before.
    pub precondition: BoundPredicate,
    /// What holds after.
    pub effect: BoundPredicate,
}

impl BoundOp {
    fn new(step: &Step, bound: &Bound, name: &str) -> Result<Self, SpecError> {
        let step = Step { op: step.op.with_subject(name), ..step.clone() };
        Ok(Self {
            precondition: bound.predicate(&step.precondition())?,
            effect: bound.predicate(&step.effect())?,
            limb: step.limb.as_deref().map(|l| bound.limb(l)).transpose()?,
            op: step.op,
        })
    }

    /// Can be done now and is not done yet, as far as the observer can tell.
    pub fn due(&self, view: &View<'_>) -> bool {
        self.precondition.holds_in(view) && !self.effect.holds_in(view)
    }
}

/// One operator per object the step may act on.
fn choices(step: &Step, bound: &Bound) -> Result<Vec<BoundOp>, SpecError> {
    let names = bound.members(step.op.subject().unwrap_or_default());
    names.iter().map(|n| BoundOp::new(step, bound, n)).collect()
}

fn sentence(step: &Step, scene: &Scene) -> String {
    match &step.said {
        Some(template) => crate::sample::fill(template, scene),
        None => step.sentence_with(&|path| scene.called(path)),
    }
}

/// A step of a plan in one scene.
#[derive(Clone, Debug)]
pub struct Planned {
    /// As written, possibly about a group; aliases replaced by what they stand for.
    pub step: Step,
    /// What one would call it in every scene.
    pub name: String,
    /// What one would tell somebody to do.
    pub sentence: String,
    /// Which repetition it belongs to, from 1.
    pub round: Option<u32>,
    /// Steps right before it, by index: one, or several that are done side by side.
    pub after: Vec<usize>,
    /// What it comes to, one per object it may act on.
    pub choices: Vec<BoundOp>,
}

impl Planned {
    /// The choice that is due now; the first one if none is.
    pub fn choose(&self, snapshot: &Snapshot) -> Option<&BoundOp> {
        let view = View::full(snapshot);
        self.choices.iter().find(|c| c.due(&view)).or(self.choices.first())
    }
}

impl Plan {
    /// The steps to take in this scene, branches decided by how it began.
    pub fn steps(&self, bound: &Bound, scene: &Scene) -> Result<Vec<Planned>, SpecError> {
        let start = bound.start(scene);
        let mut failed = None;
        let flat = self.flatten(&mut |test| match test {
            Test::Given(g) => g.holds(&scene.variables),
            Test::Seen(p) => match bound.predicate(p) {
                Ok(p) => p.holds(&start),
                Err(e) => {
                    failed.get_or_insert(e);
                    false
                }
            },
        });
        if let Some(e) = failed {
            return Err(e);
        }
        let planned = flat.into_iter().map(|FlatStep { step: written, round, after }| {
            let step = written.read(bound.meanings());
            Ok(Planned {
                sentence: sentence(&step, scene),
                name: written.name(),
                round,
                after,
                choices: choices(&step, bound)?,
                step,
            })
        });
        planned.collect()
    }
}

/// The expert without memory: at each decision the first step whose preconditions hold in what is
/// seen now and whose effect does not.
#[derive(Clone, Debug)]
pub struct Reactive {
    candidates: Vec<Candidate>,
}

#[derive(Clone, Debug)]
struct Candidate {
    /// Branches it stands in, and which side.
    guards: Vec<(BoundPredicate, bool)>,
    step: Step,
    sentence: String,
    op: BoundOp,
}

impl Reactive {
    /// Prepares a plan. What it depends on must be seen: drawn variables are not, so both sides of
    /// such a branch are candidates, and so is all that an alias may stand for.
    pub fn new(plan: &Plan, bound: &Bound, scene: &Scene) -> Result<Self, SpecError> {
        let mut candidates = Vec::new();
        collect(plan, bound, scene, &mut Vec::new(), &mut candidates)?;
        Ok(Self { candidates })
    }

    /// What to do next, and the sentence for it; `None` when nothing is due.
    pub fn next(&self, view: &View<'_>) -> Option<(&BoundOp, &str)> {
        self.candidates
            .iter()
            .find(|c| c.guards.iter().all(|(p, side)| p.holds_in(view) == *side) && c.op.due(view))
            .map(|c| (&c.op, c.sentence.as_str()))
    }

    /// Return what a view says of every precondition and every effect: all of the task that an observer of
    /// this moment can tell.
    pub fn truths(&self, view: &View<'_>) -> Vec<bool> {
        let both = |c: &Candidate| {
            let guards = c.guards.iter().map(|(p, _)| p.holds_in(view)).collect::<Vec<_>>();
            guards.into_iter().chain([c.op.precondition.holds_in(view), c.op.effect.holds_in(view)])
        };
        self.candidates.iter().flat_map(both).collect()
    }

    /// The operators that a sentence may mean to somebody who sees this moment.
    pub fn meant(&self, sentence: &str, onlooker: &Onlooker, now: &Snapshot) -> Vec<BoundOp> {
        let meant = |c: &&Candidate| onlooker.sentence(&c.step, now) == sentence;
        self.candidates.iter().filter(meant).map(|c| c.op.clone()).collect()
    }
}

fn collect(
    plan: &Plan,
    bound: &Bound,
    scene: &Scene,
    guards: &mut Vec<(BoundPredicate, bool)>,
    out: &mut Vec<Candidate>,
) -> Result<(), SpecError> {
    for node in &plan.0 {
        match node {
            PlanNode::Do(step) => {
                for bound in bound.readings(&step.mentions()) {
                    let step = step.read(bound.meanings());
                    for op in choices(&step, &bound)? {
                        let (step, sentence) = (step.clone(), sentence(&step, scene));
                        out.push(Candidate { guards: guards.clone(), step, sentence, op });
                    }
                }
            }
            // Without memory the second time is like the first.
            PlanNode::Repeat { steps, .. } => collect(steps, bound, scene, guards, out)?,
            // It does one step at a time.
            PlanNode::Together(plans) => {
                for plan in plans {
                    collect(plan, bound, scene, guards, out)?;
                }
            }
            PlanNode::If { test: Test::Given(_), then, otherwise } => {
                collect(then, bound, scene, guards, out)?;
                collect(otherwise, bound, scene, guards, out)?;
            }
            PlanNode::If { test: Test::Seen(p), then, otherwise } => {
                for (side, branch) in [(true, then), (false, otherwise)] {
                    guards.push((bound.predicate(p)?, side));
                    collect(branch, bound, scene, guards, out)?;
                    guards.pop();
                }
            }
        }
    }
    Ok(())
}
