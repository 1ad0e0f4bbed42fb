//! The complementarity problem of a step: unknowns, units, bounds.

use std::{
    borrow::Cow,
    cell::{OnceCell, RefCell},
    fmt,
    ops::Range,
};

use signorini_complementarity::{Assembler, Bounds, DomainError, LinearMcp, Mcp, mcp_jacobian};
use signorini_dynamics::{ImplicitContacts, Move, PairLayout, State, System};

use super::{
    Formulation, GapFunction, ImpactLaw,
    direct::row_residual,
    evaluate::{Scratch, Sink, Writer},
    islands::Island,
    linearised::Linearised,
    links::Links,
    reading::Reading,
    units::Units,
};
use crate::unsolved::UnsolvedStep;

/// What does not change while a step is solved.
pub(super) struct Given<'a> {
    /// Name of the scheme.
    pub(super) scheme: &'static str,
    pub(super) system: &'a dyn System,
    pub(super) implicit: &'a dyn ImplicitContacts,
    pub(super) t: f64,
    /// State at the start of the step, and its position.
    pub(super) state: &'a State,
    pub(super) q: &'a [f64],
    /// Position at the end of the step with the velocity of its start.
    pub(super) ahead: Vec<f64>,
    /// Time step, s, and rule of rotation.
    pub(super) by: Move,
    /// Approach velocity up to which restitution does not count, m/s.
    pub(super) rest_speed: f64,
    pub(super) impact: ImpactLaw,
    /// M(q), one block per body.
    pub(super) mass: Vec<f64>,
    /// v + h M⁻¹ k.
    pub(super) free: Vec<f64>,
    /// Of each column, whether its body is driven: it has its free velocity whatever pushes, and is no unknown.
    pub(super) driven: Vec<bool>,
    pub(super) units: Units,
    pub(super) links: Links,
    /// What a linearised step makes of the state, once it was asked for.
    pub(super) linearised: OnceCell<Option<Linearised>>,
    /// Buffers of evaluations; positions and velocities of bodies that are not of the problem at hand do not matter.
    pub(super) scratch: RefCell<Scratch>,
}

/// A pair of the step and what is asked of it.
#[derive(Clone, Debug)]
pub(super) struct Contact {
    pub(super) layout: PairLayout,
    /// Columns of its bodies that move freely.
    pub(super) columns: [Option<usize>; 2],
    /// Whether it may give its bodies energy: one is driven, or has a belt.
    pub(super) is_driving: bool,
    /// Whether its closest points are unknowns.
    pub(super) has_points: bool,
    /// Half axes of friction that are not zero, each with its direction.
    pub(super) friction: Vec<(usize, f64)>,
    /// What is complementary to its normal impulse.
    pub(super) gap: GapFunction,
    /// Slope of the gap function in m, 1 for the signed distance.
    pub(super) slope: f64,
    /// Coefficient e of an impact in this step, after which W_nᵀ (v⁺ − δv) ≥ −e W_nᵀ v with W_n that of the end, and δv what the
    /// forces of the step add; without one the gap closes. Where points move along a body as it turns, −e times the speed of the
    /// first would be one that the last never had, and energy with it.
    pub(super) bounce: Option<f64>,
    /// What Poisson's law knows of it, if it takes part in an impact.
    pub(super) compression: Option<Compression>,
    /// Least normal impulse, N s: what the expansion of an impact has at least.
    pub(super) least: f64,
    /// Whether a solution with points that are not the closest ones was found before.
    pub(super) is_astray: bool,
    /// Overlap to which free motion leads, as a part of the length.
    pub(super) depth: f64,
    /// Overlap at which its gap counts as closed, m: zero but on the way to a solution.
    pub(super) allowed: f64,
}

/// A pair in the compression of an impact under Poisson's law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Compression {
    /// Whether the pair approaches faster than the rest speed, so that there is an impact.
    pub(super) is_impact: bool,
}

impl Contact {
    /// The same with its closest points among the unknowns.
    pub(super) fn with_points(&self) -> Self {
        Self {
            has_points: true,
            ..self.clone()
        }
    }

