//! Signorini: nonsmooth rigid multibody dynamics. Bodies touch, stick, slip, roll and collide; contact and friction are
//! complementarity constraints that are solved, not springs that are tuned.
//!
//! ```math
//! M (v^{+} - v) = h k + J^T p, \qquad 0 \le p_n \perp \Phi \ge 0
//! ```
//!
//! This crate re-exports the floors of the workspace, each usable alone:
//!
//! | module              | what it holds                                                          |
//! | ------------------- | ---------------------------------------------------------------------- |
//! | [`complementarity`] | LCP and mixed problems, Lemke, Gauss–Seidel, frictional contact problems |
//! | [`ampl`]            | nonlinear problems from AMPL's .nl files                                 |
//! | [`geometry`]        | convex bodies, closest points, contact manifolds                        |
//! | [`dynamics`]        | Newton–Euler equations, worlds of bodies, states                        |
//! | [`steppers`]        | time stepping schemes                                                   |
//! | [`scene`]           | scenes as TOML and JSON, trajectory files                               |
//!
//! # Examples
//! A ball dropped on the floor comes to rest on it:
//! ```
//! use signorini::prelude::*;
//!
//! let mut world = World::<3>::new();
//! world.add(Body::fixed("floor", HalfSpace::up()))?;
//! let mut ball = Body::solid("ball", Ball::new(0.1)?, 1.0)?;
//! ball.position[2] = 0.5;
//! world.add(ball)?;
//!
//! let mut state = world.initial_state();
//! let run = Run { h: 0.01, until: 1.0 };
//! let summary = simulate(&world, &mut StewartTrinkle::default(), &mut state, run, &mut ())?;
//!
//! assert!((state.q[2] - 0.1).abs() < 1e-12);
//! assert!(summary.worst_penetration < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use signorini_ampl as ampl;
pub use signorini_complementarity as complementarity;
pub use signorini_dynamics as dynamics;
pub use signorini_geometry as geometry;
pub use signorini_scene as scene;
pub use signorini_steppers as steppers;

/// What most programs need.
pub mod prelude {
    pub use signorini_complementarity::{Lcp, Lemke, LinearMcp, Solution, Solver, Start, Status};
    pub use signorini_dynamics::{
        AppliedWrench, Body, ContactId, ContactMaterial, Course, Inertia, Joint, JointKind, Motion,
        State, System, World, WorldSettings,
    };
    pub use signorini_geometry::{
        Ball, Capsule, ConvexSet, Cylinder, Ellipsoid, HalfSpace, Polygon, Polytope,
    };
    pub use signorini_scene::Scene;
    pub use signorini_steppers::{
        AnitescuPotra, ContactForm, Formulation, GapFunction, GeometricallyImplicit,
        GeometricallyImplicitSettings, HartAnitescu, HartAnitescuSettings, ImpactLaw, Mode,
        Recorder, Run, StepReport, Stepper, StewartTrinkle, StewartTrinkleSettings, Trajectory,
        TzitzourisPang, simulate,
    };
}

/// Symbols, signs, units and residuals.
#[cfg(doc)]
#[doc = include_str!("../../../docs/notation.md")]
pub mod notation {}

/// Why things are as they are.
#[cfg(doc)]
#[doc = include_str!("../../../DESIGN.md")]
pub mod design {}

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
