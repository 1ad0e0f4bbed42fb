//! Moving balls for the broad phase.

use nalgebra::SVector;
use signorini_geometry::{Aabb, Bounds};

use crate::families::Rng;

/// Box neighbours of a ball on average.
const NEIGHBOURS: f64 = 4.0;

/// A ball moves by this part of its own diameter per update.
const PACE: f64 = 0.03;

/// Balls that fly through a box and bounce off its walls, as dense as to have four neighbours on average, whose bounding
/// boxes overlap theirs. They pass through each other.
///
/// # Examples
/// ```
/// let mut swarm = signorini_benches::Swarm::<3>::new(1000, 1.0, 1);
/// let before = swarm.bounds(7);
/// swarm.advance();
/// assert_ne!(swarm.bounds(7), before);
/// ```
#[derive(Clone, Debug)]
pub struct Swarm<const D: usize> {
    radius: Vec<f64>,
    position: Vec<SVector<f64, D>>,
    /// m per update.
    velocity: Vec<SVector<f64, D>>,
    /// Length of the box's sides, m.
    side: f64,
}

impl<const D: usize> Swarm<D> {
    /// `n` balls with radii from 0.5 m to `ratio` times that, evenly spread in the logarithm.
    pub fn new(n: usize, ratio: f64, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let radius: Vec<f64> = (0..n).map(|_| 0.5 * ratio.powf(rng.unit())).collect();
        // Two boxes overlap if their centres are within the sum of the radii along every axis.
        let volume = |k: usize| {
            let width = 2.0 * (radius[k] + radius[(7 * k + 1) % n]);
            (0..D).map(|_| width).product::<f64>()
        };
        let mean = (0..n).map(volume).sum::<f64>() / n as f64;
        let side = (n as f64 * mean / NEIGHBOURS).powf(1.0 / D as f64);
        let place = |rng: &mut Rng| SVector::<f64, D>::from_fn(|_, _| side * rng.unit());
        let position = (0..n).map(|_| place(&mut rng)).collect();
        let velocity = radius
            .iter()
            .map(|r| {
                let direction: SVector<f64, D> = place(&mut rng) - SVector::repeat(0.5 * side);
                direction.normalize() * (PACE * 2.0 * r)
            })
            .collect();
        Self {
            radius,
            position,
            velocity,
            side,
        }
    }

    /// `n` balls of 0.5 m so near to one point that all overlap.
    pub fn heap(n: usize, seed: u64) -> Self {
        let mut swarm = Self::new(n, 1.0, seed);
        let shrink = 0.5 / swarm.side;
        for x in &mut swarm.position {
            *x *= shrink;
        }
        swarm.side *= shrink;
        swarm
    }

    /// Number of balls.
    pub fn len(&self) -> usize {
        self.radius.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.radius.is_empty()
    }

    /// The box of a ball.
    ///
    /// # Panics
    /// If there is no such ball.
    pub fn bounds(&self, ball: usize) -> Bounds<D> {
        let (x, r) = (self.position[ball], self.radius[ball]);
        Bounds::Box(Aabb {
            lower: x.map(|x| x - r),
            upper: x.map(|x| x + r),
        })
    }

    /// Moves all by one update.
    pub fn advance(&mut self) {
        for (x, v) in self.position.iter_mut().zip(&mut self.velocity) {
            for (x, v) in x.iter_mut().zip(v) {
                *x += *v;
                if *x < 0.0 || *x > self.side {
                    *v = -*v;
                    *x += 2.0 * *v;
                }
            }
        }
    }
}
