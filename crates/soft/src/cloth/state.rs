//! The state of a cloth, to the bit.

use longarm_types::{DVec3, RunningHash};

use super::{Clamp, Cloth};

impl Cloth {
    /// All that has a value at each corner.
    fn vectors(&self) -> [&Vec<DVec3>; 5] {
        let layers = &self.layers;
        [&self.now, &self.velocity, &self.support, &layers.listed, &layers.measured]
    }

    /// Lay it somewhere else, at rest and held nowhere; `place` says where each corner goes.
    pub fn lay(&mut self, place: impl Fn(usize) -> DVec3) {
        for i in 0..self.now.len() {
            self.now[i] = place(i);
            self.velocity[i] = DVec3::ZERO;
            self.support[i] = DVec3::ZERO;
            self.release(i);
        }
        self.clamps.iter_mut().for_each(Clamp::open);
        self.before.copy_from_slice(&self.now);
        self.layers.listed.copy_from_slice(&self.now);
        self.layers.measured.copy_from_slice(&self.now);
        self.layers.stale = false;
        self.layers.again(&self.topology);
    }

    /// Append its whole state.
    pub fn save(&self, state: &mut Vec<f64>) {
        for list in self.vectors() {
            state.extend(list.iter().flat_map(DVec3::to_array));
        }
        state.extend(&self.lightness);
        state.push(f64::from(u8::from(self.layers.stale)));
        self.clamps.iter().for_each(|c| c.save(state));
    }

    /// Return to a saved state; `false` if it is not one of this cloth.
    pub fn restore(&mut self, state: &[f64]) -> bool {
        let count = self.now.len();
        if state.len() < 16 * count + 1 {
            return false;
        }
        let (state, mut clamps) = state.split_at(16 * count + 1);
        for clamp in &mut self.clamps {
            let Some(rest) = clamp.restore(clamps, count) else { return false };
            clamps = rest;
        }
        if !clamps.is_empty() {
            return false;
        }
        let (vectors, rest) = state.split_at(15 * count);
        let layers = &mut self.layers;
        let lists = [
            &mut self.now,
            &mut self.velocity,
            &mut self.support,
            &mut layers.listed,
            &mut layers.measured,
        ];
        for (list, values) in lists.into_iter().zip(vectors.chunks_exact(3 * count)) {
            for (v, numbers) in list.iter_mut().zip(values.chunks_exact(3)) {
                *v = DVec3::from_slice(numbers);
            }
        }
        self.lightness.copy_from_slice(&rest[..count]);
        layers.stale = rest[count] != 0.0;
        // Lists follow from where they were made.
        layers.again(&self.topology);
        true
    }

    /// Add its whole state to a hash.
    pub fn digest(&self, hash: &mut RunningHash) {
        for v in self.vectors().into_iter().flatten() {
            hash.floats(&v.to_array());
        }
        hash.floats(&self.lightness);
        hash.bytes(&[u8::from(self.layers.stale)]);
        self.clamps.iter().for_each(|c| c.digest(hash));
    }
}
