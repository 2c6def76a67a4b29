//! Open laptop — both hands raise the lid of a notebook computer.
//!
//! Scene: a laptop that faces the robots, its lid ajar by a fifth of its range; it slides if it is pushed.
//! Randomization: its place and heading, how far it is ajar, its colour.
//! Stages: 2 (the lid is half way from where it began, the lid is open).
//! Success: the lid is past 95 % of its range, and the laptop stands within 8 cm of where it stood.
//! Source and deviations: DualArmOpenLaptop-v1. Start and share are those of DexArt's Laptop (95 % from 20 %);
//! RoboTwin counts 40 %. That it stays where it is, is ours.

use longarm_task::prelude::*;

use super::{DUAL_DEX, LEVEL_2, RIGID, rung};

pub(super) fn task() -> TaskSpec {
    let laptop = object("laptop", Laptop {}).colour(any_of([
        Colour::Gray,
        Colour::Blue,
        Colour::Red,
        Colour::White,
    ]));
    let stands = region("laptop spot", rect([-0.06, -0.03], [0.02, 0.03])).yaw(-0.12, 0.12);
    let lid = laptop.path("lid");
    let raised = all([is_open(&lid), back_at_start(&laptop).within(0.08)]);
    let raise =
        |limb: &str| open(&lid).with(limb).saying(format!("raise the lid with the {limb} hand"));
    rung(
        "dual-arm-open-laptop",
        RigName::STUDIO_TWO_PANDAS_LEAP,
        [LEVEL_2, RIGID, DUAL_DEX],
        "DualArmOpenLaptop-v1",
        &["95 % of the range from 20 %, as DexArt's Laptop; that it stays within 8 cm is ours"],
    )
    .instruction("open the {laptop.colour} laptop with both hands")
    .place(&laptop, &stands)
    .part(&lid, PartStart::Between(0.40, 0.44))
    .plan(together([raise("left"), raise("right")]))
    .stages([
        stage("raise the lid half way", opened(&lid, 0.6)).hold(0.1),
        stage("open the laptop", raised).hold(0.25),
    ])
    .horizon(500)
}
