//! Pairs in which points, normals or numbers degenerate.

use nalgebra::{SVector, Vector2, Vector3};
use signorini_benches::pairs::{Dimension, Member, Pair, Recipe, Space};
use signorini_geometry::Pose;

fn at<const D: usize>(a: Recipe<D>, b: Recipe<D>, place: SVector<f64, D>) -> Pair<D>
where
    Space: Dimension<D>,
{
    Pair {
        a: Member::new(a, Pose::identity()),
        b: Member::new(b, Pose::from_position(place)),
    }
}

fn ball<const D: usize>(radius: f64) -> Recipe<D> {
    Recipe::Ball { radius }
}

fn capsule<const D: usize>(half_length: f64, radius: f64) -> Recipe<D> {
    Recipe::Capsule {
        half_length,
        radius,
    }
}

fn ellipsoid(x: f64, y: f64, z: f64) -> Recipe<3> {
    Recipe::Ellipsoid {
        semi_axes: Vector3::new(x, y, z),
    }
}

fn cube(p: f64) -> Recipe<3> {
    Recipe::Superquadric {
        semi_axes: Vector3::new(0.5, 0.5, 0.5),
        exponents: [p, p],
    }
}

fn cylinder(radius: f64, half_length: f64) -> Recipe<3> {
    Recipe::Cylinder {
        radius,
        half_length,
    }
}

fn cone(radius: f64, height: f64) -> Recipe<3> {
    Recipe::Cone {
        radius,
        height,
        base: -0.25 * height,
    }
}

fn rounded<const D: usize>(core: Recipe<D>, radius: f64) -> Recipe<D> {
    Recipe::Rounded {
        core: Box::new(core),
        radius,
    }
}

fn rectangle(width: f64, height: f64) -> Recipe<2> {
    let (x, y) = (0.5 * width, 0.5 * height);
    Recipe::Polygon {
        vertices: [[-x, -y], [x, -y], [x, y], [-x, y]]
            .map(Vector2::from)
            .to_vec(),
    }
}

/// On the body's first axis turned to be its last one: B lies on its side.
fn lying(mut pair: Pair<3>) -> Pair<3> {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    pair.b.pose = Pose::from_quaternion([half, 0.0, half, 0.0], pair.b.pose.position);
    pair
}

fn up(height: f64) -> Vector3<f64> {
    Vector3::new(0.0, 0.0, height)
}

