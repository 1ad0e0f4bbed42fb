//! Seeded random numbers, the same on every machine.

/// Generator of G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
#[derive(Debug, Clone)]
pub(in crate::experiments) struct SplitMix64(u64);

impl SplitMix64 {
    pub(in crate::experiments) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub(in crate::experiments) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in `low..=high`.
    pub(in crate::experiments) fn size(&mut self, low: usize, high: usize) -> usize {
        let above = self.next() % (high - low + 1) as u64;
        low + usize::try_from(above).expect("smaller than a usize")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_values_are_those_of_the_reference_code() {
        let mut rng = SplitMix64::new(1_234_567);
        assert_eq!(rng.next(), 6_457_827_717_110_365_317);
        assert_eq!(rng.next(), 3_203_168_211_198_807_973);
        for _ in 0..100 {
            assert!((2..=5).contains(&rng.size(2, 5)));
        }
    }
}
