//! Baskets: three alike; the second object goes where the first one went.
//!
//! Scene: three deep baskets in a row, an object before one of them, another further away.
//! Randomization: before which basket the first object lies, all poses.
//! Stages: one per subtask: pick, put; twice.
//! Success: all of them in order; bringing the second object over another basket fails.
//! Source and deviations: RoboMemArena, tasks 1 to 3. There one basket stands there for all to see. Here there
//! are three, so deep that the camera does not see their floor, and the first object lies before the one
//! that is meant. The wrist camera sees into a basket that the hand passes, so who carries the second object
//! along the row at some distance, over none of them, may find the first without having remembered it: the
//! third is what guessing comes to at the moment of decision. What the paper calls cream and chocolate is
//! cream cheese and chocolate pudding, as in the released files.

use longarm_assets::libero::Category as C;
use longarm_task::TaskSpec;
use longarm_task::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI};

use super::row::{TABLE, item};

/// The objects, in order.
#[derive(Clone, Copy)]
pub(super) struct Baskets {
    pub objects: [C; 2],
}

/// What the seed decides.
const BEFORE: &str = "before";
/// From left to right in the picture.
const NAMES: [&str; 3] = ["left", "middle", "right"];
const ROW: [f64; 3] = [-0.22, 0.0, 0.22];

impl Baskets {
    pub fn task(&self, spec: TaskSpec) -> TaskSpec {
        let [first, second] = self.objects.map(|c| item(c.name(), c));
        // Its narrow side along the row: the hand is thin towards the baskets.
        let [x, y, _] = first.assets[0].info().bounds.half;
        let across = if x < y { FRAC_PI_2 } else { 0.0 };
        let mut spec = spec.variable(BEFORE, 0..3);
        let mut before = Vec::new();
        for (name, y) in NAMES.into_iter().zip(ROW) {
            let basket = object(format!("basket_{name}"), Libero { category: C::Basket })
                .called(format!("{name} basket"));
            let spot = region(format!("{name} spot"), rect([-0.11, y - 0.01], [-0.09, y + 0.01]));
            spec = spec.place(&basket, &spot.yaw(PI, PI));
            let near = rect([0.06, y - 0.02], [0.08, y + 0.02]);
            before.push(region(format!("before the {name} basket"), near));
        }
        let beside = region("beside", rect([0.16, -0.12], [0.18, -0.10])).yaw(-0.3, 0.3);
        let alias = |by: usize| {
            [0, 1, 2].map(|k| {
                let name = NAMES[(k + by) % 3];
                (format!("basket_{name}"), format!("{name} basket"))
            })
        };
        let mut spec = spec
            .alias("basket", BEFORE, alias(0))
            .alias("another basket", BEFORE, alias(1))
            .alias("yet another basket", BEFORE, alias(2))
            .place(&first, chosen_by(BEFORE, &before).yaw(across - 0.2, across + 0.2))
            .place(&second, &beside)
            .plan([
                pick(&first).from(TABLE),
                put(&first).in_("basket"),
                pick(&second).from(TABLE),
                put(&second).in_("basket"),
            ])
            .decisions([3]);
        let over = any(["another basket", "yet another basket"].map(|b| above(&second, b)));
        let placed = spec.stage_names()[1].clone();
        spec = spec.forbid("brought over another basket", ever(over).after(placed));
        spec.source = spec
            .source
            .deviation("three baskets alike; the seed decides which is used; the release has one")
            .deviation("bringing the second object over another basket fails");
        spec
    }
}
