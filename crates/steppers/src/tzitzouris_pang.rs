//! The scheme of Tzitzouris and Pang: geometry of the end of the step, by gaps that are functions of the positions in closed form.
//!
//! ```math
//! M (v^{+} - v) = h k + W(q^{+})\, p, \qquad q^{+} = q + h\, G v^{+}, \qquad 0 \le p_n \perp \psi(q^{+}) \ge 0
//! ```
//! ```math
//! \psi = \|x_B - x_A\| - r_A - r_B \quad \text{(balls)}, \qquad
//! \psi = n \cdot (x_B - x_A) - c - r_B \quad \text{(a half-space } n \cdot x \le c \text{ and a ball)}
//! ```
//!
//! with the friction of [`GeometricallyImplicit`] and `W_n` = ∇ψ. Newton's method needs ψ twice differentiable, which CBAT2007
//! compare with their own scheme and give as its limit: closed forms with two derivatives are those of balls, discs and
//! half-spaces, rounded or not. A capsule's gap has a kink in its slope where its cylinder ends.
//!
//! # Guarantees and limits
//! Those of [`GeometricallyImplicit`], whose condensed form this is where every closest point has a closed form: steps of the two
//! are the same up to the tolerance. Pairs without a closed form are refused when they touch, not before.
//!
//! # References
//! - \[T2001\] J. E. Tzitzouris, Numerical resolution of frictional multi-rigid-body systems via fully implicit time-stepping and
//!   nonlinear complementarity, PhD thesis, Johns Hopkins University, 2001.
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for multibody
//!   systems with intermittent contact, RSS 2007: section V.C.

use signorini_complementarity::Observer;
use signorini_dynamics::{State, System};

use crate::{
    geometrically_implicit::{Formulation, GeometricallyImplicit, GeometricallyImplicitSettings},
    report::StepReport,
    stepper::{StepError, Stepper},
};

const NAME: &str = "tzitzouris-pang";

/// The scheme of Tzitzouris and Pang, for balls, discs and half-spaces: see the module's documentation for its equations.
///
/// Another pair that touches is refused by its name, with [`StepError::NoClosedForm`].
///
/// # Examples
/// ```
/// use signorini_dynamics::{Body, World};
/// use signorini_geometry::{Ball, Capsule, HalfSpace};
/// use signorini_steppers::{StepError, Stepper, TzitzourisPang};
/// let mut world = World::<3>::new();
/// world.add(Body::fixed("floor", HalfSpace::up()))?;
/// let mut ball = Body::solid("ball", Ball::new(0.1)?, 2.0)?;
/// ball.position[2] = 0.1;
/// world.add(ball)?;
/// let mut state = world.initial_state();
/// let report = TzitzourisPang::default().step(&world, &mut state, 0.01, &mut ())?;
/// assert!((report.contacts[0].impulse[0] - 2.0 * 9.81 * 0.01).abs() < 1e-10);
///
/// let mut rod = Body::solid("rod", Capsule::new(0.2, 0.1)?, 1.0)?;
/// rod.position[..3].copy_from_slice(&[1.0, 0.0, 0.1]);
/// world.add(rod)?;
/// let refused = TzitzourisPang::default().step(&world, &mut world.initial_state(), 0.01, &mut ());
/// assert!(matches!(refused, Err(StepError::NoClosedForm { contact, .. }) if contact == "floor/rod#0"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TzitzourisPang {
    inner: GeometricallyImplicit,
}

impl Default for TzitzourisPang {
    fn default() -> Self {
        Self::new(GeometricallyImplicitSettings::default())
    }
}

impl TzitzourisPang {
    /// A stepper with these settings; their `formulation` does not count, as the scheme has no closest points among its unknowns.
    pub fn new(settings: GeometricallyImplicitSettings) -> Self {
        let settings = GeometricallyImplicitSettings {
            formulation: Formulation::Condensed,
            ..settings
        };
        Self {
            inner: GeometricallyImplicit::of_closed_forms(NAME, settings),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &GeometricallyImplicitSettings {
        self.inner.settings()
    }
}

impl Stepper for TzitzourisPang {
    fn name(&self) -> &'static str {
        NAME
    }

    fn step(
        &mut self,
        system: &dyn System,
        state: &mut State,
        h: f64,
        observer: &mut dyn Observer,
    ) -> Result<StepReport, StepError> {
        self.inner.step(system, state, h, observer)
    }
}
