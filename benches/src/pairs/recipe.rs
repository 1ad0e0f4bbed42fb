//! What a random body is, in numbers.

use std::fmt::Debug;
use std::sync::Mutex;

use nalgebra::{SVector, Vector2, Vector3};
use signorini_geometry::{
    Ball, Capsule, Cone, ConvexSet, Cylinder, Ellipsoid, HalfSpace, Intersection, Part, Polygon,
    Pose, Rounded, Superquadric,
};

use crate::families::Rng;

/// A convex body in its own axes; lengths in m. The axis of bodies of revolution is the last one, that of a capsule the
/// first.
#[derive(Clone, Debug, PartialEq)]
pub enum Recipe<const D: usize> {
    /// x_last ≤ 0.
    HalfSpace,
    /// |x| ≤ r.
    Ball {
        /// r.
        radius: f64,
    },
    /// Within r of the segment of half length l along the first axis.
    Capsule {
        /// l.
        half_length: f64,
        /// r.
        radius: f64,
    },
    /// Σ (xᵢ/eᵢ)² ≤ 1.
    Ellipsoid {
        /// e.
        semi_axes: SVector<f64, D>,
    },
    /// ((Σ |xᵢ/aᵢ|^p)^(q/p) + |x_last/a_last|^q)^(1/q) ≤ 1, the sum without the last.
    Superquadric {
        /// a.
        semi_axes: SVector<f64, D>,
        /// p and q.
        exponents: [f64; 2],
    },
    /// |x − axis| ≤ r, |x_last| ≤ l.
    Cylinder {
        /// r.
        radius: f64,
        /// l.
        half_length: f64,
    },
    /// From a disc of radius r at x_last = base to the apex at x_last = base + height.
    Cone {
        /// r.
        radius: f64,
        /// Of the apex above the base.
        height: f64,
        /// x_last of the base.
        base: f64,
    },
    /// |x| ≤ r, x_last ≤ 0.
    HalfBall {
        /// r.
        radius: f64,
    },
    /// |x ± c e_last| ≤ r.
    Lens {
        /// r.
        radius: f64,
        /// c < r.
        offset: f64,
    },
    /// |xᵢ| ≤ hᵢ.
    Box {
        /// h.
        half: SVector<f64, D>,
    },
    /// Convex hull of points in the plane, counter-clockwise and strictly convex.
    Polygon {
        /// Corners.
        vertices: Vec<SVector<f64, D>>,
    },
    /// A body that is built as an intersection of inequalities.
    Intersection {
        /// The body.
        of: Box<Recipe<D>>,
    },
    /// All points within r of a body.
    Rounded {
        /// The body.
        core: Box<Recipe<D>>,
        /// r.
        radius: f64,
    },
}

/// What planes and spaces do differently.
pub trait Dimension<const D: usize> {
    /// The set of a recipe.
    ///
    /// # Panics
    /// If the recipe is not one of this dimension or its numbers are not lengths.
    fn build(recipe: &Recipe<D>) -> ConvexSet<D>;

    /// Every rotation as likely as another, at a place.
    fn pose(rng: &mut Rng, position: SVector<f64, D>) -> Pose<D>;
}

/// Marks the plane and space for [`Dimension`].
#[derive(Clone, Copy, Debug)]
pub struct Space;

/// Intersections that were built before.
type Known<const D: usize> = Mutex<Vec<(Recipe<D>, ConvexSet<D>)>>;

/// The set of a recipe that was built before, or builds it now and keeps it if it is costly.
fn remembered<const D: usize>(
    known: &Known<D>,
    recipe: &Recipe<D>,
    build: fn(&Recipe<D>) -> ConvexSet<D>,
) -> ConvexSet<D> {
    if !recipe.is_intersection() {
        return build(recipe);
    }
    let lock = || known.lock().expect("no thread panics with the lock");
    let find = |known: &[(Recipe<D>, ConvexSet<D>)]| {
        let found = known.iter().find(|(other, _)| other == recipe);
        found.map(|(_, set)| set.clone())
    };
    let found = find(&lock());
    found.unwrap_or_else(|| {
        let set = build(recipe);
        lock().push((recipe.clone(), set.clone()));
        set
    })
}

