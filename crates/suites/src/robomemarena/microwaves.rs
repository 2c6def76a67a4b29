//! Microwaves: two alike; the second box goes where the first one went.
//!
//! Scene: two microwaves facing each other across the table, one of them ajar, two boxes between them.
//! Randomization: which microwave is ajar, by how much, the boxes' poses.
//! Stages: one per subtask: opened, box in, shut; twice.
//! Success: all of them in order; opening the other microwave fails.
//! Source and deviations: RoboMemArena, tasks 20, 21, 23 and 24. There one microwave stays open until both
//! boxes are in: nothing is to be remembered. Here there are two, the first is told by its door, and it
//! is shut before the second box.

use longarm_assets::libero::Category as C;
use longarm_task::TaskSpec;
use longarm_task::prelude::*;
use std::f64::consts::PI;

use super::row::{ObjectSpec, TABLE, item, sides};

/// The boxes, in order.
#[derive(Clone, Copy)]
pub(super) struct Microwaves {
    pub boxes: [C; 2],
}

/// What the seed decides: 0 the one to the left in the picture.
const AJAR: &str = "ajar";
const NAMES: [&str; 2] = ["microwave_left", "microwave_right"];

/// The microwave that stands to one side: the left one of the picture is at negative y.
pub(super) fn microwave(side: usize) -> (ObjectSpec, longarm_task::RegionSpec) {
    let (y, yaw) = if side == 0 { (-0.44, PI) } else { (0.44, 0.0) };
    let spot = region(format!("{} spot", NAMES[side]), rect([-0.01, y - 0.01], [0.01, y + 0.01]));
    let noun = sides(C::Microwave.noun())[side].clone();
    (object(NAMES[side], Libero { category: C::Microwave }).called(noun), spot.yaw(yaw, yaw))
}

impl Microwaves {
    pub fn task(&self, spec: TaskSpec) -> TaskSpec {
        let mut spec = spec.variable(AJAR, 0..2);
        for side in [0, 1] {
            let (microwave, spot) = microwave(side);
            spec = spec.place(&microwave, &spot);
        }
        let meant = |by: usize| [0, 1].map(|k| (k + by) % 2);
        let name = |by: usize| meant(by).map(|k| (NAMES[k], sides("microwave")[k].clone()));
        spec = spec
            .alias("microwave", AJAR, name(0))
            .alias("other microwave", AJAR, name(1))
            .part("microwave/door", PartStart::Between(0.25, 0.4));
        let mut plan = longarm_task::Plan::default();
        for (c, x) in self.boxes.iter().zip([-0.07, 0.07]) {
            let b = item(c.name(), *c);
            let spot =
                region(format!("{} spot", b.name), rect([x - 0.01, -0.02], [x + 0.01, 0.02]));
            spec = spec.place(&b, &spot.yaw(-0.3, 0.3));
            plan = plan.then([
                open("microwave/door").saying("open the {microwave}"),
                pick(&b).from(TABLE),
                put(&b)
                    .in_("microwave/heating_region")
                    .saying(format!("put the {{{}}} in the {{microwave}}", b.name)),
                close("microwave/door").saying("close the {microwave}"),
            ]);
        }
        let mut spec = spec
            .plan(plan)
            .forbid("the other microwave opened", ever(is_open("other microwave/door")))
            .decisions([2]);
        spec.source = spec
            .source
            .deviation("two microwaves alike; the seed decides which is used, and it is told by its door, ajar")
            .deviation("it is shut before the second box; the release leaves it open")
            .deviation("opening the other microwave fails");
        spec
    }
}
