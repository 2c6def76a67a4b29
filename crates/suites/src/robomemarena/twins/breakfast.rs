//! Breakfast as shown — food goes onto the plate in the order that was shown, then two pours of milk.
//!
//! Scene: a plate, bread, a sausage and an egg to its left, a milk carton and a mug to its right.
//! Randomization: the order, all poses.
//! Stages: 10 (pick and put each food, take the carton, pour, pour, put the carton back).
//! Success: all of them in order; food on the plate out of order, a third pour, and setting the carton down
//! before the second fail.
//! Shown: the food goes onto the plate in the order and comes back, then the carton is tilted over the mug
//! twice and goes back.
//! Source and deviations: RoboMemArena, Table S4. Nobody's hands are seen; two pours are shown, never one or
//! three.

use longarm_assets::libero::Category as C;
use longarm_assets::objects::FoodKind;
use longarm_task::TaskSpec;
use longarm_task::prelude::*;

use super::super::row::{Category, TABLE, item};
use super::super::transfers::food;
use super::{PLACES, in_order, twin};

const ORDER: &str = "order";
/// How far the shown carton is tilted.
const TILT: f64 = -1.7;

pub(super) fn task() -> TaskSpec {
    let foods = [FoodKind::Bread, FoodKind::Sausage, FoodKind::Egg].map(food);
    let plate = object("plate", Plate { radius: 0.15 });
    let (milk, mug) = (item("milk", C::Milk), item("mug", C::RedCoffeeMug).called("mug"));
    let mut spec = twin(
        "breakfast-from-human",
        Category::Sequence.label(),
        "Breakfast from Human",
        1265,
        &["objects move by themselves: there are no hands", "always two pours are shown"],
    )
    .instruction("make breakfast as it was just shown")
    .horizon(2_800)
    .place(&plate, &region("plate spot", rect([-0.07, -0.01], [-0.05, 0.01])));
    for (k, it) in foods.iter().enumerate() {
        let x = -0.2 + 0.1 * k as f64;
        let spot = region(format!("{} spot", it.name), rect([x - 0.01, 0.23], [x + 0.01, 0.25]));
        spec = spec.place(it, &spot);
    }
    // Ahead of where the hand waits: what is shown there goes through nothing.
    let stands = region("milk spot", rect([-0.05, -0.27], [-0.03, -0.25]));
    let mug_stands = region("mug spot", rect([0.12, -0.24], [0.14, -0.22]));
    spec = spec.place(&milk, &stands).place(&mug, &mug_stands);
    let names: Vec<(&str, &str)> =
        foods.iter().map(|f| (f.name.as_str(), f.name.as_str())).collect();
    let names: [(&str, &str); 3] = [names[0], names[1], names[2]];
    spec = in_order(spec, ORDER, names, "food");
    for place in PLACES {
        let it = format!("{place} food");
        spec = spec
            .show(show(
                format!("the {it} goes onto the plate"),
                1.5,
                [carry(&it, CarryTo::Onto("plate".into())).arch(0.12)],
            ))
            .show(show(
                format!("the {it} goes back"),
                1.2,
                [carry(&it, CarryTo::Start).arch(0.12)],
            ));
    }
    let beside = CarryTo::From { object: mug.name.clone(), by: [0.0, -0.1, 0.21] };
    spec = spec.show(show("the carton goes to the mug", 1.2, [carry(&milk, beside).arch(0.05)]));
    for name in ["once", "twice"] {
        let here = || CarryTo::By([0.0; 3]);
        spec = spec
            .show(show(format!("pour {name}"), 1.0, [carry(&milk, here()).tilt(TILT)]))
            .show(show(format!("upright {name}"), 1.0, [carry(&milk, here()).tilt(0.0)]));
    }
    spec = spec.show(show("the carton goes back", 1.2, [carry(&milk, CarryTo::Start).arch(0.05)]));
    let mut plan = longarm_task::Plan::default();
    for place in PLACES {
        let it = format!("{place} food");
        plan = plan.then([
            pick(&it).from(TABLE).saying(format!("take the {{{it}}}")),
            put(&it).on(&plate).saying(format!("put the {{{it}}} on the plate")),
        ]);
    }
    let once = pour(&milk, &mug).saying("pour from the milk into the mug");
    plan = plan.then([pick(&milk).from(TABLE), once.clone(), once, put(&milk).back_at_start()]);
    spec = spec.plan(plan);
    let stages = spec.stage_names();
    for (k, place) in PLACES.into_iter().enumerate().skip(1) {
        let early = ever(on(format!("{place} food"), &plate)).before(&stages[2 * k - 1]);
        spec = spec.forbid(format!("the {place} food too early"), early);
    }
    spec.forbid("a third pour", pours(&milk, &mug).more_than(2))
        .revoking([stages[8].clone()])
        .forbid(
            "put away before the second pour",
            ever(at(&milk, TABLE)).after(&stages[6]).before(&stages[8]),
        )
        .revoking([stages[8].clone()])
        .decisions([3, 2, 2, 2])
}
