//! The kinds of bodies, and a random one of each.

use nalgebra::SVector;

use super::Recipe;
use crate::families::Rng;

/// A kind of body.
#[derive(Clone, Copy, Debug)]
pub struct Kind<const D: usize> {
    /// What it is called.
    pub name: &'static str,
    /// A random one: lengths of the order of the second argument, the ratios of its lengths down to one over the third.
    pub make: fn(&mut Rng, f64, f64) -> Recipe<D>,
}

impl<const D: usize> Kind<D> {
    const fn new(name: &'static str, make: fn(&mut Rng, f64, f64) -> Recipe<D>) -> Self {
        Self { name, make }
    }
}

/// In the plane.
pub const PLANAR_KINDS: &[Kind<2>] = &[
    Kind::new("half-plane", |_, _, _| Recipe::HalfSpace),
    Kind::new("disc", ball),
    Kind::new("stadium", capsule),
    Kind::new("ellipse", ellipsoid),
    Kind::new("superellipse", superquadric),
    Kind::new("polygon", polygon),
    Kind::new("half disc", |rng, size, aspect| {
        one_of_few(rng, size, aspect, half_ball)
    }),
    Kind::new("plane lens", |rng, size, aspect| {
        one_of_few(rng, size, aspect, lens)
    }),
    Kind::new("rounded superellipse", |rng, size, aspect| {
        rounded(superquadric(rng, size, aspect), rng, size)
    }),
    Kind::new("rounded polygon", |rng, size, aspect| {
        rounded(polygon(rng, size, aspect), rng, size)
    }),
];

/// In space.
pub const SPATIAL_KINDS: &[Kind<3>] = &[
    Kind::new("half-space", |_, _, _| Recipe::HalfSpace),
    Kind::new("ball", ball),
    Kind::new("capsule", capsule),
    Kind::new("ellipsoid", ellipsoid),
    Kind::new("superquadric", superquadric),
    Kind::new("superquadric of two exponents", superquadric_of_two),
    Kind::new("cylinder", cylinder),
    Kind::new("cone", cone),
    Kind::new("rounded cylinder", |rng, size, aspect| {
        rounded(cylinder(rng, size, aspect), rng, size)
    }),
    Kind::new("rounded ellipsoid", |rng, size, aspect| {
        rounded(ellipsoid(rng, size, aspect), rng, size)
    }),
    Kind::new("hemisphere", |rng, size, aspect| {
        one_of_few(rng, size, aspect, half_ball)
    }),
    Kind::new("lens", |rng, size, aspect| {
        one_of_few(rng, size, aspect, lens)
    }),
    Kind::new("cylinder as intersection", |rng, size, aspect| {
        one_of_few(rng, size, aspect, |rng, size, aspect| {
            Recipe::Intersection {
                of: Box::new(cylinder(rng, size, aspect)),
            }
        })
    }),
    Kind::new("rounded box", |rng, size, aspect| {
        one_of_few(rng, size, aspect, |rng, size, aspect| {
            let half = lengths(rng, size, aspect);
            rounded(Recipe::Box { half }, rng, size)
        })
    }),
    Kind::new("rounded lens", |rng, size, aspect| {
        one_of_few(rng, size, aspect, |rng, size, aspect| {
            rounded(lens(rng, size, aspect), rng, size)
        })
    }),
];

/// A length between size/aspect and size, on a scale of ratios.
fn length(rng: &mut Rng, size: f64, aspect: f64) -> f64 {
    size * aspect.powf(-rng.unit())
}

fn lengths<const D: usize>(rng: &mut Rng, size: f64, aspect: f64) -> SVector<f64, D> {
    SVector::from_fn(|_, _| length(rng, size, aspect))
}

fn ball<const D: usize>(rng: &mut Rng, size: f64, aspect: f64) -> Recipe<D> {
    Recipe::Ball {
        radius: length(rng, size, aspect.min(8.0)),
    }
}

