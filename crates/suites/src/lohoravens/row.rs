//! What a row of the table says, and the task it makes.

use longarm_assets::RigName;
use longarm_task::{Instances, TaskSpec, source};
use longarm_types::Seed;

use super::arithmetic::{self, Count};
use super::bowl::{self, Bowls};
use super::draft::Draft;
use super::hidden::{self, Hidden};
use super::moving::{self, Moving};
use super::shape::{self, Shape};
use super::stack::{self, Stack};

/// Raised whenever a seed begins to mean another instance.
const VERSION: u32 = 1;

/// How an instance is drawn.
#[derive(Clone, Copy)]
pub(super) enum Family {
    Stack(Stack),
    Bowls(Bowls),
    Moving(Moving),
    Hidden(Hidden),
    Count(Count),
    Shape(Shape),
}

/// What a task asks for, as the paper has it.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "the names say it")]
pub(super) enum Capability {
    Colour,
    Size,
    Spatiality,
    Arithmetic,
    Reference,
    Shape,
    Commonsense,
    Occlusion,
}

impl Capability {
    /// All of them, in the paper's order.
    pub(super) const ALL: [Self; 8] = [
        Self::Colour,
        Self::Size,
        Self::Spatiality,
        Self::Arithmetic,
        Self::Reference,
        Self::Shape,
        Self::Commonsense,
        Self::Occlusion,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Colour => "color",
            Self::Size => "size",
            Self::Spatiality => "spatiality",
            Self::Arithmetic => "arithmetic",
            Self::Reference => "reference",
            Self::Shape => "shape",
            Self::Commonsense => "commonsense",
            Self::Occlusion => "occlusion",
        }
    }
}

/// Labels of the two halves.
pub(super) const SEEN: &str = "seen";
pub(super) const UNSEEN: &str = "unseen";

/// Ours: the paper's split of twenty and twenty is not public. Where the public code trains or
/// tests on a task, so do we.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Split {
    Seen,
    Unseen,
}

/// One task.
pub(super) struct TemplateRow {
    /// Its place in the paper's Table 5.
    pub number: u32,
    pub id: &'static str,
    /// The paper's name.
    pub title: &'static str,
    /// What an instance tells the policy, with holes.
    pub says: &'static str,
    pub objects: &'static str,
    /// Actions an episode may take, at most.
    pub most: u32,
    pub family: Family,
    pub needs: &'static [Capability],
    pub split: Split,
    /// The instruction tells every step.
    pub fixed: bool,
    /// What ours does otherwise than the public code or, without such code, than the paper says.
    pub deviations: &'static [&'static str],
}

/// The task of a row: a template whose instances are drawn by its family.
pub(super) fn task(row: &'static TemplateRow) -> TaskSpec {
    let split = if row.split == Split::Seen { SEEN } else { UNSEEN };
    let mut labels: Vec<String> = row.needs.iter().map(|c| c.name().to_owned()).collect();
    labels.push(format!("{}-capabilities", row.needs.len()));
    labels.push(split.to_owned());
    if row.fixed {
        labels.push("step-by-step".to_owned());
    }
    let mut from = source(format!("LoHoRavens, Table 5, task {}", row.number));
    from.title = row.title.to_owned();
    from.objects = row.objects.to_owned();
    from.deviations = COMMON.iter().chain(row.deviations).map(|d| (*d).to_owned()).collect();
    let mut spec = TaskSpec::new(row.id, RigName::UR5E_SUCTION)
        .instruction(row.says)
        .labels(labels)
        .horizon(row.most)
        .source(from);
    let instance_of = spec.clone();
    spec.instances = Some(Instances::new(VERSION, move |seed| {
        let made = instance(row, seed);
        TaskSpec { labels: instance_of.labels.clone(), source: instance_of.source.clone(), ..made }
    }));
    spec
}

fn instance(row: &TemplateRow, seed: Seed) -> TaskSpec {
    let d = Draft::new(row.id, seed);
    let (text, mut spec) = match &row.family {
        Family::Stack(f) => stack::instance(row.id, f, d),
        Family::Bowls(f) => bowl::instance(row.id, f, d),
        Family::Moving(f) => moving::instance(row.id, f, d),
        Family::Hidden(f) => hidden::instance(row.id, f, d),
        Family::Count(f) => arithmetic::instance(row.id, f, d),
        Family::Shape(f) => shape::instance(row.id, f, d),
    };
    if row.fixed {
        let steps: Vec<String> =
            spec.plan.written().iter().filter_map(|s| s.said.as_deref()).map(sentence).collect();
        let goal = text.trim_end_matches('.');
        let goal = format!("{}{}", goal[..1].to_lowercase(), &goal[1..]);
        spec.instruction = format!(
            "The goal is to {goal}. The step-by-step instructions are: {}",
            steps.join(" ")
        );
    }
    spec
}

fn sentence(said: &str) -> String {
    format!("{}{}.", said[..1].to_uppercase(), &said[1..])
}

/// What holds for every task of the suite.
const COMMON: &[&str] = &[
    "every object to place is worth the same and is judged after each action, at rest, and again \
     at the end: the score is the largest number of objects in places of their own over the number \
     there is to place; uncovering carries no weight",
    "sixteen colours in three sets that share none: train (even seeds) yellow, green, brown, cyan, \
     gray, indigo; validation (odd) blue, orange, pink, silver, black; test (odd from 10001) red, \
     purple, gold, violet, white; so at most five or six colours meet in a scene",
    "an object is in a zone when all of it is; the reference gives part of the credit for part of \
     its points",
    "towers are at most 0.28 m high; things stand within 0.77 m of the robot, which leaves out the \
     two far corners; zones and bowls stand square to the table",
];
