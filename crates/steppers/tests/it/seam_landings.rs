//! Bodies made of pieces come down as the same solids do, and ground made of pieces, beside each other or in layers, holds bodies as
//! one piece does and pushes nothing aside.

use nalgebra::{UnitQuaternion, Vector2, Vector3};
use signorini_dynamics::{Body, ContactMaterial, World, WorldSettings};
use signorini_geometry::{Ball, ConvexSet, Polygon, Polytope, Pose, Shape, Union};

use crate::seams::{as_one_and_apart, at, is_as_on_one_piece, linearised, run, world};

const H: f64 = 0.01;

fn slab<const D: usize>(set: ConvexSet<D>, depth: f64) -> [Body<D>; 1] {
    let mut body = Body::fixed("slab", set);
    body.position[D - 1] = -depth;
    [body]
}

fn polygons(pieces: &[&[[f64; 2]]]) -> Union<2> {
    let set = |corners: &&[[f64; 2]]| Polygon::new(corners.iter().map(|&c| Vector2::from(c)));
    let pieces = pieces
        .iter()
        .map(|corners| (set(corners).unwrap(), Pose::identity()));
    Union::new(pieces).unwrap()
}

/// A brick of two triangles that comes down a little tilted lost the corner that both have, at which neither had the normal of the
/// ground to 1e-6 rad, and sank by 15 mm.
#[test]
fn a_tilted_brick_of_two_triangles_lands_on_both_corners() {
    let [p, q, r, s] = [[-0.2, -0.05], [0.2, -0.05], [0.2, 0.05], [-0.2, 0.05]];
    let ground = slab(Polygon::rectangle(2.0, 0.4).unwrap().into(), 0.2);
    let brick = Shape::from(Polygon::rectangle(0.4, 0.1).unwrap());
    for pieces in [[&[p, q, r], &[p, r, s]], [&[p, q, s], &[q, r, s]]] {
        let pieces = pieces.map(<[[f64; 2]; 3]>::as_slice);
        for angle in [0.0_f64, -1e-4, 1e-4, 0.003, -0.02, 0.05] {
            let [pieced, solid] = [Shape::from(polygons(&pieces)), brick.clone()].map(|shape| {
                let mut body = Body::solid("brick", shape, 1.0).unwrap();
                let low = 0.2 * angle.sin().abs() + 0.05 * angle.cos();
                body.position.copy_from_slice(&[0.0, low + 1e-4, angle]);
                body.velocity[1] = -1.0;
                world(&ground, &body, 0.0)
            });
            for scheme in linearised() {
                is_as_on_one_piece((&pieced, &solid), scheme, (H, 0.1), 1e-4);
            }
        }
    }
}

/// A cuboid of six pyramids with their tips in its middle.
fn six_pyramids(half: [f64; 3]) -> Union<3> {
    let corners = (0..8_u8).map(|k| {
        let sign = |axis: usize| if k >> axis & 1 == 0 { -1.0 } else { 1.0 };
        Vector3::from([0, 1, 2].map(|axis| sign(axis) * half[axis]))
    });
    let corners: Vec<_> = corners.collect();
    let pyramid = |axis: usize, sign: f64| {
        let face = corners
            .iter()
            .filter(move |c| c[axis] * sign > 0.0)
            .copied();
        Polytope::new(face.chain([Vector3::zeros()])).unwrap()
    };
    let all = (0..3).flat_map(|axis| [-1.0, 1.0].map(|sign| pyramid(axis, sign)));
    Union::new(all.map(|pyramid| (pyramid, Pose::identity()))).unwrap()
}

#[test]
fn a_tilted_brick_of_six_pyramids_lands_on_all_corners() {
    let half = [0.2, 0.15, 0.05];
    let [x, y, z] = half;
    let brick = Polytope::cuboid(2.0 * x, 2.0 * y, 2.0 * z).unwrap();
    let ground = slab(Polytope::cuboid(2.0, 2.0, 0.4).unwrap().into(), 0.2);
    for tilt in [[0.0036, 0.0, 0.0], [-0.003, 0.002, 0.0], [0.01, 0.015, 0.3]] {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::from(tilt));
        let [pieced, solid] =
            [six_pyramids(half).into(), Shape::from(brick.clone())].map(|shape| {
                let mut body = Body::solid("brick", shape, 1.0).unwrap();
                let low =
                    (turn.to_rotation_matrix().matrix().row(2).abs() * Vector3::from(half))[0];
                let [i, j, k] = [turn.i, turn.j, turn.k];
                body.position
                    .copy_from_slice(&[0.1, 0.2, low + 1e-3, turn.w, i, j, k]);
                body.velocity[2] = -1.0;
                world(&ground, &body, 0.0)
            });
        for scheme in linearised() {
            is_as_on_one_piece((&pieced, &solid), scheme, (0.005, 0.05), 1e-3);
        }
    }
}

