//! NumPy's legacy generator: what `numpy.random.seed` and `numpy.random.uniform` draw, bit for bit.

const WORDS: usize = 624;
const SHIFT: usize = 397;

/// The Mersenne Twister as `numpy.random.RandomState` uses it. For reproducing what others have
/// drawn; our own scenes draw from [`Seed::stream`](crate::Seed::stream).
#[derive(Clone, Debug, PartialEq)]
pub struct LegacyRandom {
    words: [u32; WORDS],
    next: usize,
    /// The second of the last pair of normal numbers.
    spare: Option<f64>,
}

impl LegacyRandom {
    /// Seed it as `numpy.random.seed` does with an integer.
    pub fn new(seed: u32) -> Self {
        let mut words = [seed; WORDS];
        for i in 1..WORDS {
            let last = words[i - 1];
            words[i] = (last ^ (last >> 30)).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        Self { words, next: WORDS, spare: None }
    }

    fn refill(&mut self) {
        for i in 0..WORDS {
            let y = (self.words[i] & 0x8000_0000) | (self.words[(i + 1) % WORDS] & 0x7fff_ffff);
            let odd = if y & 1 == 1 { 0x9908_b0df } else { 0 };
            self.words[i] = self.words[(i + SHIFT) % WORDS] ^ (y >> 1) ^ odd;
        }
        self.next = 0;
    }

    /// Return the next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        if self.next == WORDS {
            self.refill();
        }
        let mut y = self.words[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// Draw as `random_sample()`: uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        let (high, low) = (self.next_u32() >> 5, self.next_u32() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// Draw as `uniform(low, high)`; an empty range draws all the same.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Draw as `randint(n)`: one of 0..n. One value or none needs no draw.
    pub fn below(&mut self, n: u32) -> u32 {
        let most = n.saturating_sub(1);
        if most == 0 {
            return 0;
        }
        let mask = u32::MAX >> most.leading_zeros();
        loop {
            let value = self.next_u32() & mask;
            if value <= most {
                return value;
            }
        }
    }

    /// Draw as `randn()`. The count of draws is exact; the last bit of a value is the platform's.
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (a, b) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let r = a * a + b * b;
            if r < 1.0 && r != 0.0 {
                let f = libm::sqrt(-2.0 * libm::log(r) / r);
                self.spare = Some(f * a);
                return f * b;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Numbers printed by numpy 1.26.4.

    #[test]
    fn uniform_and_integers_are_numpys_to_the_bit() {
        let mut r = LegacyRandom::new(0);
        let drawn = [(); 3].map(|()| r.uniform(-0.01, 0.01).to_bits());
        assert_eq!(drawn, [0x3f4f_fd8c_079b_17b0, 0x3f71_a0d9_1d20_126e, 0x3f60_d635_5940_2f94]);
        let integers: Vec<u32> = (0..10).map(|_| r.below(3)).collect();
        assert_eq!(integers, [1, 1, 2, 0, 2, 0, 0, 0, 2, 1]);
        assert_eq!(r.unit().to_bits(), 0x3fe9_55cf_bf3f_a928);
        let mut untouched = r.clone();
        assert_eq!((r.below(1), r.below(0)), (0, 0));
        assert_eq!(r.next_u32(), untouched.next_u32(), "one choice needs none");
    }

    #[test]
    fn seeds_and_refills_are_numpys() {
        assert_eq!(LegacyRandom::new(u32::MAX).unit().to_bits(), 0x3fb8_fe69_a392_4820);
        let mut r = LegacyRandom::new(7);
        for _ in 0..700 {
            r.unit();
        }
        assert_eq!(r.unit().to_bits(), 0x3fae_4f92_bd09_8c90);
    }

    #[test]
    fn normal_numbers_come_in_pairs() {
        let mut r = LegacyRandom::new(0);
        let want = [
            0x3ffc_398e_f3e5_cfa5_u64,
            0x3fd9_9c2c_facc_8953,
            0x3fef_51d2_5222_c9ab,
            0x4001_ed59_69e3_314e,
            0x3ffd_e184_7cb1_3dda,
            0xbfef_45dc_42a5_8c82,
            0x3fee_671f_d332_95e9,
        ];
        for w in want {
            assert!((r.normal() - f64::from_bits(w)).abs() < 1e-15);
        }
        // The eighth waits while others draw.
        assert_eq!(r.unit().to_bits(), 0x3fee_d653_4917_3336);
        assert!((r.normal() - f64::from_bits(0xbfc3_5fac_49d3_8436)).abs() < 1e-15);
    }
}
