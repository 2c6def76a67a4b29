//! What leaves the engine as files: videos and pictures of episodes.
//!
//! - [`video`] writes H.264 in mp4, frame by frame.
//! - [`image`] writes PNG, and composes pictures: captions, camera views side by side, contact
//!   sheets, depth and segmentation in colours.
//!
//! Pictures are 8-bit sRGB, row by row from the top, three bytes a pixel. A file appears under its
//! final name only when it is complete; equal input gives equal bytes.

mod atomic;
mod error;
mod font;
pub mod image;
mod mp4;
pub mod video;

pub use atomic::write_atomically;
pub use error::Error;

/// Result of this crate's operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;
