//! A task: one value that says everything about it.

mod build;
mod source;

pub use source::{Source, source};

use std::collections::BTreeMap;

use longarm_assets::{ControlError, Rig, RigName};
use longarm_types::{ControlMode, Digest, TaskId, ToolScale};
use serde::{Deserialize, Serialize};

use crate::place::Init;
use crate::plan::{FlatStep, Op, Plan, Planned};
use crate::stage::{Forbid, Order, Revokes, Stage, Stages, apply, placements};
use crate::{
    Alias, Bound, FromFiles, Instances, ObjectSpec, Predicate, RegionSpec, Scene, Show, SpecError,
};

/// Free room kept between footprints unless a task says otherwise.
const CLEARANCE: f64 = 0.01;

/// The scripted expert's own speed.
pub const USUAL_PACE: f64 = 1.0;

fn usual_pace() -> f64 {
    USUAL_PACE
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_usual_pace(pace: &f64) -> bool {
    *pace == USUAL_PACE
}

/// Everything about a task: what the scene may be, what is asked, what counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskSpec {
    /// `suite/name`.
    pub id: TaskId,
    /// Robot, table, cameras.
    pub rig: RigName,
    /// What actions command; what the rig does by default if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<ControlMode>,
    /// What ±1 of a tool delta stands for.
    #[serde(default, skip_serializing_if = "ToolScale::is_default")]
    pub tool_scale: ToolScale,
    /// What the policy is told, a template.
    pub instruction: String,
    /// The policy is told one stage at a time: the sentence of the present one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stepwise: bool,
    /// Integers drawn uniformly from their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, Vec<i64>>,
    /// Names for what a variable decides.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub aliases: BTreeMap<String, Alias>,
    /// What there may be.
    pub objects: Vec<ObjectSpec>,
    /// Objects that are interchangeable, by the group's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<String, Vec<String>>,
    /// Named places on the table.
    #[serde(default)]
    pub regions: Vec<RegionSpec>,
    /// How it begins.
    pub init: Init,
    /// How it is done.
    #[serde(default)]
    pub plan: Plan,
    /// What counts.
    pub stages: Stages,
    /// What must hold besides for the stage that is completed last to count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finally: Option<Predicate>,
    /// Seconds for which the result must stand, with the hand withdrawn, before the stage that is
    /// completed last counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<f64>,
    /// What must not happen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbid: Vec<Forbid>,
    /// What the task itself moves before the policy's eyes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shows: Vec<Show>,
    /// What it measures, in the words of its suite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Between how many alternatives each decision is that hangs on what is no longer seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<u32>,
    /// Objects the goal is about, for edits that must leave them alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interest: Vec<String>,
    /// Steps after which the episode ends: control steps (20 per second), or actions where each is a
    /// whole pick-and-place.
    pub horizon: u32,
    /// How fast the scripted expert moves, as a share of its usual speed. The horizon goes with it; what
    /// a policy sees and what counts does not.
    #[serde(default = "usual_pace", skip_serializing_if = "is_usual_pace")]
    pub pace: f64,
    /// Where it comes from.
    #[serde(default)]
    pub source: Source,
    /// Makes the task of a seed; this one is then only a template.
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub instances: Option<Instances>,
    /// The files of other people's that it is played in, in place of a scene of `objects`.
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub files: Option<FromFiles>,
}

impl TaskSpec {
    /// An empty task.
    ///
    /// # Panics
    /// If `id` is not `suite/kebab-case`, which is a mistake in the task's source.
    pub fn new(id: &str, rig: RigName) -> Self {
        Self {
            id: id.parse().unwrap_or_else(|e| panic!("{e}")),
            rig,
            control: None,
            tool_scale: ToolScale::DEFAULT,
            instruction: String::new(),
            stepwise: false,
            variables: BTreeMap::new(),
            aliases: BTreeMap::new(),
            objects: Vec::new(),
            groups: BTreeMap::new(),
            regions: Vec::new(),
            init: Init { clearance: CLEARANCE, ..Init::default() },
            plan: Plan::default(),
            stages: Stages::Listed(Vec::new()),
            finally: None,
            quiet: None,
            forbid: Vec::new(),
            shows: Vec::new(),
            labels: Vec::new(),
            decisions: Vec::new(),
            interest: Vec::new(),
            horizon: 0,
            pace: USUAL_PACE,
            source: Source::default(),
            instances: None,
            files: None,
        }
    }

