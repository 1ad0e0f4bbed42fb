//! Times of one update of the broad phase: all bodies told where they are, and the sorted list of pairs, on one thread.
//!
//! Arguments: any number of `case:n`, n the number of bodies; none for those that DESIGN.md quotes. The cases are
//!
//! - `space`, `plane`: equal balls with four box neighbours each, which move by 3 % of their size,
//! - `mixed`: the same with radii of ratio 1000, `heap`: all in one spot,
//! - `arrivals`: as `space`, and one body leaves and returns in every update,
//! - `build`: insertion of all, and the first list,
//! - `sweep`: as `space`, by sort and sweep along one axis in place of the tree,
//! - `contacts`: `System::contacts` of balls that lie on a floor in a cubic grid and touch, margin 1 mm.
//!
//! Each line holds case, n, pairs or contacts at the end, and milliseconds of an update: the least and the median of the
//! means of 20 batches, see `signorini_benches::spread`.

use signorini::dynamics::{ContactQuery, Contacts};
use signorini::prelude::*;
use signorini_benches::{Swarm, Sweep, print_calibration, spread};
use signorini_geometry::{Bounds, BroadPhase, Proxy};

type Failure = Box<dyn std::error::Error>;

/// Pairs or contacts at the end, and the least and the median time.
type Row = (usize, (f64, f64));

const USUAL: [&str; 11] = [
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
    "contacts:1000",
];

fn main() -> Result<(), Failure> {
    print_calibration();
    let mut cases: Vec<String> = std::env::args().skip(1).collect();
    if cases.is_empty() {
        cases = USUAL.map(str::to_owned).to_vec();
    }
    for case in cases {
        let (name, n) = case.split_once(':').ok_or("expected case:n")?;
        let n: usize = n.parse()?;
        let (count, times) = match name {
            "space" => updates(Swarm::<3>::new(n, 1.0, 1), false)?,
            "plane" => updates(Swarm::<2>::new(n, 1.0, 1), false)?,
            "mixed" => updates(Swarm::<3>::new(n, 1e3, 1), false)?,
            "heap" => updates(Swarm::<3>::heap(n, 1), false)?,
            "arrivals" => updates(Swarm::<3>::new(n, 1.0, 1), true)?,
            "build" => builds(&Swarm::<3>::new(n, 1.0, 1))?,
            "sweep" => sweeps(Swarm::<3>::new(n, 1.0, 1)),
            "contacts" => contacts(n)?,
            _ => return Err("no such case".into()),
        };
        let (least, median) = (1e3 * times.0, 1e3 * times.1);
        println!("{name} {n} {count} {least:.3} {median:.3}");
    }
    Ok(())
}

/// So many calls that a batch lasts some ticks of the scheduler's clock.
fn batch(pairs: usize) -> u32 {
    match pairs {
        0..10_000 => 50,
        10_000..100_000 => 10,
        100_000..1_000_000 => 2,
        _ => 1,
    }
}

fn number(ball: usize) -> u32 {
    u32::try_from(ball).expect("u32 counts the balls")
}

fn filled<const D: usize>(swarm: &Swarm<D>) -> Result<BroadPhase<D>, Failure> {
    let mut broad = BroadPhase::new();
    for k in 0..swarm.len() {
        broad.insert(number(k), Proxy::new(swarm.bounds(k)))?;
    }
    Ok(broad)
}

fn updates<const D: usize>(mut swarm: Swarm<D>, arrivals: bool) -> Result<Row, Failure> {
    let mut broad = filled(&swarm)?;
    let (mut count, mut turn) = (broad.pairs()?.len(), 0);
    let times = spread(batch(count), || {
        swarm.advance();
        for k in 0..swarm.len() {
            broad
                .update(number(k), swarm.bounds(k), 0.0)
                .expect("a ball");
        }
        if arrivals {
            turn = (turn + 7919) % swarm.len();
            let proxy = Proxy::new(swarm.bounds(turn));
            broad.remove(number(turn)).expect("a ball");
            broad.insert(number(turn), proxy).expect("a new ball");
        }
        count = broad.pairs().expect("few pairs").len();
    });
    Ok((count, times))
}

fn builds<const D: usize>(swarm: &Swarm<D>) -> Result<Row, Failure> {
    let count = filled(swarm)?.pairs()?.len();
    let times = spread(batch(count), || {
        let mut broad = filled(swarm).expect("balls");
        assert_eq!(broad.pairs().map(<[_]>::len), Ok(count));
    });
    Ok((count, times))
}

fn sweeps<const D: usize>(mut swarm: Swarm<D>) -> Row {
    let (mut sweep, mut boxes, mut count) = (Sweep::default(), Vec::new(), 0);
    let times = spread(batch(2 * swarm.len()), || {
        swarm.advance();
        boxes.clear();
        boxes.extend((0..swarm.len()).filter_map(|k| match swarm.bounds(k) {
            Bounds::Box(tight) => Some(tight),
            Bounds::HalfSpace { .. } => None,
        }));
        count = sweep.pairs(&boxes).len();
    });
    (count, times)
}

fn contacts(n: usize) -> Result<Row, Failure> {
    let mut world = World::<3>::new();
    world.add(Body::fixed("floor", HalfSpace::up()))?;
    let side = (1..=n).find(|side| side * side * side >= n).unwrap_or(1);
    for k in 0..n {
        let mut ball = Body::solid(format!("ball{k}"), Ball::new(0.5)?, 1.0)?;
        let place = [k % side, k / side % side, k / side / side];
        for (x, cell) in ball.position.iter_mut().zip(place) {
            *x = 0.5 + cell as f64;
        }
        world.add(ball)?;
    }
    let (q, mut contacts) = (world.initial_state().q, Contacts::default());
    let query = ContactQuery {
        margin: 1e-3,
        include: &[],
    };
    let times = spread(batch(n), || {
        world
            .contacts(0.0, &q, &query, &mut contacts)
            .expect("balls in a grid");
    });
    Ok((contacts.len(), times))
}
