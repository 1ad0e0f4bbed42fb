//! Units of a step: with them all unknowns and rows are near one, whatever the step, the masses and the sizes.

use signorini_dynamics::{PairLayout, Scale, System};

/// Part of the fastest speed below which the unit of speed does not go: rounding errors of a speed are 1e-16 of it, and must
/// stay below the tolerance, which is in the unit.
const SPEED_FLOOR: f64 = 1e-3;

/// The same for the unit of the gap, as a part of the length.
const GAP_FLOOR: f64 = 1e-2;

/// Units of the unknowns and rows of a step.
///
/// With the system's length L, time T and mass, a = L/T² is the acceleration of gravity:
///
/// | name       | unit   | value                                                                             |
/// | ---------- | ------ | --------------------------------------------------------------------------------- |
/// | `length`   | m      | L                                                                                 |
/// | `speed`    | m/s    | a h, at least 1e-3 of the largest speed                                           |
/// | `gap`      | m      | h · `speed`, at least L/100, at most L                                            |
/// | `velocity` | m/s, rad/s | `speed`; for angular velocities over the radius of inertia                    |
/// | `momentum` | N s, N m s | mass of the body times `speed`; for moments times the radius of inertia; infinite for driven bodies |
#[derive(Clone, Debug)]
pub(super) struct Units {
    pub(super) length: f64,
    pub(super) speed: f64,
    /// a h, the speed gained in a step by falling, m/s. Without gravity it is one of the motion, and nothing falls.
    pub(super) fall: f64,
    /// Largest speed that forces add to a body in the step, m/s.
    pub(super) gained: f64,
    /// Largest speed of a body's point at its radius of inertia, m/s.
    pub(super) fastest: f64,
    pub(super) gap: f64,
    pub(super) velocity: Vec<f64>,
    pub(super) momentum: Vec<f64>,
    dofs: usize,
}

impl Units {
    /// Units of a step of h seconds from v to the free velocity, with the blocks of the mass matrix.
    pub(super) fn new(
        system: &dyn System,
        h: f64,
        (mass, driven): (&[f64], &[bool]),
        speeds: [&[f64]; 2],
    ) -> Self {
        let Scale { length, time, .. } = system.scale();
        let (nv, dofs) = (system.nv(), system.dofs());
        let diagonal = |i: usize| mass[(i / dofs) * dofs * dofs + (i % dofs) * (dofs + 1)];
        let own_mass = |i: usize| diagonal(i / dofs * dofs);
        let is_driven = |i: usize| driven[i / dofs];
        let radius = |i: usize| match (is_driven(i), i % dofs < system.dimension()) {
            (false, _) => (diagonal(i) / own_mass(i)).sqrt(),
            (true, true) => 1.0,
            (true, false) => length,
        };
        let fastest = |v: &[f64]| {
            let speeds = v.iter().enumerate().map(|(i, v)| v.abs() * radius(i));
            speeds.fold(0.0, f64::max)
        };
        let fastest = fastest(speeds[0]).max(fastest(speeds[1]));
        let fall = length / (time * time) * h;
        let [start, free] = speeds;
        let moving = |&body: &usize| !driven[body];
        let gained = (0..nv / dofs.max(1)).filter(moving).map(|body| {
            let own = body * dofs..body * dofs + system.dimension();
            let pairs = free[own.clone()].iter().zip(&start[own]);
            pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        });
        let speed = fall.max(SPEED_FLOOR * fastest);
        let momentum = |i: usize| {
            if is_driven(i) {
                f64::INFINITY
            } else {
                own_mass(i) * radius(i) * speed
            }
        };
        Self {
            length,
            speed,
            fall,
            gained: gained.fold(0.0, f64::max),
            fastest,
            gap: (h * speed).clamp(GAP_FLOOR * length, length),
            velocity: (0..nv).map(|i| speed / radius(i)).collect(),
            momentum: (0..nv).map(momentum).collect(),
            dofs,
        }
    }

    /// Unit of the normal impulse of a pair, N s: mass of its lighter moving body times `speed`.
    pub(super) fn impulse(&self, layout: &PairLayout) -> f64 {
        let own = layout.offsets.iter().flatten();
        let unit = own
            .map(|&offset| self.momentum[offset])
            .fold(f64::INFINITY, f64::min);
        debug_assert!(
            self.dofs == layout.dofs && unit.is_finite(),
            "one body moves"
        );
        unit
    }
}
