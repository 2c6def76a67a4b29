//! What can be wrong with a task, in one sentence each.

use longarm_types::Seed;

/// What is wrong with a task specification.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum SpecError {
    #[error("{task}: no {kind} {name:?}{hint}")]
    Unknown { task: String, kind: &'static str, name: String, hint: String },
    #[error("{task}: {name:?} is declared twice; names of objects, regions and groups are unique")]
    Duplicate { task: String, name: String },
    #[error("{task}: {name:?} is not {wanted}, which {place} needs")]
    WrongKind { task: String, name: String, wanted: &'static str, place: &'static str },
    #[error("{task}: {name:?} cannot be open or closed: a {noun} has no drawer, door or knob")]
    NotOpenable { task: String, name: String, noun: String },
    #[error("{task}: nothing can be put into {name:?}: a {noun} has no inside")]
    NoInside { task: String, name: String, noun: String },
    #[error("{task}: object {name:?} has no place; add .place(&{name}, …)")]
    Unplaced { task: String, name: String },
    #[error("{task}: object {name:?} is placed twice")]
    PlacedTwice { task: String, name: String },
    #[error("{task}: {names} are placed relative to each other in a circle")]
    PlacementCycle { task: String, names: String },
    #[error("{task}: {names} take their colours from each other in a circle")]
    ColourCycle { task: String, names: String },
    #[error("{task}: object {name:?} has no asset to be made of")]
    NoAsset { task: String, name: String },
    #[error("{task}: object {name:?} has no colour to choose from")]
    NoColour { task: String, name: String },
    #[error("{task}: variable {name:?} has no values")]
    EmptyVariable { task: String, name: String },
    #[error(
        "{task}: {name:?} chooses among {places} places by variable {variable:?}, which has {values} values"
    )]
    ChoiceCount { task: String, name: String, variable: String, places: usize, values: usize },
    #[error("{task}: region {name:?} has no rectangle, or one that is not finite")]
    BadRegion { task: String, name: String },
    #[error("{task}: {what} is {value}; it must be {wanted}")]
    BadNumber { task: String, what: String, value: String, wanted: &'static str },
    #[error("{task}: the template {template:?} has an open brace without its partner")]
    BadTemplate { task: String, template: String },
    #[error("{task}: there is no stage, so nothing could be achieved")]
    NoStages { task: String },
    #[error("{task}: stage {name:?} comes after stage {index}, but there are only {stages} stages")]
    StageIndex { task: String, name: String, index: usize, stages: usize },
    #[error("{task}: the order of stages goes in a circle through {name:?}")]
    StageCycle { task: String, name: String },
    #[error(
        "{task}: stages follow the plan, but its branches have {one} and {other} steps; give them the same number"
    )]
    UnevenBranches { task: String, one: usize, other: usize },
    #[error("{task}: {steps} steps are done together, and the rig has {limbs} limb(s)")]
    TooFewLimbs { task: String, steps: usize, limbs: usize },
    #[error("{task}: limb {name:?} has two of the steps done together; give it one")]
    SharedLimb { task: String, name: String },
    #[error("the task is not readable: {message}")]
    Json { message: String },
    #[error("{name:?} is not a task id; ids look like suite/name-of-the-task")]
    BadId { name: String },
}

impl SpecError {
    /// The names it is about, the one at fault first.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Unknown { name, .. }
            | Self::Duplicate { name, .. }
            | Self::WrongKind { name, .. }
            | Self::NotOpenable { name, .. }
            | Self::NoInside { name, .. }
            | Self::Unplaced { name, .. }
            | Self::PlacedTwice { name, .. }
            | Self::NoAsset { name, .. }
            | Self::NoColour { name, .. }
            | Self::EmptyVariable { name, .. }
            | Self::ChoiceCount { name, .. }
            | Self::BadRegion { name, .. }
            | Self::StageIndex { name, .. }
            | Self::StageCycle { name, .. }
            | Self::SharedLimb { name, .. }
            | Self::BadId { name } => vec![name],
            Self::PlacementCycle { names, .. } | Self::ColourCycle { names, .. } => {
                names.split(", ").collect()
            }
            Self::BadTemplate { template, .. } => vec![template],
            Self::BadNumber { what, .. } => vec![what.rsplit(' ').next().unwrap_or(what)],
            Self::NoStages { .. }
            | Self::UnevenBranches { .. }
            | Self::TooFewLimbs { .. }
            | Self::Json { .. } => Vec::new(),
        }
    }
}

/// Why a scene could not be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum SampleError {
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error(
        "{task}, seed {}: no free place for {object:?} {place} in {tries} tries; in the way: {blockers}. \
         Enlarge the region, take an object away or lower the clearance",
        seed.0
    )]
    Crowded {
        task: String,
        seed: Seed,
        object: String,
        place: String,
        tries: usize,
        blockers: String,
    },
    #[error(
        "{task}, seed {}: no colour is left for {object:?}; give it more to choose from",
        seed.0
    )]
    NoColourLeft { task: String, seed: Seed, object: String },
    #[error(
        "{task}, seed {}: {object:?} is placed relative to {other:?}, which is not in this scene",
        seed.0
    )]
    Absent { task: String, seed: Seed, object: String, other: String },
}
