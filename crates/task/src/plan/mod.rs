//! How a task is done, as data: operators with preconditions and effects.

mod make;
mod onlooker;
mod op;
mod reactive;
mod rename;
mod sentence;
mod subject;
mod subtask;

pub use make::{
    Lay, close, flip, grasp, hang, insert, lay, measure, open, pass, pick, pick_both, pick_place,
    pour, pull, push, put, scoop, stand, straighten, thread, throw, turn, turn_off, turn_on, wipe,
    withdraw,
};
pub use onlooker::Onlooker;
pub use op::{Op, Spot, Target, UPSIDE_DOWN};
pub use reactive::{BoundOp, Planned, Reactive};
use sentence::spoken;
pub use subtask::Subtasks;

use serde::{Deserialize, Serialize};

use crate::stage::When;
use crate::{Given, Predicate};

/// An operator in its place in a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What to do.
    pub op: Op,
    /// What must hold besides the operator's own precondition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_if: Option<Predicate>,
    /// The limb that does it; whichever will do if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limb: Option<String>,
    /// What to say instead of the operator's own sentence, a template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// What holds after it, instead of the operator's own effect.
    #[serde(rename = "bringing", default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Predicate>,
}

impl Step {
    /// Where a picked object stands before.
    pub fn from(mut self, place: impl Into<String>) -> Self {
        if let Op::Pick { from, .. } = &mut self.op {
            *from = Some(place.into());
        }
        self
    }

    /// By this limb.
    pub fn with(mut self, limb: impl Into<String>) -> Self {
        self.limb = Some(limb.into());
        self
    }

    /// Only when this holds, too.
    pub fn only_if(mut self, p: Predicate) -> Self {
        self.only_if = Some(p);
        self
    }

    /// What to say for it.
    pub fn saying(mut self, sentence: impl Into<String>) -> Self {
        self.said = Some(sentence.into());
        self
    }

    /// What holds after it, instead of the operator's own effect.
    pub fn with_effect(mut self, p: Predicate) -> Self {
        self.effect = Some(p);
        self
    }

    /// What one would tell somebody to do, names as `the` has them.
    pub fn sentence_with(&self, the: &dyn Fn(&str) -> String) -> String {
        let said = self.op.sentence_with(the);
        match &self.limb {
            Some(limb) => format!("{said} with the {limb} hand"),
            None => said,
        }
    }

    /// The same with names as they are written.
    pub fn sentence(&self) -> String {
        self.sentence_with(&spoken)
    }

    /// What holds after.
    pub fn effect(&self) -> Predicate {
        self.effect.clone().unwrap_or_else(|| self.by_limb(self.op.effect()))
    }

    /// What must hold before.
    pub fn precondition(&self) -> Predicate {
        let pre = self.by_limb(self.op.precondition());
        match &self.only_if {
            Some(p) => pre.and(p.clone()),
            None => pre,
        }
    }
}

impl Step {
    /// What completes a stage made of it; `before` are the operators that came earlier in the plan.
    pub(crate) fn when<'a>(&self, before: impl Iterator<Item = &'a Op>) -> When {
        match self.op.when(before) {
            When::Holds(_) => When::Holds(self.effect()),
            counted => counted,
        }
    }

    fn by_limb(&self, p: Predicate) -> Predicate {
        match &self.limb {
            Some(limb) => p.with(limb),
            None => p,
        }
    }
}

/// What a branch depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// What the scene is like at the start, which an earlier step reveals.
    Seen(Predicate),
    /// A drawn variable.
    Given(Given),
}

/// A piece of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(
    clippy::large_enum_variant,
    reason = "most nodes are steps; a plan is built once and has tens of them"
)]
pub enum PlanNode {
    /// One step.
    Do(Step),
    /// The same again.
    Repeat {
        /// How often.
        times: u32,
        /// What.
        steps: Plan,
    },
    /// One way or the other.
    If {
        /// On what it depends.
        test: Test,
        /// If so.
        then: Plan,
        /// If not.
        otherwise: Plan,
    },
    /// Side by side, each by a limb of its own.
    Together(Vec<Plan>),
}

/// A step among all of a plan's, branches decided.
#[derive(Clone, Debug)]
pub(crate) struct FlatStep<'a> {
    pub step: &'a Step,
    /// Which repetition it belongs to, from 1.
    pub round: Option<u32>,
    /// Steps right before it: one, or several that were done side by side.
    pub after: Vec<usize>,
}

/// A sequence of steps, repetitions and branches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Plan(pub Vec<PlanNode>);

