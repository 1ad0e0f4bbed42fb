//! Bodies that come down flat under the geometrically implicit scheme: the points at which they are pressed are neither at
//! the ends of the line that touches nor on the far side of the body.

use nalgebra::{Vector2, Vector3};
use signorini_dynamics::{Body, ContactMaterial, Inertia, World, WorldSettings};
use signorini_geometry::{ConvexSet, Intersection, Polygon};
use signorini_steppers::{
    Formulation, GapFunction, GeometricallyImplicit, GeometricallyImplicitSettings, Run, Stepper,
    simulate,
};

use crate::worlds::{down, floor_of, over_floor, rod};

/// The rod of ST2000, thin of inertia, from ten angles: it turns through the floor's height within a step, tips from end to
/// end, and comes to rest on its side.
#[test]
fn a_rod_tumbles_and_comes_to_rest_on_its_side() {
    let world = rod();
    for (formulation, gap) in [
        (Formulation::Full, GapFunction::SignedDistance),
        (Formulation::Full, GapFunction::Surface),
        (Formulation::Condensed, GapFunction::SignedDistance),
    ] {
        for h in [0.005, 0.0025] {
            for k in 0..10 {
                let mut state = world.initial_state();
                state.q[2] += 0.2 * f64::from(k);
                state.v[0] = 0.1 * f64::from(k % 7) - 0.3;
                let settings = GeometricallyImplicitSettings {
                    formulation,
                    gap,
                    ..GeometricallyImplicitSettings::default()
                };
                let mut stepper = GeometricallyImplicit::new(settings);
                let run = Run { h, until: 1.5 };
                let summary = simulate(&world, &mut stepper, &mut state, run, &mut ());
                let summary = summary.unwrap_or_else(|e| panic!("{formulation:?} {h} {k}: {e}"));
                assert!(summary.worst_residual <= 1e-10);
                assert!(summary.worst_penetration <= 1e-10);
                // Turns of a radian and more within a step close the gap too, with energy that nothing gives.
                let (gain, start) = (summary.largest_energy_gain, summary.energy_start.total());
                assert!(gain <= 1e-3 * start, "{formulation:?} {h} {k}: {gain} J");
                assert!(summary.energy_end.total() <= start);
                assert!((state.q[1] - 0.05).abs() < 1e-9, "{k} {:?}", state.q);
                assert!(state.v.iter().all(|v| v.abs() < 1e-9), "{k} {:?}", state.v);
            }
        }
    }
}

/// A cube at rest on its face, with steps in which it would fall by its own height and more: it stays, though it would close
/// its gap by turning over as well.
#[test]
fn a_cube_rests_whatever_the_step() {
    let mut world = over_floor::<3>(0.5, down());
    let cube = Intersection::cuboid(Vector3::repeat(0.1)).unwrap();
    let mut body = Body::solid("cube", cube, 125.0).unwrap();
    body.position[2] = 0.1;
    world.add(body).unwrap();
    for formulation in [Formulation::Full, Formulation::Condensed] {
        for h in [0.01, 0.2, 0.5] {
            let mut stepper = GeometricallyImplicit::new(GeometricallyImplicitSettings {
                formulation,
                ..GeometricallyImplicitSettings::default()
            });
            let mut state = world.initial_state();
            let start = state.q.clone();
            let run = Run { h, until: 60.0 * h };
            simulate(&world, &mut stepper, &mut state, run, &mut ()).unwrap();
            for (now, before) in state.q.iter().zip(&start) {
                assert!((now - before).abs() < 1e-9, "{h} {:?}", state.q);
            }
        }
    }
}

/// A triangle that bounces without friction and comes down almost flat, so that the corner that presses changes within a step:
/// Newton's law adds no energy where there is no friction.
#[test]
fn a_bounce_from_corner_to_corner_adds_no_energy() {
    let triangle = Polygon::new([
        Vector2::new(0.0872, 0.0),
        Vector2::new(-0.0436, 0.0755),
        Vector2::new(-0.0436, -0.0755),
    ]);
    let mut body = Body::moving("triangle", 0.744, Inertia::Scalar(0.002_26));
    body.shape = Some(ConvexSet::from(triangle.unwrap()).into());
    body.position = vec![0.4, 0.128, 1.78];
    body.velocity = vec![-0.25, -0.25, 1.1];
    let mut world = floor_of(
        ContactMaterial {
            restitution: 0.8,
            ..ContactMaterial::default()
        },
        down(),
    );
    world.add(body).unwrap();
    for h in [0.005, 0.002, 0.001] {
        let mut stepper = GeometricallyImplicit::default();
        let mut state = world.initial_state();
        let run = Run { h, until: 1.0 };
        let summary = simulate(&world, &mut stepper, &mut state, run, &mut ()).unwrap();
        assert!(summary.largest_energy_gain < 1e-12, "{h}: {summary:?}");
        assert!(summary.worst_penetration < 1e-10);
    }
}

