//! What can be true of a scene, as a value that can be written down.
//!
//! A predicate is a variant in `vocabulary` and an arm in `bind`; its family's file has the rest: the function
//! that makes it, how its names become bodies, and what is measured.

mod atom;
mod bind;
mod bound;
mod bulk;
mod cast;
mod combine;
mod geometry;
mod hand;
mod joint;
mod limp;
mod lump;
mod margins;
mod origin;
mod placed;
mod pour;
mod progress;
mod reach;
mod region_test;
mod relation;
mod report;
mod rest;
mod soft;
mod vocabulary;

pub use bound::{BoundPredicate, View};
pub use bulk::{contains, spilled};
pub use cast::Bound;
pub(crate) use cast::{floor, surface_point};
pub use combine::{all, any, at_least, not};
pub use hand::{
    HAND_AWAY, HAND_CLEAR, LIFT, carried, grasped, hand_away, hand_clear_of, hand_empty, hand_over,
    lifted, lifted_both, lifted_off,
};
pub use joint::{is_closed, is_open, opened};
pub use limp::{SHAPED, STRAIGHT, shaped, straight, wrapped};
pub use lump::{lowest, moulded, raised};
pub use margins::{Gauge, Margins, Sense, Unit};
pub use origin::{origin_in, origin_on};
pub use pour::pouring;
pub(crate) use reach::{Handhold, nearest};
pub use region_test::RegionTest;
pub use relation::{aligned, near, on_end, still, through, touching, turned, turned_axis, upright};
pub use rest::{BACK_WITHIN, above, at, at_start_of, back_at_start, in_, on};
pub use soft::{Axis, covers, folded, hangs_on, lies_in, point_at, spread_out};
pub use vocabulary::Predicate;
