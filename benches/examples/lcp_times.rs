//! Times of the solvers on problems of the families, as lines of text for `scripts/compare_lcp.py`.
//!
//! Arguments: any number of `family:n:seed:solver`; solvers are `block_pivoting`, `lemke`, `interior_point`, `portfolio`,
//! `mixed` (Lemke's method on the mixed form of a friction problem) and `mixed_warm` (the same after a change of the free
//! velocity by 0.005 m/s). `write=PATH` solves nothing and writes n, M by rows and q there, as 64-bit floats. Each line of the output holds family, n, seed, solver, milliseconds of one solve, natural
//! residual max |min(z, M z + q)|, iterations, factorisations, and whether it was solved.
//!
//! The time is processor time of this thread where the system tells it, else wall time: the least mean of three batches
//! of solves that last 60 ms each.

use signorini_benches::families::{Family, Instance, velocity_changed};
use signorini_benches::timed;
use signorini_complementarity::{
    BlockPivoting, InteriorPoint, Lcp, Lemke, LinearMcp, Portfolio, PyramidForm, Solution, Solver,
    Start,
};

/// Standard deviation of the change of the free velocity, m/s.
const CHANGE: f64 = 0.005;

fn main() {
    for argument in std::env::args().skip(1) {
        match run(&argument) {
            Ok(line) => println!("{line}"),
            Err(error) => {
                eprintln!("{argument}: {error}");
                std::process::exit(2);
            }
        }
    }
}

fn run(argument: &str) -> Result<String, Box<dyn std::error::Error>> {
    let words: Vec<&str> = argument.split(':').collect();
    let [family, n, seed, solver] = words[..] else {
        return Err("expected family:n:seed:solver".into());
    };
    let family: Family = family.parse()?;
    let seed = seed.parse()?;
    let instance = family.problem(n.parse()?, seed);
    if let Some(path) = solver.strip_prefix("write=") {
        std::fs::write(path, bytes(&instance.lcp))?;
        return Ok(instance.name());
    }
    let (time, solution, residual) = match solver {
        "block_pivoting" => dense(&mut BlockPivoting::default(), &instance),
        "lemke" => dense(&mut Lemke::default(), &instance),
        "interior_point" => dense(&mut InteriorPoint::default(), &instance),
        "portfolio" => dense(&mut Portfolio::default(), &instance),
        "mixed" => mixed(&instance, false)?,
        "mixed_warm" => mixed(&instance, true)?,
        _ => return Err("no such solver".into()),
    };
    let stats = solution.stats;
    Ok(format!(
        "{family} {} {seed} {solver} {:.6} {residual:.3e} {} {} {}",
        instance.lcp.len(),
        time * 1e3,
        stats.iterations,
        stats.factorizations,
        solution.status.is_solved(),
    ))
}

fn dense(solver: &mut impl Solver<Lcp>, instance: &Instance) -> (f64, Solution, f64) {
    let (time, solution) = timed(|| solver.solve(&instance.lcp, Start::Cold));
    let residual = residual(&instance.lcp, &solution.z);
    (time, solution, residual)
}

fn mixed(instance: &Instance, warm: bool) -> Result<(f64, Solution, f64), &'static str> {
    let missing = "only friction problems have a mixed form";
    let step = instance.friction.as_ref().ok_or(missing)?;
    let directions = instance.family.directions().ok_or(missing)?;
    let mut lemke = Lemke::default();
    let basis = if warm {
        let before =
            velocity_changed(step, CHANGE, instance.seed).pyramid(directions, PyramidForm::Mixed);
        let solution = lemke.solve(before.problem(), Start::Cold);
        Some(solution.basis.ok_or("the step before has no basis")?)
    } else {
        None
    };
    let pyramid = step.pyramid(directions, PyramidForm::Mixed);
    let problem: &LinearMcp = pyramid.problem();
    let start = basis.as_ref().map_or(Start::Cold, Start::Basis);
    let (time, solution) = timed(|| lemke.solve(problem, start));
    let residual = residual(&instance.lcp, &solution.z[step.nv()..]);
    Ok((time, solution, residual))
}

/// n, M by rows and q as little-endian numbers.
fn bytes(lcp: &Lcp) -> Vec<u8> {
    let n = lcp.len();
    let mut values = vec![0.0; 1 + n * n];
    values[0] = n as f64;
    for (&m, (i, j)) in lcp.m() {
        values[1 + i * n + j] += m;
    }
    values.extend_from_slice(lcp.q());
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// max |min(z, M z + q)|, not scaled: as other programs are judged.
fn residual(lcp: &Lcp, z: &[f64]) -> f64 {
    let mut w = lcp.q().to_vec();
    for (&m, (i, j)) in lcp.m() {
        w[i] += m * z[j];
    }
    z.iter()
        .zip(&w)
        .fold(0.0, |worst, (z, w)| worst.max(z.min(*w).abs()))
}
