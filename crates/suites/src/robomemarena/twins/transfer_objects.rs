//! Transfer objects — a watermelon and a carrot go from one plate to the other.
//!
//! Scene: two plates alike, a small watermelon and a carrot on one of them.
//! Randomization: which plate they are on, which of them lies nearer to the robots, all poses.
//! Stages: 4 (pick, put; for each, the nearer first).
//! Success: both on the other plate; putting back what was moved fails.
//! Source and deviations: RoboMemArena, Table S4. The order is the seed's: with a fixed one the first object
//! would tell which way they go.

use longarm_assets::objects::FoodKind;
use longarm_task::TaskSpec;
use longarm_task::place::Rect;

use super::super::row::Category;
use super::super::transfers::{Pieces, Places, Transfers};
use super::twin;

pub(super) fn task() -> TaskSpec {
    let spec =
        twin("transfer-objects", Category::Transferring.label(), "Transfer Objects", 779, &[])
            .instruction("move what is on the one plate to the other plate, the nearest first")
            .horizon(1_200);
    let both = &[FoodKind::Watermelon, FoodKind::Carrot];
    let mut spec = Transfers { places: Places::Plates, objects: Pieces::Food(both) }.task(spec);
    // Nearer than one arm needs them: each arm reaches both.
    for r in spec.regions.iter_mut().filter(|r| r.name.starts_with("plate")) {
        for Rect(x0, y0, x1, y1) in &mut r.rects {
            let side = if *y0 < 0.0 { 1.0 } else { -1.0 };
            (*x0, *x1) = (*x0 - 0.1, *x1 - 0.1);
            (*y0, *y1) = (*y0 + 0.04 * side, *y1 + 0.04 * side);
        }
    }
    spec
}
