//! Superellipse in the plane, superellipsoid in space.

use nalgebra::{SMatrix, SVector};

use super::power_norm::{Pair, PowerNorm, gamma_1p, power};
use super::{ShapeError, positive};
use crate::boundary::{Boundary, Feature, Relation};
use crate::{Jet, Surface, direction::direction};

/// The superquadric with semi-axes a, b, c along the body's axes:
/// (|x/a|ˢ + |y/b|ˢ)^(p/s) + |z/c|ᵖ ≤ 1 in space, |x/a|ˢ + |y/b|ˢ ≤ 1 in the plane.
///
/// p is the exponent along z and s that of the section; ε₁ = 2/p and ε₂ = 2/s in the other usual notation. Exponents
/// lie in [1.05, 20]: 1 is an octahedron, 2 an ellipsoid, large ones are nearly a box. Where an exponent is
/// above 2 the curvature vanishes on coordinate planes, where it is below 2 it is unbounded there.
///
/// Its [`Surface`] is f(x) = e (N(x) − 1) with the gauge N of the body, homogeneous of degree one, and the shortest
/// semi-axis e, in m. f has a corner at the origin. Where second derivatives are unbounded, on coordinate planes with an
/// exponent below 2, they have large finite values instead: those at 1e-100 of a semi-axis off the plane. There
/// `check_derivatives` does not apply; support points and closest points are right there all the same, they come
/// from the support function, which is smooth where f is not.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{ConvexSet, Superquadric, Surface};
/// let body = Superquadric::new(Vector3::new(0.5, 0.3, 0.2), 4.0)?;
/// assert!(body.value(&Vector3::new(0.0, 0.3, 0.0)).abs() < 1e-16);
/// let corner = Vector3::new(0.5, 0.3, 0.2) * 3f64.powf(-0.25);
/// assert!(body.value(&corner).abs() < 1e-16);
/// let set = ConvexSet::from(body);
/// // The furthest point: a fourth power makes it √(a⁴ + b⁴ + c⁴)^½ from the middle.
/// assert!((set.bounding_radius() - (0.0625f64 + 0.0081 + 0.0016).powf(0.25)).abs() < 1e-15);
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "super::data::SuperquadricData<D>",
        into = "super::data::SuperquadricData<D>"
    )
)]
pub struct Superquadric<const D: usize> {
    semi_axes: SVector<f64, D>,
    norm: PowerNorm,
    bounding_radius: f64,
    rolling_radius: f64,
}

/// Smallest exponent: below it a body is an octahedron for all that f64 can tell of its edges.
const LEAST: f64 = 1.05;
/// Largest exponent.
const MOST: f64 = 20.0;

