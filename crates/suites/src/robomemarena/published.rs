//! Table 2 of the paper.

use longarm_types::protocol::{MemoryClaim, Published, PublishedRow};

use super::pours::After;
use super::row::{Category, Kind};
use super::rows::ROWS;
use super::{CSR, TSR};

const SOURCE: &str = "RoboMemArena, arXiv 2605.10921, Table 2: TSR and CSR on the released tasks, whose \
                      answers are fixed and whose checks pass without a grasp; the numbers of this suite \
                      are on tasks that need memory, so they are not the same quantity.";

/// TSR and CSR of the four categories in the paper's order, then of the whole.
struct Method {
    name: &'static str,
    scores: [[f64; 2]; 5],
}

const fn row(name: &'static str, scores: [[f64; 2]; 5]) -> Method {
    Method { name, scores }
}

#[rustfmt::skip]
const METHODS: [Method; 12] = [
    row("π0.5", [[20.0, 42.8], [12.7, 17.2], [14.3, 50.9], [60.0, 71.6], [21.5, 38.7]]),
    row("HiF-VLA", [[17.5, 38.9], [12.7, 27.1], [8.6, 45.9], [42.5, 70.2], [16.9, 39.8]]),
    row("MemoryVLA", [[15.0, 37.2], [7.3, 13.1], [14.3, 55.1], [37.5, 65.2], [15.0, 35.3]]),
    row("MemER", [[20.0, 36.1], [16.4, 33.2], [27.1, 65.1], [65.0, 79.1], [27.3, 49.1]]),
    row("Qwen3-VL-8B (frozen)", [[15.0, 34.6], [0.0, 6.8], [9.3, 44.6], [7.5, 39.2], [6.0, 26.2]]),
    row("GPT-5.4", [[13.8, 32.9], [1.8, 9.2], [12.9, 50.7], [15.0, 47.3], [8.7, 30.5]]),
    row("Ground Truth", [[32.5, 54.8], [33.6, 49.8], [51.4, 75.6], [85.0, 92.3], [46.1, 64.8]]),
    row("PrediMem w/o predictive coding", [[25.0, 43.7], [19.5, 30.2], [38.6, 61.8], [63.8, 80.7], [32.3, 49.0]]),
    row("PrediMem w/o keyframe bank", [[17.5, 33.3], [6.4, 22.8], [20.0, 61.7], [45.0, 66.3], [17.7, 41.6]]),
    row("PrediMem w/ Qwen3-1.7B", [[15.0, 31.6], [7.3, 20.8], [28.6, 60.2], [50.0, 73.9], [19.9, 41.4]]),
    row("PrediMem w/ Qwen3-4B", [[20.0, 42.1], [18.2, 34.7], [38.6, 64.9], [65.0, 84.6], [31.9, 51.7]]),
    row("PrediMem", [[22.5, 45.2], [27.3, 38.4], [45.7, 69.3], [72.5, 89.5], [38.5, 55.2]]),
];

/// The published rows.
pub(super) fn published() -> Published {
    let rows = METHODS.iter().map(|m| {
        let [categories @ .., whole] = &m.scores;
        let of = |name: &str, measure: &str| format!("{name} {measure}");
        let mut scores: Vec<(String, f64)> = Vec::new();
        for (c, [tsr, csr]) in Category::ALL.iter().zip(categories) {
            scores.push((of(c.label(), TSR), *tsr));
            scores.push((of(c.label(), CSR), *csr));
        }
        scores.push((TSR.to_owned(), whole[0]));
        scores.push((CSR.to_owned(), whole[1]));
        PublishedRow { policy: m.name.to_owned(), scores: scores.into_iter().collect() }
    });
    Published { source: SOURCE.to_owned(), rows: rows.collect(), memory: Some(memory()) }
}

const RULE: &str = "RoboMemArena, section 10: 104 of the 151 subtasks of the released tasks, of which only the \
                    sum and one example (7 of 9 in a drawer task) are published. The rule applied to the \
                    subtasks of this suite is our reading of it: free while the object and where it goes are \
                    seen, memory for what was inspected, counted, or put out of sight earlier.";

/// The paper's ratio, and its rule applied to the subtasks here.
fn memory() -> MemoryClaim {
    let tasks = ROWS.iter().map(|row| (row.id(), rule(&row.kind)));
    MemoryClaim { dependent: 104, subtasks: 151, source: RULE.to_owned(), tasks: tasks.collect() }
}

/// One letter per subtask.
fn rule(kind: &Kind) -> String {
    match kind {
        // The first drawer is free, all later ones and what they held are not; a box is in sight.
        Kind::Drawers(d) => format!("--mmmm{}", "m-mm".repeat(d.puts.len())),
        Kind::Microwaves(_) => "----m-m-".to_owned(),
        Kind::Pours(p) => {
            let before = if p.filling.is_some() { "--" } else { "" };
            let after = if p.after == After::Microwave { "mm---" } else { "m" };
            format!("{before}--m{after}")
        }
        Kind::Baskets(_) => "---m".to_owned(),
        Kind::Transfers(t) => format!("--{}", "mm".repeat(t.objects.len() - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::SUITE;
    use super::*;

    #[test]
    fn the_rule_has_a_letter_for_every_subtask() {
        let claim = memory();
        for task in SUITE.tasks() {
            let letters = &claim.tasks[task.id.as_str()];
            let subtasks = task.plan.written().len();
            assert_eq!(letters.len(), subtasks, "{}: {letters}", task.id);
            assert!(letters.starts_with('-'), "{}: nothing precedes the first", task.id);
        }
    }
}
