//! Mass, centroid and moments of inertia of homogeneous convex sets.
//!
//! ```math
//! m = \rho \int dx, \qquad c = \frac{\rho}{m} \int x\, dx, \qquad J = \rho \int \left( |x - c|^2 I - (x - c)(x - c)^T \right) dx
//! ```
//!
//! # Method
//! Closed forms where there are any: a polytope is its tetrahedra, a rounded one also a slab on every face, a wedge on every edge and a sector at every vertex; a rounded polygon is its core (by triangles), a rectangle on every side and a sector
//! at every corner; an intersection with one part is that part, moved. Other intersections and other rounded sets are
//! integrated over the directions seen from a point inside (`quadrature`).
//!
//! # Guarantees and limits
//! Exact to rounding, to 1e-10 where integrated, or to what the rounding of the data leaves; also for a polygon far from its body's origin: moments are taken about
//! its own middle. In the plane J is one number, the moment about the axis out of the plane.

mod polytope;
mod quadrature;
mod rounded_polytope;
mod union;

use std::f64::consts::PI;

use nalgebra::{Matrix3, SMatrix, SVector};

use self::polytope::polytope_moments;
use self::quadrature::View;
use self::rounded_polytope::rounded_polytope_moments;
use crate::shapes::{cross, positive, quarter_turn_clockwise};
use crate::{Ball, Capsule, ConvexSet, Polygon, Pose, Rounded, ShapeError};

/// Mass, centroid and inertia of a body.
///
/// | name       | shape  | unit  | meaning                                                                |
/// | ---------- | ------ | ----- | ---------------------------------------------------------------------- |
/// | `mass`     | scalar | kg    | m                                                                      |
/// | `centroid` | (D,)   | m     | in body axes, from the body's origin                                   |
/// | `inertia`  | (3, 3) | kg m² | about the centroid, body axes; in the plane only entry (3, 3) is used  |
///
/// The inertia is a 3 × 3 matrix in the plane too, so that nothing depends on the dimension: there it is
/// zero but for the moment about the axis out of the plane, [`MassProperties::polar_moment`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MassProperties<const D: usize> {
    /// m, kg.
    pub mass: f64,
    /// Centroid in body axes, m.
    pub centroid: SVector<f64, D>,
    /// About the centroid, in body axes, kg m².
    pub inertia: Matrix3<f64>,
}

impl<const D: usize> MassProperties<D> {
    /// Moment of inertia about the third axis, kg m²: the one moment of a body in the plane.
    pub fn polar_moment(&self) -> f64 {
        self.inertia[(2, 2)]
    }
}

/// The homogeneous body of this total mass, kg.
///
/// # Errors
/// [`ShapeError::NotPositive`] for the mass, [`ShapeError::Unbounded`] for a half-space, [`ShapeError::Quadrature`] where
/// an integral does not come out to 1e-10.
///
/// # Panics
/// If D is neither 2 nor 3.
///
/// # Examples
/// ```
/// use signorini_geometry::{Ball, ConvexSet, mass_properties};
/// let ball = mass_properties(&ConvexSet::<3>::from(Ball::new(0.1)?), 1.0)?;
/// assert!((ball.inertia[(0, 0)] - 4e-3).abs() < 1e-18);
/// let disc = mass_properties(&ConvexSet::<2>::from(Ball::new(1.0)?), 1.0)?;
/// assert_eq!(disc.polar_moment(), 0.5);
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
pub fn mass_properties<const D: usize>(
    set: &ConvexSet<D>,
    mass: f64,
) -> Result<MassProperties<D>, ShapeError> {
    positive("mass", mass)?;
    let moments = moments(set)?;
    Ok(MassProperties {
        mass,
        centroid: moments.centroid,
        inertia: moments.second / moments.measure * mass,
    })
}