fn common<const D: usize>(recipe: &Recipe<D>) -> ConvexSet<D> {
    let lengths = "positive lengths";
    match recipe {
        Recipe::HalfSpace => HalfSpace::up().into(),
        Recipe::Ball { radius } => Ball::new(*radius).expect(lengths).into(),
        Recipe::Capsule {
            half_length,
            radius,
        } => Capsule::new(*half_length, *radius).expect(lengths).into(),
        Recipe::Ellipsoid { semi_axes } => Ellipsoid::new(*semi_axes).expect(lengths).into(),
        Recipe::HalfBall { radius } => {
            let flat = HalfSpace::<D>::up();
            intersection([Ball::new(*radius).expect(lengths).into(), flat.into()])
        }
        Recipe::Lens { radius, offset } => {
            let side = |height: f64| {
                let mut centre = SVector::<f64, D>::zeros();
                centre[D - 1] = height;
                let ball = Ball::new(*radius).expect(lengths);
                Part::from(ball).at(Pose::from_position(centre))
            };
            intersection([side(*offset), side(-offset)])
        }
        other => unreachable!("{other:?} is built elsewhere"),
    }
}

fn intersection<const D: usize>(parts: impl IntoIterator<Item = Part<D>>) -> ConvexSet<D> {
    let intersection = Intersection::new(parts);
    intersection.expect("bounded, with an interior").into()
}

fn rounded<const D: usize>(core: ConvexSet<D>, radius: f64) -> ConvexSet<D> {
    let rounded = Rounded::new(core, radius);
    rounded.expect("a radius, and a core with an end").into()
}

impl Dimension<2> for Space {
    fn build(recipe: &Recipe<2>) -> ConvexSet<2> {
        static KNOWN: Known<2> = Mutex::new(Vec::new());
        remembered(&KNOWN, recipe, in_the_plane)
    }

    fn pose(rng: &mut Rng, position: Vector2<f64>) -> Pose<2> {
        Pose::from_angle(std::f64::consts::TAU * rng.unit(), position)
    }
}

impl Dimension<3> for Space {
    fn build(recipe: &Recipe<3>) -> ConvexSet<3> {
        static KNOWN: Known<3> = Mutex::new(Vec::new());
        remembered(&KNOWN, recipe, in_space)
    }

    fn pose(rng: &mut Rng, position: Vector3<f64>) -> Pose<3> {
        let quaternion = std::array::from_fn(|_| rng.normal());
        Pose::from_quaternion(quaternion, position)
    }
}

impl<const D: usize> Recipe<D> {
    /// The same with every length multiplied.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        match self {
            Self::HalfSpace => Self::HalfSpace,
            Self::Ball { radius } => Self::Ball {
                radius: radius * factor,
            },
            Self::Capsule {
                half_length,
                radius,
            } => Self::Capsule {
                half_length: half_length * factor,
                radius: radius * factor,
            },
            Self::Ellipsoid { semi_axes } => Self::Ellipsoid {
                semi_axes: semi_axes * factor,
            },
            Self::Superquadric {
                semi_axes,
                exponents,
            } => Self::Superquadric {
                semi_axes: semi_axes * factor,
                exponents: *exponents,
            },
            Self::Cylinder {
                radius,
                half_length,
            } => Self::Cylinder {
                radius: radius * factor,
                half_length: half_length * factor,
            },
            Self::Cone {
                radius,
                height,
                base,
            } => Self::Cone {
                radius: radius * factor,
                height: height * factor,
                base: base * factor,
            },
            Self::HalfBall { radius } => Self::HalfBall {
                radius: radius * factor,
            },
            Self::Lens { radius, offset } => Self::Lens {
                radius: radius * factor,
                offset: offset * factor,
            },
            Self::Box { half } => Self::Box {
                half: half * factor,
            },
            Self::Polygon { vertices } => Self::Polygon {
                vertices: vertices.iter().map(|x| x * factor).collect(),
            },
            Self::Intersection { of } => Self::Intersection {
                of: Box::new(of.scaled(factor)),
            },
            Self::Rounded { core, radius } => Self::Rounded {
                core: Box::new(core.scaled(factor)),
                radius: radius * factor,
            },
        }
    }

    /// Whether it is built from inequalities, which is costly.
    fn is_intersection(&self) -> bool {
        match self {
            Self::HalfBall { .. }
            | Self::Lens { .. }
            | Self::Box { .. }
            | Self::Intersection { .. } => true,
            Self::Rounded { core, .. } => core.is_intersection(),
            _ => false,
        }
    }

    /// A point well inside, in body axes, m.
    pub fn centre(&self) -> SVector<f64, D> {
        let along_last = |height: f64| {
            let mut x = SVector::zeros();
            x[D - 1] = height;
            x
        };
        match self {
            Self::Polygon { vertices } => {
                let sum: SVector<f64, D> = vertices.iter().sum();
                sum / vertices.len() as f64
            }
            Self::HalfBall { radius } => along_last(-0.4 * radius),
            Self::Cone { height, base, .. } => along_last(base + 0.3 * height),
            Self::Rounded { core: of, .. } | Self::Intersection { of } => of.centre(),
            _ => SVector::zeros(),
        }
    }

    /// Largest distance of a point from the body's origin, m; zero for a half-space.
    pub fn reach(&self) -> f64 {
        match self {
            Self::HalfSpace => 0.0,
            Self::Ball { radius } | Self::HalfBall { radius } => *radius,
            Self::Capsule {
                half_length,
                radius,
            } => half_length + radius,
            Self::Ellipsoid { semi_axes } => semi_axes.max(),
            Self::Superquadric {
                semi_axes,
                exponents: [p, q],
            } => {
                let head = semi_axes.iter().take(D - 1);
                furthest(
                    &[
                        furthest(&head.copied().collect::<Vec<_>>(), *p),
                        semi_axes[D - 1],
                    ],
                    *q,
                )
            }
            Self::Cylinder {
                radius,
                half_length,
            } => radius.hypot(*half_length),
            Self::Cone {
                radius,
                height,
                base,
            } => radius.hypot(*base).max((base + height).abs()),
            Self::Lens { radius, offset } => (radius * radius - offset * offset).sqrt(),
            Self::Box { half } => half.norm(),
            Self::Polygon { vertices } => vertices.iter().map(SVector::norm).fold(0.0, f64::max),
            Self::Intersection { of } => of.reach(),
            Self::Rounded { core, radius } => core.reach() + radius,
        }
    }
}

