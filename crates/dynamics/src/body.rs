//! Rigid bodies as data: shape, mass, inertia, initial pose and velocity.

use nalgebra::{Matrix3, SVector, Vector3};
use signorini_geometry::{ConvexSet, Groups, MassProperties, Pose, Shape, ShapeError};

use crate::{
    course::Course,
    quaternion,
    space::{self, Rigid},
    state::State,
    world::WorldError,
};

/// Handle of a body in its world: its place in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(transparent)
)]
pub struct BodyId(pub(crate) u32);

impl BodyId {
    /// Place in the order of adding, as in [`ContactId`](crate::ContactId).
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A rigid body. Its frame has the origin in the centre of mass.
///
/// | name       | shape   | unit            | meaning                                                             |
/// | ---------- | ------- | --------------- | ------------------------------------------------------------------- |
/// | `shape`    | –       | m               | in the frame of the body; none for a body that touches nothing      |
/// | `position` | (3 \| 7,) | m, rad        | (x, y, θ), or (x, y, z, qw, qx, qy, qz): body to world          |
/// | `velocity` | (3 \| 6,) | m/s, rad/s    | (vx, vy, ω), or (v, ω) with ω in world axes                       |
/// | `surface_velocity` | (3,) | m/s | of a belt: relative to the body, in its axes; contacts see the part along them |
/// | `groups`   | –       | –               | whom it touches: group 0 that touches all, unless told otherwise    |
///
/// The position and velocity of a moving body are its entries in q and v.
///
/// # Examples
/// ```
/// use signorini_dynamics::Body;
/// use signorini_geometry::{Ball, ConvexSet};
/// let ball = Body { position: vec![0.0, 2.0, 0.0], ..Body::<2>::solid("ball", Ball::new(0.5)?, 3.0)? };
/// assert_eq!(ball.velocity, [0.0; 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Body<const D: usize> {
    /// Name in messages and reports; unique in a world.
    pub name: String,
    /// Shape in the frame of the body.
    pub shape: Option<Shape<D>>,
    /// Whether and with which mass it moves.
    pub motion: Motion,
    /// Initial position.
    pub position: Vec<f64>,
    /// Initial velocity; zero for a fixed or driven body.
    pub velocity: Vec<f64>,
    /// Velocity of its surface relative to the body, m/s, body axes: a belt runs with it.
    pub surface_velocity: [f64; 3],
    /// Which other bodies it can touch.
    pub groups: Groups,
}

/// Whether a body moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// It stays where it is and has no coordinates.
    Fixed,
    /// It moves as a function of time, whatever pushes: a shaker, a turntable. It has coordinates.
    Driven {
        /// Velocity for a unit rate of the course: (vx, vy, ω), or (v, ω) in world axes.
        direction: [f64; 6],
        /// How far along it.
        course: Course,
    },
    /// It moves with this mass and this inertia about its centre of mass.
    Moving {
        /// Mass, kg.
        mass: f64,
        /// Inertia about the centre of mass, kg m².
        inertia: Inertia,
    },
}

/// Inertia about the centre of mass, kg m².
///
/// Moments must be positive, and in space none may exceed the sum of the other two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Inertia {
    /// J in the plane; J times the identity in space.
    Scalar(f64),
    /// Moments about the body axes; space only.
    Principal([f64; 3]),
    /// Symmetric tensor in body axes, by rows; space only.
    Tensor([[f64; 3]; 3]),
}

/// A tensor counts as symmetric if |I − Iᵀ| ≤ 1e-9 |I| in the largest entry: the digits of a text file.
const SYMMETRY: f64 = 1e-9;

/// The largest moment may exceed the sum of the others by 1e-9 of itself: a flat body has equality up to rounding.
const TRIANGLE: f64 = 1e-9;

/// A centroid counts as the origin within 1e-9 of the size of the shape.
const CENTRED: f64 = 1e-9;

impl<const D: usize> Body<D> {
    /// A body that does not move, at the origin.
    pub fn fixed(name: impl Into<String>, shape: impl Into<Shape<D>>) -> Self {
        Self {
            shape: Some(shape.into()),
            ..Self::new(name.into(), Motion::Fixed)
        }
    }