/// The homogeneous body of this density, kg/m² in the plane and kg/m³ in space.
///
/// # Errors
/// [`ShapeError::NotPositive`] for the density, [`ShapeError::Unbounded`] for a half-space, [`ShapeError::Quadrature`]
/// where an integral does not come out to 1e-10.
///
/// # Panics
/// If D is neither 2 nor 3.
///
/// # Examples
/// ```
/// use signorini_geometry::{ConvexSet, Polygon, mass_properties_of_density};
/// let plate = mass_properties_of_density(&ConvexSet::from(Polygon::rectangle(2.0, 1.0)?), 10.0)?;
/// assert_eq!(plate.mass, 20.0);
/// assert!((plate.polar_moment() - 20.0 * (4.0 + 1.0) / 12.0).abs() < 1e-14);
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
pub fn mass_properties_of_density<const D: usize>(
    set: &ConvexSet<D>,
    density: f64,
) -> Result<MassProperties<D>, ShapeError> {
    positive("density", density)?;
    let moments = moments(set)?;
    Ok(MassProperties {
        mass: moments.measure * density,
        centroid: moments.centroid,
        inertia: moments.second * density,
    })
}

/// Area or volume, centroid, and inertia about it at density one.
struct Moments<const D: usize> {
    measure: f64,
    centroid: SVector<f64, D>,
    second: Matrix3<f64>,
}

/// Moments of a body whose products of inertia vanish, from its variances Σ (x − c)ᵢ² / measure.
fn diagonal<const D: usize>(
    measure: f64,
    centroid: SVector<f64, D>,
    variances: &SVector<f64, D>,
) -> Moments<D> {
    let all = variances.sum();
    let mut second = Matrix3::zeros();
    if D == 2 {
        second[(2, 2)] = measure * all;
    } else {
        for (i, variance) in variances.iter().enumerate() {
            second[(i, i)] = measure * (all - variance);
        }
    }
    Moments {
        measure,
        centroid,
        second,
    }
}

fn moments<const D: usize>(set: &ConvexSet<D>) -> Result<Moments<D>, ShapeError> {
    assert!(
        D == 2 || D == 3,
        "bodies have a mass in the plane and in space"
    );
    let plane = D == 2;
    let about_origin = |measure, second| {
        Ok(Moments {
            measure,
            centroid: SVector::zeros(),
            second,
        })
    };
    match set {
        ConvexSet::HalfSpace(_) => Err(ShapeError::Unbounded { kind: set.kind() }),
        ConvexSet::Ball(ball) => {
            let r = ball.radius();
            if plane {
                about_origin(PI * r * r, polar(PI * r.powi(4) / 2.0))
            } else {
                let volume = 4.0 / 3.0 * PI * r.powi(3);
                about_origin(volume, Matrix3::identity() * (0.4 * volume * r * r))
            }
        }
        ConvexSet::Capsule(capsule) => {
            let (l, r) = (capsule.half_length(), capsule.radius());
            if plane {
                let (sides, ends) = (4.0 * l * r, PI * r * r);
                let second = sides * (l * l + r * r) / 3.0
                    + ends * (l * l + r * r / 2.0)
                    + 8.0 / 3.0 * l * r.powi(3);
                about_origin(sides + ends, polar(second))
            } else {
                let (rod, ends) = (2.0 * PI * r * r * l, 4.0 / 3.0 * PI * r.powi(3));
                let axial = rod * r * r / 2.0 + ends * 0.4 * r * r;
                let across =
                    rod * (l * l / 3.0 + r * r / 4.0) + ends * (0.4 * r * r + l * l + 0.75 * l * r);
                let second = Matrix3::from_diagonal(&[axial, across, across].into());
                about_origin(rod + ends, second)
            }
        }
        ConvexSet::Polygon(polygon) => Ok(polygon_moments(polygon)),
        ConvexSet::Polytope(polytope) => Ok(polytope_moments(polytope)),
        ConvexSet::Ellipsoid(ellipsoid) => {
            let e = ellipsoid.semi_axes();
            let (unit, part) = if plane {
                (PI, 4.0)
            } else {
                (4.0 / 3.0 * PI, 5.0)
            };
            let measure = unit * e.product();
            Ok(diagonal(
                measure,
                SVector::zeros(),
                &e.map(|e| e * e / part),
            ))
        }
        ConvexSet::Superquadric(shape) => {
            let e = shape.semi_axes();
            let (measure, means) = shape.moments();
            let variances = means.component_mul(&e.component_mul(e));
            Ok(diagonal(
                measure * e.product(),
                SVector::zeros(),
                &variances,
            ))
        }
        ConvexSet::Cylinder(cylinder) => {
            let (r, l) = (cylinder.radius(), cylinder.half_length());
            Ok(about_axis(2.0 * PI * r * r * l, r * r / 4.0, l * l / 3.0))
        }
        ConvexSet::Rounded(rounded) => rounded_moments(rounded),
        ConvexSet::Intersection(shape) => {
            if let Some((alone, pose)) = shape.alone() {
                return Ok(moved(&moments(&alone)?, &pose));
            }
            let view = View {
                origin: *shape.interior_point(),
                frame: *shape.frame(),
                rounding: shape.rounding(),
                pieces: u32::try_from(shape.inequalities()).unwrap_or(u32::MAX),
            };
            let moments = quadrature::moments_by_rays(&view, &mut |d| shape.ray(d));
            moments.map_err(|error| ShapeError::Quadrature {
                kind: set.kind(),
                error,
            })
        }
        ConvexSet::Cone(cone) => {
            let (r, h) = (cone.radius(), cone.height());
            let volume = PI * r * r * h / 3.0;
            Ok(about_axis(volume, 0.15 * r * r, 3.0 / 80.0 * h * h))
        }
    }
}

