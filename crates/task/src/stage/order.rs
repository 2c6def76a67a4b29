//! Where the stages come from, and in which order they may be completed.

use serde::{Deserialize, Serialize};

use super::{Stage, stage};
use crate::{Goal, Predicate};

/// In which order stages may be completed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// One after the other.
    Sequential,
    /// As it comes.
    Any,
    /// As it comes for different objects, one after the other for the same.
    PerObject,
    /// For each pair the first before the second.
    Pairs(Vec<(usize, usize)>),
}

/// Where the stages come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Stages {
    /// One per step of the plan, its effect being the condition.
    FromPlan(Order),
    /// Written out.
    Listed(Vec<Stage>),
    /// One per object that belongs somewhere: one, two, … are where they belong, and stay there.
    Placed(Goal),
}

/// One stage per step of the plan, one after the other.
pub fn from_plan() -> Stages {
    Stages::FromPlan(Order::Sequential)
}

/// One stage per object that belongs somewhere; what is undone loses its credit.
pub fn placed(goal: Goal) -> Stages {
    Stages::Placed(goal)
}

/// The stages of a goal: k of its objects are where they belong. They are named by number, so that
/// they are the same in every instance of a task.
pub(crate) fn placements(goal: &Goal) -> Vec<Stage> {
    let n = goal.objects.len();
    (1..=n)
        .map(|k| Stage {
            sentence: format!("{k} of {n} placed"),
            must_last: true,
            ..stage(format!("{k} placed"), Predicate::Placed { n: k, goal: goal.clone() })
        })
        .collect()
}

/// These stages, one after the other.
pub fn sequential(stages: impl IntoIterator<Item = Stage>) -> Stages {
    Stages::Listed(stages.into_iter().collect()).order(Order::Sequential)
}

/// These stages, in any order but for what they say themselves.
pub fn any_order(stages: impl IntoIterator<Item = Stage>) -> Stages {
    Stages::Listed(stages.into_iter().collect())
}

/// These stages, the first of each pair (by index) before the second.
pub fn partial(
    stages: impl IntoIterator<Item = Stage>,
    pairs: impl IntoIterator<Item = (usize, usize)>,
) -> Stages {
    any_order(stages).order(Order::Pairs(pairs.into_iter().collect()))
}

impl Stages {
    /// Puts them in this order. Written-out stages name no object, so [`Order::PerObject`] leaves
    /// them as they are.
    pub fn order(self, order: Order) -> Self {
        match self {
            Self::FromPlan(_) => Self::FromPlan(order),
            Self::Listed(mut stages) => {
                apply(&order, &mut stages, &[]);
                Self::Listed(stages)
            }
            Self::Placed(goal) => Self::Placed(goal),
        }
    }

    /// In any order for different objects, one after the other for the same.
    pub fn per_object(self) -> Self {
        self.order(Order::PerObject)
    }
}

impl<const N: usize> From<[Stage; N]> for Stages {
    fn from(stages: [Stage; N]) -> Self {
        sequential(stages)
    }
}

impl From<Vec<Stage>> for Stages {
    fn from(stages: Vec<Stage>) -> Self {
        sequential(stages)
    }
}

/// Writes an order into the stages; `subjects` are the objects they are about.
pub(crate) fn apply(order: &Order, stages: &mut [Stage], subjects: &[Option<String>]) {
    match order {
        Order::Any => {}
        Order::Sequential => {
            for (i, s) in stages.iter_mut().enumerate().skip(1) {
                s.after = vec![i - 1];
            }
        }
        Order::Pairs(pairs) => {
            for (first, second) in pairs {
                if let Some(s) = stages.get_mut(*second) {
                    s.after.push(*first);
                }
            }
        }
        Order::PerObject => {
            for i in 0..subjects.len().min(stages.len()) {
                let earlier = (0..i).rev().find(|j| subjects[*j] == subjects[i]);
                stages[i].after.extend(earlier);
            }
        }
    }
}
