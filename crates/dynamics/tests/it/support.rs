//! Worlds and comparisons used by several modules.

use nalgebra::{SVector, Vector3};
use signorini_dynamics::{
    Body, BodyId, ContactId, ContactQuery, Contacts, Inertia, System, World, WorldSettings,
};
use signorini_geometry::{Capsule, ConvexSet, HalfSpace};

/// Settings without gravity.
pub(crate) fn weightless<const D: usize>() -> WorldSettings<D> {
    WorldSettings {
        gravity: SVector::zeros(),
        ..WorldSettings::default()
    }
}

/// The rod of ST2000 over the ground.
pub(crate) fn rod_world() -> World<2> {
    let mut world = World::new();
    world.add(Body::fixed("ground", HalfSpace::up())).unwrap();
    world
        .add(Body {
            shape: Some(Capsule::new(0.25, 0.05).unwrap().into()),
            position: vec![0.0, 1.0, 30_f64.to_radians()],
            velocity: vec![0.0, 0.0, 4.0],
            ..Body::moving("rod", 1.0, Inertia::Scalar(0.002))
        })
        .unwrap();
    world
}

/// Two free bodies in space without shapes, with inertia tensors that are not diagonal.
pub(crate) fn tumblers(settings: WorldSettings<3>) -> World<3> {
    let mut world = World::with_settings(settings).unwrap();
    let tensor = [[2.0, 0.3, -0.1], [0.3, 1.5, 0.2], [-0.1, 0.2, 1.2]];
    for (name, mass, inertia) in [
        ("brick", 2.0, Inertia::Tensor(tensor)),
        ("top", 0.5, Inertia::Principal([0.1, 0.2, 0.3])),
    ] {
        let mut body = Body::moving(name, mass, inertia);
        body.position = vec![mass, 0.5, -1.0, 0.5, -0.1, 0.7, 0.5];
        body.velocity = vec![0.3, -0.2, 0.1 * mass, 0.7, -0.4, 1.1];
        world.add(body).unwrap();
    }
    world
}

/// One pair of bodies, the second moving, the first moving if it has an inertia.
pub(crate) fn pair_world<const D: usize>(a: ConvexSet<D>, b: ConvexSet<D>) -> World<D> {
    let mut world = World::with_settings(weightless()).unwrap();
    let fixed = matches!(a, ConvexSet::HalfSpace(_));
    let moving = |name: &str| Body::moving(name, 1.0, Inertia::Scalar(1.0));
    let first = if fixed {
        Body::fixed("a", a)
    } else {
        Body {
            shape: Some(a.into()),
            ..moving("a")
        }
    };
    world.add(first).unwrap();
    world
        .add(Body {
            shape: Some(b.into()),
            ..moving("b")
        })
        .unwrap();
    world
}

/// All contacts of a world at q.
pub(crate) fn all_contacts(system: &dyn System, q: &[f64]) -> Contacts {
    let mut contacts = Contacts::default();
    let query = ContactQuery {
        margin: f64::INFINITY,
        include: &[],
    };
    system.contacts(0.0, q, &query, &mut contacts).unwrap();
    contacts
}

/// The gap of one contact, `None` if the geometry does not have it.
pub(crate) fn gap(system: &dyn System, q: &[f64], id: ContactId) -> Option<f64> {
    let contacts = all_contacts(system, q);
    contacts.position(id).map(|k| contacts.gap[k])
}

/// |a − b| ≤ tolerance · (1 + |b|), entry by entry.
#[track_caller]
pub(crate) fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len(), "lengths");
    for (k, (x, y)) in a.iter().zip(b).enumerate() {
        assert!(
            (x - y).abs() <= tolerance * (1.0 + y.abs()),
            "entry {k}: {x} against {y}\n{a:?}\n{b:?}"
        );
    }
}

/// Angular velocity of a body in space in its own axes.
pub(crate) fn omega_body(world: &World<3>, q: &[f64], v: &[f64], id: BodyId) -> Vector3<f64> {
    let omega = Vector3::from_column_slice(&world.velocity(v, id)[3..]);
    world.pose(q, id).rotation.tr_mul(&omega)
}

/// ½ vᵀ M v from the mass blocks.
pub(crate) fn kinetic(system: &dyn System, q: &[f64], v: &[f64]) -> f64 {
    0.5 * mass_product(system, q, v)
        .iter()
        .zip(v)
        .map(|(p, v)| p * v)
        .sum::<f64>()
}

/// M v from the mass blocks.
pub(crate) fn mass_product(system: &dyn System, q: &[f64], v: &[f64]) -> Vec<f64> {
    let mut blocks = Vec::new();
    system.mass_blocks(q, &mut blocks);
    let dofs = system.dofs();
    let mut out = Vec::new();
    for (block, v) in blocks.chunks_exact(dofs * dofs).zip(v.chunks_exact(dofs)) {
        out.extend(
            block
                .chunks_exact(dofs)
                .map(|row| row.iter().zip(v).map(|(m, v)| m * v).sum::<f64>()),
        );
    }
    out
}
