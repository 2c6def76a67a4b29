//! Time spent in MuJoCo, for benchmarks.

use std::time::Duration;

use super::World;

impl World {
    /// Starts (from zero) or stops measuring the time spent in MuJoCo's step. For benchmarks.
    pub fn time_physics(&mut self, on: bool) {
        self.physics = on.then(Default::default);
    }

    /// Time spent in MuJoCo's step since measuring began.
    pub fn physics_time(&self) -> Duration {
        self.physics.unwrap_or_default()
    }
}
