//! Drawers: all three are opened and shut in order; what was in them decides where boxes go.
//!
//! Scene: a cabinet with three drawers, boxes before it, a carton and a bottle beside them.
//! Randomization: what is in which drawer, the cabinet's place, the boxes' poses.
//! Stages: one per subtask: each drawer opened and shut, then each box taken to its drawer.
//! Success: all of them in order; opening a drawer out of turn fails.
//! Source and deviations: RoboMemArena, tasks 4, 5, 11–14 and 17. There the drawer is always the same and is
//! named; here the seed decides, and the paper's sentence that all drawers are opened in order is taken
//! at its word in all seven. A drawer is shut again before a second box goes into it. The cabinet
//! stands nearer, and distractors out of reach are left out.

use longarm_assets::libero::Category as C;
use longarm_task::prelude::*;
use longarm_task::{Plan, TaskSpec};

use super::row::{TABLE, item};

/// What the drawers hold, and which box goes where.
#[derive(Clone, Copy)]
pub(super) struct Drawers {
    pub contents: Contents,
    /// Boxes with the drawers they go to, in order.
    pub puts: &'static [(C, &'static str)],
}

/// What the drawers hold at the beginning.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Contents {
    /// One of them an object.
    OneFull,
    /// All but one of them an object.
    OneEmpty,
}

pub(super) const FULL: &str = "full drawer";
pub(super) const EMPTY: &str = "empty drawer";
pub(super) const CHEESE: &str = "cream cheese drawer";

const NAMES: [&str; 3] = ["top", "middle", "bottom"];
/// What the seed decides.
const LAYOUT: &str = "layout";
/// Drawers of the cream cheese, of the popcorn, and the empty one.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

fn region_of(drawer: usize) -> String {
    format!("cabinet/{}_region", NAMES[drawer])
}

/// A drawer that is to be opened, and what shutting it is called.
struct Turn {
    /// Its region, or the alias of it.
    drawer: String,
    /// The two others.
    others: [String; 2],
    shut: String,
}

impl Drawers {
    pub fn task(&self, spec: TaskSpec) -> TaskSpec {
        let cabinet = item("cabinet", C::WoodenCabinetTallBottom);
        let stand = region("cabinet spot", rect([0.0, 0.33], [0.04, 0.36]));
        let cheese = item("cream_cheese", C::CreamCheese);
        let popcorn = item("popcorn", C::Popcorn);
        let spec = spec.place(&cabinet, &stand);
        let spec = match self.contents {
            Contents::OneFull => {
                let places: Vec<String> = (0..3).map(region_of).collect();
                let spec = spec.variable(LAYOUT, 0..3);
                let spec = spec.place(&cheese, chosen_by(LAYOUT, places));
                alias(spec, FULL, &[0, 1, 2])
            }
            Contents::OneEmpty => {
                let at = |k: usize| -> Vec<String> {
                    ORDERS.iter().map(|order| region_of(order[k])).collect()
                };
                let which = |k: usize| ORDERS.map(|order| order[k]);
                let spec = spec.variable(LAYOUT, 0..6);
                let spec = spec.place(&cheese, chosen_by(LAYOUT, at(0)));
                let spec = spec.place(&popcorn, chosen_by(LAYOUT, at(1)));
                alias(alias(spec, EMPTY, &which(2)), CHEESE, &which(0))
            }
        };
        let spots = [rect([-0.16, -0.22], [-0.08, -0.14]), rect([0.04, -0.22], [0.12, -0.14])];
        let boxes: Vec<_> = self.puts.iter().map(|(c, _)| item(c.name(), *c)).collect();
        let mut spec = spec;
        for (b, spot) in boxes.iter().zip(spots) {
            let start = region(format!("{} spot", b.name), spot).yaw(-0.3, 0.3);
            spec = spec.place(b, &start);
        }
        for (c, spot) in [
            (C::Milk, rect([-0.16, -0.38], [-0.10, -0.34])),
            (C::BbqSauce, rect([0.06, -0.38], [0.12, -0.34])),
        ] {
            spec = spec.place(&item(c.name(), c), &region(format!("{} spot", c.name()), spot));
        }

        let mut plan = Plan::default();
        let mut turns: Vec<Turn> = Vec::new();
        for (i, name) in NAMES.iter().enumerate() {
            let (drawer, shut) = (region_of(i), format!("close the {name} drawer"));
            plan = plan.then([
                open(&drawer).saying(format!("open the {name} drawer")),
                close(&drawer).saying(&shut),
            ]);
            let others = [(i + 1) % 3, (i + 2) % 3].map(region_of);
            turns.push(Turn { drawer, others, shut });
        }
        for ((_, drawer), b) in self.puts.iter().zip(&boxes) {
            let said = format!("close the {{{drawer}}}");
            plan = plan.then([
                open(*drawer).saying(format!("open the {{{drawer}}}")),
                pick(b).from(TABLE),
                put(b).in_(*drawer).saying(format!("put the {{{}}} in the {{{drawer}}}", b.name)),
                close(*drawer).saying(&said),
            ]);
            let shut = said.replace(['{', '}'], "");
            let again = turns.iter().filter(|t| t.drawer == *drawer).count();
            let shut = if again == 0 { shut } else { format!("{shut} ({})", again + 1) };
            let others = [1, 2].map(|k| other(drawer, k));
            turns.push(Turn { drawer: (*drawer).to_owned(), others, shut });
        }
        spec = spec.plan(plan).decisions(vec![3; turns.len() - 1]);
        for (i, turn) in turns.iter().enumerate() {
            let opened = ever(any(turn.others.iter().map(is_open))).before(&turn.shut);
            let opened = match i.checked_sub(1) {
                Some(j) => opened.after(&turns[j].shut),
                None => opened,
            };
            spec = spec.forbid(format!("another drawer opened in turn {}", i + 1), opened);
        }
        let mut spec = spec;
        spec.source = spec
            .source
            .deviation("the seed decides what is in which drawer; the release has it fixed and named")
            .deviation("all drawers are opened in order, as the paper says and the release only does twice")
            .deviation("opening a drawer out of turn fails");
        spec
    }
}

/// The alias of the k-th of the two drawers that an alias does not mean.
fn other(alias: &str, k: usize) -> String {
    format!("not the {alias} {k}")
}

/// Name a drawer, and the two others, by what the seed decides.
fn alias(spec: TaskSpec, name: &str, drawers: &[usize]) -> TaskSpec {
    let all = |by: usize| {
        let each = drawers.iter().map(move |d| (d + by) % 3);
        each.map(|d| (region_of(d), format!("{} drawer", NAMES[d]))).collect::<Vec<_>>()
    };
    let spec = spec.alias(name, LAYOUT, all(0));
    spec.alias(other(name, 1), LAYOUT, all(1)).alias(other(name, 2), LAYOUT, all(2))
}