    pub(super) fn new(
        layout: PairLayout,
        (formulation, gap): (Formulation, GapFunction),
        (driven, has_belts): (&[bool], bool),
    ) -> Self {
        let axes = layout.ellipsoid.iter().copied().take(layout.np - 1);
        let friction = (1..)
            .zip(axes)
            .filter(|&(_, e)| e > 0.0 && layout.friction > 0.0)
            .collect();
        let columns = layout.offsets.map(|offset| Some(offset? / layout.dofs));
        let free = columns.map(|column| column.filter(|&k| !driven[k]));
        Self {
            layout,
            columns: free,
            is_driving: has_belts || free != columns,
            // Along edges and faces the closest points jump as bodies turn: they have to be where the moments balance.
            has_points: formulation == Formulation::Full || layout.nz > layout.equations,
            friction,
            // The surface function of a piece knows nothing of the half-space that stands for it.
            gap: match layout.face {
                Some(_) => GapFunction::SignedDistance,
                None => gap,
            },
            slope: 1.0,
            bounce: None,
            compression: None,
            least: 0.0,
            is_astray: false,
            depth: 0.0,
            allowed: 0.0,
        }
    }

    /// Whether it bounces in this step.
    pub(super) fn is_impact(&self) -> bool {
        self.bounce.is_some() || self.compression.is_some_and(|c| c.is_impact)
    }

    /// Makes it one without restitution.
    pub(super) fn give_up(&mut self) {
        self.bounce = None;
        self.compression = None;
        self.least = 0.0;
    }

    /// The np components of p from p_n and y: p_k = μ e_k y_k p_n.
    pub(super) fn components(&self, normal: f64, ratios: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.layout.np, 0.0);
        out[0] = normal;
        for (&(k, e), y) in self.friction.iter().zip(ratios) {
            out[k] = self.layout.friction * e * y * normal;
        }
    }
}

/// Where the unknowns of a pair stand; one without points has none between `z` and `normal`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// First velocity of A and of B.
    pub(super) bodies: [Option<usize>; 2],
    pub(super) z: usize,
    /// Where the multipliers begin.
    pub(super) complementary: usize,
    pub(super) normal: usize,
    pub(super) ratios: usize,
    pub(super) sigma: usize,
}

impl Place {
    /// Indices of the multipliers.
    pub(super) fn multipliers(&self) -> Range<usize> {
        self.complementary..self.normal
    }
}

/// The problem of an island of a step; unknowns and rows are in units of their own, see [`Units`].
pub(super) struct Problem<'a> {
    pub(super) given: &'a Given<'a>,
    pub(super) contacts: &'a [Contact],
    /// Its bodies, whose velocities are the first unknowns, and its rows of joints, whose impulses are the last ones.
    pub(super) island: &'a Island,
    /// The first impulse of a joint.
    pub(super) first_link: usize,
    /// The modes whose equations stand for the conditions of complementarity, if any.
    reading: Option<&'a Reading>,
    pub(super) places: Vec<Place>,
    /// Units of the unknowns and of the rows.
    pub(super) columns: Vec<f64>,
    pub(super) rows: Vec<f64>,
    /// 1/`rows`.
    pub(super) row_scales: Vec<f64>,
    pub(super) bounds: Bounds,
}

