//! Grasps from what cameras see.
//!
//! Depth pictures become a [`Cloud`]; of the segment that is to be taken, [`Search`] proposes poses of a gripper
//! with two fingers: flat, opposite surfaces between the pads (normals within the friction cone), room for fingers
//! and palm among all that is seen, within reach. What no camera sees is not taken to be empty. Nothing here knows
//! a scene, an object or a simulator: points in, ranked [`Candidate`]s out, the same for the same points.

mod cloud;
mod contact;
mod search;
#[cfg(test)]
mod shapes;

pub use cloud::{Cloud, Perception, Point};
pub use search::{Candidate, Gripper, Proposals, Search};