impl<const D: usize> Superquadric<D> {
    /// Σ |xᵢ/aᵢ|ᵖ ≤ 1 with semi-axes a (m) and one exponent.
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`], [`ShapeError::Exponent`].
    pub fn new(semi_axes: SVector<f64, D>, exponent: f64) -> Result<Self, ShapeError> {
        Self::build(semi_axes, [exponent, exponent])
    }

    /// In the plane the exponent along z does not count; it is kept as that of the section.
    pub(crate) fn build(
        semi_axes: SVector<f64, D>,
        [along, section]: [f64; 2],
    ) -> Result<Self, ShapeError> {
        for &e in &semi_axes {
            positive("semi-axis", e)?;
        }
        let along = if D == 2 { section } else { along };
        for value in [along, section] {
            if !(LEAST..=MOST).contains(&value) {
                return Err(ShapeError::Exponent { value });
            }
        }
        let norm = PowerNorm { along, section };
        // Hölder: the longest vector of a p-ball with semi-axes a, b is ‖(a, b)‖ with exponent 2p/(p − 2), or a vertex.
        let farthest = |p: f64, a: f64, b: f64| {
            if p <= 2.0 {
                a.max(b)
            } else {
                Pair::new(2.0 * p / (p - 2.0), a, b).norm
            }
        };
        let mut bounding_radius = farthest(section, semi_axes[0], semi_axes[1]);
        if D == 3 {
            bounding_radius = farthest(along, bounding_radius, semi_axes[2]);
        }
        Ok(Self {
            semi_axes,
            norm,
            bounding_radius,
            rolling_radius: rolling_radius(&semi_axes, norm),
        })
    }

    /// Semi-axes, m.
    pub fn semi_axes(&self) -> &SVector<f64, D> {
        &self.semi_axes
    }

    /// The exponents p along z and s of the section; equal in the plane.
    pub fn exponents(&self) -> [f64; 2] {
        [self.norm.along, self.norm.section]
    }

    /// Largest distance of a point from the middle, m.
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// Area or volume over the product of the semi-axes, and the mean of (xᵢ/aᵢ)² over the body.
    pub(crate) fn moments(&self) -> (f64, SVector<f64, D>) {
        let PowerNorm { along, section } = self.norm;
        let g = gamma_1p;
        // Over the section: its area, and the mean of u².
        let area = 4.0 * g(1.0 / section).powi(2) / g(2.0 / section);
        let mean =
            g(3.0 / section) * g(2.0 / section) / (3.0 * g(1.0 / section) * g(4.0 / section));
        if D == 2 {
            return (area, SVector::repeat(mean));
        }
        // The section at w is (1 − wᵖ)^(1/p) as large: integrals of its square, of its fourth power, and with w².
        let square = 2.0 * g(1.0 / along) * g(2.0 / along) / g(3.0 / along);
        let fourth = 2.0 * g(1.0 / along) * g(4.0 / along) / g(5.0 / along);
        let heights = 2.0 / 3.0 * g(3.0 / along) * g(2.0 / along) / g(5.0 / along);
        let mut means = SVector::repeat(mean * fourth / square);
        means[2] = heights / square;
        (area * square, means)
    }
}

impl Superquadric<3> {
    /// The superellipsoid with exponents p along z and s of the section, which may differ.
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`], [`ShapeError::Exponent`].
    ///
    /// # Examples
    /// ```
    /// use nalgebra::Vector3;
    /// use signorini_geometry::{Superquadric, Surface};
    /// // Nearly a cylinder: round in section, flat at the ends.
    /// let can = Superquadric::with_exponents(Vector3::new(1.0, 1.0, 2.0), 20.0, 2.0)?;
    /// assert!(can.value(&Vector3::new(0.6, 0.8, 0.0)).abs() < 1e-15);
    /// assert!(can.value(&Vector3::new(0.6, 0.6, 1.9)) < 0.0);
    /// # Ok::<(), signorini_geometry::ShapeError>(())
    /// ```
    pub fn with_exponents(
        semi_axes: SVector<f64, 3>,
        along: f64,
        section: f64,
    ) -> Result<Self, ShapeError> {
        Self::build(semi_axes, [along, section])
    }
}

/// A bound from K ≤ (max(p, s) − 1) a_max / (a_min² ‖∇N‖), where ‖∇N‖ ≥ 2^(1 − 1/q₁ − 1/q₂) with the dual exponents,
/// for the unit body: ∇²N is at most (p − 1) and (s − 1) times the identity if both are at least 2.
fn rolling_radius<const D: usize>(semi_axes: &SVector<f64, D>, norm: PowerNorm) -> f64 {
    if norm.along < 2.0 || norm.section < 2.0 {
        return 0.0;
    }
    let PowerNorm { along: q, section } = norm.dual();
    let slope = if D == 2 {
        2f64.powf(0.5 - 1.0 / section)
    } else {
        2f64.powf(1.0 - 1.0 / q - 1.0 / section)
    };
    let bend = norm.along.max(norm.section) - 1.0;
    slope / bend * semi_axes.min().powi(2) / semi_axes.max()
}

impl<const D: usize> Surface<D> for Superquadric<D> {
    fn value(&self, x: &SVector<f64, D>) -> f64 {
        self.semi_axes.min() * (self.norm.value(&x.component_div(&self.semi_axes)) - 1.0)
    }

    fn gradient(&self, x: &SVector<f64, D>) -> SVector<f64, D> {
        let gradient = self.norm.gradient(&x.component_div(&self.semi_axes));
        gradient.component_div(&self.semi_axes) * self.semi_axes.min()
    }

    fn hessian(&self, x: &SVector<f64, D>) -> SMatrix<f64, D, D> {
        self.jet(x).hessian
    }

    fn jet(&self, x: &SVector<f64, D>) -> Jet<D> {
        let e = self.semi_axes.min();
        let inverse = self.semi_axes.map(|a| 1.0 / a);
        let jet = self.norm.jet(&x.component_div(&self.semi_axes));
        Jet {
            value: e * (jet.value - 1.0),
            gradient: jet.gradient.component_mul(&inverse) * e,
            hessian: jet.hessian.component_mul(&(inverse * inverse.transpose())) * e,
        }
    }
}