impl<'a> Problem<'a> {
    pub(super) fn new(
        given: &'a Given<'a>,
        contacts: &'a [Contact],
        island: &'a Island,
        reading: Option<&'a Reading>,
    ) -> Self {
        let bodies = &island.bodies;
        let (units, dofs) = (&given.units, given.system.dofs());
        let of_bodies = |unit: &[f64]| -> Vec<f64> {
            let blocks = bodies.iter().map(|&body| &unit[body * dofs..][..dofs]);
            blocks.flatten().copied().collect()
        };
        let (mut columns, mut rows) = (of_bodies(&units.velocity), of_bodies(&units.momentum));
        let mut places = Vec::with_capacity(contacts.len());
        let mut lower = vec![f64::NEG_INFINITY; columns.len()];
        for contact in contacts {
            let layout = &contact.layout;
            let z = columns.len();
            let normal = z + if contact.has_points { layout.nz } else { 0 };
            let local = |column| bodies.binary_search(&column).map(|k| k * dofs);
            let place = Place {
                bodies: contact.columns.map(|column| local(column?).ok()),
                z,
                complementary: normal.min(z + layout.equations),
                normal,
                ratios: normal + 1,
                sigma: normal + 1 + contact.friction.len(),
            };
            columns.resize(place.complementary, units.length);
            columns.resize(normal, 1.0);
            rows.resize(normal, units.length);
            columns.push(units.impulse(layout));
            rows.push(match contact.bounce {
                Some(_) => units.speed,
                None => units.gap * contact.slope,
            });
            columns.resize(place.sigma, 1.0);
            rows.resize(place.sigma, units.speed);
            if !contact.friction.is_empty() {
                columns.push(units.speed);
                rows.push(1.0);
            }
            lower.resize(columns.len(), f64::NEG_INFINITY);
            if reading.is_none() {
                lower[place.complementary..normal].fill(0.0);
                lower[normal] = contact.least / columns[normal];
                if !contact.friction.is_empty() {
                    lower[place.sigma] = 0.0;
                }
            }
            places.push(place);
        }
        let first_link = columns.len();
        let mut upper = vec![f64::INFINITY; lower.len()];
        if reading.is_none() {
            for (contact, place) in contacts.iter().zip(&places) {
                let stays = |i: &usize| contact.layout.is_left_out(i - place.z);
                let left_out = place.multipliers().filter(stays);
                left_out.for_each(|i| upper[i] = 0.0);
            }
        }
        for &index in &island.links {
            let link = &given.links.rows[index];
            columns.push(link.impulse);
            rows.push(link.unit);
            let [least, most] = match reading {
                None => link.bounds(&given.links.start),
                Some(_) => [f64::NEG_INFINITY, f64::INFINITY],
            };
            lower.push(least / link.impulse);
            upper.push(most / link.impulse);
        }
        Self {
            given,
            contacts,
            island,
            first_link,
            reading,
            places,
            row_scales: rows.iter().map(|unit| 1.0 / unit).collect(),
            columns,
            rows,
            bounds: Bounds::new(lower, upper)
                .expect("a lower bound is at most 0, an upper one at least"),
        }
    }

    /// F at the scaled point, and its Jacobian where the sink wants one; equations of `reading` if there is one.
    pub(super) fn write(
        &self,
        z: &[f64],
        reading: Option<&Reading>,
        f: &mut [f64],
        sink: Sink<'_>,
    ) -> Result<(), DomainError> {
        let mut scratch = self.given.scratch.borrow_mut();
        Writer::new(self, reading, f, sink).write(z, &mut scratch)
    }

    /// Draws all unknowns within their bounds; whether any was outside.
    pub(super) fn draw_within_bounds(&self, x: &mut [f64]) -> bool {
        let mut any = false;
        let bounds = self.bounds.lower().iter().zip(self.bounds.upper());
        for (x, (lower, upper)) in x.iter_mut().zip(bounds) {
            if *x < *lower || *x > *upper {
                *x = x.clamp(*lower, *upper);
                any = true;
            }
        }
        any
    }

    /// The problem at a point that is no solution, for a report.
    pub(super) fn unsolved(&self, z: Vec<f64>) -> UnsolvedStep {
        let given = self.given;
        UnsolvedStep {
            scheme: given.scheme,
            state: given.state.clone(),
            h: given.by.h,
            linear: self.linearised(&z),
            friction: None,
            names: (0..z.len()).map(|k| self.name(k).into_owned()).collect(),
            worst: self.worst(&z),
            z,
        }
    }

    /// What an unknown and its row belong to.
    fn owner(&self, index: usize) -> Owner<'_> {
        let (system, dofs) = (self.given.system, self.given.system.dofs());
        if index < self.island.bodies.len() * dofs {
            return Owner::Body(system.body_name(self.island.bodies[index / dofs]));
        }
        if let Some(k) = index.checked_sub(self.first_link) {
            let link = &self.given.links.rows[self.island.links[k]];
            let id = link.among(&self.given.links.start).id[link.index];
            return Owner::Joint(system.joint_name(id.joint), id.row);
        }
        let k = self.places.partition_point(|p| p.z <= index) - 1;
        let name = system.contact_name(self.contacts[k].layout.id);
        Owner::Contact(name, &self.places[k])
    }

    /// What the row with the largest residual belongs to.
    fn worst(&self, z: &[f64]) -> Option<String> {
        let mut f = vec![0.0; z.len()];
        self.values(z, self.reading, &mut f).ok()?;
        let (lower, upper) = (self.bounds.lower(), self.bounds.upper());
        let residual = |&k: &usize| row_residual((z[k], f[k]), [lower[k], upper[k]]);
        let row = (0..z.len()).max_by(|a, b| residual(a).total_cmp(&residual(b)))?;
        Some(self.owner(row).to_string())
    }

    /// J w + (F − J z) at z, with the same bounds.
    fn linearised(&self, z: &[f64]) -> Option<LinearMcp> {
        let matrix = mcp_jacobian(self, z).ok()?;
        let mut q = vec![0.0; z.len()];
        self.values(z, self.reading, &mut q).ok()?;
        for (value, (i, j)) in &matrix {
            q[i] -= value * z[j];
        }
        LinearMcp::new(matrix, q, self.bounds.clone()).ok()
    }

    /// F alone.
    pub(super) fn values(
        &self,
        z: &[f64],
        reading: Option<&Reading>,
        f: &mut [f64],
    ) -> Result<(), DomainError> {
        self.write(z, reading, f, Sink::None)
    }
}

