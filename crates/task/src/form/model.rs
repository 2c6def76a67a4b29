//! What a task file may say.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Area, AssetRef, AtForm, Colours, Groups, Line, OneOrMany, PartForm, Range, Values};
use crate::object::Given;
use crate::stage::{Event, When};
use crate::{Plan, Predicate};

/// A task as a file has it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskForm {
    /// `suite/name`; after the file's name if absent.
    pub id: Option<String>,
    /// A file whose rig, variables, regions, objects and groups this task shares, or the id of a suite's task
    /// whose scene it is.
    pub scene: Option<String>,
    /// Robot, table and cameras: a rig's name, or a file with one of your own.
    pub rig: Option<String>,
    /// What the policy is told; `{n}`, `{block}`, `{block.colour}` and `{block.noun}` are filled in.
    pub instruction: String,
    /// Metres and radians that ±1 of a tool delta stands for; 0.05 and 0.5 if absent.
    pub tool_scale: Option<ScaleForm>,
    /// Tell the policy one stage at a time.
    #[serde(default)]
    pub stepwise: bool,
    /// Whole numbers drawn for each episode.
    #[serde(default)]
    pub variables: BTreeMap<String, Values>,
    /// Named places on the table.
    #[serde(default)]
    pub regions: BTreeMap<String, RegionForm>,
    /// Objects and fixtures, by name.
    #[serde(default)]
    pub objects: BTreeMap<String, ObjectForm>,
    /// Objects that are interchangeable, by the group's name.
    #[serde(default)]
    pub groups: Groups,
    /// Free room kept between objects at the start, in metres.
    pub clearance: Option<f64>,
    /// How it is done; derived from the goal if absent.
    pub plan: Option<Vec<Line<Plan>>>,
    /// What must hold at the end.
    pub goal: Option<OneOrMany<Line<Predicate>>>,
    /// What counts: the steps of the plan in an order, or a list. Without it, the steps of the plan
    /// one after the other, or the parts of the goal where there is no plan.
    pub stages: Option<StagesForm>,
    /// Seconds for which the result must stand, with the hand withdrawn.
    pub quiet: Option<f64>,
    /// What must not happen, by the name told to the user.
    #[serde(default)]
    pub forbid: BTreeMap<String, Line<Event>>,
    /// What the task measures, in words of your own.
    #[serde(default)]
    pub labels: Vec<String>,
    /// Control steps (20 per second) after which the episode ends; from the length of the plan if
    /// absent.
    pub horizon: Option<u32>,
    /// How fast the scripted expert moves, as a share of its usual speed.
    pub pace: Option<f64>,
    /// Where the task comes from.
    #[serde(default)]
    pub source: String,
}

/// What ±1 of a tool delta stands for, per control step.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScaleForm {
    /// Translation, in metres.
    pub metres: Option<f64>,
    /// Rotation, in radians.
    pub radians: Option<f64>,
}

/// A scene that several tasks share.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneForm {
    /// Robot, table and cameras, by the rig's name.
    pub rig: Option<String>,
    /// Whole numbers drawn for each episode.
    #[serde(default)]
    pub variables: BTreeMap<String, Values>,
    /// Named places on the table.
    #[serde(default)]
    pub regions: BTreeMap<String, RegionForm>,
    /// Objects and fixtures, by name.
    #[serde(default)]
    pub objects: BTreeMap<String, ObjectForm>,
    /// Objects that are interchangeable, by the group's name.
    #[serde(default)]
    pub groups: Groups,
    /// Free room kept between objects at the start, in metres.
    pub clearance: Option<f64>,
}

/// A named place on the table.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegionForm {
    /// A point or rectangle where the origin of an object may be.
    pub at: Option<Area>,
    /// Several of them, of which one is drawn.
    #[serde(default)]
    pub any_of: Vec<Area>,
    /// Heading in radians, or a range of headings.
    pub yaw: Option<Range>,
    /// Height of the surface.
    #[serde(default)]
    pub z: f64,
    /// How far outside an object may lie and still be `at` it, in metres.
    pub tolerance: Option<f64>,
}

/// An object of a task, with where it starts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectForm {
    /// What it is; one is drawn if there are several.
    pub asset: OneOrMany<Line<AssetRef>>,
    /// Starts in a region, at a point or in a rectangle.
    pub at: Option<AtForm>,
    /// Starts on another object.
    pub on: Option<String>,
    /// With `on`: metres along the carrier's x and y.
    pub offset: Option<[f64; 2]>,
    /// Starts under a cover.
    pub under: Option<String>,
    /// Starts in one of several regions, as a variable says.
    pub chosen: Option<ChosenForm>,
    /// Heading in radians, or a range of headings.
    pub yaw: Option<Range>,
    /// Its colour: `any`, one, or several to choose from.
    pub colour: Option<Colours>,
    /// Objects whose colour it must not have.
    #[serde(default)]
    pub unlike: Vec<String>,
    /// Object whose colour it has.
    pub same_colour_as: Option<String>,
    /// When it is there: `n >= 2`.
    pub when: Option<Line<Given>>,
    /// What sentences call it.
    pub called: Option<String>,
    /// How its drawers, doors and knobs start.
    #[serde(default)]
    pub parts: BTreeMap<String, PartForm>,
    /// Of a conveyor: speed in metres per second.
    pub speed: Option<Range>,
}

/// One of several regions.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChosenForm {
    /// The variable.
    pub by: String,
    /// As many regions as the variable has values.
    pub places: Vec<String>,
}

/// What counts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "\"sequential\", \"any-order\" or \"per-object\", or a list of { name, when }"
)]
pub enum StagesForm {
    /// The steps of the plan in this order.
    FromPlan(OrderForm),
    /// Written out, one after the other.
    Listed(Vec<StageForm>),
}

/// In which order the steps of a plan count.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OrderForm {
    /// One after the other.
    Sequential,
    /// As it comes.
    AnyOrder,
    /// As it comes for different objects, one after the other for the same.
    PerObject,
}

/// One verifiable piece of progress.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageForm {
    /// Unique name.
    pub name: String,
    /// What completes it.
    pub when: Line<When>,
    /// What one would tell somebody to do.
    #[serde(default)]
    pub say: String,
    /// Seconds for which it must hold.
    #[serde(default)]
    pub hold: f64,
    /// It must still hold at the end.
    #[serde(default)]
    pub at_end: bool,
    /// It may be completed before the stages listed above it.
    #[serde(default)]
    pub any_time: bool,
    /// Seconds within which it must be completed once it could be.
    pub within: Option<f64>,
}
