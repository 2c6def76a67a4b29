//! Waste sorting — three objects, three bins, any order.
//!
//! Scene: three labelled bins in a row; a piece of paper waste, one of metal, one of food.
//! Randomization: which object stands for each category, their poses, the order of the bins.
//! Stages: 6 (pick, drop in the right bin; for each object, in any order).
//! Success: all stages, then two quiet seconds.
//! Source and deviations: LongBench, Table 2 (IP). Phase names and categories are ours; the paper
//! does not publish its objects.

use longarm_task::prelude::*;

use super::label::ITERATIVE_PROGRESS;

/// Where each of the three bins stands, for each order of the row.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

pub(super) fn task() -> TaskSpec {
    let bin = |label: &str| {
        let size = [0.125, 0.125, 0.07];
        object(format!("{label}_bin"), Bin { size, label: label.into() })
    };
    let bins = ["paper", "metal", "food"].map(bin);
    let pieces = [
        object("paper_waste", (PaperBall, Carton)).called("{paper_waste.noun}"),
        object("metal_waste", (Can, Battery)).called("{metal_waste.noun}"),
        object("food_waste", Apple).called("{food_waste.noun}"),
    ];
    let rows = [-0.155, 0.0, 0.155].map(|y| region(format!("bin at {y}"), point([0.395, y])));
    let table = region("table", rect([0.20, -0.19], [0.28, 0.19])).yaw(-0.8, 0.8);

    let mut spec = TaskSpec::new("longbench/waste-sorting", RigName::ARX_R5)
        .instruction("sort the waste: paper, metal and food each into their own bin")
        .variable("row", 0..=5)
        .clearance(0.026);
    for (i, bin) in bins.iter().enumerate() {
        spec = spec.place(bin, chosen_by("row", ORDERS.map(|o| &rows[o[i]])));
    }
    let mut steps = Vec::new();
    for (piece, bin) in pieces.iter().zip(&bins) {
        spec = spec.place(piece, &table);
        steps.extend([pick(piece).from(&table), put(piece).in_(bin)]);
    }
    spec.plan(steps)
        .stages(from_plan().per_object())
        .quiet_at_end(2.0)
        .labels([ITERATIVE_PROGRESS])
        .horizon(1_300)
        .source(source("LongBench, Table 2").phases(6).mean_length(693))
}
