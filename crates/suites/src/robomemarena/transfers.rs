//! Transfers: objects go from one of two alike places to the other, the nearest first.
//!
//! Scene: two plates, or two cabinets, and on one of them two or three objects in a row away from the robot.
//! Randomization: which of the two they are on, their order, all poses.
//! Stages: one per subtask: pick, put; for each object.
//! Success: all of them in order; what was brought over and is put back fails.
//! Source and deviations: RoboMemArena, tasks 18, 19, 25 and 26. There the places are fixed, and so is the
//! order, which gives away what was moved. Here both are the seed's: once objects lie on both plates only
//! memory says which way they go. The plates are dinner plates: two boxes lie on each. Names of objects
//! are the released files' where the paper has others.

use longarm_assets::libero::Category as C;
use longarm_assets::objects::{Food, FoodKind};
use longarm_task::TaskSpec;
use longarm_task::place::Spot;
use longarm_task::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI};

use super::row::{ObjectSpec, item, sides};

/// What is moved, and from what to what.
#[derive(Clone, Copy)]
pub(super) struct Transfers {
    pub places: Places,
    pub objects: Pieces,
}

/// What is moved.
#[derive(Clone, Copy)]
pub(super) enum Pieces {
    /// Of LIBERO's vocabulary.
    Libero(&'static [C]),
    Food(&'static [FoodKind]),
}

impl Pieces {
    pub fn len(self) -> usize {
        match self {
            Self::Libero(all) => all.len(),
            Self::Food(all) => all.len(),
        }
    }

    fn items(self) -> Vec<ObjectSpec> {
        match self {
            Self::Libero(all) => all.iter().map(|c| item(c.name(), *c)).collect(),
            Self::Food(all) => all.iter().map(|k| food(*k)).collect(),
        }
    }
}

/// Food, called by what it is.
pub(super) fn food(kind: FoodKind) -> ObjectSpec {
    let asset = Asset::from(Food { food: kind });
    let noun = asset.noun().to_owned();
    object(noun.as_str(), asset).called(noun)
}

/// Two places alike.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Places {
    Plates,
    /// The tops of cabinets.
    Cabinets,
}

/// What the seed decides: the side they are on, and their order.
const CASE: &str = "case";
/// What objects are called by their place in the row.
const ALIASES: [&str; 3] = ["first", "second", "third"];

/// All orders of n objects.
fn orders(n: usize) -> Vec<Vec<usize>> {
    match n {
        0 => vec![Vec::new()],
        _ => orders(n - 1)
            .into_iter()
            .flat_map(|rest| {
                (0..n).map(move |at| {
                    let mut order = rest.clone();
                    order.insert(at, n - 1);
                    order
                })
            })
            .collect(),
    }
}

impl Places {
    fn noun(self) -> &'static str {
        match self {
            Self::Plates => "plate",
            Self::Cabinets => "cabinet",
        }
    }

    fn name(self, side: usize) -> String {
        format!("{}_{}", self.noun(), ["left", "right"][side])
    }

    /// What objects are put on, of a place by its name.
    fn top(self, name: &str) -> String {
        match self {
            Self::Plates => name.to_owned(),
            Self::Cabinets => format!("{name}/top_side"),
        }
    }

    /// The left one of the picture is at negative y.
    fn place(self, side: usize, spec: TaskSpec) -> TaskSpec {
        let sign = if side == 0 { -1.0 } else { 1.0 };
        let (y, asset, yaw): (f64, Asset, f64) = match self {
            Self::Plates => (0.2, Plate { radius: 0.13 }.into(), 0.0),
            Self::Cabinets => (0.26, Libero { category: C::WoodenCabinet }.into(), [PI, 0.0][side]),
        };
        let (y, name) = (sign * y, self.name(side));
        let spot = region(format!("{name} spot"), rect([-0.01, y - 0.01], [0.01, y + 0.01]));
        let it = object(&name, asset).called(sides(self.noun())[side].clone());
        spec.place(&it, &spot.yaw(yaw, yaw))
    }

    /// Metres between neighbours in the row.
    fn apart(self, n: usize) -> f64 {
        match (self, n) {
            (Self::Plates, _) => 0.085,
            (Self::Cabinets, 2) => 0.11,
            (Self::Cabinets, _) => 0.085,
        }
    }

    /// The k-th place of n in the row on a side.
    fn spot(self, side: usize, k: usize, n: usize) -> Spot {
        let x = self.apart(n) * (k as f64 - (n as f64 - 1.0) / 2.0);
        // A cabinet that faces the other way counts backwards.
        let x = if self == Self::Cabinets && side == 0 { -x } else { x };
        on_top_of(self.name(side)).offset(x, 0.0)
    }
}

impl Transfers {
    pub fn task(&self, spec: TaskSpec) -> TaskSpec {
        let (places, items) = (self.places, self.objects.items());
        let n = items.len();
        let orders = orders(n);
        // Which side, then which order.
        let cases: Vec<(usize, &Vec<usize>)> =
            [0, 1].into_iter().flat_map(|side| orders.iter().map(move |o| (side, o))).collect();
        let mut spec = spec.variable(CASE, 0..cases.len() as i64);
        spec = places.place(1, places.place(0, spec));
        for (i, it) in items.iter().enumerate() {
            let place = |(side, order): &(usize, &Vec<usize>)| {
                let k = order.iter().position(|o| *o == i).unwrap_or(0);
                places.spot(*side, k, n)
            };
            // Boxes lie across the row.
            let flat = it.assets.first().is_some_and(|a| a.info().bounds.half[2] < 0.02);
            let across = if flat { FRAC_PI_2 } else { 0.0 };
            let spot = chosen_by(CASE, cases.iter().map(place)).yaw(across - 0.05, across + 0.05);
            spec = spec.place(it, spot);
        }
        for (place, by) in [("source", 0), ("target", 1)] {
            let of = cases.iter().map(|(side, _)| {
                let side = (side + by) % 2;
                (places.name(side), sides(places.noun())[side].clone())
            });
            spec = spec.alias(place, CASE, of.collect::<Vec<_>>());
        }
        for (k, alias) in ALIASES.into_iter().enumerate().take(n) {
            let of = cases.iter().map(|(_, order)| {
                let it = &items[order[k]];
                (it.name.clone(), it.called.clone().unwrap_or_default())
            });
            spec = spec.alias(alias, CASE, of.collect::<Vec<_>>());
        }
        let (source, target) = (places.top("source"), places.top("target"));
        let mut plan = longarm_task::Plan::default();
        for alias in ALIASES.into_iter().take(n) {
            plan = plan.then([
                pick(alias).from(&source).saying(format!("pick up the {{{alias}}}")),
                put(alias).on(&target).saying(format!("put the {{{alias}}} on the {{target}}")),
            ]);
        }
        spec = spec.plan(plan).decisions(vec![2; n - 1]);
        for alias in ALIASES.into_iter().take(n - 1) {
            let back = ever(on(alias, &source)).after(format!("put the {alias} on the target"));
            spec = spec.forbid(format!("the {alias} one put back"), back);
        }
        spec.source = spec
            .source
            .deviation(
                "the seed decides which of the two is the source, and the order of the objects",
            )
            .deviation("the nearest is moved first; putting back what was moved fails");
        spec
    }
}
