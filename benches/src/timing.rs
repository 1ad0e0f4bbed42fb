//! The time of one call, as little disturbed by the rest of the machine as can be.

use std::time::{Duration, Instant};

const BATCH: Duration = Duration::from_millis(60);

/// Seconds of one call, and the answer of the last one: processor time of this thread where the system tells it, else wall
/// time; the least mean of three batches of calls that last 60 ms each, after a first call that is not counted.
pub fn timed<T>(mut call: impl FnMut() -> T) -> (f64, T) {
    let mut answer = call();
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let (begin, wall, mut calls) = (processor_time(), Instant::now(), 0);
        while calls == 0 || wall.elapsed() < BATCH {
            answer = call();
            calls += 1;
        }
        let spent = match (begin, processor_time()) {
            (Some(begin), Some(end)) => end.saturating_sub(begin).as_secs_f64(),
            _ => wall.elapsed().as_secs_f64(),
        };
        best = best.min(spent / f64::from(calls));
    }
    (best, answer)
}

/// Seconds of single calls: the least and the median of the means of 20 batches of `calls`, on the clock of [`timed`].
pub fn spread(calls: u32, mut call: impl FnMut()) -> (f64, f64) {
    let mut means: Vec<f64> = (0..20)
        .map(|_| {
            let (begin, wall) = (processor_time(), Instant::now());
            (0..calls).for_each(|_| call());
            let spent = match (begin, processor_time()) {
                (Some(begin), Some(end)) => end.saturating_sub(begin).as_secs_f64(),
                _ => wall.elapsed().as_secs_f64(),
            };
            spent / f64::from(calls)
        })
        .collect();
    means.sort_by(f64::total_cmp);
    (means[0], means[10])
}

/// What this thread has used so far, from the scheduler of Linux.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    (nanoseconds > 0).then(|| Duration::from_nanos(nanoseconds))
}
