//! Kit assembly — pieces go into the cavities of a board that have their shape.
//!
//! Scene: a board with three cavities (square, oblong, bar), and a piece for each beside it; two pieces where
//! the knob `pieces` says so.
//! Randomization: the board's pose, all pieces' poses and colours.
//! Stages: 2 for each piece (pick, fit).
//! Success: every piece lies in its cavity, no more than 3 mm above its floor and turned by no more than 4°,
//! released and still.
//! Source and deviations: KitAssembly-v1. The limits are those of ManiSkill's AssemblingKits, whose 2 cm the
//! cavity's walls keep; shapes and their number are ours.

use longarm_task::prelude::*;

use super::{LEVEL_2, RIGID, SINGLE_GRIPPER, rung};

/// Largest angle from the cavity's heading.
const TURNED: f64 = 4.0 * std::f64::consts::PI / 180.0;

pub(super) fn task() -> TaskSpec {
    with_pieces(Kit::PIECES.len())
}

/// The same with another number of pieces.
pub(super) fn with_pieces(n: usize) -> TaskSpec {
    let kit = object("kit", Kit { clearance: 0.0025 });
    let stands = region("kit spot", rect([-0.02, 0.12], [0.04, 0.18])).yaw(-0.3, 0.3);
    let around = region("around", rect([-0.2, -0.24], [0.08, -0.04])).yaw(-1.2, 1.2);
    let mut spec = rung(
        "kit-assembly",
        RigName::STUDIO_PANDA,
        [LEVEL_2, RIGID, SINGLE_GRIPPER],
        "KitAssembly-v1",
        &["limits are those of ManiSkill's AssemblingKits; shapes and their number are ours"],
    )
    .instruction("put every piece into the cavity of the kit that has its shape")
    .clearance(0.045)
    .place(&kit, &stands);
    let pieces = &Kit::PIECES[..n.clamp(1, Kit::PIECES.len())];
    let mut steps = Vec::new();
    for (k, (shape, size)) in pieces.iter().enumerate() {
        let others = pieces[..k].iter().map(|(other, _)| *other);
        let piece = object(*shape, Block { size: *size })
            .colour(any_of(Colour::DISTINCT).unlike(others))
            .called(format!("{shape} piece"));
        let cavity = kit.path(shape);
        let fits = all([
            in_(&piece, &cavity),
            aligned(&piece, &kit).within(TURNED),
            not(grasped(&piece)),
            still(&piece),
        ]);
        let said = format!("fit the {shape} piece into the kit");
        steps.extend([
            pick(&piece).from(&around),
            put(&piece).in_(&cavity).with_effect(fits).saying(said),
        ]);
        spec = spec.place(&piece, &around);
    }
    spec.plan(steps).stages(from_plan()).horizon(100 + 200 * pieces.len() as u32)
}