/// An edge of a brick that comes down nearly along a seam was held at the edge of one slab, which is none, and pushed aside with a tenth
/// of its speed.
#[test]
fn an_edge_that_lands_along_a_seam_is_not_pushed_aside() {
    let slab = ConvexSet::from(Polytope::cuboid(1.0, 2.0, 0.4).unwrap());
    let pieces = [-0.5, 0.5].map(|x| (slab.clone(), at([x, 0.0, -0.2])));
    let brick = Polytope::cuboid(0.3, 0.1, 0.1).unwrap();
    let one = [
        0.050, 0.025, 0.052_788, 0.731_657, -0.006_331, 0.006_796, 0.681_609,
    ];
    let other = [
        -0.041, 0.5, 0.057, 0.724_147, 0.020_224, 0.000_477, 0.689_349,
    ];
    for (place, speed, h) in [(one, 0.5, 0.01), (other, 1.0, 0.002), (other, 5.0, 0.002)] {
        let mut body = Body::solid("brick", brick.clone(), 1.0).unwrap();
        let norm = place[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
        body.position[..3].copy_from_slice(&place[..3]);
        (3..7).for_each(|k| body.position[k] = place[k] / norm);
        body.velocity[2] = -speed;
        for ground in as_one_and_apart(&pieces) {
            let world = world(&ground, &body, 0.0);
            for (name, mut scheme) in linearised() {
                let ran = run(&world, scheme.as_mut(), h, 5.0 * h);
                let v = &ran.state.v;
                assert!(v[0].hypot(v[1]) < 1e-9, "{name}: {v:?}");
                assert!(ran.gain < 1e-9, "{name}: {}", ran.gain);
            }
        }
    }
}

/// A cube that falls by two layers in a step had left the ground, as no face of the layer in which it was is exposed.
#[test]
fn layers_hold_what_falls_by_more_than_one_in_a_step() {
    let layer = ConvexSet::from(Polytope::cuboid(3.0, 2.0, 0.2).unwrap());
    let layers = [-0.1, -0.3, -0.5, -0.7, -0.9].map(|z| (layer.clone(), at([0.0, 0.0, z])));
    let one = slab(Polytope::cuboid(3.0, 2.0, 1.0).unwrap().into(), 0.5);
    let mut cube = Body::solid("cube", Polytope::cuboid(0.2, 0.2, 0.2).unwrap(), 1.0).unwrap();
    cube.position[..3].copy_from_slice(&[0.03, 0.02, 0.100_001]);
    cube.velocity[2] = -20.0;
    let solid = world(&one, &cube, 0.0);
    let ground = [Body::fixed("layers", Union::new(layers).unwrap())];
    let layered = world(&ground, &cube, 0.0);
    // The scheme of Anitescu and Potra asks where the bodies are when they are in each other, and not where they came from.
    for scheme in linearised()
        .into_iter()
        .filter(|(name, _)| *name != "anitescu-potra")
    {
        is_as_on_one_piece((&layered, &solid), scheme, (0.02, 0.12), 1e-9);
    }
}

/// A disc that is compressed on one bar and parts from the next lost its rebound with the name of its contact.
#[test]
fn a_disc_that_crosses_a_seam_between_compression_and_rebound_parts_again() {
    let bar = ConvexSet::from(Polygon::rectangle(1.0, 0.4).unwrap());
    let pieces = [-0.5, 0.5].map(|x| (bar.clone(), at([x, -0.2])));
    let two = [Body::fixed("bars", Union::new(pieces).unwrap())];
    let one = slab(Polygon::rectangle(2.0, 0.4).unwrap().into(), 0.2);
    for x in [-0.029, -0.025, -0.015, -0.011] {
        let mut disc = Body::solid("disc", Ball::new(0.1).unwrap(), 1.0).unwrap();
        disc.position[..2].copy_from_slice(&[x, 0.12]);
        disc.velocity[..2].copy_from_slice(&[1.0, -2.0]);
        let [seams, solid] = [&two, &one].map(|ground| {
            let material = ContactMaterial {
                restitution: 0.8,
                ..ContactMaterial::default()
            };
            let settings = WorldSettings {
                material,
                ..WorldSettings::default()
            };
            let mut world = World::with_settings(settings).unwrap();
            world.add(ground[0].clone()).unwrap();
            world.add(disc.clone()).unwrap();
            world
        });
        for (name, mut scheme) in linearised() {
            let [found, expected] = [&seams, &solid].map(|world| {
                let ran = run(world, scheme.as_mut(), H, 0.06);
                (ran.state.v[0], ran.state.v[1])
            });
            assert!(
                (found.1 - expected.1).abs() < 1e-9,
                "{name} {x}: {found:?} {expected:?}"
            );
            assert!((found.0 - 1.0).abs() < 1e-9, "{name} {x}: {found:?}");
        }
    }
}