/// max |x| over Σ (xᵢ/aᵢ)^p ≤ 1, by Hölder's inequality for the squares if p > 2, at an end of an axis otherwise.
fn furthest(semi_axes: &[f64], p: f64) -> f64 {
    let longest = semi_axes.iter().copied().fold(0.0, f64::max);
    if p <= 2.0 {
        return longest;
    }
    let power = 2.0 * p / (p - 2.0);
    let sum: f64 = semi_axes.iter().map(|a| (a / longest).powf(power)).sum();
    longest * sum.powf(1.0 / power)
}

fn in_the_plane(recipe: &Recipe<2>) -> ConvexSet<2> {
    let convex = "strictly convex";
    let polygon = |vertices: &[Vector2<f64>]| vertices.to_vec();
    match recipe {
        Recipe::Superquadric {
            semi_axes,
            exponents: [_, p],
        } => Superquadric::new(*semi_axes, *p).expect("lengths").into(),
        Recipe::Polygon { vertices } => Polygon::new(polygon(vertices)).expect(convex).into(),
        Recipe::Rounded { core, radius } => match core.as_ref() {
            Recipe::Polygon { vertices } => {
                let rounded = Polygon::rounded(polygon(vertices), *radius);
                rounded.expect(convex).into()
            }
            core => rounded(in_the_plane(core), *radius),
        },
        other => common(other),
    }
}

fn in_space(recipe: &Recipe<3>) -> ConvexSet<3> {
    let lengths = "positive lengths";
    match recipe {
        Recipe::Superquadric {
            semi_axes,
            exponents: [section, along],
        } => Superquadric::with_exponents(*semi_axes, *along, *section)
            .expect(lengths)
            .into(),
        Recipe::Rounded { core, radius } => rounded(in_space(core), *radius),
        Recipe::Box { half } => Intersection::cuboid(*half).expect(lengths).into(),
        Recipe::Intersection { of } => match of.as_ref() {
            Recipe::Cylinder {
                radius,
                half_length,
            } => {
                let end = |sign: f64| HalfSpace::new(Vector3::z() * sign, *half_length);
                let side = Cylinder::new(*radius, 3.0 * half_length).expect(lengths);
                intersection([
                    side.into(),
                    end(1.0).expect("a normal").into(),
                    end(-1.0).expect("a normal").into(),
                ])
            }
            other => in_space(other),
        },
        Recipe::Cylinder {
            radius,
            half_length,
        } => Cylinder::new(*radius, *half_length).expect(lengths).into(),
        Recipe::Cone { radius, height, .. } => Cone::new(*radius, *height).expect(lengths).into(),
        other => common(other),
    }
}