impl<const D: usize> Boundary<D> for Superquadric<D> {
    fn support(&self, m: &SVector<f64, D>) -> SVector<f64, D> {
        let turned = self.semi_axes.component_mul(m);
        self.semi_axes
            .component_mul(&self.norm.dual().gradient(&turned))
    }

    fn extent(&self) -> f64 {
        self.bounding_radius
    }

    fn rolling_radius(&self) -> f64 {
        self.rolling_radius
    }

    /// With exponents of at least 2 that of f, with exponents of at most 2 that of the support function: what each
    /// divides by is bounded. With one of either kind the two directions, along z and round the section, are taken
    /// apart: along z by its exponent, round the section by what is smaller at this point.
    fn relation(&self, _: Feature, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Relation<D> {
        let PowerNorm { along, section } = self.norm;
        if along >= 2.0 && section >= 2.0 {
            return Relation::face(&self.jet(x), m, self.bounding_radius);
        }
        if along <= 2.0 && section <= 2.0 {
            return self.dual_relation(x, m);
        }
        let primal = curvature(self.norm, &x.component_div(&self.semi_axes));
        let dual = curvature(self.norm.dual(), &m.component_mul(&self.semi_axes));
        match (primal <= dual, along > 2.0) {
            (true, true) => Relation::face(&self.jet(x), m, self.bounding_radius),
            (false, false) => self.dual_relation(x, m),
            (section_by_point, _) => self.mixed_relation(section_by_point, x, m),
        }
    }

    fn piece(&self, _: usize, x: &SVector<f64, D>) -> Jet<D> {
        self.jet(x)
    }
}

/// Curvature round the section of the unit body of this norm, at x.
fn curvature<const D: usize>(norm: PowerNorm, x: &SVector<f64, D>) -> f64 {
    let section = Pair::new(norm.section, x[0].abs(), x[1].abs());
    let whole = Pair::new(norm.along, section.norm, x[2].abs());
    power(whole.unit[0], norm.along - 2.0) * (section.bend[0] + section.bend[2])
}

impl<const D: usize> Superquadric<D> {
    fn dual_relation(&self, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Relation<D> {
        let a = &self.semi_axes;
        let jet = self.norm.dual().jet(&a.component_mul(m));
        let support = a.component_mul(&jet.gradient);
        let hessian = jet.hessian.component_mul(&(a * a.transpose()));
        Relation::smooth(&support, &hessian, x, m)
    }

    /// One equation for the section, one along z; `section_by_point` says that the section's normal follows from the
    /// point, and the point along z from the normal, else the other way round.
    fn mixed_relation(
        &self,
        section_by_point: bool,
        x: &SVector<f64, D>,
        m: &SVector<f64, D>,
    ) -> Relation<D> {
        let a = &self.semi_axes;
        let (point, normal) = (x.component_div(a), m.component_mul(a));
        let dual = self.norm.dual();
        let rows = if section_by_point {
            let exponents = [self.norm.section, dual.along];
            mixed_rows(exponents, &point, &normal)
        } else {
            let exponents = [dual.section, self.norm.along];
            mixed_rows(exponents, &normal, &point).map(|row| Row {
                by_smooth: row.by_other,
                by_other: row.by_smooth,
                ..row
            })
        };
        let jet = self.jet(x);
        let lift = -jet.value / jet.gradient.norm();
        let across = SMatrix::identity() - m * m.transpose();
        let extent = self.bounding_radius;
        let mut relation = Relation {
            alpha: SMatrix::zeros(),
            beta: SMatrix::zeros(),
            rhs: SVector::zeros(),
            lift,
            error: lift.abs(),
        };
        // Each equation stands for a direction across m of its own: round the section and along z.
        let mut own = SVector::zeros();
        for (k, row) in rows.iter().enumerate() {
            let by_point = row.by_smooth.component_div(a);
            let by_normal = across * row.by_other.component_mul(a);
            let moved = across * by_point;
            own = if k == 0 {
                direction(&moved).map_or(own, |(unit, _)| unit)
            } else {
                m.cross(&own)
            };
            let scale = moved.norm() + by_normal.norm() / extent;
            let missing = -(row.value + by_point.dot(m) * lift) / scale;
            relation.alpha += own * (moved / scale).transpose();
            relation.beta += own * (by_normal / scale).transpose();
            relation.rhs += own * missing;
            relation.error += missing.abs();
        }
        relation
    }
}

/// An equation in scaled coordinates, with its derivatives by the side whose section is smooth and by the other one.
#[derive(Clone, Copy, Debug)]
struct Row<const D: usize> {
    value: f64,
    by_smooth: SVector<f64, D>,
    by_other: SVector<f64, D>,
}

/// The two equations that make a point and a normal of the unit body belong together, with the norm of exponent s in
/// the section of `smooth` and the norm of exponent p along z of `other`: with e = ∇‖·‖ₛ (smooth) they are
/// e × other = 0 in the section, and ‖smooth‖ₛ G_w − smooth₃ G_r = 0 for the norm G of (r, w) = (ê·other, other₃).
fn mixed_rows<const D: usize>(
    [s, p]: [f64; 2],
    smooth: &SVector<f64, D>,
    other: &SVector<f64, D>,
) -> [Row<D>; 2] {
    let section = Pair::new(s, smooth[0].abs(), smooth[1].abs());
    let sign = [1f64.copysign(smooth[0]), 1f64.copysign(smooth[1])];
    let rho = section.norm.max(f64::MIN_POSITIVE);
    let e = [section.slope[0] * sign[0], section.slope[1] * sign[1]];
    let [uu, uv, vv] = section.bend.map(|bend| bend / rho);
    let uv = uv * sign[0] * sign[1];
    let mut round = Row {
        value: e[0] * other[1] - e[1] * other[0],
        by_smooth: SVector::zeros(),
        by_other: SVector::zeros(),
    };
    round.by_smooth[0] = uu * other[1] - uv * other[0];
    round.by_smooth[1] = uv * other[1] - vv * other[0];
    (round.by_other[0], round.by_other[1]) = (-e[1], e[0]);
    // The section's direction as `smooth` has it, so that r is linear in `other`.
    let unit = [section.unit[0] * sign[0], section.unit[1] * sign[1]];
    let r = unit[0] * other[0] + unit[1] * other[1];
    let whole = Pair::new(p, r.abs(), other[2].abs());
    let signs = [1f64.copysign(r), 1f64.copysign(other[2])];
    let [g_r, g_w] = [whole.slope[0] * signs[0], whole.slope[1] * signs[1]];
    let size = whole.norm.max(f64::MIN_POSITIVE);
    let [rr, rw, ww] = whole.bend.map(|bend| bend / size);
    let rw = rw * signs[0] * signs[1];
    let by_r = rho * rw - smooth[2] * rr;
    let mut along = Row {
        value: rho * g_w - smooth[2] * g_r,
        by_smooth: SVector::zeros(),
        by_other: SVector::zeros(),
    };
    for i in 0..2 {
        along.by_other[i] = by_r * unit[i];
        along.by_smooth[i] = e[i] * g_w + by_r * (other[i] - r * e[i]) / rho;
    }
    along.by_other[2] = rho * ww - smooth[2] * rw;
    along.by_smooth[2] = -g_r;
    [round, along]
}

#[cfg(test)]
mod tests {
    use nalgebra::{Vector2, Vector3};

