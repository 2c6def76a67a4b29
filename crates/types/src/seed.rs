use serde::{Deserialize, Serialize};

/// The seed of an episode. All randomness derives from it through named streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Seed(pub u64);

impl Seed {
    /// An independent generator for one purpose.
    ///
    /// Names keep streams apart: adding a distractor draws from a new stream and moves nothing else.
    pub fn stream(self, name: &str) -> Rng {
        let mut h = blake3::Hasher::new();
        h.update(&self.0.to_le_bytes());
        h.update(name.as_bytes());
        let bytes = h.finalize();
        let word = |i: usize| {
            let mut b = [0; 8];
            b.copy_from_slice(&bytes.as_bytes()[i * 8..i * 8 + 8]);
            u64::from_le_bytes(b)
        };
        // The all-zero state is the one fixed point of xoshiro.
        Rng { s: [word(0) | 1, word(1), word(2), word(3)] }
    }
}

/// xoshiro256++ with the few distributions we use, written out so that no dependency's update can
/// change what a seed means.
#[derive(Clone, Debug)]
pub struct Rng {
    s: [u64; 4],
}

impl Rng {
    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.s;
        let out = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        out
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in [lo, hi); `lo` when the range is empty.
    pub fn range(&mut self, lo: f64, hi: f64) -> f64 {
        if hi > lo { lo + (hi - lo) * self.unit() } else { lo }
    }

    /// Uniform in 0..n, without modulo bias. Zero when n is zero.
    pub fn below(&mut self, n: usize) -> usize {
        if n < 2 {
            return 0;
        }
        let n = n as u64;
        let zone = u64::MAX - u64::MAX % n;
        loop {
            let v = self.next_u64();
            if v < zone {
                return (v % n) as usize;
            }
        }
    }

    /// Standard normal (Box–Muller, one value per call).
    pub fn normal(&mut self) -> f64 {
        let u = 1.0 - self.unit();
        let v = self.unit();
        (-2.0 * libm::log(u)).sqrt() * libm::cos(std::f64::consts::TAU * v)
    }

    /// Fisher–Yates.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// One of the items; `None` when there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { items.get(self.below(items.len())) }
    }
}
