//! Applied forces: wrenches as data, and laws written by the user.

use std::{f64::consts::PI, fmt::Debug};

use crate::body::BodyId;

/// Force and torque on one body as a function of time: `wrench` times an amplitude law between two times.
///
/// | name     | shape  | unit   | meaning                                                                        |
/// | -------- | ------ | ------ | ------------------------------------------------------------------------------ |
/// | `wrench` | (dofs,)| N, N m | force and torque, world axes, at the centre of mass: (fx, fy, τ) or (f, τ)   |
/// | `from`   | –      | s      | acts from this time on                                                         |
/// | `until`  | –      | s      | to this time; may be ∞                                                         |
///
/// A step gets the exact impulse ∫ amplitude dt, so switching times need not fall on steps.
///
/// # Examples
/// ```
/// use signorini_dynamics::{Amplitude, AppliedWrench, Body, Inertia, System, World};
/// let mut world = World::<2>::new();
/// let puck = world.add(Body::moving("puck", 2.0, Inertia::Scalar(1.0)))?;
/// let push = AppliedWrench { until: 0.25, ..AppliedWrench::constant(puck, vec![8.0, 19.62, 0.0]) };
/// world.apply(push)?;
/// let mut v = [0.0; 3];
/// world.free_velocity(0.0, &[0.0; 3], &[0.0; 3], 0.5, &mut v);   // half the step pushed: Δv_x = 8 · 0.25 / 2
/// assert_eq!(v[0], 1.0);
/// # Ok::<(), signorini_dynamics::WorldError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AppliedWrench {
    /// The body it acts on.
    pub body: BodyId,
    /// Force and torque, N and N m, world axes, at the centre of mass.
    pub wrench: Vec<f64>,
    /// Start, s.
    pub from: f64,
    /// End, s.
    pub until: f64,
    /// Factor as a function of time.
    pub amplitude: Amplitude,
}

impl AppliedWrench {
    /// A wrench that acts at all times.
    pub fn constant(body: BodyId, wrench: Vec<f64>) -> Self {
        Self {
            body,
            wrench,
            from: f64::NEG_INFINITY,
            until: f64::INFINITY,
            amplitude: Amplitude::Constant,
        }
    }

    /// ∫ amplitude dt over the part of [t, t + h] in which it acts, s.
    pub(crate) fn duration(&self, t: f64, h: f64) -> f64 {
        // Unclipped, the length is h itself: (t + h) − t would bring the rounding of t into every step.
        let (start, end) = (t.max(self.from), (t + h).min(self.until));
        let length = if self.from <= t && t + h <= self.until {
            h
        } else {
            (end - start).max(0.0)
        };
        match self.amplitude {
            Amplitude::Constant => length,
            Amplitude::Sinusoid { frequency, phase } => {
                let half = PI * frequency * length;
                let sinc = if half.abs() < 1e-4 {
                    1.0 - half * half / 6.0
                } else {
                    half.sin() / half
                };
                length * sinc * (2.0 * PI * frequency * (start + 0.5 * length) + phase).sin()
            }
        }
    }
}

/// Factor of an applied wrench as a function of time, no unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
pub enum Amplitude {
    /// 1.
    #[default]
    Constant,
    /// sin(2 π `frequency` t + `phase`), t the time of the run.
    Sinusoid {
        /// Frequency, Hz.
        frequency: f64,
        /// Phase, rad.
        phase: f64,
    },
}

/// A force law written by the user.
///
/// It must be a function of its argument alone, or a run cannot be repeated from a saved state.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use signorini_dynamics::{Body, Force, ForceInput, Inertia, System, World};
///
/// /// Drag −c v on every body.
/// #[derive(Debug)]
/// struct Drag(f64);
/// impl Force for Drag {
///     fn add_to(&self, input: &ForceInput<'_>, out: &mut [f64]) {
///         out[..2].iter_mut().zip(input.v).for_each(|(f, v)| *f -= self.0 * v);
///     }
/// }
///
/// let mut world = World::<2>::new();
/// world.add(Body::moving("puck", 2.0, Inertia::Scalar(1.0)))?;
/// world.add_force(Arc::new(Drag(0.5)));
/// let mut v = [0.0; 3];
/// world.free_velocity(0.0, &[0.0; 3], &[4.0, 0.0, 0.0], 0.1, &mut v);
/// assert_eq!(v[0], 3.9);
/// # Ok::<(), signorini_dynamics::WorldError>(())
/// ```
pub trait Force: Debug + Send + Sync {
    /// Adds the force and torque on one moving body (N, N m, world axes, at its centre of mass) to `out`, `dofs` entries.
    fn add_to(&self, input: &ForceInput<'_>, out: &mut [f64]);
}

/// What a force law may depend on: one moving body at one time.
#[derive(Clone, Copy, Debug)]
pub struct ForceInput<'a> {
    /// Time at the start of the step, s.
    pub t: f64,
    /// The body.
    pub body: BodyId,
    /// Its coordinates.
    pub q: &'a [f64],
    /// Its velocity.
    pub v: &'a [f64],
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these values are exact")]
mod tests {
    use super::*;

    fn sinusoid(from: f64, until: f64) -> AppliedWrench {
        AppliedWrench {
            from,
            until,
            amplitude: Amplitude::Sinusoid {
                frequency: 3.0,
                phase: 0.4,
            },
            ..AppliedWrench::constant(BodyId(0), vec![])
        }
    }

    #[test]
    fn impulses_of_steps_add_up_to_the_integral_between_the_switching_times() {
        let wrench = sinusoid(0.137, 0.861);
        let antiderivative = |t: f64| -(2.0 * PI * 3.0 * t + 0.4).cos() / (2.0 * PI * 3.0);
        let sum: f64 = (0..100)
            .map(|k| wrench.duration(0.01 * f64::from(k), 0.01))
            .sum();
        assert!((sum - (antiderivative(0.861) - antiderivative(0.137))).abs() < 1e-15);
    }

    #[test]
    fn nothing_acts_outside_the_interval_and_h_is_not_rounded_inside() {
        assert_eq!(sinusoid(1.0, 2.0).duration(0.0, 0.5), 0.0);
        assert_eq!(sinusoid(1.0, 2.0).duration(2.0, 0.5), 0.0);
        let constant = AppliedWrench::constant(BodyId(0), vec![]);
        assert_eq!(constant.duration(1e9, 0.1), 0.1);
    }
}
