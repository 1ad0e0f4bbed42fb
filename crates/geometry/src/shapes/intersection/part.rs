//! What an intersection is made of, and the smooth inequalities that this comes down to.

use std::fmt;
use std::sync::Arc;

use nalgebra::SVector;

use crate::direction::tangents;
use crate::shapes::cone::side_jet;
use crate::shapes::{ShapeError, finite};
use crate::{
    Ball, Cone, ConvexSet, Cylinder, Ellipsoid, HalfSpace, Jet, Polygon, Pose, ShapeKind,
    Superquadric, Surface, Tube,
};

/// One convex set of an [`Intersection`](crate::Intersection), at a place in the body's axes.
///
/// Made by `Part::from` of a half-space, ball, tube, ellipsoid, superquadric, cylinder, cone or polygon without radius,
/// or by [`Part::user`]; [`Part::at`] moves it.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{Ball, ConvexSet, Intersection, Part, Pose};
/// // A lens: two balls of radius 1, their centres 1.6 m apart.
/// let ball = Part::from(Ball::<3>::new(1.0)?);
/// let shift = |z| Pose::from_position(Vector3::new(0.0, 0.0, z));
/// let lens = Intersection::new([ball.clone().at(shift(0.8)), ball.at(shift(-0.8))])?;
/// let rim = ConvexSet::from(lens).support(&Vector3::x()).unwrap();
/// assert!((rim - Vector3::new(0.6, 0.0, 0.0)).norm() < 1e-14);
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Part<const D: usize> {
    pub(super) shape: PartShape<D>,
    pub(super) pose: Pose<D>,
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub(super) enum PartShape<const D: usize> {
    HalfSpace(HalfSpace<D>),
    Ball(Ball<D>),
    Tube(Tube<D>),
    Ellipsoid(Ellipsoid<D>),
    Superquadric(Superquadric<D>),
    Cylinder(Cylinder<D>),
    Cone(Cone<D>),
    Polygon(Polygon<D>),
    #[cfg_attr(feature = "serde", serde(skip))]
    User(User<D>),
}

/// A user's surface; equal to itself only.
#[derive(Clone)]
pub(super) struct User<const D: usize>(pub(super) Arc<dyn Surface<D>>);

impl<const D: usize> PartialEq for User<D> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<const D: usize> fmt::Debug for User<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<const D: usize> Part<D> {
    /// The set f ≤ 0 of a user's own surface. The set must be convex, f need not be; its gradient must not vanish on the
    /// boundary, and outside f must stay positive.
    pub fn user(surface: Arc<dyn Surface<D>>) -> Self {
        Self::of(PartShape::User(User(surface)))
    }

    /// The same part with `pose` (part to body) before whatever pose it has.
    #[must_use]
    pub fn at(mut self, pose: Pose<D>) -> Self {
        self.pose = pose.compose(&self.pose);
        self
    }

    /// The shape of this part, if it is bounded and not a user's own.
    pub(super) fn bounded_shape(&self) -> Option<ConvexSet<D>> {
        Some(match &self.shape {
            PartShape::Ball(shape) => (*shape).into(),
            PartShape::Ellipsoid(shape) => (*shape).into(),
            PartShape::Superquadric(shape) => (*shape).into(),
            PartShape::Cylinder(shape) => (*shape).into(),
            PartShape::Cone(shape) => (*shape).into(),
            PartShape::Polygon(shape) => shape.clone().into(),
            PartShape::HalfSpace(_) | PartShape::Tube(_) | PartShape::User(_) => return None,
        })
    }

    pub(super) fn of(shape: PartShape<D>) -> Self {
        Self {
            shape,
            pose: Pose::identity(),
        }
    }
}

macro_rules! part_from {
    ($($shape:ident),+) => {$(
        impl<const D: usize> From<$shape<D>> for Part<D> {
            fn from(shape: $shape<D>) -> Self {
                Self::of(PartShape::$shape(shape))
            }
        }
    )+};
}

part_from!(
    HalfSpace,
    Ball,
    Tube,
    Ellipsoid,
    Superquadric,
    Cylinder,
    Cone,
    Polygon
);

/// A smooth inequality in the body's axes.
#[derive(Clone, Debug)]
pub(super) struct Piece<const D: usize> {
    own: Own<D>,
    /// Piece to body; `None` for the body's own axes.
    frame: Option<Pose<D>>,
    rounding: f64,
}

#[derive(Clone, Debug)]
enum Own<const D: usize> {
    Plane(HalfSpace<D>),
    Ball(Ball<D>),
    Tube(Tube<D>),
    /// The side of a cone.
    Side(Cone<D>),
    /// The plane that touches that cone at its apex; it follows its side.
    Apex(Cone<D>),
    Ellipsoid(Ellipsoid<D>),
    Superquadric(Superquadric<D>),
    User(User<D>),
}

impl<const D: usize> Piece<D> {
    /// The inequalities of a part.
    pub(super) fn of(part: &Part<D>, out: &mut Vec<Self>) -> Result<(), ShapeError> {
        for &x in part.pose.rotation.iter().chain(&part.pose.position) {
            finite("pose", x)?;
        }
        let frame = (part.pose != Pose::identity()).then_some(part.pose);
        let mut push = |own| {
            let mut piece = Self {
                own,
                frame,
                rounding: 0.0,
            };
            piece.rounding = f64::EPSILON * piece.hint().1;
            out.push(piece);
        };
        let plane = |axis: usize, sign: f64, offset: f64| {
            let normal = SVector::from_fn(|i, _| if i == axis { sign } else { 0.0 });
            HalfSpace::new(normal, offset).map(Own::Plane)
        };
        match &part.shape {
            PartShape::HalfSpace(shape) => push(Own::Plane(*shape)),
            PartShape::Ball(shape) => push(Own::Ball(*shape)),
            PartShape::Tube(shape) => push(Own::Tube(*shape)),
            PartShape::Ellipsoid(shape) => push(Own::Ellipsoid(*shape)),
            PartShape::Superquadric(shape) => push(Own::Superquadric(*shape)),
            PartShape::Cylinder(shape) => {
                push(Own::Tube(Tube::new(shape.radius())?));
                push(plane(2, 1.0, shape.half_length())?);
                push(plane(2, -1.0, shape.half_length())?);
            }
            PartShape::Cone(shape) => {
                push(Own::Side(*shape));
                push(Own::Apex(*shape));
                push(plane(2, -1.0, 0.25 * shape.height())?);
            }
            PartShape::Polygon(shape) => {
                if shape.radius() > 0.0 {
                    return Err(ShapeError::PartNotSmooth {
                        kind: ShapeKind::Polygon,
                    });
                }
                for (normal, vertex) in shape.normals().iter().zip(shape.vertices()) {
                    push(Own::Plane(HalfSpace::new(*normal, normal.dot(vertex))?));
                }
            }
            PartShape::User(shape) => push(Own::User(shape.clone())),
        }
        Ok(())
    }

    fn own_axes(&self, x: &SVector<f64, D>) -> SVector<f64, D> {
        self.frame
            .as_ref()
            .map_or(*x, |frame| frame.inverse_apply(x))
    }

    pub(super) fn value(&self, x: &SVector<f64, D>) -> f64 {
        let x = self.own_axes(x);
        match &self.own {
            Own::Plane(shape) => shape.value(&x),
            Own::Ball(shape) => shape.value(&x),
            Own::Tube(shape) => shape.value(&x),
            Own::Side(_) | Own::Apex(_) => self.own_jet(&x).value,
            Own::Ellipsoid(shape) => shape.value(&x),
            Own::Superquadric(shape) => shape.value(&x),
            Own::User(shape) => shape.0.value(&x),
        }
    }

    pub(super) fn jet(&self, x: &SVector<f64, D>) -> Jet<D> {
        let jet = self.own_jet(&self.own_axes(x));
        match &self.frame {
            None => jet,
            Some(frame) => Jet {
                value: jet.value,
                gradient: frame.rotate(&jet.gradient),
                hessian: frame.rotation * jet.hessian * frame.rotation.transpose(),
            },
        }
    }

    fn own_jet(&self, x: &SVector<f64, D>) -> Jet<D> {
        match &self.own {
            Own::Plane(shape) => shape.jet(x),
            Own::Ball(shape) => shape.jet(x),
            Own::Tube(shape) => shape.jet(x),
            Own::Side(cone) => {
                let mut below = *x;
                below[2] -= 0.75 * cone.height();
                side_jet(cone.radius(), cone.height(), &below)
            }
            Own::Apex(cone) => crate::shapes::cylinder::end_jet(1.0, 0.75 * cone.height(), x),
            Own::Ellipsoid(shape) => shape.jet(x),
            Own::Superquadric(shape) => shape.jet(x),
            Own::User(shape) => shape.0.jet(x),
        }
    }

    /// The apex in the body's axes, and the sine by which m is above the cone's normals there; `None` for another piece.
    pub(super) fn apex(&self, m: &SVector<f64, D>) -> Option<(SVector<f64, D>, f64)> {
        let Own::Apex(cone) = &self.own else {
            return None;
        };
        let point = SVector::from_fn(|i, _| if i == 2 { 0.75 * cone.height() } else { 0.0 });
        let place = self
            .frame
            .as_ref()
            .map_or(point, |frame| frame.apply(&point));
        let m = self
            .frame
            .as_ref()
            .map_or(*m, |frame| frame.inverse_rotate(m));
        let slant = cone.radius().hypot(cone.height());
        let above = (m[2] * cone.height() - m[0].hypot(m[1]) * cone.radius()) / slant;
        Some((place, above))
    }

    /// Of an apex: the point halfway down the line of the side that m is nearest to, or down any if m is along the axis.
    pub(super) fn below_apex(&self, m: &SVector<f64, D>) -> Option<SVector<f64, D>> {
        let Own::Apex(cone) = &self.own else {
            return None;
        };
        let m = self
            .frame
            .as_ref()
            .map_or(*m, |frame| frame.inverse_rotate(m));
        let mut point = crate::shapes::cylinder::rim(0.5 * cone.radius(), &m);
        point[2] = 0.25 * cone.height();
        Some(
            self.frame
                .as_ref()
                .map_or(point, |frame| frame.apply(&point)),
        )
    }

    /// Whether it is a user's own surface.
    pub(super) fn is_user(&self) -> bool {
        matches!(self.own, Own::User(_))
    }

    /// Whether the set of this inequality, or of the part that it comes from, is bounded.
    pub(super) fn is_bounded(&self) -> bool {
        matches!(
            self.own,
            Own::Ball(_) | Own::Ellipsoid(_) | Own::Superquadric(_) | Own::Side(_) | Own::Apex(_)
        )
    }

    /// Adds unit vectors n with n·d ≤ 0 for every direction d in which an unbounded set has no end; a user's surface has none.
    pub(super) fn walls(&self, out: &mut Vec<SVector<f64, D>>) {
        let rotate = |n: SVector<f64, D>| self.frame.as_ref().map_or(n, |frame| frame.rotate(&n));
        match &self.own {
            Own::Plane(shape) => out.push(rotate(*shape.normal())),
            Own::Tube(_) => {
                let axis = SVector::from_fn(|i, _| if i == 2 { 1.0 } else { 0.0 });
                for side in tangents(&axis).map(rotate) {
                    out.extend([side, -side]);
                }
            }
            _ => {}
        }
    }

    /// How far rounding of its own coordinates moves the boundary, m.
    pub(super) fn rounding(&self) -> f64 {
        self.rounding
    }

    /// A point that is likely to be inside, and a length of the piece, m.
    pub(super) fn hint(&self) -> (SVector<f64, D>, f64) {
        let middle = self
            .frame
            .as_ref()
            .map_or_else(SVector::zeros, |frame| frame.position);
        let length = match &self.own {
            Own::Plane(shape) => shape.offset().abs(),
            Own::Ball(shape) => shape.radius(),
            Own::Tube(shape) => shape.radius(),
            Own::Side(cone) | Own::Apex(cone) => cone.bounding_radius(),
            Own::Ellipsoid(shape) => shape.semi_axes().max(),
            Own::Superquadric(shape) => shape.bounding_radius(),
            Own::User(_) => 0.0,
        };
        (middle, middle.norm() + length)
    }
}
