//! What a report says of impulses is what momenta change by: M (v⁺ − v) − h k = Σ of forces and moments.

use nalgebra::{Vector2, Vector3};
use signorini_complementarity::FIXED;
use signorini_dynamics::{
    Body, ContactMaterial, Inertia, Joint, JointKind, Joints, Motor, Rotation, State, System,
    World, WorldSettings,
};
use signorini_geometry::{Ball, Ellipsoid, HalfSpace, Pose};
use signorini_steppers::{
    AnitescuPotra, ContactForm, ContactReport, Formulation, GeometricallyImplicit,
    GeometricallyImplicitSettings, HartAnitescu, HartAnitescuSettings, ImpactLaw, JointRowKind,
    StepReport, Stepper, StewartTrinkle,
};

use crate::worlds::down;

/// Where a scheme writes its equations: M and arms.
#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Start,
    /// q + h v.
    Ahead,
    /// M of the start, arms of the end.
    End,
}

const H: f64 = 0.01;

fn cross(a: &[f64], b: &[f64]) -> Vec<f64> {
    if let ([x, y], [u, v]) = (a, b) {
        return vec![x * v - y * u];
    }
    let [a, b] = [a, b].map(Vector3::from_column_slice);
    a.cross(&b).as_slice().to_vec()
}

/// Adds what a contact does to the momenta of one of its bodies, which is at x.
fn add_contact(report: &ContactReport, sign: f64, x: &[f64], out: &mut [f64]) {
    let d = report.normal.len();
    let axes = [&report.normal[..]]
        .into_iter()
        .chain(report.tangent.chunks_exact(d));
    let mut force = vec![0.0; d];
    for (axis, p) in axes.zip(&report.impulse) {
        force
            .iter_mut()
            .zip(axis)
            .for_each(|(f, a)| *f += sign * p * a);
    }
    let point = if sign > 0.0 {
        &report.point
    } else {
        &report.point_a
    };
    let arm: Vec<f64> = point.iter().zip(x).map(|(p, x)| p - x).collect();
    let (linear, angular) = out.split_at_mut(d);
    linear.iter_mut().zip(&force).for_each(|(o, f)| *o += f);
    let moment = cross(&arm, &force);
    angular.iter_mut().zip(&moment).for_each(|(o, m)| *o += m);
    if d == 3 {
        for (o, n) in angular.iter_mut().zip(&report.normal) {
            *o += sign * report.torsion * n;
        }
    }
    let about: Vec<&[f64]> = match d {
        2 => vec![&[1.0]],
        _ => report.tangent.chunks_exact(d).collect(),
    };
    for (axis, moment) in about.iter().zip(&report.rolling) {
        for (o, t) in angular.iter_mut().zip(*axis) {
            *o += sign * moment * t;
        }
    }
}

/// Largest |M (v⁺ − v) − h k − Σ| over the largest of its terms and of m g h, of one step; `columns` are the bodies' places in v.
fn unbalance<const D: usize>(
    world: &World<D>,
    columns: &[Option<usize>],
    (start, end, report): (&State, &State, &StepReport),
    at: At,
) -> f64
where
    World<D>: System,
{
    let dofs = world.dofs();
    let mut ahead = vec![0.0; world.nq()];
    world.retract(&start.q, &start.v, H, Rotation::Printed, &mut ahead);
    let (mass_at, arms_at) = match at {
        At::Start => (&start.q, &start.q),
        At::Ahead => (&ahead, &ahead),
        At::End => (&start.q, &end.q),
    };
    let mut mass = Vec::new();
    world.mass_blocks(mass_at, &mut mass);
    let mut free = vec![0.0; world.nv()];
    world.free_velocity(start.t, &start.q, &start.v, H, &mut free);
    let mut momenta = vec![0.0; world.nv()];
    let mut largest = f64::MIN_POSITIVE;
    for (k, out) in momenta.chunks_exact_mut(dofs).enumerate() {
        let block = &mass[k * dofs * dofs..][..dofs * dofs];
        for (i, out) in out.iter_mut().enumerate() {
            // Residuals are in units of what the weight does in a step.
            largest = largest.max(block[i * dofs + i] * 9.81 * H);
            for j in 0..dofs {
                let term = block[i * dofs + j] * (end.v[k * dofs + j] - free[k * dofs + j]);
                largest = largest.max(term.abs());
                *out -= term;
            }
        }
    }
    let place = world.nq() / (world.nv() / dofs);
    for contact in &report.contacts {
        for (body, sign) in [(contact.id.a, -1.0), (contact.id.b, 1.0)] {
            if let Some(k) = columns[body as usize] {
                let x = &arms_at[k * place..][..D];
                add_contact(contact, sign, x, &mut momenta[k * dofs..][..dofs]);
            }
        }
    }
    let mut joints = Joints::default();
    world.joint_rows(start.t, H, mass_at, &mut joints).unwrap();
    for joint in &report.joints {
        let (ids, rows) = match joint.kind {
            JointRowKind::Equation => (&joints.equations.id, &joints.equations.rows),
            JointRowKind::Limit => (&joints.limits.id, &joints.limits.rows),
            JointRowKind::Effort => (&joints.efforts.id, &joints.efforts.rows),
        };
        let index = ids.iter().position(|id| *id == joint.id).unwrap();
        for (side, column) in rows.cols()[index].into_iter().enumerate() {
            if column != FIXED {
                let own = momenta[column as usize * dofs..][..dofs].iter_mut();
                own.zip(rows.block(index, side))
                    .for_each(|(m, j)| *m += j * joint.impulse);
            }
        }
    }
    momenta.iter().fold(0.0_f64, |m, x| m.max(x.abs())) / largest
}