    /// A body without shape that does not move, at the origin: the end of joints.
    pub fn anchor(name: impl Into<String>) -> Self {
        Self::new(name.into(), Motion::Fixed)
    }

    /// A moving body without shape, at rest at the origin.
    pub fn moving(name: impl Into<String>, mass: f64, inertia: Inertia) -> Self {
        Self::new(name.into(), Motion::Moving { mass, inertia })
    }

    /// A uniform solid of total mass `mass` (kg), at rest at the origin.
    ///
    /// # Errors
    /// [`WorldError::Shape`] if the shape has no finite mass, [`WorldError::OffCentre`] if its centroid is not its origin;
    /// [`centred`] moves it there.
    pub fn solid(
        name: impl Into<String>,
        shape: impl Into<Shape<D>>,
        mass: f64,
    ) -> Result<Self, WorldError> {
        let (name, shape) = (name.into(), shape.into());
        match shape.mass_properties(mass) {
            Ok(properties) => Self::uniform(name, shape, &properties),
            Err(source) => Err(WorldError::Shape { body: name, source }),
        }
    }

    /// A uniform solid of the given density, kg/m³ (kg/m² in the plane), at rest at the origin.
    ///
    /// # Errors
    /// As [`Body::solid`].
    pub fn with_density(
        name: impl Into<String>,
        shape: impl Into<Shape<D>>,
        density: f64,
    ) -> Result<Self, WorldError> {
        let (name, shape) = (name.into(), shape.into());
        match shape.mass_properties_of_density(density) {
            Ok(properties) => Self::uniform(name, shape, &properties),
            Err(source) => Err(WorldError::Shape { body: name, source }),
        }
    }

    fn new(name: String, motion: Motion) -> Self {
        let space = space::space::<D>();
        let (position, velocity) = (space.origin(), vec![0.0; space.dofs()]);
        Self {
            name,
            shape: None,
            motion,
            position,
            velocity,
            surface_velocity: [0.0; 3],
            groups: Groups::default(),
        }
    }

    fn uniform(
        name: String,
        shape: Shape<D>,
        properties: &MassProperties<D>,
    ) -> Result<Self, WorldError> {
        let centroid = properties.centroid;
        if centroid.norm() > CENTRED * shape.size() {
            let centroid = centroid.as_slice().to_vec();
            return Err(WorldError::OffCentre {
                body: name,
                centroid,
            });
        }
        let inertia = if D == 2 {
            Inertia::Scalar(properties.polar_moment())
        } else {
            Inertia::Tensor(properties.inertia.transpose().into())
        };
        let motion = Motion::Moving {
            mass: properties.mass,
            inertia,
        };
        Ok(Self {
            shape: Some(shape),
            ..Self::new(name, motion)
        })
    }

    /// Checks everything that needs no other body; mass data of a moving body, and quaternions come out normalised.
    pub(crate) fn check(&mut self) -> Result<Option<Rigid>, WorldError> {
        let space = space::space::<D>();
        for (quantity, values, expected) in [
            ("position", &self.position, space.nq()),
            ("velocity", &self.velocity, space.dofs()),
        ] {
            let body = || self.name.clone();
            if values.len() != expected {
                let found = values.len();
                return Err(WorldError::Length {
                    body: body(),
                    quantity,
                    expected,
                    found,
                });
            }
            if let Some(index) = values.iter().position(|x| !x.is_finite()) {
                let value = values[index];
                return Err(WorldError::NonFinite {
                    body: body(),
                    quantity,
                    index,
                    value,
                });
            }
        }
        if D == 3 {
            let norm = quaternion::norm(&self.position[3..]);
            if (norm - 1.0).abs() > State::QUATERNION_TOLERANCE {
                return Err(WorldError::Quaternion {
                    body: self.name.clone(),
                    norm,
                });
            }
            self.position[3..].iter_mut().for_each(|x| *x /= norm);
        }
        if let Some(index) = self.surface_velocity.iter().position(|x| !x.is_finite()) {
            return Err(WorldError::NonFinite {
                body: self.name.clone(),
                quantity: "surface velocity",
                index,
                value: self.surface_velocity[index],
            });
        }
        match self.motion {
            Motion::Fixed | Motion::Driven { .. } if self.velocity.iter().any(|&x| x != 0.0) => {
                Err(WorldError::FixedVelocity {
                    body: self.name.clone(),
                })
            }
            Motion::Fixed => Ok(None),
            Motion::Driven {
                ref direction,
                ref course,
            } => {
                if direction.iter().all(|x| x.is_finite()) && course.is_valid() {
                    // Its mass is never asked for, but every column has a block.
                    return self.rigid(1.0, Inertia::Scalar(1.0)).map(Some);
                }
                Err(WorldError::Course {
                    body: self.name.clone(),
                })
            }
            Motion::Moving { mass, inertia } => self.rigid(mass, inertia).map(Some),
        }
    }

