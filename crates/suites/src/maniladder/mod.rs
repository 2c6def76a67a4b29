//! ManiLadder: a ladder of manipulation tasks in four levels of difficulty.
//!
//! The paper publishes names, levels, domain and embodiment of its tasks and what they are run on; code,
//! assets, stages, thresholds and randomization are not public. Scenes, stages and plans here are ours;
//! thresholds are those of sibling tasks of other benchmarks where there is one, which each task names.
//! Tasks are tuned by *knobs* (`knobs.rs`), which every task has as options with a default.

mod book_pick_place;
mod button_press;
mod cleanup_pot;
mod dex_open_door;
mod double_door_box;
mod flip_table;
mod grasp_cylinder;
mod grasp_two_blocks;
mod hammer_handover;
mod hammer_nail_out;
mod hang_mug;
mod kit_assembly;
mod knobs;
mod lift_ball;
mod lift_bucket;
mod liquid_measuring;
mod mobile_pick_place;
mod open_bottle;
mod open_box_retrieval;
mod open_door;
mod open_laptop;
mod open_pen;
mod open_scissor;
mod peg_in_hole;
mod pick_place_pen;
mod pick_soft_gripper;
mod pivot_book;
mod pouring_water;
mod press_button;
mod push_box;
mod push_soccer;
mod reorient_cube;
mod reorient_pen;
mod sand_shovel_gripper;
mod scoop_water;
mod stack_block;
mod straighten_rope;
mod straighten_two_ropes_sequential;
mod swing_cup;
mod throw_block;
mod turn_on_faucet;

use longarm_task::prelude::*;
use longarm_task::{ObjectSpec, Predicate, TaskSpec};
use longarm_types::Protocol;
use longarm_types::protocol::{LabelGroup, MeanOver, Measure, Metric};

use crate::{Suite, Table};

/// Levels of the registry.
const LEVEL_1: &str = "level-1";
const LEVEL_2: &str = "level-2";
const LEVEL_3: &str = "level-3";
const LEVEL_4: &str = "level-4";
/// Domains.
const RIGID: &str = "rigid";
const DEFORMABLE: &str = "deformable";
/// Embodiments.
const SINGLE_GRIPPER: &str = "single-arm-gripper";
const SINGLE_DEX: &str = "single-arm-dex";
const DUAL_GRIPPER: &str = "dual-arm-gripper";
const DUAL_DEX: &str = "dual-arm-dex";

/// The hand of a limb is at an object, touching it or `within` metres away at most. What an elbow does does not count.
fn hand_at(object: impl Into<String>, within: f64, limb: &str) -> Predicate {
    not(hand_clear_of(object).within(within).with(limb))
}

/// Both hands are at an object.
fn both_hands_at(object: &ObjectSpec, within: f64) -> Predicate {
    all(["left", "right"].map(|limb| hand_at(object, within, limb)))
}