    use super::*;
    use crate::boundary::check::check_relation;

    /// A curve of (point, normal) along the true boundary: normals turn, points follow by the support function.
    fn turning<const D: usize>(
        body: &Superquadric<D>,
        from: SVector<f64, D>,
        to: SVector<f64, D>,
    ) -> impl Fn(f64) -> (SVector<f64, D>, SVector<f64, D>) {
        move |s| {
            let m = (from + to * s).normalize();
            (body.support(&m), m)
        }
    }

    /// The same with points that move and normals that follow by the gradient.
    fn moving<const D: usize>(
        body: &Superquadric<D>,
        from: SVector<f64, D>,
        to: SVector<f64, D>,
    ) -> impl Fn(f64) -> (SVector<f64, D>, SVector<f64, D>) {
        move |s| {
            let ray = from + to * s;
            let x = ray / body.norm.value(&ray.component_div(&body.semi_axes));
            (x, body.gradient(&x).normalize())
        }
    }

    #[test]
    fn the_relation_holds_in_the_plane() {
        for p in [1.1, 1.5, 2.0, 3.0, 8.0] {
            let body = Superquadric::new(Vector2::new(0.5, 0.3), p).unwrap();
            let (at, to) = (Vector2::new(0.5, -0.8), Vector2::new(0.2, 0.3));
            if p <= 2.0 {
                check_relation(&body, Feature::face(0), turning(&body, at, to));
            } else {
                check_relation(&body, Feature::face(0), moving(&body, at, to));
            }
        }
    }

