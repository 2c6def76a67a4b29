//! Building a task call by call.

use super::{Source, TaskSpec};
use crate::place::{PartStart, Placement, Spot};
use crate::plan::Plan;
use crate::stage::{Event, Forbid, Revokes, Stages};
use crate::{ObjectSpec, Predicate, RegionSpec};
use longarm_types::ToolScale;

impl TaskSpec {
    /// What the policy is told; `{n}`, `{block}`, `{block.colour}` and `{block.noun}` are filled in.
    pub fn instruction(mut self, template: impl Into<String>) -> Self {
        self.instruction = template.into();
        self
    }

    /// A number drawn uniformly from these.
    pub fn variable(
        mut self,
        name: impl Into<String>,
        values: impl IntoIterator<Item = i64>,
    ) -> Self {
        self.variables.insert(name.into(), values.into_iter().collect());
        self
    }

    /// Adds an object where it starts, and the region if that is new.
    pub fn place(mut self, object: &ObjectSpec, spot: impl Into<Spot>) -> Self {
        let spot = spot.into();
        for r in &spot.regions {
            self = self.region(r);
        }
        self.objects.push(object.clone());
        self.init.places.push(Placement {
            object: object.name.clone(),
            place: spot.place,
            yaw: spot.yaw,
        });
        self
    }

    /// Declares a region; declaring the very same one again changes nothing.
    pub fn region(mut self, region: &RegionSpec) -> Self {
        if !self.regions.contains(region) {
            self.regions.push(region.clone());
        }
        self
    }

    /// Makes objects interchangeable: a predicate about the group means some member, an operator
    /// on it any member.
    pub fn group<N: Into<String>>(
        mut self,
        name: impl Into<String>,
        members: impl IntoIterator<Item = N>,
    ) -> Self {
        self.groups.insert(name.into(), members.into_iter().map(Into::into).collect());
        self
    }

    /// How a part starts.
    pub fn part(mut self, path: impl Into<String>, start: PartStart) -> Self {
        self.init.parts.push((path.into(), start));
        self
    }

    /// Speed range of a conveyor, metres per second.
    pub fn belt(mut self, conveyor: impl Into<String>, from: f64, to: f64) -> Self {
        self.init.belts.push((conveyor.into(), [from, to]));
        self
    }

    /// Free room kept between footprints at the start.
    pub fn clearance(mut self, metres: f64) -> Self {
        self.init.clearance = metres;
        self
    }

    /// How it is done.
    pub fn plan(mut self, plan: impl Into<Plan>) -> Self {
        self.plan = plan.into();
        self
    }

    /// What counts; an array means one after the other.
    pub fn stages(mut self, stages: impl Into<Stages>) -> Self {
        self.stages = stages.into();
        self
    }

    /// What the whole scene must be like for the stage completed last to count.
    pub fn finally(mut self, p: Predicate) -> Self {
        self.finally = Some(p);
        self
    }

    /// The stage completed last counts when its result has stood for this many seconds with the
    /// hand withdrawn.
    pub fn quiet_at_end(mut self, seconds: f64) -> Self {
        self.quiet = Some(seconds);
        self
    }

    /// Ends the episode when this happens and takes back the stages of the last repetition.
    pub fn forbid(mut self, name: impl Into<String>, event: Event) -> Self {
        self.forbid.push(Forbid { name: name.into(), event, revokes: Revokes::LastRound });
        self
    }

    /// What the last `forbid` takes back instead.
    pub fn revoking<N: Into<String>>(mut self, stages: impl IntoIterator<Item = N>) -> Self {
        if let Some(f) = self.forbid.last_mut() {
            f.revokes = Revokes::Stages(stages.into_iter().map(Into::into).collect());
        }
        self
    }

    /// What it measures.
    pub fn labels<N: Into<String>>(mut self, labels: impl IntoIterator<Item = N>) -> Self {
        self.labels = labels.into_iter().map(Into::into).collect();
        self
    }

    /// Between how many alternatives each decision is that hangs on what is no longer seen.
    pub fn decisions(mut self, alternatives: impl IntoIterator<Item = u32>) -> Self {
        self.decisions = alternatives.into_iter().collect();
        self
    }

    /// Control steps after which the episode ends.
    pub fn horizon(mut self, steps: u32) -> Self {
        self.horizon = steps;
        self
    }

    /// Metres and radians that ±1 of a tool delta stands for.
    pub fn tool_scale(mut self, metres: f64, radians: f64) -> Self {
        self.tool_scale = ToolScale { metres, radians };
        self
    }

    /// How fast the scripted expert moves, as a share of its usual speed.
    pub fn pace(mut self, share: f64) -> Self {
        self.pace = share;
        self
    }

    /// Where it comes from.
    pub fn source(mut self, source: Source) -> Self {
        self.source = source;
        self
    }
}