    /// An empty task, or an error where the id is not `suite/kebab-case`.
    pub fn new_checked(id: &str, rig: RigName) -> Result<Self, SpecError> {
        match id.parse::<TaskId>() {
            Ok(_) => Ok(Self::new(id, rig)),
            Err(_) => Err(SpecError::BadId { name: id.to_owned() }),
        }
    }

    /// The object of this name.
    pub fn object(&self, name: &str) -> Option<&ObjectSpec> {
        self.objects.iter().find(|o| o.name == name)
    }

    /// As JSON; fields in a fixed order, maps sorted.
    pub fn to_json(&self) -> String {
        // A spec is plain data: strings, numbers, lists.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// From JSON, validated.
    pub fn from_json(text: &str) -> Result<Self, SpecError> {
        let spec: Self =
            serde_json::from_str(text).map_err(|e| SpecError::Json { message: e.to_string() })?;
        spec.validate()?;
        Ok(spec)
    }

    /// Digest of the canonical JSON.
    pub fn hash(&self) -> Digest {
        Digest::of(&serde_json::to_vec(self).unwrap_or_default())
    }

    /// The stages, sentences not yet filled in. Where they follow the plan, branches are taken as
    /// in `scene`, or the first side without one.
    pub fn stage_list(&self, scene: Option<(&Bound, &Scene)>) -> Result<Vec<Stage>, SpecError> {
        let steps = match (&self.stages, scene) {
            (Stages::Listed(_) | Stages::Placed(_), _) => Vec::new(),
            (Stages::FromPlan(_), Some((bound, scene))) => self.plan.steps(bound, scene)?,
            (Stages::FromPlan(_), None) => {
                let planned = |f: FlatStep<'_>| {
                    let step = f.step.clone();
                    let sentence = step.said.clone().unwrap_or_else(|| step.sentence());
                    let (name, choices) = (step.name(), Vec::new());
                    Planned { step, name, sentence, round: f.round, after: f.after, choices }
                };
                self.plan.flatten(&mut |_| true).into_iter().map(planned).collect()
            }
        };
        Ok(self.stages_along(&steps))
    }

    /// The stages where the plan comes to these steps.
    pub(crate) fn stages_along(&self, steps: &[Planned]) -> Vec<Stage> {
        let order = match &self.stages {
            Stages::Listed(stages) => return stages.clone(),
            Stages::Placed(goal) => return placements(goal),
            Stages::FromPlan(order) => order,
        };
        let mut stages: Vec<Stage> = Vec::new();
        // The name is the same in every scene; the sentence says what is there.
        for (i, Planned { step, name: plain, sentence, round, after, .. }) in
            steps.iter().enumerate()
        {
            let same = |name: &str| stages.iter().any(|s| s.name == name);
            let name = if same(plain) {
                (2..).map(|n| format!("{plain} ({n})")).find(|n| !same(n)).unwrap_or_default()
            } else {
                plain.clone()
            };
            stages.push(Stage {
                name,
                sentence: sentence.clone(),
                when: step.when(steps[..i].iter().map(|t| &t.step.op)),
                hold: step.op.hold(),
                // One after the other, but for what is done side by side.
                after: if *order == Order::Sequential { after.clone() } else { Vec::new() },
                must_last: false,
                window: None,
                round: *round,
                reset_arm_after: false,
                measure: None,
            });
        }
        let subjects: Vec<_> =
            steps.iter().map(|t| t.step.op.subject().map(str::to_owned)).collect();
        if *order != Order::Sequential {
            apply(order, &mut stages, &subjects);
        }
        stages
    }

