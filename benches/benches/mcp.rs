//! `Path` on the public nonlinear problems: `mcp/<problem>/<n>`, all starts of it in turn by one solver that is warm, and
//! `mcp/<problem>/f` and `.../jacobian`, one evaluation.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group};
use signorini_benches::{PublicMcp, print_calibration};
use signorini_complementarity::{Assembler, Mcp, Path, Solver, Start};

/// Largest n of a small problem.
const SMALL: usize = 15;

/// Solves from every start; the numbers of starts, of those solved, and of majors.
fn solve(solver: &mut Path, problem: &PublicMcp) -> [usize; 3] {
    let mut counts = [0; 3];
    for start in &problem.starts {
        let solution = solver.solve(black_box(&problem.model), Start::Point(start));
        counts[0] += 1;
        counts[1] += usize::from(solution.status.is_solved());
        counts[2] += solution.stats.iterations;
    }
    counts
}

/// Prints the work counters: a time of a failure is worth nothing.
fn tell(name: &str, [starts, solved, majors]: [usize; 3]) {
    println!("mcp/{name}: {starts} starts, {solved} solved, {majors} majors");
}

fn read(name: &str) -> PublicMcp {
    PublicMcp::named(name).expect("a public problem")
}

fn small(criterion: &mut Criterion) {
    let problems = PublicMcp::all().expect("the public problems");
    let problems: Vec<_> = problems
        .into_iter()
        .filter(|problem| problem.model.len() <= SMALL)
        .collect();
    let mut group = criterion.benchmark_group("mcp");
    let mut solver = Path::default();
    let mut all = move || {
        let mut sum = [0; 3];
        for problem in &problems {
            let counts = solve(&mut solver, problem);
            sum = std::array::from_fn(|i| sum[i] + counts[i]);
        }
        sum
    };
    tell("small", all());
    group.bench_function(BenchmarkId::new("small", SMALL), |bencher| {
        bencher.iter(&mut all);
    });
    group.finish();
}

fn single(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mcp");
    group.sample_size(10);
    // The last ones take seconds: where nothing is timed they would be all that is waited for.
    let names = [
        "kojshin",
        "nash5",
        "bertsekas_g4",
        "siouxfalls_4dest",
        "obstacle_50",
        "siouxfalls",
    ];
    let untimed = std::env::args().any(|word| word == "--test");
    for name in &names[..if untimed { 4 } else { names.len() }] {
        let (problem, mut solver) = (read(name), Path::default());
        let mut told = false;
        group.bench_function(BenchmarkId::new(*name, problem.model.len()), |bencher| {
            if !std::mem::replace(&mut told, true) {
                tell(name, solve(&mut solver, &problem));
            }
            bencher.iter(|| solve(&mut solver, &problem));
        });
    }
    group.finish();
}

fn evaluation(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mcp");
    for name in ["kojshin", "siouxfalls"] {
        let problem = read(name);
        let (model, z) = (&problem.model, &problem.solutions[0]);
        let mut f = vec![0.0; z.len()];
        group.bench_function(BenchmarkId::new(name, "f"), |bencher| {
            bencher.iter(|| model.evaluate(black_box(z), &mut f, None));
        });
        let mut jacobian = Assembler::new(z.len());
        group.bench_function(BenchmarkId::new(name, "jacobian"), |bencher| {
            bencher.iter(|| {
                jacobian.begin();
                let answer = model.evaluate(black_box(z), &mut f, Some(&mut jacobian));
                black_box(jacobian.matrix());
                answer
            });
        });
    }
    group.finish();
}

criterion_group!(benches, small, single, evaluation);

fn main() {
    print_calibration();
    benches();
    Criterion::default().configure_from_args().final_summary();
}
