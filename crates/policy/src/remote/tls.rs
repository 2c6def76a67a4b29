//! Encrypted connections: whom they trust, and what is said when they do not.

#[cfg(not(feature = "wss"))]
mod absent;
#[cfg(feature = "wss")]
mod built_in;

#[cfg(not(feature = "wss"))]
pub use absent::Trust;
#[cfg(not(feature = "wss"))]
pub(super) use absent::{Encrypted, refusal};
#[cfg(feature = "wss")]
pub use built_in::Trust;
#[cfg(feature = "wss")]
pub(super) use built_in::{Encrypted, refusal};