fn schemes(restitution: bool) -> Vec<(Box<dyn Stepper>, At)> {
    let mut all: Vec<(Box<dyn Stepper>, At)> = Vec::new();
    let implicit = |formulation, impact| {
        GeometricallyImplicit::new(GeometricallyImplicitSettings {
            formulation,
            impact,
            ..GeometricallyImplicitSettings::default()
        })
    };
    for formulation in [Formulation::Full, Formulation::Condensed] {
        for impact in [ImpactLaw::Newton, ImpactLaw::Poisson] {
            all.push((Box::new(implicit(formulation, impact)), At::End));
        }
    }
    for form in [
        ContactForm::Pyramid,
        ContactForm::Cone,
        ContactForm::Relaxed,
    ] {
        let settings = HartAnitescuSettings {
            form,
            ..HartAnitescuSettings::default()
        };
        all.push((Box::new(HartAnitescu::new(settings)), At::Start));
    }
    let poisson = HartAnitescuSettings {
        impact: ImpactLaw::Poisson,
        ..HartAnitescuSettings::default()
    };
    all.push((Box::new(HartAnitescu::new(poisson)), At::Start));
    all.push((Box::new(StewartTrinkle::default()), At::Ahead));
    if !restitution {
        all.push((Box::new(AnitescuPotra::default()), At::Start));
    }
    all
}

/// Steps all schemes through `steps` steps and checks each; at least `hits` of them have an impulse over an open gap.
fn check<const D: usize>(
    world: &World<D>,
    columns: &[Option<usize>],
    (steps, hits): (usize, usize),
    mut chosen: impl FnMut(&dyn Stepper) -> bool,
) where
    World<D>: System,
{
    let restitution = hits > 0;
    for (mut stepper, at) in schemes(restitution) {
        if !chosen(&*stepper) {
            continue;
        }
        let mut state = world.initial_state();
        let mut open = 0;
        for step in 0..steps {
            let start = state.clone();
            let report = stepper.step(world, &mut state, H, &mut ()).unwrap();
            let off = unbalance(world, columns, (&start, &state, &report), at);
            assert!(off <= 1e-10, "{}, step {step}: {off:e}", stepper.name());
            let is_open = |c: &&ContactReport| c.impulse[0] > 0.0 && c.gap > 1e-6;
            open += report.contacts.iter().filter(is_open).count();
        }
        if at == At::End {
            assert!(open >= hits, "{}: {open}", stepper.name());
        }
    }
}

fn material(friction: f64, restitution: f64, torsion: f64) -> ContactMaterial {
    ContactMaterial {
        friction,
        restitution,
        ellipsoid: [1.0, 1.0, torsion],
        ..ContactMaterial::default()
    }
}

/// The same with rolling friction.
fn rolling(torsion: f64) -> ContactMaterial {
    ContactMaterial {
        rolling: 0.01,
        ..material(0.4, 0.7, torsion)
    }
}

fn is_linearised(stepper: &dyn Stepper) -> bool {
    stepper.name() != "geometrically-implicit"
}

fn empty<const D: usize>(
    material: ContactMaterial,
    gravity: nalgebra::SVector<f64, D>,
) -> World<D> {
    World::with_settings(WorldSettings {
        material,
        gravity,
        ..WorldSettings::default()
    })
    .unwrap()
}