fn capsule<const D: usize>(rng: &mut Rng, size: f64, aspect: f64) -> Recipe<D> {
    Recipe::Capsule {
        half_length: length(rng, size, aspect),
        radius: length(rng, size, aspect),
    }
}

fn ellipsoid<const D: usize>(rng: &mut Rng, size: f64, aspect: f64) -> Recipe<D> {
    Recipe::Ellipsoid {
        semi_axes: lengths(rng, size, aspect),
    }
}

/// One of six bodies in the nearest of four sizes: an intersection takes milliseconds to build and is built once.
fn one_of_few<const D: usize>(
    rng: &mut Rng,
    size: f64,
    aspect: f64,
    make: fn(&mut Rng, f64, f64) -> Recipe<D>,
) -> Recipe<D> {
    let ratio = |other: &f64| (other / size).ln().abs();
    let sizes = [1e-6, 1e-3, 1.0, 1e3].into_iter();
    let nearest = sizes.min_by(|x, y| ratio(x).total_cmp(&ratio(y)));
    let number = rng.size(1, 6) as u64;
    make(&mut Rng::new(number), nearest.expect("four"), aspect)
}

fn half_ball<const D: usize>(rng: &mut Rng, size: f64, aspect: f64) -> Recipe<D> {
    Recipe::HalfBall {
        radius: length(rng, size, aspect.min(8.0)),
    }
}

/// The rim at `size`, half the thickness t less: the balls have the radius (size² + t²)/(2 t).
fn lens<const D: usize>(rng: &mut Rng, size: f64, aspect: f64) -> Recipe<D> {
    let thick = 0.9 * length(rng, size, aspect);
    let radius = 0.5 * (size * size / thick + thick);
    Recipe::Lens {
        radius,
        offset: radius - thick,
    }
}

/// From 1.2 to 10.
fn exponent(rng: &mut Rng) -> f64 {
    1.2 * (10.0_f64 / 1.2).powf(rng.unit())
}

fn superquadric<const D: usize>(rng: &mut Rng, size: f64, aspect: f64) -> Recipe<D> {
    let p = exponent(rng);
    Recipe::Superquadric {
        semi_axes: lengths(rng, size, aspect),
        exponents: [p, p],
    }
}

fn superquadric_of_two(rng: &mut Rng, size: f64, aspect: f64) -> Recipe<3> {
    let exponents = [exponent(rng), exponent(rng)];
    Recipe::Superquadric {
        semi_axes: lengths(rng, size, aspect),
        exponents,
    }
}

fn cylinder(rng: &mut Rng, size: f64, aspect: f64) -> Recipe<3> {
    Recipe::Cylinder {
        radius: length(rng, size, aspect),
        half_length: length(rng, size, aspect),
    }
}

fn cone(rng: &mut Rng, size: f64, aspect: f64) -> Recipe<3> {
    let (radius, height) = (length(rng, size, aspect), length(rng, size, aspect));
    // The origin of the crate's cone is its centroid.
    Recipe::Cone {
        radius,
        height,
        base: -0.25 * height,
    }
}

/// Corners of an ellipse in order, unevenly spaced: strictly convex.
fn polygon(rng: &mut Rng, size: f64, aspect: f64) -> Recipe<2> {
    let count = rng.size(3, 9);
    let phase = rng.unit();
    let flat = aspect.powf(-rng.unit());
    let corner = |i: usize| {
        let turn = phase + (i as f64 + 0.6 * rng.unit()) / count as f64;
        let (sin, cos) = (std::f64::consts::TAU * turn).sin_cos();
        SVector::<f64, 2>::new(size * cos, size * flat * sin)
    };
    Recipe::Polygon {
        vertices: (0..count).map(corner).collect(),
    }
}

fn rounded<const D: usize>(core: Recipe<D>, rng: &mut Rng, size: f64) -> Recipe<D> {
    Recipe::Rounded {
        core: Box::new(core),
        radius: length(rng, 0.5 * size, 50.0),
    }
}
