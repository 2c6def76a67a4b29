//! What tunes a task: every knob is an option with declared values, the first its default.

use std::f64::consts::PI;

use longarm_task::place::Rect;
use longarm_task::plan::{Plan, PlanNode};
use longarm_task::prelude::*;
use longarm_task::stage::{Stages, When};
use longarm_task::{Place, Predicate, TaskSpec};

use super::{kit_assembly, stack_block};
use crate::SuiteOption;

/// The knobs.
pub(super) const KNOBS: &[SuiteOption] = &[
    SuiteOption {
        name: "tolerance",
        values: &["1", "0.5", "0.75", "1.25", "1.5", "2"],
        help: "how far off may still count, as a multiple of the task's own",
        apply: |task, value| scaled(value).map_or(task.clone(), |k| tolerance(task, k)),
    },
    SuiteOption {
        name: "reach",
        values: &["1", "0.5", "0.75"],
        help: "how far places and headings are drawn from their middle, as a share of the task's own",
        apply: |task, value| scaled(value).map_or(task.clone(), |k| reach(task, k)),
    },
    SuiteOption {
        name: "horizon",
        values: &["1", "0.5", "0.75", "1.5", "2"],
        help: "control steps of an episode, as a multiple of the task's own",
        apply: |mut task, value| {
            if let Some(k) = scaled(value) {
                task.horizon = (f64::from(task.horizon) * k).round() as u32;
            }
            task
        },
    },
    SuiteOption {
        name: "distractors",
        values: &["0", "1", "2", "3", "4"],
        help: "objects on the table that have nothing to do with the task",
        apply: |task, value| value.parse().map_or(task.clone(), |n| distractors(task, n)),
    },
    SuiteOption {
        name: "pieces",
        values: &["task", "2", "3", "4", "5"],
        help: "how many pieces there are, for tasks that have several alike",
        apply: |task, value| match (value.parse(), task.id.as_str()) {
            (Ok(n), "maniladder/stack-block") => stack_block::with_pieces(n),
            (Ok(n), "maniladder/kit-assembly") => kit_assembly::with_pieces(n),
            _ => task,
        },
    },
];

/// A factor other than one.
fn scaled(value: &str) -> Option<f64> {
    value.parse().ok().filter(|k| *k != 1.0)
}

fn tolerance(mut task: TaskSpec, k: f64) -> TaskSpec {
    for r in &mut task.regions {
        r.tolerance *= k;
    }
    ease_plan(&mut task.plan, k);
    if let Stages::Listed(stages) = &mut task.stages {
        for s in stages {
            if let When::Holds(p) = &mut s.when {
                ease(p, k);
            }
        }
    }
    task.finally.iter_mut().for_each(|p| ease(p, k));
    task
}

fn ease_plan(plan: &mut Plan, k: f64) {
    for node in &mut plan.0 {
        match node {
            PlanNode::Do(step) => step.effect.iter_mut().for_each(|p| ease(p, k)),
            PlanNode::Repeat { steps, .. } => ease_plan(steps, k),
            PlanNode::If { then, otherwise, .. } => {
                ease_plan(then, k);
                ease_plan(otherwise, k);
            }
            PlanNode::Together(plans) => plans.iter_mut().for_each(|p| ease_plan(p, k)),
        }
    }
}

/// Multiply the limits by which something may be off.
fn ease(p: &mut Predicate, k: f64) {
    match p {
        Predicate::On { within: Some(within), .. }
        | Predicate::AtStart { within, .. }
        | Predicate::Upright { within, .. }
        | Predicate::OnEnd { within, .. }
        | Predicate::Near { within, .. }
        | Predicate::Folded { within, .. }
        | Predicate::PointAt { within, .. }
        | Predicate::Turned { within, .. }
        | Predicate::Straight { within, .. }
        | Predicate::Shaped { within, .. }
        | Predicate::Aligned { within, .. } => *within *= k,
        // More tolerance is less tilt that something must have.
        Predicate::Not(p) if matches!(**p, Predicate::Upright { .. }) => {
            if let Predicate::Upright { within, .. } = &mut **p {
                *within = (PI - k * (PI - *within)).max(0.5 * *within);
            }
        }
        Predicate::With { that: p, .. } | Predicate::Not(p) => ease(p, k),
        Predicate::All(of) | Predicate::Any(of) | Predicate::AtLeast { of, .. } => {
            of.iter_mut().for_each(|p| ease(p, k));
        }
        _ => {}
    }
}

