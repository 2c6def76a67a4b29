//! Whole models from other people's files, kept as they are written: bodies, names and all.
//!
//! A [`Library`] is a few named folders that files are read from, and no others. An [`Element`] is an
//! MJCF element whose tag, attributes and values were checked against an allow-list, so that a model is
//! put together from elements and written by [`Library::finish`] without any text that was not
//! checked. Meshes and pictures are checked before MuJoCo sees them. Every file used is listed with
//! its hash.
//!
//! Objects that are to be one of ours go through [`outside`](crate::outside) instead, which reads them
//! into shapes and writes them by the engine's own writer.

mod allowed;
mod blobs;
mod element;
mod folders;
mod library;
mod robot;

pub use blobs::{check_mesh, check_picture};
pub use element::Element;
pub use folders::{AssetFolders, AssetFoldersError};
pub use library::{Library, SourceModel};
pub use robot::{GoalOrigin, OscSettings, SourceGripper, SourceRobot, ToolFrame};

#[cfg(test)]
mod tests;