    /// Return the rig under the task's control mode and scale. Where the rig does not offer the mode,
    /// which validation refuses, its own.
    pub fn rig(&self) -> Rig {
        let mut rig = self.rig.rig();
        if !self.tool_scale.is_default() {
            rig = rig.with_tool_scale(self.tool_scale);
        }
        match self.control {
            Some(mode) => rig.clone().with_control(mode).unwrap_or(rig),
            None => rig,
        }
    }

    /// Return the same task under a control mode of its rig.
    pub fn with_control(mut self, mode: ControlMode) -> Result<Self, ControlError> {
        let rig = self.rig.rig();
        self.control = (rig.control != mode).then_some(mode);
        rig.with_control(mode)?;
        Ok(self)
    }

    /// Names of the stages, the same in every scene.
    pub fn stage_names(&self) -> Vec<String> {
        self.stage_list(None).unwrap_or_default().into_iter().map(|s| s.name).collect()
    }

    /// Return what a reader is told of the stages, in their order: names, in words where they are made of the
    /// names that objects have in a file.
    pub fn stage_titles(&self) -> Vec<String> {
        self.stage_names().into_iter().map(|n| self.stage_title(&n)).collect()
    }

    /// Return what a reader is told of the stage of this name.
    pub fn stage_title(&self, name: &str) -> String {
        crate::bddl::said(self, name).unwrap_or_else(|| {
            let words: Vec<String> = name.split(' ').map(|w| self.spoken(w)).collect();
            words.join(" ")
        })
    }

    /// Return a word of a sentence; the name of an object, such as `wine_bottle`, as its noun.
    fn spoken(&self, word: &str) -> String {
        if !word.contains('_') {
            return word.to_owned();
        }
        let noun = |o: &ObjectSpec| o.assets.first().map(|a| a.noun().to_owned());
        let own = self.object(word).and_then(noun);
        let alike = self.objects.iter().filter(|o| noun(o) == own).count();
        own.filter(|_| alike == 1).unwrap_or_else(|| word.replace('_', " "))
    }

    /// Which stages a forbidden event takes back.
    pub fn revoked(&self, forbid: &Forbid, stages: &[Stage]) -> Vec<usize> {
        match &forbid.revokes {
            Revokes::Nothing => Vec::new(),
            Revokes::Stages(names) => {
                (0..stages.len()).filter(|i| names.contains(&stages[*i].name)).collect()
            }
            Revokes::LastRound => match stages.iter().filter_map(|s| s.round).max() {
                Some(last) => {
                    (0..stages.len()).filter(|i| stages[*i].round == Some(last)).collect()
                }
                None => stages.len().checked_sub(1).into_iter().collect(),
            },
        }
    }

    /// What a list of tasks says of it, as JSON: id, suite, instruction, labels, stages, horizon, robots
    /// and rig.
    pub fn summary(&self) -> serde_json::Map<String, serde_json::Value> {
        let fields = [
            ("id", serde_json::json!(self.id)),
            ("suite", self.id.suite().into()),
            ("instruction", self.instruction.as_str().into()),
            ("labels", self.labels.clone().into()),
            ("stages", self.stage_names().into()),
            ("horizon", self.horizon.into()),
            ("robot", self.rig().robot_names().into()),
            ("rig", serde_json::json!(self.rig)),
        ];
        fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    /// How often somebody without memory can be right by guessing at every decision that needs one.
    pub fn guessing_ceiling(&self) -> f64 {
        self.decisions.iter().map(|n| 1.0 / f64::from((*n).max(1))).product()
    }

    /// Operators as written in the plan.
    pub fn ops(&self) -> Vec<&Op> {
        self.plan.written().into_iter().map(|s| &s.op).collect()
    }
}
