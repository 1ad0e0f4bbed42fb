//! Seeded numbers for tests, the same on every machine, and the loop of a stress test.

use std::time::{Duration, Instant};

/// `SplitMix64` (Steele, Lea and Flood, 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In 0..n, n ≥ 1.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap()
    }

    /// In [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// Says at which seed a test panicked, wherever the panic came from.
struct Named(u64);

impl Drop for Named {
    #[expect(clippy::print_stderr, reason = "to be read by whoever runs the test")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("panicked at seed {}", self.0);
        }
    }
}

/// Calls `one` with the first `count` seeds 0, 1, 2, ..., the same on every machine; the variable STRESS_SECONDS replaces
/// the count by a time, STRESS_SEED sets the first seed. A failure names its seed.
#[expect(clippy::print_stdout, reason = "to be read by whoever runs the test")]
pub(crate) fn stress(count: u64, mut one: impl FnMut(u64)) {
    let variable = |name: &str| std::env::var(name).ok();
    let seconds = variable("STRESS_SECONDS").map(|text| text.parse().unwrap());
    let first: u64 = variable("STRESS_SEED").map_or(0, |text| text.parse().unwrap());
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds));
    let mut seed = first;
    while end.map_or(seed < first + count, |end| Instant::now() < end) {
        let _named = Named(seed);
        one(seed);
        seed += 1;
    }
    assert!(seed > first, "no time for a single seed");
    println!("seeds {first} to {}", seed - 1);
}