    #[test]
    fn the_relation_holds_in_space_for_every_mixture() {
        let semi_axes = Vector3::new(0.5, 0.3, 0.4);
        for (p, s) in [
            (3.0, 3.0),
            (1.5, 1.5),
            (4.0, 1.5),
            (1.5, 4.0),
            (2.0, 1.5),
            (2.0, 3.0),
        ] {
            let body = Superquadric::with_exponents(semi_axes, p, s).unwrap();
            for at in [Vector3::new(0.5, -0.8, 0.7), Vector3::new(-0.3, -0.2, 0.9)] {
                let to = Vector3::new(0.2, 0.3, -0.1);
                let by_normal = p <= 2.0 && s <= 2.0;
                if by_normal {
                    check_relation(&body, Feature::face(0), turning(&body, at, to));
                } else {
                    check_relation(&body, Feature::face(0), moving(&body, at, to));
                }
                // Both mixtures hold, whichever the point prefers.
                for section_by_point in [true, false] {
                    check_relation(
                        &Mixed(body, section_by_point),
                        Feature::face(0),
                        moving(&body, at, to),
                    );
                }
            }
        }
    }

    /// A superquadric that always mixes in the same way.
    struct Mixed(Superquadric<3>, bool);

    impl Boundary<3> for Mixed {
        fn support(&self, m: &Vector3<f64>) -> Vector3<f64> {
            self.0.support(m)
        }

        fn extent(&self) -> f64 {
            self.0.extent()
        }

        fn relation(&self, _: Feature, x: &Vector3<f64>, m: &Vector3<f64>) -> Relation<3> {
            self.0.mixed_relation(self.1, x, m)
        }

        fn piece(&self, _: usize, x: &Vector3<f64>) -> Jet<3> {
            self.0.jet(x)
        }
    }

    #[test]
    fn relations_stay_finite_on_planes_and_poles() {
        let semi_axes = Vector3::new(0.5, 0.3, 0.4);
        for (p, s) in [
            (1.05, 20.0),
            (20.0, 1.05),
            (1.05, 1.05),
            (20.0, 20.0),
            (1.9, 4.0),
        ] {
            let body = Superquadric::with_exponents(semi_axes, p, s).unwrap();
            for m in [
                Vector3::x(),
                -Vector3::y(),
                Vector3::z(),
                Vector3::new(0.6, 0.8, 0.0),
                Vector3::new(0.0, 0.6, -0.8),
                Vector3::new(1e-200, 0.0, 1.0),
                Vector3::new(1e-9, 1e-12, 1.0).normalize(),
            ] {
                let relation = body.relation(Feature::face(0), &body.support(&m), &m);
                assert!(relation.error <= 1e-14, "{p} {s} {m}: {}", relation.error);
                for part in [relation.alpha, relation.beta] {
                    assert!(part.iter().all(|x| x.is_finite()), "{p} {s} {m}: {part}");
                }
            }
        }
    }

    #[test]
    fn a_ball_rolls_inside() {
        // The curvature at many points is no more than the bound, and not a hundred times less everywhere.
        for (p, s) in [(2.0, 2.0), (4.0, 4.0), (3.0, 8.0), (8.0, 2.0)] {
            let body = Superquadric::with_exponents(Vector3::new(0.5, 0.3, 0.4), p, s).unwrap();
            let mut sharpest = 0f64;
            for i in 0..2000 {
                let t = f64::from(i);
                let m = Vector3::new((t * 0.7).sin(), (t * 1.3).cos(), (t * 2.1).sin());
                let (x, m) = (body.support(&m), m.normalize());
                let relation = Relation::face(&body.jet(&x), &m, 1.0);
                sharpest = sharpest.max(relation.alpha.symmetric_eigenvalues().max());
            }
            let bound = 1.0 / body.rolling_radius;
            assert!(
                sharpest <= bound * (1.0 + 1e-12),
                "{p} {s}: {sharpest} {bound}"
            );
            assert!(sharpest > bound / 10.0, "{p} {s}: {sharpest} {bound}");
        }
    }
}