impl Plan {
    /// Goes on with this.
    pub fn then(mut self, more: impl Into<Self>) -> Self {
        self.0.extend(more.into().0);
        self
    }

    /// Every step as written, repetitions once, both sides of branches.
    pub fn written(&self) -> Vec<&Step> {
        let mut out = Vec::new();
        for node in &self.0 {
            match node {
                PlanNode::Do(s) => out.push(s),
                PlanNode::Repeat { steps, .. } => out.extend(steps.written()),
                PlanNode::If { then, otherwise, .. } => {
                    out.extend(then.written());
                    out.extend(otherwise.written());
                }
                PlanNode::Together(plans) => out.extend(plans.iter().flat_map(Self::written)),
            }
        }
        out
    }

    /// The steps in the order they are written, branches taken as `choose` says.
    pub(crate) fn flatten<'a>(
        &'a self,
        choose: &mut dyn FnMut(&'a Test) -> bool,
    ) -> Vec<FlatStep<'a>> {
        let mut out = Vec::new();
        self.flatten_after(Vec::new(), None, choose, &mut out);
        out
    }

    /// Append the steps that come after others, and return the last of them.
    fn flatten_after<'a>(
        &'a self,
        mut after: Vec<usize>,
        round: Option<u32>,
        choose: &mut dyn FnMut(&'a Test) -> bool,
        out: &mut Vec<FlatStep<'a>>,
    ) -> Vec<usize> {
        for node in &self.0 {
            after = match node {
                PlanNode::Do(step) => {
                    out.push(FlatStep { step, round, after });
                    vec![out.len() - 1]
                }
                PlanNode::Repeat { times, steps } => {
                    (1..=*times).fold(after, |a, n| steps.flatten_after(a, Some(n), choose, out))
                }
                PlanNode::If { test, then, otherwise } => {
                    let side = if choose(test) { then } else { otherwise };
                    side.flatten_after(after, round, choose, out)
                }
                PlanNode::Together(plans) => {
                    let mut last = Vec::new();
                    for plan in plans {
                        last.extend(plan.flatten_after(after.clone(), round, choose, out));
                    }
                    last.sort_unstable();
                    last.dedup();
                    if plans.is_empty() { after } else { last }
                }
            };
        }
        after
    }

    /// Number of steps of the two sides of the first uneven branch.
    pub(crate) fn uneven(&self) -> Option<(usize, usize)> {
        self.0.iter().find_map(|n| match n {
            PlanNode::Do(_) => None,
            PlanNode::Repeat { steps, .. } => steps.uneven(),
            PlanNode::Together(plans) => plans.iter().find_map(Self::uneven),
            PlanNode::If { then, otherwise, .. } => {
                let count = |p: &Plan| p.flatten(&mut |_| true).len();
                let (a, b) = (count(then), count(otherwise));
                then.uneven().or(otherwise.uneven()).or((a != b).then_some((a, b)))
            }
        })
    }
}

impl From<Step> for Plan {
    fn from(s: Step) -> Self {
        Self(vec![PlanNode::Do(s)])
    }
}

impl<T: Into<Plan>, const N: usize> From<[T; N]> for Plan {
    fn from(parts: [T; N]) -> Self {
        Self(parts.into_iter().flat_map(|p| p.into().0).collect())
    }
}

impl<T: Into<Plan>> From<Vec<T>> for Plan {
    fn from(parts: Vec<T>) -> Self {
        Self(parts.into_iter().flat_map(|p| p.into().0).collect())
    }
}

/// The same steps several times.
pub fn repeat(times: u32, steps: impl Into<Plan>) -> Plan {
    Plan(vec![PlanNode::Repeat { times, steps: steps.into() }])
}

/// Steps side by side, each by a limb of its own: `together([pick(&a), pick(&b)])`, or whole plans.
pub fn together<T: Into<Plan>>(plans: impl IntoIterator<Item = T>) -> Plan {
    Plan(vec![PlanNode::Together(plans.into_iter().map(Into::into).collect())])
}

/// One way or the other, as an earlier step reveals.
pub fn if_seen(p: Predicate, then: impl Into<Plan>, otherwise: impl Into<Plan>) -> Plan {
    let test = Test::Seen(p);
    Plan(vec![PlanNode::If { test, then: then.into(), otherwise: otherwise.into() }])
}

/// One way or the other, as a drawn variable says.
pub fn if_given(given: Given, then: impl Into<Plan>, otherwise: impl Into<Plan>) -> Plan {
    let test = Test::Given(given);
    Plan(vec![PlanNode::If { test, then: then.into(), otherwise: otherwise.into() }])
}