#[expect(clippy::too_many_lines, reason = "a table of pairs")]
pub(super) fn in_space() -> Vec<(&'static str, Pair<3>)> {
    let zero = Vector3::zeros();
    vec![
        // Parallel faces and lines.
        (
            "cylinder on cylinder, coaxial",
            at(cylinder(0.5, 0.5), cylinder(0.3, 0.4), up(1.0)),
        ),
        (
            "the same, touching",
            at(cylinder(0.5, 0.5), cylinder(0.3, 0.4), up(0.9)),
        ),
        (
            "the same, in overlap",
            at(cylinder(0.5, 0.5), cylinder(0.3, 0.4), up(0.85)),
        ),
        (
            "cylinders on each other, shifted",
            at(
                cylinder(0.5, 0.5),
                cylinder(0.5, 0.5),
                Vector3::new(0.3, 0.2, 1.0),
            ),
        ),
        (
            "cylinders side by side",
            at(
                cylinder(0.5, 0.5),
                cylinder(0.3, 0.4),
                Vector3::new(0.9, 0.0, 0.0),
            ),
        ),
        (
            "cylinders side by side, touching",
            at(
                cylinder(0.5, 0.5),
                cylinder(0.3, 0.4),
                Vector3::new(0.8, 0.0, 0.1),
            ),
        ),
        (
            "cylinder standing on a half-space",
            at(Recipe::HalfSpace, cylinder(0.3, 0.4), up(0.4)),
        ),
        (
            "cylinder lying on a half-space",
            lying(at(Recipe::HalfSpace, cylinder(0.3, 0.4), up(0.3))),
        ),
        (
            "cylinder lying on a cylinder",
            lying(at(cylinder(0.5, 0.5), cylinder(0.3, 0.4), up(0.75))),
        ),
        (
            "cone standing on a cylinder",
            at(cylinder(0.5, 0.5), cone(0.3, 0.4), up(0.6)),
        ),
        (
            "cone upon a cone, apex and base",
            at(cone(0.3, 0.4), cone(0.3, 0.4), up(0.4)),
        ),
        (
            "cone of the same slope beside a cone",
            at(cone(0.3, 0.4), cone(0.3, 0.4), Vector3::new(0.7, 0.0, 0.0)),
        ),
        (
            "parallel capsules",
            at(
                capsule(0.5, 0.1),
                capsule(0.5, 0.1),
                Vector3::new(0.2, 0.0, 0.19),
            ),
        ),
        (
            "rounded cylinder on a cylinder",
            at(
                cylinder(0.5, 0.5),
                rounded(cylinder(0.3, 0.4), 0.05),
                up(0.95),
            ),
        ),
        (
            "flats of superquadrics, exponent 8",
            at(cube(8.0), cube(8.0), Vector3::new(0.1, 0.05, 1.0)),
        ),
        (
            "flats of superquadrics, exponent 10, in overlap",
            at(cube(10.0), cube(10.0), Vector3::new(0.1, 0.05, 0.9)),
        ),
        (
            "octahedral superquadrics, apex to apex",
            at(cube(1.2), cube(1.2), up(1.0)),
        ),
        // Same centre.
        ("concentric balls", at(ball(0.5), ball(0.3), zero)),
        ("centres 1e-14 apart", at(ball(0.5), ball(0.3), up(1e-14))),
        (
            "ball in the middle of an ellipsoid",
            at(ellipsoid(1.0, 0.6, 0.4), ball(0.3), zero),
        ),
        (
            "ball in the middle of an oblate ellipsoid",
            at(ellipsoid(1.0, 1.0, 0.4), ball(0.3), zero),
        ),
        (
            "ball in the middle of a prolate ellipsoid",
            at(ellipsoid(0.4, 0.4, 1.0), ball(0.3), zero),
        ),
        (
            "the same ellipsoid twice",
            at(ellipsoid(1.0, 0.6, 0.4), ellipsoid(1.0, 0.6, 0.4), zero),
        ),
        (
            "the same cylinder twice",
            at(cylinder(0.5, 0.8), cylinder(0.5, 0.8), zero),
        ),
        (
            "ball in the middle of a cylinder",
            at(cylinder(0.5, 0.8), ball(0.3), zero),
        ),
        (
            "the same cone twice",
            at(cone(0.5, 0.8), cone(0.5, 0.8), zero),
        ),
        (
            "crossing capsules with one centre",
            lying(at(capsule(0.5, 0.1), capsule(0.4, 0.1), zero)),
        ),
        (
            "capsules on one axis, in overlap",
            at(
                capsule(0.5, 0.1),
                capsule(0.5, 0.1),
                Vector3::new(0.3, 0.0, 0.0),
            ),
        ),
        (
            "the same superquadric twice",
            at(cube(4.0), cube(4.0), zero),
        ),
        // Needles and plates of aspect 1e4.
        (
            "needles crossing, touching",
            lying(at(
                ellipsoid(1.0, 1e-4, 1e-4),
                ellipsoid(1.0, 1e-4, 1e-4),
                up(1.0001),
            )),
        ),
        (
            "needle through a plate",
            at(
                ellipsoid(1.0, 1.0, 1e-4),
                ellipsoid(1e-4, 1e-4, 1.0),
                up(0.3),
            ),
        ),
        (
            "plates facing",
            at(
                ellipsoid(1.0, 0.8, 1e-4),
                ellipsoid(0.9, 1.0, 1e-4),
                Vector3::new(0.1, 0.2, 3e-4),
            ),
        ),
        (
            "plates in overlap",
            at(
                ellipsoid(1.0, 0.8, 1e-4),
                ellipsoid(0.9, 1.0, 1e-4),
                Vector3::new(0.1, 0.2, 1e-4),
            ),
        ),
        (
            "discs of a cylinder",
            at(
                cylinder(1.0, 1e-4),
                cylinder(1.0, 1e-4),
                Vector3::new(0.5, 0.0, 2e-4),
            ),
        ),
        (
            "needle of a cone on a plate",
            at(cylinder(1.0, 1e-4), cone(1e-4, 1.0), up(0.3)),
        ),
        // Sizes far apart.
        (
            "ball of a micrometre on an ellipsoid of kilometres",
            at(ellipsoid(1e4, 6e3, 4e3), ball(1e-6), up(4e3 + 1e-6)),
        ),
        (
            "cylinders of micrometres",
            at(
                cylinder(5e-7, 5e-7),
                cylinder(3e-7, 4e-7),
                Vector3::new(1e-6, 2e-7, 9e-7),
            ),
        ),
        (
            "cylinders of ten kilometres",
            at(
                cylinder(5e3, 5e3),
                cylinder(3e3, 4e3),
                Vector3::new(1e4, 2e3, 9e3),
            ),
        ),
    ]
}

pub(super) fn in_the_plane() -> Vec<(&'static str, Pair<2>)> {
    let ellipse = |x, y| Recipe::Ellipsoid {
        semi_axes: Vector2::new(x, y),
    };
    let place = Vector2::new;
    vec![
        (
            "rectangles, parallel sides",
            at(rectangle(1.0, 1.0), rectangle(0.6, 0.4), place(0.1, 0.8)),
        ),
        (
            "rectangles, parallel sides touching",
            at(rectangle(1.0, 1.0), rectangle(0.6, 0.5), place(0.1, 0.75)),
        ),
        (
            "the same rectangle twice",
            at(rectangle(1.0, 0.8), rectangle(1.0, 0.8), place(0.0, 0.0)),
        ),
        (
            "rounded rectangles facing",
            at(
                rounded(rectangle(1.0, 1.0), 0.1),
                rounded(rectangle(0.6, 0.4), 0.1),
                place(0.1, 0.9),
            ),
        ),
        (
            "ellipse on the middle of a side",
            at(rectangle(1.0, 1.0), ellipse(0.6, 0.4), place(0.0, 0.9)),
        ),
        (
            "concentric discs",
            at(ball(0.5), ball(0.3), place(0.0, 0.0)),
        ),
        (
            "disc in the middle of an ellipse",
            at(ellipse(0.5, 0.3), ball(0.1), place(0.0, 0.0)),
        ),
        (
            "needle across a needle",
            at(ellipse(1.0, 1e-4), ellipse(1e-4, 1.0), place(0.2, 0.1)),
        ),
        (
            "parallel stadiums",
            at(capsule(0.5, 0.1), capsule(0.5, 0.1), place(0.2, 0.2)),
        ),
    ]
}