/// Two boxes that meet in the air, corner by side, with restitution: the corner bounces and another one would end in the side.
#[test]
fn boxes_bounce_and_end_apart() {
    let material = ContactMaterial {
        friction: 0.3,
        restitution: 0.3,
        ..ContactMaterial::default()
    };
    let settings = WorldSettings {
        material,
        gravity: down(),
        ..WorldSettings::default()
    };
    let mut world = World::<2>::with_settings(settings).unwrap();
    let boxes = [
        (
            [0.023_757_680_220_673_153, 0.030_021_070_980_704_45],
            (0.625_515_303_014_351_3, 9.168_128_207_281_27e-5),
            [
                -0.001_250_174_539_027_534_8,
                0.019_333_600_821_816_756,
                -2.540_202_210_346_635,
            ],
            [
                -0.275_344_250_664_993_24,
                0.088_651_497_314_467_53,
                2.430_878_666_303_662,
            ],
        ),
        (
            [0.029_555_595_280_383_748, 0.023_113_509_663_985_392],
            (0.883_534_918_308_087, 1.243_811_779_656_869e-4),
            [
                0.001_646_493_809_328_086_7,
                0.057_423_495_209_967_854,
                -1.084_741_169_444_459_3,
            ],
            [
                0.101_915_675_819_794_5,
                -0.185_257_680_369_487_75,
                -0.859_794_968_061_685,
            ],
        ),
    ];
    for (k, (size, (mass, inertia), position, velocity)) in boxes.into_iter().enumerate() {
        let mut body = Body::moving(format!("box{k}"), mass, Inertia::Scalar(inertia));
        body.shape = Some(ConvexSet::from(Polygon::rectangle(size[0], size[1]).unwrap()).into());
        body.position = position.to_vec();
        body.velocity = velocity.to_vec();
        world.add(body).unwrap();
    }
    let mut stepper = GeometricallyImplicit::default();
    let mut state = world.initial_state();
    let run = Run {
        h: 0.005,
        until: 0.1,
    };
    let summary = simulate(&world, &mut stepper, &mut state, run, &mut ()).unwrap();
    assert!(summary.worst_residual <= 1e-10 && summary.worst_penetration <= 1e-10);
}

/// Eight flush boxes, one a little beside its neighbours, and a heavy one on a light one: the points of all faces are where the
/// weight above acts, and a step needs no search for them.
#[test]
fn towers_of_flush_boxes_stand() {
    let tower = |masses: &[f64]| {
        let mut world = over_floor::<3>(0.5, down());
        for (k, &mass) in masses.iter().enumerate() {
            let size = Vector3::new(0.1, 0.1, 0.05);
            let cuboid = Intersection::cuboid(size).unwrap();
            let mut body = Body::solid(format!("box {k}"), cuboid, mass / 0.004).unwrap();
            body.position[0] = if k == 3 { 0.02 } else { 0.0 };
            body.position[2] = 0.05 + 0.1 * k as f64;
            world.add(body).unwrap();
        }
        world
    };
    // Between very unequal masses there are some searches for modes.
    for (masses, most) in [(&[1.0; 8][..], 10), (&[1e-3, 1e3], 100)] {
        stands(&tower(masses), 0.005, most);
    }
}

/// Four cubes, two on two: those beside each other touch, and nothing presses them together.
#[test]
fn a_wall_of_flush_cubes_stands() {
    let mut world = over_floor::<3>(0.5, down());
    for (name, x, z) in [
        ("a", 0.0, 0.5),
        ("b", 1.0, 0.5),
        ("c", 0.0, 1.5),
        ("d", 1.0, 1.5),
    ] {
        let cube = Intersection::cuboid(Vector3::repeat(0.5)).unwrap();
        let mut body = Body::solid(name, cube, 1.0).unwrap();
        body.position[0] = x;
        body.position[2] = z;
        world.add(body).unwrap();
    }
    stands(&world, 0.01, 30);
}

/// Twenty steps of a pile at rest in both formulations: nothing moves, and after the first a step takes at most so many Newton
/// steps in all its rounds; searches for modes take hundreds.
fn stands(world: &World<3>, h: f64, most: usize) {
    for formulation in [Formulation::Full, Formulation::Condensed] {
        let mut stepper = GeometricallyImplicit::new(GeometricallyImplicitSettings {
            formulation,
            ..GeometricallyImplicitSettings::default()
        });
        let mut state = world.initial_state();
        let start = state.q.clone();
        for step in 0..20 {
            let report = stepper
                .step(world, &mut state, h, &mut ())
                .unwrap_or_else(|error| panic!("{formulation:?} {step}: {error}"));
            assert!(report.residual <= 1e-10);
            let taken = report.pivots;
            assert!(step == 0 || taken <= most, "{step}: {taken}");
            assert!(state.v.iter().all(|v| v.abs() < 1e-9), "{:?}", state.v);
        }
        for (now, before) in state.q.iter().zip(&start) {
            assert!((now - before).abs() < 1e-10, "{:?}", state.q);
        }
    }
}
