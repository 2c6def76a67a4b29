//! Brush plates with swap — three plates alike are brushed in the order in which they were pointed out.
//!
//! Scene: three plates in a row, a sponge before them, a pointer beyond.
//! Randomization: the order, which two plates are swapped, all poses.
//! Stages: 5 (take the sponge, brush each plate, put the sponge back).
//! Success: all of them in order; brushing a plate out of order or again fails.
//! Shown: the pointer comes over the plates in their order; once the first is brushed two plates change
//! places.
//! Source and deviations: RoboMemArena, Table S4. A scouring sponge brushes; one stroke of 6 cm is enough.

use longarm_assets::Colour;
use longarm_task::TaskSpec;
use longarm_task::prelude::*;

use super::super::row::Category;
use super::{PLACES, in_order, twin};

const PLATES: [&str; 3] = ["plate_1", "plate_2", "plate_3"];
const ORDER: &str = "order";
const SWAP: &str = "swap";
const APART: f64 = 0.24;
const STROKE: f64 = 0.06;

pub(super) fn task() -> TaskSpec {
    let sponge = object("sponge", Sponge);
    let pointer = object("pointer", Cylinder { radius: 0.012, height: 0.14 }).colour(Colour::Green);
    let rest = region("sponge rest", rect([-0.33, -0.03], [-0.3, 0.03])).yaw(1.3, 1.8);
    let beyond = region("pointer rest", rect([0.29, -0.02], [0.31, 0.02]));
    let mut spec = twin(
        "brush-plates-with-swap",
        Category::Sequence.label(),
        "Brush Plates with Swap",
        779,
        &["a sponge in place of a brush; one stroke of 6 cm is enough", "a stick points: no hands"],
    )
    .instruction(
        "wipe the three plates in the order in which they are pointed out, however they are moved",
    )
    .place(&sponge, &rest)
    .place(&pointer, &beyond)
    .horizon(1_700);
    for (k, name) in PLATES.into_iter().enumerate() {
        let y = APART * (1.0 - k as f64);
        let plate = object(name, Plate { radius: 0.11 }).called("plate");
        let spot = region(format!("{name} spot"), rect([-0.12, y - 0.005], [-0.1, y + 0.005]));
        spec = spec.place(&plate, &spot);
    }
    spec = in_order(spec, ORDER, PLATES.map(|p| (p, "plate")), "plate").variable(SWAP, 0..3);
    for (side, name) in ["one swapped", "other swapped"].into_iter().enumerate() {
        let pairs = [[0, 1], [1, 2], [0, 2]];
        spec = spec.alias(name, SWAP, pairs.map(|p: [usize; 2]| (PLATES[p[side]], "plate")));
    }
    let over = |plate: &str| CarryTo::From { object: plate.to_owned(), by: [0.0, 0.0, 0.07] };
    for place in PLACES {
        let plate = format!("{place} plate");
        let still = carry(&pointer, CarryTo::By([0.0; 3]));
        spec = spec
            .show(show(
                format!("go to the {plate}"),
                1.0,
                [carry(&pointer, over(&plate)).arch(0.05)],
            ))
            .show(show(format!("point at the {plate}"), 0.8, [still]));
    }
    spec = spec.show(show("pointer away", 1.2, [carry(&pointer, CarryTo::Start).arch(0.05)]));
    let brush = |place: &str| {
        wipe(&sponge, format!("{place} plate"), 1).saying(format!("wipe the {place} plate"))
    };
    spec = spec.plan([
        pick(&sponge).from(&rest),
        brush(PLACES[0]),
        brush(PLACES[1]),
        brush(PLACES[2]),
        put(&sponge).back_at_start(),
    ]);
    let names = spec.stage_names();
    let way = |from: &str, to: &str| carry(from, CarryTo::Place(to.to_owned())).bend(0.13);
    let swap = [way("one swapped", "other swapped"), way("other swapped", "one swapped")];
    spec = spec.show(show("swap two plates", 2.0, swap).after(&names[1], 1.0));
    for (k, place) in PLACES.into_iter().enumerate() {
        let plate = format!("{place} plate");
        let wiped = |n: u32| strokes(&sponge, &plate, STROKE).more_than(n);
        spec = spec.forbid(format!("{plate} wiped again"), wiped(1));
        if k > 0 {
            spec = spec.forbid(format!("{plate} wiped too early"), wiped(0).before(&names[k]));
        }
    }
    spec.decisions([3, 2])
}