    fn rigid(&self, mass: f64, inertia: Inertia) -> Result<Rigid, WorldError> {
        let body = || self.name.clone();
        if !(mass.is_finite() && mass > 0.0) {
            return Err(WorldError::Mass { body: body(), mass });
        }
        let tensor = match inertia {
            Inertia::Scalar(j) => Matrix3::from_diagonal_element(j),
            _ if D == 2 => return Err(WorldError::PlanarInertia { body: body() }),
            Inertia::Principal(moments) => Matrix3::from_diagonal(&Vector3::from(moments)),
            Inertia::Tensor(rows) => Matrix3::from_fn(|i, j| rows[i][j]),
        };
        if !tensor.iter().all(|x| x.is_finite()) {
            let moments = tensor.diagonal().into();
            let body = body();
            return Err(WorldError::InertiaRange { body, moments });
        }
        let asymmetry = (tensor - tensor.transpose()).amax();
        if asymmetry.is_nan() || asymmetry > SYMMETRY * tensor.amax() {
            return Err(WorldError::AsymmetricInertia {
                body: body(),
                asymmetry,
            });
        }
        let tensor = (tensor + tensor.transpose()) * 0.5;
        let mut moments: [f64; 3] = tensor.symmetric_eigenvalues().into();
        moments.sort_by(f64::total_cmp);
        if !(moments[0] > 0.0 && moments[2].is_finite()) {
            return Err(WorldError::Inertia {
                body: body(),
                moments,
            });
        }
        if moments[2] - moments[0] - moments[1] > TRIANGLE * moments[2] {
            return Err(WorldError::Triangle {
                body: body(),
                moments,
            });
        }
        // Its determinant can overflow or vanish.
        let inverse = tensor.try_inverse();
        let inverse = inverse.filter(|inverse| inverse.iter().all(|x| x.is_finite()));
        let inverse = inverse.ok_or_else(|| WorldError::InertiaRange {
            body: body(),
            moments,
        })?;
        let isotropic = tensor == Matrix3::from_diagonal_element(tensor[(0, 0)]);
        Ok(Rigid {
            mass,
            tensor,
            inverse,
            isotropic,
        })
    }
}

/// The shape moved so that its centroid is the origin, and where the centroid was, m.
///
/// A body given by the old shape at the old pose (R, x) is the new shape at (R, x + R c).
///
/// # Errors
/// [`ShapeError`] if the shape has no finite mass.
///
/// # Examples
/// ```
/// use signorini_dynamics::{Body, centred};
/// use signorini_geometry::{Polygon, Shape};
/// let triangle = Shape::from(Polygon::new([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])?);
/// let (shape, centroid) = centred(&triangle)?;
/// assert!((centroid.x - 1.0).abs() < 1e-15);
/// assert!(Body::solid("wedge", triangle, 1.0).is_err());
/// assert!(Body::solid("wedge", shape, 1.0).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn centred<const D: usize>(
    shape: &Shape<D>,
) -> Result<(Shape<D>, SVector<f64, D>), ShapeError> {
    let centroid = shape.mass_properties_of_density(1.0)?.centroid;
    let moved = match shape {
        Shape::Convex(ConvexSet::Polygon(polygon)) => polygon.translated(&-centroid).into(),
        Shape::Convex(ConvexSet::Polytope(polytope)) => polytope.translated(&-centroid).into(),
        Shape::Convex(_) => shape.clone(),
        Shape::Union(union) => union.moved(&Pose::from_position(-centroid)).into(),
    };
    Ok((moved, centroid))
}