fn reach(mut task: TaskSpec, k: f64) -> TaskSpec {
    let about = |lo: f64, hi: f64| {
        let (middle, half) = (f64::midpoint(lo, hi), k * (hi - lo) / 2.0);
        [middle - half, middle + half]
    };
    for r in &mut task.regions {
        for Rect(x0, y0, x1, y1) in &mut r.rects {
            [*x0, *x1] = about(*x0, *x1);
            [*y0, *y1] = about(*y0, *y1);
        }
        r.yaw = about(r.yaw[0], r.yaw[1]);
    }
    for p in &mut task.init.places {
        p.yaw = p.yaw.map(|[lo, hi]| about(lo, hi));
        if let Place::Palm { spread, .. } = &mut p.place {
            *spread = spread.map(|half| k * half);
        }
    }
    task
}

/// Where objects stand that have nothing to do with a task: along the table's sides and far edge.
fn beside() -> longarm_task::place::RegionSpec {
    region("beside", rect([-0.3, 0.42], [0.3, 0.6]))
        .or(rect([-0.3, -0.6], [0.3, -0.42]))
        .or(rect([0.42, -0.3], [0.5, 0.3]))
        .yaw(-3.0, 3.0)
}

fn distractors(task: TaskSpec, n: usize) -> TaskSpec {
    (1..=n).fold(task, |task, k| {
        let kinds: [Asset; 4] = [
            Block::cube(0.05).into(),
            Apple.into(),
            Bowl { radius: 0.06 }.into(),
            SoccerBall { radius: 0.03 }.into(),
        ];
        let extra = object(format!("distractor_{k}"), kinds).called("object beside");
        task.place(&extra, &beside())
    })
}

#[cfg(test)]
mod tests {
    use longarm_task::sample;
    use longarm_types::Seed;

    use super::super::SUITE;

    #[test]
    fn every_value_of_every_knob_gives_a_task_that_can_be_drawn() {
        for task in SUITE.tasks() {
            for knob in SUITE.options {
                let [plain, others @ ..] = knob.values else {
                    panic!("{} has no values", knob.name)
                };
                assert_eq!((knob.apply)(task.clone(), plain), task, "{} {}", task.id, knob.name);
                for value in others {
                    let turned = (knob.apply)(task.clone(), value);
                    let what = format!("{} with {}={value}", task.id, knob.name);
                    assert_eq!(turned.problems(), [], "{what}");
                    for seed in 0..4 {
                        sample(&turned, Seed(seed)).unwrap_or_else(|e| panic!("{what}: {e}"));
                    }
                    let applies = !matches!(knob.name, "tolerance" | "pieces");
                    assert!(!applies || turned.hash() != task.hash(), "{what} changes nothing");
                }
            }
        }
    }

    #[test]
    fn knobs_change_what_they_say() {
        let knob = |name: &str| SUITE.option(name).unwrap().apply;
        let task = SUITE.task("maniladder/stack-block").unwrap();
        assert_eq!(knob("pieces")(task.clone(), "4").objects.len(), 4);
        assert_eq!(knob("horizon")(task.clone(), "2").horizon, 2 * task.horizon);
        let spread = |t: &longarm_task::TaskSpec| t.regions[0].rects[0].half();
        let [half, whole] = [knob("reach")(task.clone(), "0.5"), task.clone()].map(|t| spread(&t));
        assert!((half[0] - whole[0] / 2.0).abs() < 1e-12 && whole[0] > 0.0);
        assert_ne!(knob("tolerance")(task.clone(), "0.5").hash(), task.hash());
        assert_eq!(knob("distractors")(task.clone(), "3").objects.len(), 5);
    }
}