/// Moments of a body of revolution about z with its centroid at the origin, from its variances across and along.
fn about_axis<const D: usize>(measure: f64, across: f64, along: f64) -> Moments<D> {
    let variances = SVector::from_fn(|i, _| if i == 2 { along } else { across });
    diagonal(measure, SVector::zeros(), &variances)
}

fn polar(second: f64) -> Matrix3<f64> {
    Matrix3::from_diagonal(&[0.0, 0.0, second].into())
}

/// Moments of a body that is turned and shifted.
fn moved<const D: usize>(own: &Moments<D>, pose: &Pose<D>) -> Moments<D> {
    let second = if D == 2 {
        own.second
    } else {
        let rotation = Matrix3::from_fn(|i, j| pose.rotation[(i, j)]);
        rotation * own.second * rotation.transpose()
    };
    Moments {
        measure: own.measure,
        centroid: pose.apply(&own.centroid),
        second,
    }
}

/// Of a core that has a rounded form of its own those of that one, else by quadrature.
fn rounded_moments<const D: usize>(rounded: &Rounded<D>) -> Result<Moments<D>, ShapeError> {
    let r = rounded.radius();
    match rounded.core() {
        ConvexSet::Ball(ball) => return moments(&Ball::new(ball.radius() + r)?.into()),
        ConvexSet::Capsule(rod) => {
            return moments(&Capsule::new(rod.half_length(), rod.radius() + r)?.into());
        }
        ConvexSet::Polygon(polygon) => {
            let vertices = polygon.vertices().to_vec();
            return Ok(polygon_moments(&Polygon::build(
                vertices,
                polygon.radius() + r,
            )?));
        }
        core if r == 0.0 => return moments(core),
        ConvexSet::Polytope(polytope) => return Ok(rounded_polytope_moments(polytope, r)),
        _ => {}
    }
    let set = ConvexSet::Rounded(rounded.clone());
    let axis = |i: usize| SVector::<f64, D>::from_fn(|j, _| if i == j { 1.0 } else { 0.0 });
    let support = |m: SVector<f64, D>| set.support(&m).expect("a rounded set is bounded");
    let ends = |i: usize| [support(axis(i)), support(-axis(i))];
    let inside = (0..D)
        .map(|i| ends(i)[0] + ends(i)[1])
        .sum::<SVector<f64, D>>()
        / (2 * D) as f64;
    let widths = SVector::<f64, D>::from_fn(|i, _| 0.5 * (ends(i)[0] - ends(i)[1])[i]);
    let view = View {
        origin: inside,
        frame: SMatrix::from_diagonal(&widths),
        rounding: f64::EPSILON * inside.norm() / widths.min(),
        pieces: 1,
    };
    // From outside Newton's method on a convex function comes down to its root.
    let mut ray = |w: &SVector<f64, D>| {
        let reach = set.size() / w.norm();
        let mut t = reach;
        for _ in 0..ROOT_STEPS {
            let jet = rounded.first_jet(&(inside + w * t));
            let step = jet.0 / jet.1.dot(w);
            t -= step;
            if step.abs() <= f64::EPSILON * reach {
                break;
            }
        }
        (t, 0)
    };
    quadrature::moments_by_rays(&view, &mut ray).map_err(|error| ShapeError::Quadrature {
        kind: set.kind(),
        error,
    })
}

