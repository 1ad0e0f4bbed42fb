//! Times of `Path` on the public nonlinear problems: one solve by a solver that is warm from the solves before.
//!
//! Arguments: names of problems; none for all. Each line holds problem, start, n, microseconds, microseconds of one
//! evaluation of F and of F with its Jacobian, majors, minors, crash iterations, and whether it was solved. The last line
//! is the median over the starts of the problems with n ≤ 15. For the clock see `signorini_benches::timed`.

use std::hint::black_box;

use signorini_benches::{PublicMcp, print_calibration, timed};
use signorini_complementarity::{Assembler, Mcp, Path, Solver, Start};

/// Largest n of a small problem.
const SMALL: usize = 15;

fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    print_calibration();
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = PublicMcp::names()?;
    }
    let mut small = Vec::new();
    let mut solver = Path::default();
    for name in names {
        let PublicMcp { model, starts, .. } = PublicMcp::named(&name)?;
        let n = model.len();
        let (mut f, mut jacobian) = (vec![0.0; n], Assembler::new(n));
        for (number, start) in starts.iter().enumerate() {
            let z = black_box(start.as_slice());
            let (time, solution) = timed(|| solver.solve(&model, Start::Point(z)));
            let (value, _) = timed(|| model.evaluate(z, &mut f, None));
            let (derivative, _) = timed(|| {
                jacobian.begin();
                let answer = model.evaluate(z, &mut f, Some(&mut jacobian));
                black_box(jacobian.matrix());
                answer
            });
            if n <= SMALL {
                small.push(time);
            }
            let stats = solution.stats;
            let [time, value, derivative] = [time, value, derivative].map(|seconds| 1e6 * seconds);
            println!(
                "{name} {number} {n} {time:.1} {value:.2} {derivative:.2} {} {} {} {}",
                stats.iterations,
                stats.pivots,
                stats.crash_iterations,
                solution.status.is_solved(),
            );
        }
    }
    small.sort_by(f64::total_cmp);
    if let Some(median) = small.get(small.len() / 2) {
        let (count, micros) = (small.len(), 1e6 * median);
        println!("median of {count} starts with n ≤ {SMALL}: {micros:.1} µs");
    }
    Ok(())
}
