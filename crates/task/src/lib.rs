//! The task language: what a scene may be, what is asked, what counts. No physics.
//!
//! A [`TaskSpec`] is a value. [`sample`] draws a [`Scene`] from it; [`Bound`] resolves its names in
//! that scene; a [`StageTracker`] follows the episode by looking at one [`Snapshot`] per control
//! step. Predicates see nothing but the snapshot.

mod alias;
pub mod bddl;
mod edit;
mod error;
mod files;
mod footprint;
pub mod form;
pub mod goal;
mod instances;
mod object;
pub mod place;
pub mod plan;
pub mod predicate;
mod sample;
mod scene;
mod show;
mod snapshot;
mod spec;
pub mod speech;
pub mod stage;
mod template;
mod tracker;
mod validate;

pub use alias::{Alias, Alternative, Meanings};
pub use edit::Edit;
pub use error::{SampleError, SpecError};
pub use files::{
    FromFiles, Glow, SourceGoal, SourceNames, SourceScene, SourceStart, SourceState, SourceTiming,
    SourceView, Starts,
};
pub use goal::{Fit, Goal, Slot};
pub use instances::Instances;
pub use object::{Given, ObjectSpec, Paint, any_colour, any_of, given, object, same_colour_as};
pub use place::{Place, RegionSpec};
pub use plan::{Op, Plan, Reactive, Step};
pub use predicate::{Bound, BoundPredicate, Margins, Predicate, RegionTest, View};
pub use sample::{sample, sample_with};
pub use scene::{LineStart, PartState, Scene, part_pose};
pub use show::{Carry, CarryTo, Cue, Guided, Show, Shows};
pub use snapshot::{
    BodyId, BodyState, Hand, LimbId, MobileBase, Relation, Snapshot, SoftForm, SoftKind, SoftState,
};
pub use spec::{Source, TaskSpec, USUAL_PACE, source};
pub use stage::{Forbid, Stage};
pub use tracker::{Outcome, Reward, StageStatus, StageTracker, Status};

/// Everything a task file needs.
pub mod prelude {
    pub use longarm_assets::objects::*;
    pub use longarm_assets::{Asset, Colour, RigName};

    pub use crate::object::{any_colour, any_of, given, object, same_colour_as};
    pub use crate::place::{PartStart, chosen_by, in_palm, on_top_of, point, rect, region, under};
    pub use crate::plan::{
        Spot, UPSIDE_DOWN, close, flip, grasp, hang, if_given, if_seen, insert, lay, measure, open,
        pass, pick, pick_both, pick_place, pour, pull, push, put, repeat, scoop, stand, straighten,
        thread, throw, together, turn, turn_off, turn_on, wipe, withdraw,
    };
    pub use crate::predicate::{
        Axis, above, aligned, all, any, at, at_least, at_start_of, back_at_start, carried,
        contains, covers, folded, grasped, hand_away, hand_clear_of, hand_empty, hand_over,
        hangs_on, in_, is_closed, is_open, lies_in, lifted, lifted_both, lifted_off, lowest,
        moulded, near, not, on, on_end, opened, point_at, pouring, raised, shaped, spilled,
        spread_out, still, straight, through, touching, turned, turned_axis, upright, wrapped,
    };
    pub use crate::show::{CarryTo, carry, show};
    pub use crate::spec::{TaskSpec, source};
    pub use crate::stage::{
        Order, any_order, ever, from_plan, partial, placed, pours, sequential, stage, strokes,
        times,
    };
}
