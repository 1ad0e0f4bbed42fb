//! A world: bodies, gravity, applied forces and contact coefficients.

mod equations;
mod error;
mod joints;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use nalgebra::SVector;
use signorini_geometry::{Groups, Pose, Shape};

pub use error::WorldError;

use crate::{
    body::{Body, BodyId, Motion},
    contact::{ContactError, ContactMaterial, detect},
    force::{Amplitude, AppliedWrench, Force},
    implicit::{ImplicitContacts, Pairs},
    settings::WorldSettings,
    space::{Rigid, Space, space},
    state::State,
    system::System,
};

/// Rigid bodies in the plane (`World<2>`) or in space (`World<3>`) as a [`System`].
///
/// Bodies are added once and stay; a [`State`] holds what changes. Moving bodies have their columns in the order of
/// adding. Contacts are looked for between all pairs of bodies with shapes of which at least one moves, whose
/// [groups](Body::groups) meet, and that are not [excluded](World::exclude).
///
/// # Examples
/// ```
/// use signorini_dynamics::{Body, ContactQuery, Contacts, Inertia, Motion, System, World};
/// use signorini_geometry::{Capsule, HalfSpace};
///
/// // The falling rod of ST2000, figure 2.
/// let mut world = World::<2>::new();
/// let ground = world.add(Body::fixed("ground", HalfSpace::up()))?;
/// let rod = world.add(Body {
///     shape: Some(Capsule::new(0.25, 0.05)?.into()),
///     position: vec![0.0, 1.0, 30_f64.to_radians()],
///     velocity: vec![0.0, 0.0, 4.0],
///     ..Body::moving("rod", 1.0, Inertia::Scalar(0.002))
/// })?;
/// let state = world.initial_state();
///
/// let mut contacts = Contacts::default();
/// world.contacts(0.0, &state.q, &ContactQuery { margin: 0.9, ..Default::default() }, &mut contacts)?;
/// assert_eq!(contacts.len(), 1);                          // the lower end: y − (l/2) sin θ − r = 1 − 0.125 − 0.05
/// assert!((contacts.gap[0] - 0.825).abs() < 1e-15);
/// assert_eq!(world.contact_name(contacts.id[0]), "ground/rod#1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct World<const D: usize> {
    settings: WorldSettings<D>,
    bodies: Vec<Entry<D>>,
    /// Body of each column.
    moving: Vec<usize>,
    pair_materials: BTreeMap<(u32, u32), ContactMaterial>,
    /// Pairs that never touch, the smaller index first.
    excluded: BTreeSet<(u32, u32)>,
    wrenches: Vec<AppliedWrench>,
    forces: Vec<Arc<dyn Force>>,
    joints: Vec<joints::Joined<D>>,
}

/// A body in the world: its data, and its column and mass if it moves.
#[derive(Clone, Debug)]
struct Entry<const D: usize> {
    body: Body<D>,
    dynamic: Option<(usize, Rigid)>,
}

/// Two bodies that overlap more than rounding explains.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// Name of the first body.
    pub a: String,
    /// Name of the second body.
    pub b: String,
    /// Penetration −gap, m; of unions that of the deepest pair of pieces.
    pub depth: f64,
}

/// Two bodies overlap if −gap > 1e-6 of the size of the smaller one: far above rounding, far below what the eye sees.
const OVERLAP: f64 = 1e-6;

impl<const D: usize> World<D> {
    /// An empty world with the default settings: gravity 9.81 m/s² against the last axis, no friction.
    pub fn new() -> Self {
        Self {
            settings: WorldSettings::default(),
            bodies: Vec::new(),
            moving: Vec::new(),
            pair_materials: BTreeMap::new(),
            excluded: BTreeSet::new(),
            wrenches: Vec::new(),
            forces: Vec::new(),
            joints: Vec::new(),
        }
    }

    /// An empty world with these settings.
    ///
    /// # Errors
    /// [`WorldError::Gravity`], [`WorldError::Material`].
    pub fn with_settings(settings: WorldSettings<D>) -> Result<Self, WorldError> {
        if !settings.gravity.iter().all(|x| x.is_finite()) {
            return Err(WorldError::Gravity {
                gravity: settings.gravity.as_slice().to_vec(),
            });
        }
        settings
            .material
            .validate()
            .map_err(|source| WorldError::Material { pair: None, source })?;
        Ok(Self {
            settings,
            ..Self::new()
        })
    }

