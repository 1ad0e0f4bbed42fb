//! The error measures of Table 1.
//!
//! The velocity of a run is v⁺ on each step. With the reference run $v$,
//!
//! ```math
//! e_v = \int_0^1 \| v_h(t) - v(t) \|_\infty \, dt, \qquad
//! e_q = \sup_t \| q_h(t) - q(t) \|_\infty, \qquad
//! V(v_h) = \max_i \sum_l | v_i^{l+1} - v_i^l |
//! ```
//!
//! over all 24 components; the coordinates of an orientation are the integral of ω.
//!
//! # Guarantees and limits
//!
//! Exact for these piecewise constant and linear functions, if the steps of the run are whole
//! multiples of the reference's.
//!
//! # References
//! - \[ST2000\] section 4.2; what norm and which variation are meant is inferred from the printed table.

/// Velocities and positions of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    h: f64,
    /// Velocity on each step, six components per body.
    v: Vec<Vec<f64>>,
    /// Position at the start and at the end of each step: centre and integral of ω.
    q: Vec<Vec<f64>>,
}

impl Path {
    /// The path of bodies that start with their centres at `centres`; `v` holds the velocities at
    /// the start and after each step.
    pub fn new(h: f64, centres: &[[f64; 3]], v: &[Vec<f64>]) -> Self {
        let mut q = vec![0.0; 6 * centres.len()];
        for (coordinates, centre) in q.chunks_exact_mut(6).zip(centres) {
            coordinates[..3].copy_from_slice(centre);
        }
        let mut path = Self {
            h,
            v: v[1..].to_vec(),
            q: vec![q.clone()],
        };
        for v in &path.v {
            q.iter_mut().zip(v).for_each(|(q, v)| *q += h * v);
            path.q.push(q.clone());
        }
        path
    }
}

/// Errors of a run against a reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// e_v.
    pub velocity: f64,
    /// e_q.
    pub position: f64,
    /// e_v of the translational components only.
    pub translational: f64,
    /// e_v of the angular components only.
    pub angular: f64,
}

/// The errors of `path` against `reference`.
///
/// # Panics
///
/// If the steps of `path` are no whole multiple of those of `reference`.
///
/// # Examples
///
/// ```
/// use signorini_validation::experiments::st2000_balls_measures::{Path, errors};
/// let start = [[0.0; 3]];
/// let v = |x: f64| vec![x, 0.0, 0.0, 0.0, 0.0, 0.0];
/// let coarse = Path::new(0.5, &start, &[v(0.0), v(1.0)]);
/// let fine = Path::new(0.25, &start, &[v(0.0), v(1.0), v(3.0)]);
/// let errors = errors(&coarse, &fine);
/// assert_eq!((errors.velocity, errors.position, errors.angular), (0.5, 0.5, 0.0));
/// ```
pub fn errors(path: &Path, reference: &Path) -> Errors {
    let ratio = reference.v.len() / path.v.len();
    assert_eq!(
        ratio * path.v.len(),
        reference.v.len(),
        "steps are no multiples of each other"
    );
    let mut found = Errors {
        velocity: 0.0,
        position: 0.0,
        translational: 0.0,
        angular: 0.0,
    };
    for (step, v) in reference.v.iter().enumerate() {
        let ours = &path.v[step / ratio];
        let (translational, angular) = largest_differences(ours, v);
        found.translational += reference.h * translational;
        found.angular += reference.h * angular;
        found.velocity += reference.h * translational.max(angular);
        let part = path.h / ratio as f64 * (step % ratio + 1) as f64;
        let there = path.q[step / ratio]
            .iter()
            .zip(ours)
            .map(|(q, v)| q + part * v);
        let difference = there
            .zip(&reference.q[step + 1])
            .map(|(a, b)| (a - b).abs());
        found.position = difference.fold(found.position, f64::max);
    }
    found
}

fn largest_differences(a: &[f64], b: &[f64]) -> (f64, f64) {
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs()).enumerate();
    differences.fold((0.0, 0.0), |(linear, angular), (index, d)| {
        if index % 6 < 3 {
            (d.max(linear), angular)
        } else {
            (linear, d.max(angular))
        }
    })
}

/// V: the largest sum of a component's changes; `v` holds the velocities at the start and after each
/// step.
pub fn largest_variation(v: &[Vec<f64>]) -> f64 {
    let components = v.first().map_or(0, Vec::len);
    let variation = |i: usize| {
        v.windows(2)
            .map(|pair| (pair[1][i] - pair[0][i]).abs())
            .sum()
    };
    (0..components).map(variation).fold(0.0, f64::max)
}
