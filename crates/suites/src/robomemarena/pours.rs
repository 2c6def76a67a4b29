//! Pours: exactly two, then the vessel goes back where it belongs.
//!
//! Scene: what receives in the middle, a vessel to the left or right of it, and on both sides a bowl drainer
//! or a mat; where boxes are involved, a box, or a microwave.
//! Randomization: on which side the vessel stands, all poses.
//! Stages: one per subtask, each pour by itself.
//! Success: all of them in order. A third pour fails, and so does putting the vessel away before the second or
//! on the wrong side.
//! Source and deviations: RoboMemArena, tasks 6–10, 15, 16 and 22. There a pour is a tilted hand, with or without
//! a vessel, and three pours are as good as two. Here a pour is a held vessel over the rim of what receives,
//! tilted so far that it would spill for half a second, then upright again. The place of the vessel is
//! doubled: it goes to the side it came from. Task 22's file wants the bottle in the microwave; its stages
//! want it aside, which is meant.

use longarm_assets::libero::Category as C;
use longarm_task::TaskSpec;
use longarm_task::prelude::*;

use super::microwaves::microwave;
use super::row::{TABLE, item, sides};

/// What is poured, into what, and what is done before and after.
#[derive(Clone, Copy)]
pub(super) struct Pours {
    pub vessel: C,
    pub into: C,
    /// A box that is put into it first.
    pub filling: Option<C>,
    pub after: After,
}

/// Where the vessel goes in the end.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum After {
    /// Into the bowl drainer on its side.
    Drainer,
    /// Back on the mat it stood on.
    Mat,
    /// Aside; then what received goes into the microwave.
    Microwave,
}

/// What the seed decides: 0 for left in the picture.
const SIDE: &str = "side";
const SIDES: [&str; 2] = ["left", "right"];