    /// Adds a body; quaternions within 1e-6 of unit length are normalised.
    ///
    /// # Errors
    /// [`WorldError`] naming the body: data that are not finite, a mass or inertia that no body has, a name already taken.
    ///
    /// # Panics
    /// If the world has 2³² − 1 bodies already.
    pub fn add(&mut self, mut body: Body<D>) -> Result<BodyId, WorldError> {
        if self.body(&body.name).is_some() {
            return Err(WorldError::DuplicateName { body: body.name });
        }
        let rigid = body.check()?;
        let id =
            u32::try_from(self.bodies.len()).expect("a world holds fewer bodies than u32 counts");
        assert!(id < u32::MAX, "the last index stands for no body");
        let dynamic = rigid.map(|rigid| (self.moving.len(), rigid));
        if dynamic.is_some() {
            self.moving.push(self.bodies.len());
        }
        self.bodies.push(Entry { body, dynamic });
        Ok(BodyId(id))
    }

    /// Sets the contact coefficients of one pair, in either order.
    ///
    /// # Errors
    /// [`WorldError::UnknownBody`], [`WorldError::SameBody`], [`WorldError::Material`].
    pub fn set_pair_material(
        &mut self,
        a: BodyId,
        b: BodyId,
        material: ContactMaterial,
    ) -> Result<(), WorldError> {
        let (pair, names) = self.pair(a, b)?;
        material.validate().map_err(|source| WorldError::Material {
            pair: Some(names.into()),
            source,
        })?;
        self.pair_materials.insert(pair, material);
        Ok(())
    }