/// The suite.
pub const SUITE: Suite = Suite {
    options: knobs::KNOBS,
    ..Suite::new(
        "maniladder",
        "ManiLadder: rungs of four levels, on Pandas with grippers and hands",
        Table::Rows(&[
            ("maniladder/open-door", open_door::task),
            ("maniladder/pick-place-pen", pick_place_pen::task),
            ("maniladder/push-soccer", push_soccer::task),
            ("maniladder/stack-block", stack_block::task),
            ("maniladder/dual-arm-button-press", button_press::task),
            ("maniladder/dual-arm-double-door-box", double_door_box::task),
            ("maniladder/dual-arm-hammer-handover", hammer_handover::task),
            ("maniladder/dual-arm-push-box", push_box::task),
            ("maniladder/grasp-cylinder", grasp_cylinder::task),
            ("maniladder/lift-bucket", lift_bucket::task),
            ("maniladder/reorient-cube", reorient_cube::task),
            ("maniladder/turn-on-faucet", turn_on_faucet::task),
            ("maniladder/dual-arm-book-pick-place", book_pick_place::task),
            ("maniladder/dual-arm-press-button", press_button::task),
            ("maniladder/dual-arm-open-pen", open_pen::task),
            ("maniladder/dual-arm-open-scissor", open_scissor::task),
            ("maniladder/dual-arm-swing-cup", swing_cup::task),
            ("maniladder/dual-arm-cleanup-pot", cleanup_pot::task),
            ("maniladder/dual-arm-lift-ball", lift_ball::task),
            ("maniladder/dual-arm-peg-in-hole", peg_in_hole::task),
            ("maniladder/hang-mug", hang_mug::task),
            ("maniladder/kit-assembly", kit_assembly::task),
            ("maniladder/dex-open-door", dex_open_door::task),
            ("maniladder/grasp-two-blocks", grasp_two_blocks::task),
            ("maniladder/open-box-retrieval", open_box_retrieval::task),
            ("maniladder/pivot-book", pivot_book::task),
            ("maniladder/mobile-pick-place", mobile_pick_place::task),
            ("maniladder/dual-arm-flip-table", flip_table::task),
            ("maniladder/dual-arm-open-bottle", open_bottle::task),
            ("maniladder/dual-arm-open-laptop", open_laptop::task),
            ("maniladder/dual-arm-throw-block", throw_block::task),
            ("maniladder/hammer-nail-out", hammer_nail_out::task),
            ("maniladder/reorient-pen", reorient_pen::task),
            ("maniladder/straighten-rope", straighten_rope::task),
            ("maniladder/straighten-two-ropes-sequential", straighten_two_ropes_sequential::task),
            ("maniladder/pick-soft-gripper", pick_soft_gripper::task),
            ("maniladder/pouring-water", pouring_water::task),
            ("maniladder/liquid-measuring", liquid_measuring::task),
            ("maniladder/sand-shovel-gripper", sand_shovel_gripper::task),
            ("maniladder/scoop-water", scoop_water::task),
        ]),
        protocol,
    )
};

/// Twenty trajectories of each task; to learn from, the paper has fifty demonstrations (`demos --episodes 50`).
///
/// A level is where the MILE score of the paper's two policies came to lie. The paper's ranges share their
/// borders (50, 20 and 10 belong to two levels each); here a border belongs to the easier level.
fn protocol() -> Protocol {
    let metric = |name: &str, title: &str, measure| Metric {
        name: name.to_owned(),
        title: title.to_owned(),
        measure,
        over: MeanOver::Tasks,
    };
    let level = [
        (LEVEL_1, "Level 1: MILE 50 and more"),
        (LEVEL_2, "Level 2: 20 and more"),
        (LEVEL_3, "Level 3: 10 and more"),
        (LEVEL_4, "Level 4: below 10"),
    ];
    let embodiment = [
        (SINGLE_GRIPPER, "One arm, gripper"),
        (SINGLE_DEX, "One arm, hand"),
        (DUAL_GRIPPER, "Two arms, grippers"),
        (DUAL_DEX, "Two arms, hands"),
    ];
    Protocol {
        title: "ManiLadder".to_owned(),
        episodes: 20,
        groups: vec![
            LabelGroup::new("level", &level),
            LabelGroup::new(
                "domain",
                &[(RIGID, "Rigid and articulated"), (DEFORMABLE, "Deformable")],
            ),
            LabelGroup::new("embodiment", &embodiment),
        ],
        metrics: vec![
            metric("success", "episodes with all stages completed", Measure::Success),
            metric("progress", "share of the stages completed", Measure::Score),
            metric("MILE", "half success, half progress", Measure::Composite),
        ],
        ..Protocol::default()
    }
}

/// A task of the ladder: its labels, and the name it has in the registry.
fn rung(
    id: &str,
    rig: RigName,
    labels: [&'static str; 3],
    registered: &str,
    deviations: &[&str],
) -> TaskSpec {
    let mut from = source("ManiLadder, task registry");
    from.title = registered.to_owned();
    from.deviations = deviations.iter().map(|&d| d.to_owned()).collect();
    TaskSpec::new(&format!("maniladder/{id}"), rig).labels(labels).source(from)
}
