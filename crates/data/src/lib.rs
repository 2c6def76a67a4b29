//! What leaves the engine as files: videos and pictures of episodes.
//!
//! - [`video`] writes H.264 in mp4, frame by frame.
//! - [`image`] writes PNG, and composes pictures: captions, camera views side by side, contact
//!   sheets, depth and segmentation in colours.
//! - [`lerobot`], [`hdf5`] and [`npy`] write datasets; [`Column`] and [`Pack`] hold an episode on its
//!   way there, [`keyframes`] marks moments in it, [`manifest`] finds files that were damaged.
//!
//! Pictures are 8-bit sRGB, row by row from the top, three bytes a pixel. A file appears under its
//! final name only when it is complete; equal input gives equal bytes.

mod atomic;
mod column;
mod error;
mod font;
pub mod hdf5;
pub mod image;
pub mod keyframes;
pub mod lerobot;
pub mod manifest;
mod mp4;
pub mod npy;
mod pack;
mod parquet;
pub mod pickle;
mod stats;
pub mod video;

pub use atomic::write_atomically;
pub use column::Column;
pub use error::Error;
pub use pack::Pack;
pub use stats::{Histogram, Stats};

/// Result of this crate's operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;