    /// Lets two bodies pass through each other, in either order: no contact between them is looked for.
    ///
    /// # Errors
    /// [`WorldError::UnknownBody`], [`WorldError::SameBody`].
    ///
    /// # Examples
    /// ```
    /// use signorini_dynamics::{Body, ContactQuery, Contacts, System, World};
    /// use signorini_geometry::Ball;
    /// let mut world = World::<2>::new();
    /// let hub = world.add(Body::solid("hub", Ball::new(0.5)?, 1.0)?)?;
    /// let mut wheel = Body::solid("wheel", Ball::new(0.5)?, 1.0)?;
    /// wheel.position[0] = 0.2;
    /// let wheel = world.add(wheel)?;
    /// assert_eq!(world.initial_overlaps(&world.initial_state())?.len(), 1);
    /// world.exclude(wheel, hub)?;
    /// assert!(world.initial_overlaps(&world.initial_state())?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn exclude(&mut self, a: BodyId, b: BodyId) -> Result<(), WorldError> {
        let (pair, _) = self.pair(a, b)?;
        self.excluded.insert(pair);
        Ok(())
    }

    /// Lets a wrench act on a moving body.
    ///
    /// # Errors
    /// [`WorldError::UnknownBody`], [`WorldError::FixedBody`], [`WorldError::Length`], [`WorldError::NonFinite`],
    /// [`WorldError::Interval`], [`WorldError::Amplitude`].
    pub fn apply(&mut self, wrench: AppliedWrench) -> Result<(), WorldError> {
        let entry = self.known(wrench.body)?;
        let body = || entry.body.name.clone();
        if entry.dynamic.is_none() {
            return Err(WorldError::FixedBody { body: body() });
        }
        let (quantity, expected, found) = ("wrench", self.space().dofs(), wrench.wrench.len());
        if found != expected {
            return Err(WorldError::Length {
                body: body(),
                quantity,
                expected,
                found,
            });
        }
        if let Some(index) = wrench.wrench.iter().position(|x| !x.is_finite()) {
            let value = wrench.wrench[index];
            return Err(WorldError::NonFinite {
                body: body(),
                quantity,
                index,
                value,
            });
        }
        let AppliedWrench { from, until, .. } = wrench;
        if from.is_nan() || until.is_nan() || until < from {
            return Err(WorldError::Interval {
                body: body(),
                from,
                until,
            });
        }
        if let Amplitude::Sinusoid { frequency, phase } = wrench.amplitude
            && !(frequency.is_finite() && phase.is_finite())
        {
            return Err(WorldError::Amplitude {
                body: body(),
                frequency,
                phase,
            });
        }
        self.wrenches.push(wrench);
        Ok(())
    }

    /// Lets a force law act on every moving body.
    pub fn add_force(&mut self, force: Arc<dyn Force>) {
        self.forces.push(force);
    }

    /// Time 0, the positions and velocities the bodies were added with, no memory.
    pub fn initial_state(&self) -> State {
        let bodies = || self.moving.iter().map(|&k| &self.bodies[k].body);
        State {
            t: 0.0,
            q: bodies().flat_map(|b| &b.position).copied().collect(),
            v: bodies().flat_map(|b| &b.velocity).copied().collect(),
            memory: Vec::new(),
        }
    }

    /// Pairs that overlap by more than 1e-6 of the size of the smaller body, in the order of the bodies.
    ///
    /// # Errors
    /// [`ContactError`].
    pub fn initial_overlaps(&self, state: &State) -> Result<Vec<Overlap>, ContactError> {
        // Pieces against pieces: of those that are deep in a ground no contact is left to tell.
        let mut pairs = Pairs::default();
        self.pairs(&state.q, 0.0, &mut pairs)?;
        let mut overlaps: Vec<(u32, u32, f64)> = Vec::new();
        for (layout, gap) in pairs.layouts.iter().zip(&pairs.gaps) {
            let id = layout.id;
            match overlaps.last_mut() {
                Some((a, b, deepest)) if (*a, *b) == (id.a, id.b) => *deepest = deepest.min(*gap),
                _ => overlaps.push((id.a, id.b, *gap)),
            }
        }
        let size = |k: u32| self.shape_at(k as usize).map_or(f64::INFINITY, Shape::size);
        overlaps.retain(|&(a, b, gap)| -gap > OVERLAP * size(a).min(size(b)));
        let name = |k: u32| self.body_name_at(k as usize).to_owned();
        Ok(overlaps
            .iter()
            .map(|&(a, b, gap)| Overlap {
                a: name(a),
                b: name(b),
                depth: -gap,
            })
            .collect())
    }

    /// The settings.
    pub fn settings(&self) -> &WorldSettings<D> {
        &self.settings
    }

    /// Number of bodies, fixed ones included.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// The body of this name.
    pub fn body(&self, name: &str) -> Option<BodyId> {
        let position = self
            .bodies
            .iter()
            .position(|entry| entry.body.name == name)?;
        u32::try_from(position).ok().map(BodyId)
    }

    /// All bodies in the order of adding.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body<D>)> {
        (0..)
            .map(BodyId)
            .zip(self.bodies.iter().map(|entry| &entry.body))
    }

    /// The data of a body as it was added.
    ///
    /// # Panics
    /// If the handle is from another world and too large.
    #[track_caller]
    pub fn data(&self, id: BodyId) -> &Body<D> {
        &self.bodies[id.index()].body
    }

    /// Column of a body, `None` if it is fixed.
    ///
    /// # Panics
    /// As [`World::data`].
    #[track_caller]
    pub fn column(&self, id: BodyId) -> Option<usize> {
        self.bodies[id.index()]
            .dynamic
            .as_ref()
            .map(|(column, _)| *column)
    }

    /// Pose of a body at q, body to world.
    ///
    /// # Panics
    /// As [`World::data`], or if q has the wrong length.
    #[track_caller]
    pub fn pose(&self, q: &[f64], id: BodyId) -> Pose<D> {
        assert_eq!(q.len(), self.nq(), "q has the wrong length");
        self.pose_at(q, id.index())
    }

    /// Velocity of a body at v: (v, ω), zeros if it is fixed.
    ///
    /// # Panics
    /// As [`World::pose`].
    #[track_caller]
    pub fn velocity<'a>(&self, v: &'a [f64], id: BodyId) -> &'a [f64] {
        assert_eq!(v.len(), self.nv(), "v has the wrong length");
        let dofs = self.space().dofs();
        match self.column(id) {
            Some(column) => &v[column * dofs..][..dofs],
            None => &[0.0; crate::space::MAX_DOFS][..dofs],
        }
    }

    #[expect(
        clippy::unused_self,
        reason = "the dimension is a parameter of the type"
    )]
    pub(crate) fn space(&self) -> &'static dyn Space {
        space::<D>()
    }

    pub(crate) fn body_name_at(&self, body: usize) -> &str {
        &self.bodies[body].body.name
    }

    pub(crate) fn column_at(&self, body: usize) -> Option<usize> {
        self.bodies[body]
            .dynamic
            .as_ref()
            .map(|(column, _)| *column)
    }

    /// Whether a body moves as its contacts and joints make it.
    pub(crate) fn is_free(&self, body: usize) -> bool {
        matches!(self.bodies[body].body.motion, Motion::Moving { .. })
    }

    pub(crate) fn shape_at(&self, body: usize) -> Option<&Shape<D>> {
        self.bodies[body].body.shape.as_ref()
    }

    /// Whether a body stays where it is for all times.
    pub(crate) fn is_fixed(&self, body: usize) -> bool {
        matches!(self.bodies[body].body.motion, Motion::Fixed)
    }

    pub(crate) fn pose_at(&self, q: &[f64], body: usize) -> Pose<D> {
        let nq = self.space().nq();
        match self.column_at(body) {
            Some(column) => detect::pose(self.space(), &q[column * nq..][..nq]),
            None => detect::pose(self.space(), &self.bodies[body].body.position),
        }
    }

    /// Velocity of the surface of a body relative to it, world axes.
    pub(crate) fn belt_at(&self, body: usize, pose: &Pose<D>) -> SVector<f64, D> {
        let belt = &self.bodies[body].body.surface_velocity;
        pose.rotate(&SVector::from_column_slice(&belt[..D]))
    }

    pub(crate) fn material_at(&self, a: u32, b: u32) -> &ContactMaterial {
        self.pair_materials
            .get(&(a, b))
            .unwrap_or(&self.settings.material)
    }

    /// Index, groups, and whether it is fixed or driven, of every body with a shape.
    pub(crate) fn members(&self) -> impl Iterator<Item = (u32, Groups, bool)> {
        (0..)
            .zip(&self.bodies)
            .filter_map(|(k, Entry { body, .. })| {
                body.shape.as_ref()?;
                Some((k, body.groups, !self.is_free(k as usize)))
            })
    }

    /// Pairs that never touch, in increasing order.
    pub(crate) fn excluded(&self) -> impl Iterator<Item = (u32, u32)> {
        self.excluded.iter().copied()
    }

    /// Whether contacts between the two are looked for: both exist and have shapes, one of them moves freely, and neither groups nor
    /// an exclusion forbid it.
    pub(crate) fn may_touch_at(&self, a: u32, b: u32) -> bool {
        let entry = |k: u32| {
            self.bodies
                .get(k as usize)
                .filter(|e| e.body.shape.is_some())
        };
        let free = |k: u32| self.is_free(k as usize);
        a < b
            && entry(a)
                .zip(entry(b))
                .is_some_and(|(a, b)| a.body.groups.meets(&b.body.groups))
            && (free(a) || free(b))
            && !self.excluded.contains(&(a, b))
    }

    /// Mass data of each column.
    fn rigids(&self) -> impl Iterator<Item = (BodyId, &Rigid)> {
        self.bodies()
            .filter_map(|(id, _)| Some((id, &self.bodies[id.index()].dynamic.as_ref()?.1)))
    }

    /// The two, the smaller index first, and their names in the order given.
    fn pair(&self, a: BodyId, b: BodyId) -> Result<((u32, u32), [String; 2]), WorldError> {
        let names = [
            self.known(a)?.body.name.clone(),
            self.known(b)?.body.name.clone(),
        ];
        if a == b {
            let [body, _] = names;
            return Err(WorldError::SameBody { body });
        }
        Ok(((a.0.min(b.0), a.0.max(b.0)), names))
    }

    fn known(&self, id: BodyId) -> Result<&Entry<D>, WorldError> {
        let bodies = self.bodies.len();
        self.bodies.get(id.index()).ok_or(WorldError::UnknownBody {
            index: id.index(),
            bodies,
        })
    }
}

impl<const D: usize> Default for World<D> {
    fn default() -> Self {
        Self::new()
    }
}