/// What an unknown belongs to, by name.
enum Owner<'a> {
    Body(&'a str),
    /// And the row of the joint.
    Joint(String, u32),
    /// And where its unknowns are.
    Contact(String, &'a Place),
}

impl fmt::Display for Owner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body(name) => write!(f, "body {name}"),
            Self::Joint(name, _) => write!(f, "joint {name}"),
            Self::Contact(name, _) => write!(f, "contact {name}"),
        }
    }
}

impl Mcp for Problem<'_> {
    fn len(&self) -> usize {
        self.columns.len()
    }

    fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn evaluate(
        &self,
        z: &[f64],
        f: &mut [f64],
        jacobian: Option<&mut Assembler>,
    ) -> Result<(), DomainError> {
        let sink = jacobian.map_or(Sink::None, Sink::Sparse);
        self.write(z, self.reading, f, sink)
    }

    fn name(&self, index: usize) -> Cow<'_, str> {
        let dofs = self.given.system.dofs();
        Cow::Owned(match self.owner(index) {
            Owner::Body(name) => format!("v[{}] of {name}", index % dofs),
            Owner::Joint(name, row) => format!("impulse {row} of {name}"),
            Owner::Contact(name, place) => match index {
                i if i < place.normal => format!("z[{}] of {name}", i - place.z),
                i if i == place.normal => format!("p_n of {name}"),
                i if i == place.sigma => format!("sigma of {name}"),
                i => format!("y[{}] of {name}", i - place.ratios),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use signorini_complementarity::mcp_jacobian;
    use signorini_dynamics::{
        Body, ContactMaterial, Joint, JointKind, Motor, Pairs, Rotation, Spring, World,
        WorldSettings,
    };
    use signorini_geometry::{Cylinder, Ellipsoid, Pose};

    use super::*;
    use crate::{
        Mode,
        geometrically_implicit::{
            GeometricallyImplicit, GeometricallyImplicitSettings, reading::Held,
        },
    };

    /// Numbers between −1 and 1 without a pattern.
    fn noise(k: usize) -> f64 {
        (12.9898 * (k + 1) as f64).sin()
    }

    /// An ellipsoid and a cylinder, which has multipliers, both moving.
    fn two_bodies() -> World<3> {
        let material = ContactMaterial {
            friction: 0.6,
            ellipsoid: [1.0, 0.7, 0.2],
            ..ContactMaterial::default()
        };
        let mut world = World::with_settings(WorldSettings {
            material,
            ..WorldSettings::default()
        })
        .unwrap();
        let shape = Ellipsoid::new(Vector3::new(1.0, 0.8, 1.2)).unwrap();
        world.add(Body::solid("a", shape, 2.0).unwrap()).unwrap();
        let mut b = Body::solid("b", Cylinder::new(0.5, 0.4).unwrap(), 1.0).unwrap();
        b.position[..3].copy_from_slice(&[0.2, 0.1, 1.9]);
        world.add(b).unwrap();
        // A rod with limits, spring and motor, so that there are joints of all sorts.
        let [a, b] = ["a", "b"].map(|name| world.body(name).unwrap());
        let rod = Joint {
            limits: Some([-0.5, 3.0]),
            spring: Some(Spring {
                stiffness: 30.0,
                damping: 2.0,
                rest: 0.1,
            }),
            motor: Some(Motor::Rate {
                rate: 0.7,
                limit: 5.0,
            }),
            frame_b: Pose::from_position(Vector3::new(0.1, 0.2, 0.0)),
            ..Joint::new("rod", JointKind::Cylindrical, a, b)
        };
        world.join(rod).unwrap();
        world
    }

    /// The Jacobian of every law is that of differences, at a point that solves nothing.
    #[test]
    fn jacobians_are_those_of_differences() {
        let world = two_bodies();
        let mut state = world.initial_state();
        state.v = (0..12).map(noise).collect();
        let (full, condensed) = (Formulation::Full, Formulation::Condensed);
        for (formulation, gap, rotation) in [
            (full, GapFunction::SignedDistance, Rotation::Printed),
            (full, GapFunction::Surface, Rotation::LieGroup),
            (condensed, GapFunction::SignedDistance, Rotation::LieGroup),
            (condensed, GapFunction::Surface, Rotation::Printed),
        ] {
            let stepper = GeometricallyImplicit::new(GeometricallyImplicitSettings {
                formulation,
                gap,
                rotation,
                ..GeometricallyImplicitSettings::default()
            });
            let given = stepper.given(&world, &state, 0.05).unwrap();
            let mut pairs = Pairs::default();
            given.pairs(given.q, 2.0, &mut pairs).unwrap();
            let layout = pairs.layouts[0];
            let mut contact = Contact::new(layout, (formulation, gap), (&given.driven, false));
            // Here also across an edge.
            contact.has_points = formulation == full;
            let mut z = vec![0.0; layout.nz];
            given.implicit.start(&layout, given.q, &mut z).unwrap();
            let active = if formulation == full {
                vec![true, false, true]
            } else {
                Vec::new()
            };
            let readings = [
                (Mode::Open, false),
                (Mode::Stick, false),
                (Mode::Slip, false),
                (Mode::Slip, true),
            ]
            .map(|(mode, parts)| Reading {
                modes: vec![mode],
                active: active.clone(),
                parts: vec![parts],
                links: given
                    .links
                    .rows
                    .iter()
                    .map(|link| match (mode, link.bounds(&given.links.start)) {
                        (Mode::Open, [least, _]) if least.is_finite() => Held::Least,
                        (Mode::Slip, [_, most]) if most.is_finite() => Held::Most,
                        _ => Held::Yes,
                    })
                    .collect(),
            });
            let readings = [None].into_iter().chain(readings.iter().map(Some));
            for (k, reading) in readings.enumerate() {
                contact.bounce = (k == 2).then_some(0.3);
                contact.least = if k == 4 { 0.2 } else { 0.0 };
                let contacts = [contact.clone()];
                let island = Island {
                    contacts: vec![0],
                    bodies: vec![0, 1],
                    links: (0..given.links.rows.len()).collect(),
                };
                let problem = Problem::new(&given, &contacts, &island, reading);
                let mut x: Vec<_> = (0..problem.len()).map(|k| 0.5 + 0.4 * noise(k)).collect();
                x[..12].iter_mut().for_each(|v| *v -= 0.5);
                let points = if formulation == full {
                    z.as_slice()
                } else {
                    &[]
                };
                for (i, z) in points.iter().enumerate() {
                    x[12 + i] = z / problem.columns[12 + i] + 0.05 * noise(i);
                }
                check(&problem, &x);
            }
        }
    }

    fn check(problem: &Problem<'_>, x: &[f64]) {
        let n = problem.len();
        let jacobian = mcp_jacobian(problem, x).unwrap();
        let at = |x: &[f64]| {
            let mut f = vec![0.0; n];
            problem.evaluate(x, &mut f, None).unwrap();
            f
        };
        let step = 1e-5;
        for j in 0..n {
            let mut x = x.to_vec();
            x[j] += step;
            let up = at(&x);
            x[j] -= 2.0 * step;
            let down = at(&x);
            for i in 0..n {
                let difference = (up[i] - down[i]) / (2.0 * step);
                let stated = jacobian.get(i, j).copied().unwrap_or(0.0);
                assert!(
                    (difference - stated).abs() < 1e-6 * (1.0 + stated.abs()),
                    "row of {} by {}: {difference} is not {stated}",
                    problem.name(i),
                    problem.name(j)
                );
            }
        }
    }
}
