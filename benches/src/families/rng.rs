//! Random numbers that any language can regenerate.
//!
//! # References
//! - \[V2014\] S. Vigna's public domain code of SplitMix64, after G. L. Steele, D. Lea, C. H. Flood, Fast splittable
//!   pseudorandom number generators, OOPSLA 2014.

/// SplitMix64, seeded.
///
/// # Examples
/// ```
/// use signorini_benches::families::Rng;
/// assert_eq!(Rng::new(7).unit(), Rng::new(7).unit());
/// ```
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The generator of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1) with 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in `low..=high`.
    ///
    /// # Panics
    /// If high < low.
    pub fn size(&mut self, low: usize, high: usize) -> usize {
        let above = self.next() % (high - low + 1) as u64;
        low + usize::try_from(above).expect("smaller than a usize")
    }

    /// Uniform in [lo, hi), as lo + (hi − lo) u.
    pub(crate) fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// Uniform in [−1, 1).
    pub(super) fn sign(&mut self) -> f64 {
        self.between(-1.0, 1.0)
    }

    /// One of the integers lo, .., hi.
    pub(super) fn integer(&mut self, lo: f64, hi: f64) -> f64 {
        self.between(lo, hi + 1.0).floor()
    }

    /// `count` numbers in [lo, hi).
    pub(super) fn vector(&mut self, count: usize, lo: f64, hi: f64) -> Vec<f64> {
        (0..count).map(|_| self.between(lo, hi)).collect()
    }

    /// A normal deviate of mean 0 and standard deviation 1 (Box and Muller; the second one is thrown away).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_specification() {
        let mut rng = Rng::new(1_234_567);
        assert_eq!(rng.next(), 6_457_827_717_110_365_317);
        assert_eq!(rng.next(), 3_203_168_211_198_807_973);
        for _ in 0..100 {
            assert!((2..=5).contains(&rng.size(2, 5)));
        }
        let mut rng = Rng::new(7);
        assert_eq!(rng.sign(), -0.220_340_503_217_457_02);
        assert_eq!(rng.between(0.3, 1.0), 0.311_751_806_169_709_27);
        assert_eq!(rng.between(0.0, 5.0), 4.503_803_403_034_417);
    }

    #[test]
    fn normal_deviates_have_mean_zero_and_variance_one() {
        let mut rng = Rng::new(3);
        let sample: Vec<f64> = (0..10_000).map(|_| rng.normal()).collect();
        let mean = sample.iter().sum::<f64>() / 1e4;
        let square = sample.iter().map(|x| x * x).sum::<f64>() / 1e4;
        // Four standard errors of 10,000 deviates: 4 / 100 for the mean, 4 √2 / 100 for the variance.
        assert!(
            mean.abs() < 0.04 && (square - 1.0).abs() < 0.06,
            "{mean} {square}"
        );
        let integers: Vec<f64> = (0..1000).map(|_| rng.integer(-1.0, 1.0)).collect();
        assert!(integers.iter().all(|i| [-1.0, 0.0, 1.0].contains(i)));
    }
}
