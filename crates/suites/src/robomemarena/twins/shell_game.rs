//! Shell game — watch which cup hides the ball and how the cups are swapped, then lift that cup.
//!
//! Scene: three cups alike, upside down in a row, a ball under one of them.
//! Randomization: under which cup, which two are swapped, three times; all poses.
//! Stages: 2 (the cup with the ball is held, it is lifted).
//! Success: that cup is 8 cm above the table; taking or lifting another fails.
//! Shown: the cup with the ball is lifted and put back, then two cups change places, three times.
//! Source and deviations: RoboMemArena, Table S4. Nobody's hands are seen: the cups move by themselves. Which
//! two are swapped is drawn of the cups, not of their places, which is as likely.

use longarm_assets::Colour;
use longarm_task::TaskSpec;
use longarm_task::prelude::*;

use super::super::row::Category;
use super::twin;

const CUPS: [&str; 3] = ["cup_1", "cup_2", "cup_3"];
const HIDDEN: &str = "hidden";
/// Swaps, and the pairs of cups they may be of.
const SWAPS: [&str; 3] = ["swap_1", "swap_2", "swap_3"];
const PAIRS: [[usize; 2]; 3] = [[0, 1], [1, 2], [0, 2]];
/// Metres between neighbours, and how far cups pass beside the row.
const APART: f64 = 0.17;
const BESIDE: f64 = 0.11;
const LIFTED: f64 = 0.08;

pub(super) fn task() -> TaskSpec {
    let mut spec = twin(
        "shell-game",
        Category::Occlusion.label(),
        "Shell Game",
        779,
        &["cups move by themselves: there are no hands", "a swap is drawn of cups, not of places"],
    )
    .instruction("watch the ball and the cups, then lift the cup with the ball")
    .clearance(0.0)
    .horizon(900);
    for (k, name) in CUPS.into_iter().enumerate() {
        let y = APART * (1.0 - k as f64);
        let cup = object(name, ShellCup { radius: 0.034, height: 0.085 })
            .colour(Colour::Red)
            .called("cup");
        let spot = region(format!("{name} spot"), rect([-0.11, y - 0.01], [-0.09, y + 0.01]));
        spec = spec.place(&cup, &spot);
    }
    let ball = object("ball", SoccerBall { radius: 0.017 });
    spec = spec.variable(HIDDEN, 0..3).place(&ball, chosen_by(HIDDEN, CUPS.map(under)));
    let named = |by: usize| (0..3).map(move |k| (CUPS[(k + by) % 3], "cup")).collect::<Vec<_>>();
    for (by, name) in ["cup with the ball", "empty cup", "other empty cup"].into_iter().enumerate()
    {
        spec = spec.alias(name, HIDDEN, named(by));
    }
    let it = "cup with the ball";
    spec = spec
        .show(show("a look at the row", 0.5, []))
        .show(show("lift the cup", 1.0, [carry(it, CarryTo::By([0.0, 0.0, 0.1]))]))
        .show(show("show the ball", 1.0, [carry(it, CarryTo::By([0.0; 3]))]))
        .show(show("put it back", 1.0, [carry(it, CarryTo::By([0.0, 0.0, -0.1]))]));
    for swap in SWAPS {
        spec = spec.variable(swap, 0..3);
        let [one, other] = [0, 1].map(|side| {
            let name = format!("{swap} {}", side + 1);
            let of = PAIRS.map(|pair| (CUPS[pair[side]], "cup"));
            spec = spec.clone().alias(&name, swap, of);
            name
        });
        let way = |from: &str, to: &str| {
            carry(from, CarryTo::Place(to.to_owned())).bend(BESIDE).with_contents()
        };
        spec = spec.show(show(swap, 2.0, [way(&one, &other), way(&other, &one)]));
    }
    let wrong = any(["empty cup", "other empty cup"].map(grasped));
    spec.show(show("hands away", 0.5, []))
        .plan([pick(it).with_effect(lifted(it, LIFTED)).saying("lift the cup with the ball")])
        .stages([
            stage("hold the cup with the ball", grasped(it)).hold(0.1),
            stage("lift the cup with the ball", lifted(it, LIFTED)).hold(0.1),
        ])
        .forbid("another cup taken", ever(wrong))
        .decisions([3])
}