/// Newton steps to a boundary point; they square the error, so that this many are never needed.
const ROOT_STEPS: u32 = 50;

fn polygon_moments<const D: usize>(polygon: &Polygon<D>) -> Moments<D> {
    let (n, r) = (polygon.vertices().len(), polygon.radius());
    let middle = polygon.vertices().iter().sum::<SVector<f64, D>>() / n as f64;
    let vertices: Vec<_> = polygon.vertices().iter().map(|x| x - middle).collect();
    let (mut area, mut first, mut second) = (0.0, SVector::<f64, D>::zeros(), 0.0);
    for i in 0..n {
        let (x, y) = (&vertices[i], &vertices[(i + 1) % n]);
        // The triangle of the middle and the side.
        let twice = cross(x, y);
        area += twice / 2.0;
        first += (x + y) * (twice / 6.0);
        second += twice / 12.0 * (x.dot(x) + x.dot(y) + y.dot(y));
        // The rectangle on the side.
        let (normal, length) = (&polygon.normals()[i], polygon.lengths()[i]);
        let (strip, centre) = (length * r, (x + y + normal * r) * 0.5);
        area += strip;
        first += centre * strip;
        second += strip * (centre.norm_squared() + (length * length + r * r) / 12.0);
        // The sector at vertex x, from the normal before it to this one.
        let before = &polygon.normals()[(i + n - 1) % n];
        let angle = cross(before, normal).atan2(before.dot(normal));
        let sector = angle * r * r / 2.0;
        let own =
            (quarter_turn_clockwise(normal) - quarter_turn_clockwise(before)) * (r.powi(3) / 3.0);
        area += sector;
        first += x * sector + own;
        second += x.norm_squared() * sector + 2.0 * x.dot(&own) + angle * r.powi(4) / 4.0;
    }
    let centre = first / area;
    Moments {
        measure: area,
        centroid: middle + centre,
        second: polar(second - area * centre.norm_squared()),
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::{Superquadric, Surface};

    #[test]
    fn superquadrics_in_closed_form_and_by_quadrature_agree() {
        let axes = Vector3::new(0.5, 0.3, 0.4);
        for (along, section) in [(4.0, 3.0), (2.0, 2.0)] {
            let shape = Superquadric::with_exponents(axes, along, section).unwrap();
            let exact = moments(&shape.into()).unwrap();
            let from = Vector3::new(0.1, -0.05, 0.07);
            let mut ray = |w: &Vector3<f64>| {
                let mut t = 1.0;
                for _ in 0..8 {
                    let jet = shape.jet(&(from + w * t));
                    t -= jet.value / jet.gradient.dot(w);
                }
                (t, 0)
            };
            let view = View {
                origin: from,
                frame: SMatrix::identity(),
                rounding: 0.0,
                pieces: 1,
            };
            let ours = quadrature::moments_by_rays(&view, &mut ray).unwrap();
            let off = (ours.second - exact.second).amax() / exact.second.amax();
            assert!((ours.measure / exact.measure - 1.0).abs() < 1e-10);
            assert!(ours.centroid.norm() < 1e-10);
            assert!(off < 1e-10, "{along} {section}: {off}");
        }
    }
}
