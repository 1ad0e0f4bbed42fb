//! Derivatives of a surface against differences of its values.
//!
//! ```math
//! f'(x) \approx \frac{8\,(f(x + s) - f(x - s)) - (f(x + 2 s) - f(x - 2 s))}{12\, s}
//! ```
//!
//! # Guarantees and limits
//! Truncation is s⁴ f⁗′/30, rounding ε |f|/s. The points must stay 2 s away from places where the
//! derivatives jump. A surface that passes is consistent with itself; that it is convex or the right one is
//! another matter.

use std::fmt;

use nalgebra::SVector;
use thiserror::Error;

use crate::{Jet, Surface};

/// How [`check_derivatives`] takes differences and what it accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DerivativeCheck {
    /// Length over which the surface changes, m; default 1. The step is s = length/1000: too small, rounding
    /// spoils the differences, too large, truncation does.
    pub length: f64,
    /// Accepted if |stated − differenced| ≤ tolerance · (largest entry there + |f|/length, over length once
    /// more for the Hessian); default 1e-8, a hundred times what four-point differences of smooth functions
    /// reach.
    pub tolerance: f64,
}

impl Default for DerivativeCheck {
    fn default() -> Self {
        Self {
            length: 1.0,
            tolerance: 1e-8,
        }
    }
}

/// Which part of a [`Jet`] disagrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Derivative {
    /// `jet().value` against `value()`.
    Value,
    /// The gradient against differences of the value.
    Gradient,
    /// The Hessian against differences of the gradient.
    Hessian,
}

impl fmt::Display for Derivative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value => "value",
            Self::Gradient => "gradient",
            Self::Hessian => "hessian",
        })
    }
}

/// The first derivative found wrong.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{part}[{row}, {col}] at {point:?} is {stated}, expected {expected}")]
pub struct DerivativeMismatch {
    /// Which part.
    pub part: Derivative,
    /// Where, in body axes, m.
    pub point: Vec<f64>,
    /// Row of the entry.
    pub row: usize,
    /// Column of the entry; 0 for value and gradient.
    pub col: usize,
    /// What the surface says.
    pub stated: f64,
    /// What differences say (or the separate method, for `jet`).
    pub expected: f64,
}

/// Compares gradient and Hessian with differences, and [`Surface::jet`] with the separate methods, at every
/// point (body axes, m).
///
/// # Errors
/// The first mismatch; anything that is not finite is one.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{Ball, DerivativeCheck, check_derivatives};
/// let points = [Vector3::new(0.3, -0.1, 0.7), Vector3::new(0.0, 0.5, 0.0)];
/// check_derivatives(&Ball::new(0.5)?, &points, DerivativeCheck::default())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_derivatives<const D: usize>(
    surface: &dyn Surface<D>,
    points: &[SVector<f64, D>],
    check: DerivativeCheck,
) -> Result<(), DerivativeMismatch> {
    points
        .iter()
        .try_for_each(|x| check_point(surface, x, check))
}

fn check_point<const D: usize>(
    surface: &dyn Surface<D>,
    x: &SVector<f64, D>,
    check: DerivativeCheck,
) -> Result<(), DerivativeMismatch> {
    let jet = surface.jet(x);
    let apart = Jet {
        value: surface.value(x),
        gradient: surface.gradient(x),
        hessian: surface.hessian(x),
    };
    let step = check.length / 1000.0;
    let mismatch = |part, row, col, stated, expected| DerivativeMismatch {
        part,
        point: x.iter().copied().collect(),
        row,
        col,
        stated,
        expected,
    };
    let slope = apart.value.abs() / check.length + apart.gradient.amax();
    let bend = slope / check.length + apart.hessian.amax();
    // Written so that NaN on either side is a mismatch.
    let agree = |x: f64, y: f64, scale: f64| (x - y).abs() <= check.tolerance * scale;
    if !agree(jet.value, apart.value, slope * check.length) {
        return Err(mismatch(Derivative::Value, 0, 0, jet.value, apart.value));
    }
    for col in 0..D {
        let at = |k: f64| {
            let mut y = *x;
            y[col] += k * step;
            y
        };
        let [p, m, pp, mm] = [at(1.0), at(-1.0), at(2.0), at(-2.0)];
        let f = |y| surface.value(y);
        let expected = (8.0 * (f(&p) - f(&m)) - (f(&pp) - f(&mm))) / (12.0 * step);
        for stated in [apart.gradient[col], jet.gradient[col]] {
            if !agree(stated, expected, slope) {
                return Err(mismatch(Derivative::Gradient, col, 0, stated, expected));
            }
        }
        let g = |y| surface.gradient(y);
        let expected = ((g(&p) - g(&m)) * 8.0 - (g(&pp) - g(&mm))) / (12.0 * step);
        for row in 0..D {
            for stated in [apart.hessian[(row, col)], jet.hessian[(row, col)]] {
                if !agree(stated, expected[row], bend) {
                    return Err(mismatch(
                        Derivative::Hessian,
                        row,
                        col,
                        stated,
                        expected[row],
                    ));
                }
            }
        }
    }
    Ok(())
}
