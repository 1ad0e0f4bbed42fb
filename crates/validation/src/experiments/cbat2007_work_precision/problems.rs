//! The three problems with their references, as smooth and as faceted bodies.

use nalgebra::Vector3;
use signorini::dynamics::{Body, ContactMaterial, Inertia, State, System, World, WorldSettings};
use signorini::geometry::{Ball, ConvexSet, Ellipsoid, HalfSpace, Polygon};
use signorini::steppers::{Run, simulate};

use crate::experiments::cbat2007_common::{Failure, closed_form, lowered, plane_world, polyhedron};

/// Facets of the polygons of the disc.
const CORNERS: [usize; 4] = [10, 50, 200, 1000];
/// Facets of the polyhedra.
const FACETS: [usize; 2] = [50, 200];
/// Half axes of the ellipsoid, m.
const HALF_AXES: [f64; 3] = [1.0, 0.8, 1.2];
/// x, z and rotation about y of the ellipsoid after 1 s, exact.
const ELLIPSOID_END: [f64; 3] = [1.494_080_860, 1.011_996_624, 1.334_384_135];
/// Steps of the extrapolated reference of the two spheres, s.
const REFERENCE: [f64; 2] = [0.0025, 0.00125];

/// A system and the state that it begins with.
type Begun = (Box<dyn System>, State);

/// A motion whose end is known.
pub(super) struct Problem {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) file: &'static str,
    pub(super) error_label: &'static str,
    pub(super) until: f64,
    pub(super) smooth: Box<dyn System>,
    pub(super) start: State,
    /// Facets, and the body with so many.
    pub(super) faceted: Vec<(usize, Begun)>,
    /// Whether friction slides in a direction that the pyramid has to meet.
    pub(super) slides_in_space: bool,
    /// Error of the state at the end.
    pub(super) error: Box<dyn Fn(&State) -> f64>,
}

pub(super) fn disc() -> Result<Problem, Failure> {
    let (friction, until) = (0.4, 1.0);
    let begun = |shape: ConvexSet<2>, height: f64| -> Result<Begun, Failure> {
        let mut world = World::<2>::with_settings(WorldSettings {
            material: ContactMaterial {
                friction,
                ..ContactMaterial::default()
            },
            ..WorldSettings::default()
        })?;
        world.add(Body::fixed("line", HalfSpace::up()))?;
        let mut disc = Body::moving("disc", 1.0, Inertia::Scalar(0.5));
        disc.shape = Some(shape.into());
        disc.position[1] = height;
        disc.velocity[0] = -3.0;
        world.add(disc)?;
        let state = world.initial_state();
        Ok((Box::new(world), state))
    };
    let (smooth, start) = begun(Ball::new(1.0)?.into(), 1.0)?;
    let mut faceted = Vec::new();
    for corners in CORNERS {
        let polygon = Polygon::regular(corners, 1.0)?;
        let lowest = polygon.vertices().iter().map(|v| v[1]);
        let height = -lowest.fold(f64::INFINITY, f64::min);
        faceted.push((corners, begun(polygon.into(), height)?));
    }
    // It loses 1 m/s in 1/(μ g) s and rolls on at 2 m/s.
    let end = -2.0 * until - 0.5 / (friction * 9.81);
    Ok(Problem {
        name: "disc",
        title: "A disc slides, then rolls",
        file: "disc",
        error_label: "error of the position (m)",
        until,
        smooth,
        start,
        faceted,
        slides_in_space: false,
        error: Box::new(move |state| (state.q[0] - end).abs()),
    })
}

pub(super) fn ellipsoid() -> Result<Problem, Failure> {
    let half_axes = Vector3::from(HALF_AXES);
    let inertia = {
        let [a, b, c] = HALF_AXES.map(|e| e * e);
        Inertia::Principal([b + c, a + c, a + b].map(|sum| 0.2 * sum))
    };
    let begun = |shape: ConvexSet<3>| -> Result<Begun, Failure> {
        let mut world = plane_world(0.8, ContactMaterial::COULOMB)?;
        let mut body = Body::moving("ellipsoid", 1.0, inertia);
        body.shape = Some(shape.into());
        body.position[2] = 1.5;
        body.velocity[0] = 1.2;
        body.velocity[4] = 1.0;
        world.add(body)?;
        let state = lowered(&world)?;
        Ok((Box::new(world), state))
    };
    let (smooth, start) = begun(Ellipsoid::new(half_axes)?.into())?;
    let mut faceted = Vec::new();
    for facets in FACETS {
        faceted.push((facets, begun(polyhedron(&half_axes, facets)?.into())?));
    }
    let error = |state: &State| {
        let q = &state.q;
        let [x, z, angle] = ELLIPSOID_END;
        let turn = 2.0 * q[5].atan2(q[3]);
        (q[0] - x).hypot(q[2] - z).hypot(turn - angle)
    };
    Ok(Problem {
        name: "ellipsoid",
        title: "An ellipsoid rolls on a plane",
        file: "ellipsoid",
        error_label: "error of place and angle (m, rad)",
        until: 1.0,
        smooth,
        start,
        faceted,
        slides_in_space: false,
        error: Box::new(error),
    })
}

