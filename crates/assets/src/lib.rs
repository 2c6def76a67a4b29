//! Procedural objects, fixtures, tables and robots as MJCF, with what an expert or a predicate needs
//! to know about them: sizes, grasps, regions, openable parts.
//!
//! Everything here is a pure function of its parameters. Every asset **stands on its origin**: its
//! lowest point is at z = 0 of its own frame when it rests the way it is meant to rest.

mod asset;
mod colour;
mod compose;
mod info;
pub mod kinematics;
pub mod matter;
pub mod mesh;
mod mjcf;
pub mod objects;
mod observation;
pub mod outside;
mod png;
mod registry;
mod rig;
pub mod robots;
pub mod source;

pub use asset::{Asset, Assets, Model, Tint};
pub use colour::Colour;
pub use compose::{Bodies, Body, BodyRole, Composed, Instance, Structure, compose, head};
pub use info::{
    Access, Affordance, AssetInfo, Belt, Grasp, GraspKind, Lies, Mouth, Part, PartMotion, Region,
    RegionKind, Starts,
};
pub use mjcf::{Geom, Joint, Mjcf, Shape, Surface};
pub use objects::libero;
pub use registry::NameTaken;
pub use rig::{
    Arena, CameraMount, CameraSpec, ControlError, FloorRect, Ground, MountedRobot, Rig, RigLimb,
    RigName, look_at,
};