/// A turning egg that bounces on a floor, and one on the other side of the pair's order.
#[test]
fn bounces_on_a_floor_balance() {
    let without = material(0.4, 0.7, 0.0);
    for (material, floor_first) in [
        (without, true),
        (without, false),
        (material(0.4, 0.7, 0.02), true),
        (rolling(0.0), true),
        (rolling(0.02), false),
    ] {
        let mut world = empty::<3>(material, down());
        let floor = Body::fixed("floor", HalfSpace::up());
        let shape = Ellipsoid::new(Vector3::new(0.1, 0.08, 0.12)).unwrap();
        let mut egg = Body::solid("egg", shape, 1000.0).unwrap();
        egg.position[2] = 0.3;
        egg.velocity = vec![0.6, -0.2, 0.0, 5.0, -3.0, 4.0];
        let columns = if floor_first {
            world.add(floor).unwrap();
            world.add(egg).unwrap();
            [None, Some(0)]
        } else {
            world.add(egg).unwrap();
            world.add(floor).unwrap();
            [Some(0), None]
        };
        check(&world, &columns, (60, 1), |stepper| {
            material.rolling == 0.0 || is_linearised(stepper)
        });
    }
}

/// Two turning eggs that hit each other: points on both bodies, a gap apart.
#[test]
fn bounces_of_two_bodies_balance() {
    for material in [material(0.5, 0.8, 0.0), rolling(0.02)] {
        let mut world = empty::<3>(material, Vector3::zeros());
        for (name, x, speed) in [("a", -0.3, 2.0), ("b", 0.3, -1.0)] {
            let shape = Ellipsoid::new(Vector3::new(0.1, 0.08, 0.12)).unwrap();
            let mut egg = Body::solid(name, shape, 1000.0).unwrap();
            egg.position[0] = x;
            egg.position[1] = 0.05 * x;
            egg.velocity = vec![speed, 0.0, 0.0, 1.0, 8.0 * speed, 4.0];
            world.add(egg).unwrap();
        }
        check(&world, &[Some(0), Some(1)], (40, 1), |stepper| {
            material.rolling == 0.0 || is_linearised(stepper)
        });
    }
}

/// A disc in the plane.
#[test]
fn bounces_in_the_plane_balance() {
    for material in [material(0.3, 0.6, 0.0), rolling(0.0)] {
        let mut world = empty::<2>(material, Vector2::new(0.0, -9.81));
        world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
        let mut disc = Body::solid("disc", Ball::new(0.2).unwrap(), 3.0).unwrap();
        disc.position[1] = 0.7;
        disc.velocity = vec![1.0, 0.0, 9.0];
        world.add(disc).unwrap();
        check(&world, &[None, Some(0)], (80, 1), |stepper| {
            material.rolling == 0.0 || is_linearised(stepper)
        });
    }
}

/// A rod on a hinge that falls on a floor, without restitution: contacts and joints together.
#[test]
fn joints_and_contacts_balance() {
    let mut world = empty::<3>(material(0.3, 0.0, 0.0), down());
    let room = world.add(Body::anchor("room")).unwrap();
    let mut floor = Body::fixed("floor", HalfSpace::up());
    floor.position[2] = -0.6;
    world.add(floor).unwrap();
    let shape = Ellipsoid::new(Vector3::new(0.1, 0.08, 0.12)).unwrap();
    let mut bob = Body::solid("bob", shape, 200.0).unwrap();
    bob.position[0] = 1.0;
    let bob = world.add(bob).unwrap();
    let quarter = Vector3::new(1.0, 0.0, 0.0) * -std::f64::consts::FRAC_PI_2;
    let axis = |place: Vector3<f64>| Pose {
        rotation: nalgebra::Rotation3::new(quarter).into_inner(),
        position: place,
    };
    let joint = Joint {
        frame_a: axis(Vector3::zeros()),
        frame_b: axis(Vector3::new(-1.0, 0.0, 0.0)),
        limits: Some([-1.5, 2.0]),
        motor: Some(Motor::Effort { effort: 0.3 }),
        ..Joint::new("pivot", JointKind::Revolute, room, bob)
    };
    world.join(joint).unwrap();
    check(&world, &[None, None, Some(0)], (80, 0), |_| true);
    let mut plane = empty::<2>(material(0.0, 0.0, 0.0), Vector2::new(0.0, -9.81));
    let ids = ["a", "b"].map(|name| {
        let mut body = Body::moving(name, 1.0, Inertia::Scalar(0.1));
        body.position[0] = if name == "a" { 0.0 } else { 1.0 };
        plane.add(body).unwrap()
    });
    let rod = Joint::new("rod", JointKind::Distance { length: 1.0 }, ids[0], ids[1]);
    plane.join(rod).unwrap();
    check(&plane, &[Some(0), Some(1)], (20, 0), |_| true);
}
