//! The columns of the table of tasks.

use longarm_assets::libero;
use longarm_task::TaskSpec;
use longarm_task::prelude::*;

use super::{NAME, baskets, drawers, microwaves, pours, transfers};

/// What must be remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Category {
    /// Which of two alike containers objects come from.
    Transferring,
    /// What is where behind something closed.
    Occlusion,
    /// How often something was done.
    Counting,
    /// What an earlier step chose.
    Sequence,
}

impl Category {
    /// In the paper's order.
    pub const ALL: [Self; 4] =
        [Self::Transferring, Self::Occlusion, Self::Counting, Self::Sequence];

    /// As tasks carry it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Transferring => "transferring",
            Self::Occlusion => "occlusion",
            Self::Counting => "counting",
            Self::Sequence => "sequence",
        }
    }

    /// In the paper's words.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Transferring => "Transferring",
            Self::Occlusion => "Occlusion",
            Self::Counting => "Counting",
            Self::Sequence => "Sequence",
        }
    }
}

/// How a task is made.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Drawers(drawers::Drawers),
    Microwaves(microwaves::Microwaves),
    Pours(pours::Pours),
    Baskets(baskets::Baskets),
    Transfers(transfers::Transfers),
}

/// A task.
pub(super) struct Row {
    /// The paper's name of it.
    pub title: &'static str,
    /// Its number in the released code.
    pub number: u32,
    pub category: Category,
    /// Stages that the released code checks, and the mean length of the paper's demonstrations.
    pub stages: u32,
    pub steps: u32,
    pub prompt: &'static str,
    pub kind: Kind,
}

impl Row {
    /// Its id: the paper's name in kebab case.
    pub fn id(&self) -> String {
        let words: Vec<String> =
            self.title.split([' ', '-']).map(|w| w.to_lowercase().replace('×', "x")).collect();
        format!("{NAME}/{}", words.join("-"))
    }

    /// The task.
    pub fn task(&self) -> TaskSpec {
        let spec = TaskSpec::new(&self.id(), RigName::LIBERO_COFFEE)
            .instruction(self.prompt)
            .region(&region(TABLE, rect([-0.33, -0.78], [0.33, 0.78])))
            .labels([self.category.label()])
            .stages(from_plan());
        let mut spec = match &self.kind {
            Kind::Drawers(k) => k.task(spec),
            Kind::Microwaves(k) => k.task(spec),
            Kind::Pours(k) => k.task(spec),
            Kind::Baskets(k) => k.task(spec),
            Kind::Transfers(k) => k.task(spec),
        };
        let subtasks = spec.plan.written().len() as u32;
        spec.pace = PACE;
        spec.horizon = HORIZON.max(STEPS_PER_SUBTASK * subtasks);
        spec.source.work = format!("RoboMemArena, Table S2, task {}", self.number);
        spec.source.title = self.title.to_owned();
        spec.source = spec.source.phases(self.stages).mean_length(self.steps);
        spec
    }
}

/// Share of the experts' usual speed: at it the suite's mean length comes near the paper's 1,076 steps.
const PACE: f64 = 0.45;
/// Control steps of an episode at least, as in the released runner, and for each subtask.
const HORIZON: u32 = 3_000;
const STEPS_PER_SUBTASK: u32 = 320;

/// The whole table.
pub(super) const TABLE: &str = "table";

/// An object or fixture of LIBERO's vocabulary, called by what it is.
pub(super) fn item(name: &str, category: libero::Category) -> ObjectSpec {
    object(name, Libero { category }).called(category.noun())
}

/// One of two alike: left and right as the camera shows them.
pub(super) fn sides(what: &str) -> [String; 2] {
    ["left", "right"].map(|side| format!("{side} {what}"))
}

pub(super) use longarm_task::ObjectSpec;
