//! The state of clay or sand, to the bit.

use longarm_types::{DVec3, RunningHash};

use super::{Mpm, Point};

/// Numbers of a point beside its place.
const NUMBERS: usize = 3 + 9 + 6 + 6 + 1;

impl Point {
    fn numbers(&self) -> [f64; NUMBERS] {
        let vectors = [self.velocity, self.gradient[0], self.gradient[1], self.gradient[2]];
        let vectors = vectors.into_iter().flat_map(|v| v.truncate().to_array());
        let strain = self.strain.squared.into_iter().chain(self.strain.log);
        let floats = vectors.chain(strain).chain([self.strain.loose]);
        let mut numbers = [0.0; NUMBERS];
        for (n, f) in numbers.iter_mut().zip(floats) {
            *n = f64::from(f);
        }
        numbers
    }

    fn set(&mut self, numbers: &[f64]) {
        let vector = |k: usize| DVec3::from_slice(&numbers[3 * k..]).as_vec3().extend(0.0);
        self.velocity = vector(0);
        self.gradient = [vector(1), vector(2), vector(3)];
        self.strain.squared = std::array::from_fn(|k| numbers[12 + k] as f32);
        self.strain.log = std::array::from_fn(|k| numbers[18 + k] as f32);
        self.strain.loose = numbers[24] as f32;
    }
}

impl Mpm {
    /// Append its whole state.
    pub fn save(&self, state: &mut Vec<f64>) {
        state.extend(self.now.iter().flat_map(DVec3::to_array));
        state.extend(self.points.iter().flat_map(Point::numbers));
        state.extend(self.tags.iter().map(|t| f64::from(*t)));
    }

    /// Return to a saved state; `false` if it is not one of this matter.
    pub fn restore(&mut self, state: &[f64]) -> bool {
        let count = self.now.len();
        if state.len() != (3 + NUMBERS + 1) * count {
            return false;
        }
        let (places, rest) = state.split_at(3 * count);
        let (numbers, tags) = rest.split_at(NUMBERS * count);
        for i in 0..count {
            self.now[i] = DVec3::from_slice(&places[3 * i..]);
            self.points[i].set(&numbers[NUMBERS * i..][..NUMBERS]);
            self.tags[i] = tags[i] as u32;
        }
        true
    }

    /// Add its whole state to a hash.
    pub fn digest(&self, hash: &mut RunningHash) {
        for (p, point) in self.now.iter().zip(&self.points) {
            hash.floats(&p.to_array());
            hash.floats(&point.numbers());
        }
        for tag in &self.tags {
            hash.bytes(&tag.to_le_bytes());
        }
    }
}