pub(super) fn two_spheres() -> Result<Problem, Failure> {
    let until = 1.0;
    let begun = |shape: ConvexSet<3>| -> Result<Begun, Failure> {
        let mut world = World::<3>::with_settings(WorldSettings {
            gravity: [1.0, 2.6, -9.81].into(),
            material: ContactMaterial {
                friction: 0.2,
                ..ContactMaterial::default()
            },
            ..WorldSettings::default()
        })?;
        world.add(Body::fixed("sphere 1", Ball::new(10.0)?))?;
        let mut second = Body::fixed("sphere 2", Ball::new(9.0)?);
        second.position[1] = 11.4;
        world.add(second)?;
        let mut sphere = Body::moving("sphere", 1.0, Inertia::Scalar(0.4));
        sphere.shape = Some(shape.into());
        sphere.position[1..3].copy_from_slice(&[6.621_052_631_578_95, 8.784_171_107_729_03]);
        world.add(sphere)?;
        let state = world.initial_state();
        Ok((Box::new(world), state))
    };
    let unit = Vector3::new(1.0, 1.0, 1.0);
    let (smooth, start) = begun(Ellipsoid::new(unit)?.into())?;
    let mut faceted = Vec::new();
    for facets in FACETS {
        faceted.push((facets, begun(polyhedron(&unit, facets)?.into())?));
    }
    // Balls: the same body, with closest points in closed form.
    let (balls, ball_start) = begun(Ball::new(1.0)?.into())?;
    let mut ends = Vec::new();
    for h in REFERENCE {
        let mut state = ball_start.clone();
        simulate(
            balls.as_ref(),
            &mut closed_form(),
            &mut state,
            Run { h, until },
            &mut (),
        )?;
        ends.push(Vector3::new(state.q[0], state.q[1], state.q[2]));
    }
    let end = ends[1] * 2.0 - ends[0];
    let error =
        move |state: &State| (Vector3::new(state.q[0], state.q[1], state.q[2]) - end).norm();
    Ok(Problem {
        name: "two spheres",
        title: "A sphere on two spheres",
        file: "two-spheres",
        error_label: "error of the place (m)",
        until,
        smooth,
        start,
        faceted,
        slides_in_space: false,
        error: Box::new(error),
    })
}

/// A ball that slides over a plane at an angle to its spin: friction acts along the first sliding velocity u until it is
/// zero, at 2 |u| / (7 μ g).
pub(super) fn ball() -> Result<Problem, Failure> {
    let (friction, until) = (0.3, 1.0);
    let mut world = plane_world(friction, ContactMaterial::COULOMB)?;
    let mut body = Body::moving("ball", 1.0, Inertia::Scalar(0.4));
    body.shape = Some(Ball::new(1.0)?.into());
    body.position[2] = 1.0;
    // Sliding at 29 degrees to x: 29, 16, 7 and 4 degrees off the nearest of 4, 8, 16 and 32 directions.
    let (velocity, spin) = (Vector3::new(3.0, 1.25, 0.0), Vector3::new(1.0, -1.0, 0.0));
    body.velocity[..3].copy_from_slice(velocity.as_slice());
    body.velocity[3..].copy_from_slice(spin.as_slice());
    world.add(body)?;
    let start = world.initial_state();
    let sliding = velocity + spin.cross(&-Vector3::z());
    let deceleration = sliding.normalize() * (friction * 9.81);
    let slides = 2.0 * sliding.norm() / (7.0 * friction * 9.81);
    let end = velocity * until - deceleration * (slides * (until - 0.5 * slides));
    let error = move |state: &State| (state.q[0] - end.x).hypot(state.q[1] - end.y);
    Ok(Problem {
        name: "ball",
        title: "A ball slides across its spin, then rolls",
        file: "ball",
        error_label: "error of the place (m)",
        until,
        smooth: Box::new(world),
        start,
        faceted: Vec::new(),
        slides_in_space: true,
        error: Box::new(error),
    })
}
