//! Times of one update of the broad phase: all bodies moved on and told, and the sorted list of pairs, on one thread.
//!
//! Arguments: any number of `case:n`; the cases are `space` and `plane` (equal balls with four box neighbours each),
//! `mixed` (radii of ratio 1000), `heap` (all in one spot) and `arrivals` (as `space`, and one body leaves and returns in every
//! update); none for the lines that DESIGN.md quotes. `build:n` is the first list after inserting all, `sweep:n` the same as
//! `space` by sort and sweep along one axis instead of the tree. Each line holds case, n, pairs at the end, and the least and
//! the median of 200 updates, milliseconds of processor time where the system tells it.

use std::time::Instant;

use signorini_benches::{Swarm, Sweep, print_calibration};
use signorini_geometry::{Aabb, Bounds, BroadPhase, Proxy};

const UPDATES: usize = 200;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    print_calibration();
    let mut cases: Vec<String> = std::env::args().skip(1).collect();
    if cases.is_empty() {
        let usual = [
            "space:1000",
            "space:10000",
            "space:100000",
            "plane:10000",
            "mixed:10000",
            "heap:1000",
            "heap:4000",
            "arrivals:10000",
            "build:10000",
            "sweep:10000",
        ];
        cases = usual.map(str::to_owned).to_vec();
    }
    for case in cases {
        let (name, n) = case.split_once(':').ok_or("expected case:n")?;
        let n: usize = n.parse()?;
        let (pairs, times) = match name {
            "space" => updates(Swarm::<3>::new(n, 1.0, 1), false)?,
            "plane" => updates(Swarm::<2>::new(n, 1.0, 1), false)?,
            "mixed" => updates(Swarm::<3>::new(n, 1e3, 1), false)?,
            "heap" => updates(Swarm::<3>::heap(n, 1), false)?,
            "arrivals" => updates(Swarm::<3>::new(n, 1.0, 1), true)?,
            "build" => builds(&Swarm::<3>::new(n, 1.0, 1))?,
            "sweep" => sweeps(Swarm::<3>::new(n, 1.0, 1)),
            _ => return Err("no such case".into()),
        };
        let [least, median] = [times[0], times[times.len() / 2]].map(|t| 1e3 * t);
        println!("{name} {n} {pairs} {least:.3} {median:.3}");
    }
    Ok(())
}

fn filled<const D: usize>(swarm: &Swarm<D>) -> Result<BroadPhase<D>, Failure> {
    let mut broad = BroadPhase::new();
    for k in 0..swarm.len() {
        broad.insert(u32::try_from(k)?, Proxy::new(swarm.bounds(k)))?;
    }
    Ok(broad)
}

fn updates<const D: usize>(
    mut swarm: Swarm<D>,
    arrivals: bool,
) -> Result<(usize, Vec<f64>), Failure> {
    let mut broad = filled(&swarm)?;
    let (mut pairs, mut times) = (broad.pairs()?.len(), Vec::new());
    for update in 0..UPDATES {
        swarm.advance();
        let begin = Instant::now();
        for k in 0..swarm.len() {
            broad.update(u32::try_from(k)?, swarm.bounds(k), 0.0)?;
        }
        if arrivals {
            let k = (7919 * update) % swarm.len();
            broad.remove(u32::try_from(k)?)?;
            broad.insert(u32::try_from(k)?, Proxy::new(swarm.bounds(k)))?;
        }
        pairs = broad.pairs()?.len();
        times.push(begin.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok((pairs, times))
}

fn builds<const D: usize>(swarm: &Swarm<D>) -> Result<(usize, Vec<f64>), Failure> {
    let (mut pairs, mut times) = (0, Vec::new());
    for _ in 0..UPDATES {
        let begin = Instant::now();
        pairs = filled(swarm)?.pairs()?.len();
        times.push(begin.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok((pairs, times))
}

fn sweeps<const D: usize>(mut swarm: Swarm<D>) -> (usize, Vec<f64>) {
    let (mut sweep, mut boxes, mut times) = (Sweep::default(), Vec::<Aabb<D>>::new(), Vec::new());
    let mut pairs = 0;
    for _ in 0..=UPDATES {
        swarm.advance();
        let begin = Instant::now();
        boxes.clear();
        boxes.extend((0..swarm.len()).filter_map(|k| match swarm.bounds(k) {
            Bounds::Box(tight) => Some(tight),
            Bounds::HalfSpace { .. } => None,
        }));
        pairs = sweep.pairs(&boxes).len();
        times.push(begin.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    (pairs, times)
}
