//! What must happen, in which order, how often, for how long, and what must not.

use serde::{Deserialize, Serialize};

use crate::{Goal, Predicate};

/// One verifiable piece of progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Unique name.
    pub name: String,
    /// What one would tell somebody to do, a template; the name if empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sentence: String,
    /// What makes it complete.
    pub when: When,
    /// Seconds for which that must hold without a break.
    #[serde(default)]
    pub hold: f64,
    /// Stages (by index) that must be complete before it is looked at.
    #[serde(default)]
    pub after: Vec<usize>,
    /// It must still hold at the end; otherwise once is enough.
    #[serde(default)]
    pub must_last: bool,
    /// When it may be completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// Which repetition it belongs to, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// Once it is complete the arm is set back to its home posture, hand open; nothing else moves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub neutral: bool,
    /// What its progress is measured by in place of what completes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<Predicate>,
}

/// A time window for a stage, in seconds since it could first be worked on (its predecessors were
/// complete, or the episode began).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Not completed earlier.
    #[serde(default)]
    pub earliest: f64,
    /// Cannot be completed later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<f64>,
}

/// What completes a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum When {
    /// This holds.
    Holds(Predicate),
    /// This has happened so many times since the episode began.
    Times {
        /// What is counted.
        count: Count,
        /// How often.
        reach: u32,
    },
}

impl From<Predicate> for When {
    fn from(p: Predicate) -> Self {
        Self::Holds(p)
    }
}

/// Something that can be counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Count {
    /// How often this became true. It must stay so for a moment to count, and cease for a moment to
    /// count again, so that contact jitter is not an event.
    Rises(Predicate),
    /// How often a held tool was drawn over a surface: each travel of `length` in contact without
    /// turning back is one stroke.
    Strokes {
        /// The tool.
        tool: String,
        /// The surface.
        surface: String,
        /// Metres that make a stroke.
        length: f64,
    },
}

/// How often a predicate became true.
pub fn times(p: Predicate) -> Count {
    Count::Rises(p)
}

/// How often a held tool was drawn over a surface for at least `length` metres.
pub fn strokes(tool: impl Into<String>, surface: impl Into<String>, length: f64) -> Count {
    Count::Strokes { tool: tool.into(), surface: surface.into(), length }
}

impl Count {
    /// It has happened this often: what completes a stage.
    pub fn reach(self, n: u32) -> When {
        When::Times { count: self, reach: n }
    }

    /// It happens more often than this: an event to forbid.
    pub fn more_than(self, n: u32) -> Event {
        Event::Times { count: self, more_than: n }
    }
}

/// Something that can be forbidden.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Event {
    /// It happened more often than allowed.
    Times {
        /// What is counted.
        count: Count,
        /// How often is still allowed.
        more_than: u32,
    },
    /// This held for so many seconds.
    Holds {
        /// What.
        when: Predicate,
        /// How long.
        seconds: f64,
    },
    /// The event, looked at only once a stage is complete.
    After {
        /// The stage's name.
        stage: String,
        /// The event.
        event: Box<Self>,
    },
    /// The event, looked at only until a stage is complete.
    Before {
        /// The stage's name.
        stage: String,
        /// The event.
        event: Box<Self>,
    },
}

/// A predicate that must not be true for as long as a moment.
pub fn ever(p: Predicate) -> Event {
    Event::Holds { when: p, seconds: MOMENT }
}

/// Shorter than this is jitter, in seconds.
pub const MOMENT: f64 = 0.1;

impl Event {
    /// The predicate held for this long.
    pub fn lasting(self, seconds: f64) -> Self {
        match self {
            Self::Holds { when, .. } => Self::Holds { when, seconds },
            other => other,
        }
    }

    /// Looked at only once this stage is complete.
    pub fn after(self, stage: impl Into<String>) -> Self {
        Self::After { stage: stage.into(), event: Box::new(self) }
    }

    /// Looked at only until this stage is complete.
    pub fn before(self, stage: impl Into<String>) -> Self {
        Self::Before { stage: stage.into(), event: Box::new(self) }
    }
}

/// Stages a forbidden event takes back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Revokes {
    /// Those of the last repetition; the last stage where nothing repeats.
    #[default]
    LastRound,
    /// These, by name.
    Stages(Vec<String>),
    /// None.
    Nothing,
}

/// An event that ends the episode as a failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forbid {
    /// Name, as told to the user.
    pub name: String,
    /// The event.
    pub event: Event,
    /// What it takes back.
    #[serde(default)]
    pub revokes: Revokes,
}

/// A stage that completes when something holds, or has happened so many times.
pub fn stage(name: impl Into<String>, when: impl Into<When>) -> Stage {
    Stage {
        name: name.into(),
        sentence: String::new(),
        when: when.into(),
        hold: 0.0,
        after: Vec::new(),
        must_last: false,
        window: None,
        round: None,
        neutral: false,
        measure: None,
    }
}

impl Stage {
    /// What one would tell somebody to do.
    pub fn saying(mut self, sentence: impl Into<String>) -> Self {
        self.sentence = sentence.into();
        self
    }

    /// It must hold for this long without a break.
    pub fn hold(mut self, seconds: f64) -> Self {
        self.hold = seconds;
        self
    }

    /// Only looked at when these stages are complete.
    pub fn after(mut self, stages: impl IntoIterator<Item = usize>) -> Self {
        self.after.extend(stages);
        self
    }

    /// It must still hold when the episode ends.
    pub fn at_end(mut self) -> Self {
        self.must_last = true;
        self
    }

    /// It must be completed within this many seconds of becoming possible.
    pub fn within(mut self, seconds: f64) -> Self {
        self.window.get_or_insert(Window { earliest: 0.0, deadline: None }).deadline =
            Some(seconds);
        self
    }

    /// It counts only from this many seconds after becoming possible.
    pub fn not_before(mut self, seconds: f64) -> Self {
        self.window.get_or_insert(Window { earliest: 0.0, deadline: None }).earliest = seconds;
        self
    }

    /// Which repetition it belongs to, from 1.
    pub fn round(mut self, round: u32) -> Self {
        self.round = Some(round);
        self
    }

    /// Once it is complete the arm is set back to its home posture.
    pub fn then_neutral(mut self) -> Self {
        self.neutral = true;
        self
    }

    /// Measure progress towards it by this predicate instead of by what completes it.
    pub fn measured_by(mut self, p: Predicate) -> Self {
        self.measure = Some(p);
        self
    }

    /// What to say for it.
    pub fn sentence(&self) -> &str {
        if self.sentence.is_empty() { &self.name } else { &self.sentence }
    }
}

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
    /// One per object that belongs somewhere: so many are where they belong, and stay there.
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
