//! What chores share with the tests that need Python packages.

pub mod python;
