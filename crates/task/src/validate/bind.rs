//! What a task names, against the bodies, parts and stages there are.

use std::collections::BTreeSet;

use longarm_types::hint;

use super::Check;
use crate::plan::{PlanNode, Test};
use crate::predicate::{in_, is_open, pouring, touching};
use crate::stage::{Count, Event, Revokes, Stage, Stages, When};
use crate::{Bound, Op, Plan, Predicate, SpecError};

impl Check<'_> {
    /// Everything that names a body, against the k-th asset of each object.
    pub(super) fn bind(&mut self, k: usize) {
        let spec = self.spec;
        let bound = match Bound::for_choice(spec, k) {
            Ok(b) => b,
            Err(e) => return self.found.push(e),
        };
        for (path, _) in &spec.init.parts {
            self.bind_one(&bound, &is_open(path));
        }
        for p in &spec.init.places {
            let mut regions = Vec::new();
            p.place.names(&mut |n, region| {
                if region {
                    regions.push(n.to_owned());
                }
            });
            for r in regions {
                self.bind_one(&bound, &crate::predicate::at(&p.object, r));
            }
        }
        self.plan(&bound, &spec.plan);
        for step in spec.plan.written() {
            self.op(&bound, &step.op);
            self.bind_one(&bound, &step.precondition());
            if let Some(p) = &step.effect {
                self.bind_one(&bound, p);
            }
        }
        for stage in spec.stage_list(None).unwrap_or_default() {
            match &stage.when {
                When::Holds(p) => self.bind_one(&bound, p),
                When::Times { count, .. } => self.count(&bound, count),
            }
            if let Some(p) = &stage.measure {
                self.bind_one(&bound, p);
            }
        }
        if let Some(p) = &spec.finally {
            self.bind_one(&bound, p);
        }
        for f in &spec.forbid {
            self.event(&bound, &f.event);
        }
    }

    fn bind_one(&mut self, bound: &Bound, p: &Predicate) {
        self.try_(bound.predicate(p));
    }

    fn plan(&mut self, bound: &Bound, plan: &Plan) {
        for node in &plan.0 {
            match node {
                PlanNode::Do(_) => {}
                PlanNode::Repeat { steps, .. } => self.plan(bound, steps),
                PlanNode::Together(plans) => {
                    self.together(bound, plans);
                    plans.iter().for_each(|p| self.plan(bound, p));
                }
                PlanNode::If { test, then, otherwise } => {
                    match test {
                        Test::Seen(p) => self.bind_one(bound, p),
                        Test::Given(g) => self.known_variable(&g.variable),
                    }
                    self.plan(bound, then);
                    self.plan(bound, otherwise);
                }
            }
        }
    }

    /// Each of what is done side by side needs a limb of its own.
    fn together(&mut self, bound: &Bound, plans: &[Plan]) {
        let limbs = bound.limbs();
        if plans.len() > limbs {
            let (task, steps) = (self.task(), plans.len());
            self.found.push(SpecError::TooFewLimbs { task, steps, limbs });
        }
        let mut taken: BTreeSet<&str> = BTreeSet::new();
        for plan in plans {
            let mut own: BTreeSet<&str> = BTreeSet::new();
            for step in plan.written() {
                own.extend(step.limb.as_deref());
                if let Op::Pass { from, to, .. } = &step.op {
                    own.extend([from.as_str(), to.as_str()]);
                }
            }
            for limb in own.intersection(&taken) {
                let (task, name) = (self.task(), (*limb).to_owned());
                self.found.push(SpecError::SharedLimb { task, name });
            }
            taken.extend(own);
        }
    }

    fn op(&mut self, bound: &Bound, op: &Op) {
        match op {
            Op::Wipe { tool, surface, .. } => self.bind_one(bound, &touching(tool, surface)),
            Op::Pour { from, into } => self.bind_one(bound, &pouring(from, into)),
            Op::Insert { object, into } => self.bind_one(bound, &in_(object, into)),
            other => self.bind_one(bound, &other.effect()),
        }
        let carried = match op {
            Op::Pick { object, .. }
            | Op::Grasp { object }
            | Op::Put { object, .. }
            | Op::Insert { object, .. }
            | Op::Pass { object, .. }
            | Op::PickPlace { object, .. } => object,
            _ => return,
        };
        self.try_(bound.movable(carried, "picking up or putting down"));
    }

    fn count(&mut self, bound: &Bound, count: &Count) {
        match count {
            Count::Rises(p) => self.bind_one(bound, p),
            Count::Strokes { tool, surface, .. } => {
                self.bind_one(bound, &touching(tool, surface));
            }
            Count::Pours { from, into } => self.bind_one(bound, &pouring(from, into)),
        }
    }

    fn event(&mut self, bound: &Bound, event: &Event) {
        match event {
            Event::Times { count, .. } => self.count(bound, count),
            Event::Holds { when, .. } => self.bind_one(bound, when),
            Event::After { stage, event } | Event::Before { stage, event } => {
                self.known_stage(stage);
                self.event(bound, event);
            }
        }
    }

    fn known_stage(&mut self, name: &str) {
        let names = self.spec.stage_names();
        if !names.iter().any(|n| n == name) {
            let hint = hint(name, names.iter().map(String::as_str));
            let (task, name) = (self.task(), name.to_owned());
            self.found.push(SpecError::Unknown { task, kind: "stage", name, hint });
        }
    }

    pub(super) fn stages(&mut self) {
        let spec = self.spec;
        if let (Stages::FromPlan(_), Some((one, other))) = (&spec.stages, spec.plan.uneven()) {
            self.found.push(SpecError::UnevenBranches { task: self.task(), one, other });
        }
        let stages = spec.stage_list(None).unwrap_or_default();
        if stages.is_empty() {
            self.found.push(SpecError::NoStages { task: self.task() });
        }
        let mut seen = BTreeSet::new();
        for s in &stages {
            if !seen.insert(&s.name) {
                self.found.push(SpecError::Duplicate { task: self.task(), name: s.name.clone() });
            }
            for &index in s.after.iter().filter(|j| **j >= stages.len()) {
                self.found.push(SpecError::StageIndex {
                    task: self.task(),
                    name: s.name.clone(),
                    index,
                    stages: stages.len(),
                });
            }
        }
        if let Some(name) = stage_cycle(&stages) {
            self.found.push(SpecError::StageCycle { task: self.task(), name });
        }
        for f in &spec.forbid {
            if let Revokes::Stages(names) = &f.revokes {
                for n in names {
                    self.known_stage(n);
                }
            }
        }
    }
}

fn stage_cycle(stages: &[Stage]) -> Option<String> {
    let mut open: Vec<usize> = (0..stages.len()).collect();
    loop {
        let before = open.len();
        let rest = open.clone();
        open.retain(|i| stages[*i].after.iter().any(|j| rest.contains(j)));
        match open.first() {
            None => return None,
            Some(i) if open.len() == before => return Some(stages[*i].name.clone()),
            _ => {}
        }
    }
}