impl Pours {
    pub fn task(&self, spec: TaskSpec) -> TaskSpec {
        let vessel = item(self.vessel.name(), self.vessel);
        let into = item(self.into.name(), self.into);
        let mut plan = longarm_task::Plan::default();
        let mut spec = spec;
        let centre = match self.after {
            After::Microwave => rect([0.03, -0.09], [0.06, -0.07]),
            _ => rect([0.05, -0.015], [0.07, 0.015]),
        };
        spec = spec.place(&into, &region("middle", centre));
        if let Some(c) = self.filling {
            let filling = item(c.name(), c);
            let spot = region("filling spot", rect([-0.15, -0.03], [-0.12, 0.03])).yaw(-0.3, 0.3);
            spec = spec.place(&filling, &spot);
            plan = plan
                .then([pick(&filling).from(TABLE), put(&filling).in_(into.path("contain_region"))]);
        }
        let spots = [-1.0, 1.0].map(|s: f64| {
            let side = if s < 0.0 { SIDES[0] } else { SIDES[1] };
            let (y, x) = (0.17 * s, -0.12);
            region(format!("{side} spot"), rect([x - 0.02, y - 0.02], [x + 0.02, y + 0.02]))
        });
        let preposition = if self.into == C::Cookies { "over" } else { "into" };
        let said = format!("pour from the {{{}}} {preposition} the {{{}}}", vessel.name, into.name);
        let once = pour(&vessel, &into).saying(said);
        plan = plan.then([pick(&vessel), once.clone(), once]);
        let names: Vec<String> = spec.clone().plan(plan.clone()).stage_names();
        let [.., taken, _, second] = names.as_slice() else { return spec };
        let it = format!("{{{}}}", vessel.name);
        spec = match self.after {
            After::Drainer => {
                spec = spec.variable(SIDE, 0..2).place(&vessel, chosen_by(SIDE, &spots));
                for (side, y) in SIDES.into_iter().zip([-0.4, 0.4]) {
                    let it = object(format!("drainer_{side}"), Libero { category: C::BowlDrainer });
                    let spot = region(format!("{side} drainer spot"), rect([-0.06, y], [-0.04, y]));
                    spec = spec.place(&it.called(format!("{side} bowl drainer")), &spot);
                }
                spec = alias(spec, "drainer");
                let inside = |of: &str| {
                    any(["left_region", "right_region"].map(|r| in_(&vessel, format!("{of}/{r}"))))
                };
                let put = put(&vessel)
                    .in_("drainer/left_region")
                    .saying(format!("put the {it} in the {{drainer}}"))
                    .with_effect(all([inside("drainer"), not(grasped(&vessel))]));
                let early = any([inside("drainer"), inside("other drainer")]);
                spec.plan(plan.then(put))
                    .forbid("put away before the second pour", ever(early).before(second))
                    .forbid("in the other drainer", ever(inside("other drainer")))
                    .decisions([2, 2, 2])
            }
            After::Mat => {
                spec = spec.variable(SIDE, 0..2);
                for (side, spot) in SIDES.into_iter().zip(&spots) {
                    let it = object(format!("mat_{side}"), Zone { size: [0.11, 0.11] });
                    let it = it.colour(Colour::Brown).called(format!("{side} mat"));
                    spec = spec.place(&it, spot);
                }
                let start = SIDES.map(|side| on_top_of(format!("mat_{side}")));
                spec = alias(spec.place(&vessel, chosen_by(SIDE, start)), "mat");
                let put = put(&vessel).on("mat").saying(format!("put the {it} on the {{mat}}"));
                let early = any(["mat", "other mat"].map(|m| on(&vessel, m)));
                spec.plan(plan.then(put))
                    .forbid(
                        "put away before the second pour",
                        ever(early).after(taken).before(second),
                    )
                    .forbid("on the other mat", ever(on(&vessel, "other mat")))
                    .decisions([2, 2, 2])
            }
            After::Microwave => {
                let (oven, stand) = microwave(1);
                let oven = oven.called("microwave");
                let aside = region("aside", rect([-0.2, -0.34], [-0.1, -0.26]));
                let start = region("vessel spot", rect([-0.14, -0.2], [-0.1, -0.16]));
                spec = spec.place(&oven, &stand).place(&vessel, &start).region(&aside);
                let door = oven.path("door");
                let (heat, open_, shut) = (oven.path("heating_region"), open(&door), close(&door));
                plan = plan.then([
                    put(&vessel).at(&aside).saying(format!("put the {it} aside")),
                    open_.saying("open the microwave"),
                    pick(&into).from(TABLE),
                    put(&into)
                        .in_(heat)
                        .saying(format!("put the {{{}}} in the microwave", into.name)),
                    shut.saying("close the microwave"),
                ]);
                spec.plan(plan)
                    .forbid(
                        "put away before the second pour",
                        ever(at(&vessel, TABLE)).after(taken).before(second),
                    )
                    .decisions([2, 2])
            }
        };
        let mut spec = spec
            .forbid("a third pour", pours(&vessel, &into).more_than(2))
            .revoking([second.clone()]);
        spec.source = spec
            .source
            .deviation("a pour is a held vessel over the rim, tilted till it spills for half a second, then upright")
            .deviation("a third pour fails, and so does putting the vessel away before the second");
        if self.after != After::Microwave {
            let doubled = "where the vessel goes is doubled: it goes to the side it came from";
            spec.source = spec.source.deviation(doubled);
        }
        spec
    }
}

/// Name the place on the vessel's side, and the one on the other.
fn alias(spec: TaskSpec, noun: &str) -> TaskSpec {
    let at = |by: usize| {
        [0, 1].map(|k| {
            let side = SIDES[(k + by) % 2];
            let words = if noun == "drainer" { "bowl drainer" } else { noun };
            (format!("{noun}_{side}"), sides(words)[(k + by) % 2].clone())
        })
    };
    spec.alias(noun, SIDE, at(0)).alias(format!("other {noun}"), SIDE, at(1))
}
