//! Pour bottle twice — two pours, no more and no fewer, then the bottle goes back.
//!
//! Scene: a bottle to the left or the right, a mug in the middle, a mat on both sides.
//! Randomization: on which side the bottle stands, all poses.
//! Stages: 4 (pick, pour, pour, put back).
//! Success: all of them in order; a third pour fails, and so does setting the bottle down before the second or
//! on the other mat.
//! Source and deviations: RoboMemArena, Table S4. What a pour is, and the two mats, are those of the suite's
//! simulated pours; there is no water.

use longarm_assets::libero::Category as C;
use longarm_task::TaskSpec;

use super::super::pours::{After, Pours};
use super::super::row::Category;
use super::twin;

pub(super) fn task() -> TaskSpec {
    let pours =
        Pours { vessel: C::WineBottle, into: C::WhiteYellowMug, filling: None, after: After::Mat };
    let spec = twin(
        "pour-bottle-twice",
        Category::Counting.label(),
        "Pour Bottle × 2",
        866,
        &["there is no water"],
    )
    .instruction(
        "pour from the bottle into the mug exactly twice, then put the bottle back on its mat",
    )
    .horizon(1_600);
    pours.task(spec)
}
