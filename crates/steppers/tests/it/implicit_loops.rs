//! Closed loops of joints, and springs, motors and friction in joints, in the geometrically implicit scheme.

use nalgebra::Vector3;
use signorini_dynamics::{
    Body, BodyId, Inertia, Joint, JointKind, Joints, Motor, Spring, State, System, World,
    WorldSettings,
};
use signorini_geometry::Pose;
use signorini_steppers::{
    Formulation, GeometricallyImplicit, GeometricallyImplicitSettings, HartAnitescu, JointRowKind,
    StepError, StepReport, Stepper,
};

use crate::worlds::{close, down};

fn stepper(formulation: Formulation) -> GeometricallyImplicit {
    GeometricallyImplicit::new(GeometricallyImplicitSettings {
        formulation,
        ..GeometricallyImplicitSettings::default()
    })
}

const BOTH: [Formulation; 2] = [Formulation::Full, Formulation::Condensed];

fn world(gravity: Vector3<f64>) -> (World<3>, BodyId) {
    let mut world = World::with_settings(WorldSettings {
        gravity,
        ..WorldSettings::default()
    })
    .unwrap();
    let room = world.add(Body::anchor("room")).unwrap();
    (world, room)
}

/// A frame at a place whose third axis is y.
fn along_y(place: [f64; 3]) -> Pose<3> {
    let quarter = Vector3::new(1.0, 0.0, 0.0) * -std::f64::consts::FRAC_PI_2;
    Pose {
        rotation: nalgebra::Rotation3::new(quarter).into_inner(),
        position: Vector3::from(place),
    }
}

/// A hinge about y between two bodies, at these places in them.
fn hinge(name: &str, bodies: [BodyId; 2], places: [[f64; 3]; 2]) -> Joint<3> {
    Joint {
        frame_a: along_y(places[0]),
        frame_b: along_y(places[1]),
        ..Joint::new(name, JointKind::Revolute, bodies[0], bodies[1])
    }
}

fn arm(name: &str, place: [f64; 3]) -> Body<3> {
    let mut body = Body::moving(name, 2.0, Inertia::Principal([0.02, 0.03, 0.03]));
    body.position[..3].copy_from_slice(&place);
    body
}

fn run(
    world: &World<3>,
    stepper: &mut dyn Stepper,
    (h, steps): (f64, usize),
    mut see: impl FnMut(&State, &StepReport),
) -> State {
    let mut state = world.initial_state();
    for _ in 0..steps {
        let report = stepper.step(world, &mut state, h, &mut ()).unwrap();
        assert!(report.residual <= 1e-10, "{}", report.residual);
        assert!(report.joint_error().unwrap() < 1e-10, "{report:?}");
        see(&state, &report);
    }
    state
}

/// A door on two hinges swings as on one, and they share its weight.
#[test]
fn a_door_swings_on_two_hinges() {
    let door = |places: &[f64]| {
        let (mut world, room) = world(down());
        let mut body = arm("door", [0.5, 0.0, 0.0]);
        body.velocity[4] = 1.0;
        body.velocity[2] = -0.5;
        let body = world.add(body).unwrap();
        for &y in places {
            let name = format!("hinge at {y}");
            let places = [[0.0, y, 0.0], [-0.5, y, 0.0]];
            world.join(hinge(&name, [room, body], places)).unwrap();
        }
        world
    };
    let one = run(
        &door(&[0.0]),
        &mut stepper(Formulation::Full),
        (0.01, 100),
        |_, report| assert_eq!(report.joint_rank, Some(5)),
    );
    for formulation in BOTH {
        let two = run(
            &door(&[-0.3, 0.3]),
            &mut stepper(formulation),
            (0.01, 100),
            |_, report| {
                assert_eq!(report.joint_rank, Some(5));
                assert_eq!(report.joints.len(), 10);
                // The first three rows of a hinge hold its place.
                for row in 0..3 {
                    let [a, b] = [row, row + 5].map(|k| report.joints[k].impulse);
                    close(a, b, 1e-9);
                }
            },
        );
        for (a, b) in one.q.iter().chain(&one.v).zip(two.q.iter().chain(&two.v)) {
            close(*a, *b, 1e-8);
        }
    }
}

/// A parallelogram of three moving bars, all in the plane y = 0, with hinges about y; each changed by `change`.
fn parallelogram(gravity: Vector3<f64>, change: &dyn Fn(&mut Joint<3>)) -> World<3> {
    let (mut world, room) = world(gravity);
    // Cranks of 0.4 m that stand at 60°, and a bar of 1 m.
    let (sin, cos) = 60.0_f64.to_radians().sin_cos();
    let (x, z) = (0.4 * cos, 0.4 * sin);
    let bars = [
        arm("left", [0.5 * x, 0.0, 0.5 * z]),
        arm("bar", [x + 0.5, 0.0, z]),
        arm("right", [1.0 + 0.5 * x, 0.0, 0.5 * z]),
    ];
    let [left, bar, right] = bars.map(|body| world.add(body).unwrap());
    let (down, up) = ([-0.5 * x, 0.0, -0.5 * z], [0.5 * x, 0.0, 0.5 * z]);
    for (name, bodies, places) in [
        ("a", [room, left], [[0.0; 3], down]),
        ("b", [left, bar], [up, [-0.5, 0.0, 0.0]]),
        ("c", [bar, right], [[0.5, 0.0, 0.0], up]),
        ("d", [room, right], [[1.0, 0.0, 0.0], down]),
    ] {
        let mut joint = hinge(name, bodies, places);
        change(&mut joint);
        world.join(joint).unwrap();
    }
    world
}

/// Twenty rows of rank 17: it falls as the pendulum that it is, keeps its energy to first order and stays in its plane.
#[test]
fn a_closed_loop_in_space_moves() {
    let world = parallelogram(down(), &|_| ());
    let gains = [0.004, 0.002].map(|h| {
        let mut states = Vec::new();
        for formulation in BOTH {
            let (mut first, mut largest) = (None, 0.0_f64);
            let steps = if h > 0.003 { 100 } else { 200 };
            let state = run(
                &world,
                &mut stepper(formulation),
                (h, steps),
                |_, report| {
                    assert_eq!(report.joint_rank, Some(17));
                    let first = *first.get_or_insert(report.energy_before.total());
                    largest = largest.max((report.energy_after.total() - first).abs());
                },
            );
            states.push((state, largest));
        }
        for body in states[0].0.q.chunks_exact(7) {
            assert!(body[1].abs() < 1e-9, "{body:?}");
        }
        // The bar stays level.
        close(states[0].0.v[6 + 4], 0.0, 1e-8);
        for (a, b) in states[0].0.v.iter().zip(&states[1].0.v) {
            close(*a, *b, 1e-8);
        }
        states[0].1
    });
    assert!(gains[1] < 0.6 * gains[0], "{gains:?}");
}

/// A loop whose last hinge is a little beside: no motion closes it, and the state stays.
#[test]
fn a_loop_that_does_not_close_is_refused() {
    for beside in [1e-9, 1e-6, 1e-3] {
        let world = parallelogram(down(), &|joint| {
            if joint.name == "d" {
                joint.frame_a.position.y += beside;
            }
        });
        let mut state = world.initial_state();
        let before = state.clone();
        let mut stepper = stepper(Formulation::Full);
        let error = stepper.step(&world, &mut state, 0.01, &mut ()).unwrap_err();
        assert!(
            matches!(&error, StepError::OpenLoop { joint, .. } if joint == "d"),
            "{beside}: {error}"
        );
        assert_eq!(state, before);
    }
}

/// Friction in all four hinges holds the loop at rest, though no step can tell which of them how much; with less it falls.
#[test]
fn friction_holds_a_loop() {
    // The moment of the weights about the cranks is 2 g (0.2 + 0.4 + 0.2) cos 60° = 7.848 N m.
    for (friction, holds) in [(2.0, true), (1.9, false)] {
        let world = parallelogram(down(), &|joint| joint.friction = friction);
        for formulation in BOTH {
            let mut stepper = stepper(formulation);
            let state = run(&world, &mut stepper, (0.01, 20), |_, report| {
                let efforts = report.joints.iter();
                let efforts = efforts.filter(|joint| joint.kind == JointRowKind::Effort);
                let mut sum = 0.0;
                for joint in efforts {
                    assert!(joint.impulse.abs() <= 0.01 * friction * (1.0 + 1e-12));
                    sum += joint.impulse.abs();
                }
                if holds {
                    close(sum, 0.01 * 4.0 * 1.962, 1e-8);
                }
            });
            let speed = state.v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            assert_eq!(speed < 1e-9, holds, "{speed:e}");
        }
    }
}

/// A motor turns an arm to a stop and stalls there with its largest moment.
#[test]
fn a_motor_stalls_at_a_stop() {
    let (rate, limit) = (0.8, 0.8);
    let (mut world, room) = world(Vector3::zeros());
    let body = world.add(arm("arm", [0.5, 0.0, 0.0])).unwrap();
    let joint = Joint {
        limits: Some([-1.0, 0.5]),
        motor: Some(Motor::Rate { rate, limit }),
        ..hinge("pivot", [room, body], [[0.0; 3], [-0.5, 0.0, 0.0]])
    };
    world.join(joint).unwrap();
    // About the pivot: 0.03 + 2 · 0.25.
    let spin_up = 0.01 * limit / 0.53;
    for formulation in BOTH {
        let mut number = 0.0;
        let mut stalled = 0;
        run(
            &world,
            &mut stepper(formulation),
            (0.01, 120),
            |state, report| {
                number += 1.0;
                let effort = |kind| report.joints.iter().filter(move |joint| joint.kind == kind);
                let motor = effort(JointRowKind::Effort).next().unwrap();
                assert!(motor.impulse.abs() <= 0.01 * limit * (1.0 + 1e-12));
                let speed = state.v[4].abs();
                let stops = effort(JointRowKind::Limit).map(|joint| joint.impulse);
                let stop: f64 = stops.sum();
                if stop == 0.0 {
                    // Arms of finite steps are not straight: to first order.
                    close(speed, f64::min(number * spin_up, rate), 0.02);
                } else if stalled > 1 {
                    close(speed, 0.0, 1e-9);
                    close(motor.impulse.abs(), 0.01 * limit, 1e-9);
                    close(stop, 0.01 * limit, 1e-9);
                }
                stalled += usize::from(stop > 0.0);
            },
        );
        assert!(stalled > 20, "{stalled}");
    }
}

/// An arm with a spring and a damper: the closed form of the oscillator, in first order, and as in the other scheme.
#[test]
fn a_spring_with_a_damper_in_a_hinge() {
    let (stiffness, damping, inertia, turn) = (5.0, 0.4, 0.03 + 2.0 * 0.25, 0.2);
    let (mut world, room) = world(Vector3::zeros());
    let body = world.add(arm("arm", [0.5, 0.0, 0.0])).unwrap();
    let spring = Spring {
        stiffness,
        damping,
        rest: turn,
    };
    let joint = Joint {
        spring: Some(spring),
        ..hinge("pivot", [room, body], [[0.0; 3], [-0.5, 0.0, 0.0]])
    };
    world.join(joint).unwrap();
    let until = 1.0;
    let decay = 0.5 * damping / inertia;
    let omega = (stiffness / inertia - decay * decay).sqrt();
    let exact = {
        let (sin, cos) = f64::sin_cos(omega * until);
        turn - turn * f64::exp(-decay * until) * (cos + decay / omega * sin)
    };
    for formulation in BOTH {
        let errors = [100_u32, 200].map(|steps| {
            let h = until / f64::from(steps);
            let mut implicit = stepper(formulation);
            let ours = run(&world, &mut implicit, (h, steps as usize), |_, _| ());
            let mut other = world.initial_state();
            let mut linear = HartAnitescu::default();
            for _ in 0..steps {
                linear.step(&world, &mut other, h, &mut ()).unwrap();
            }
            let angle = |q: &[f64]| f64::atan2(-q[2], q[0]).abs();
            let (ours, theirs) = (angle(&ours.q), angle(&other.q));
            [(ours - exact).abs(), (ours - theirs).abs()]
        });
        for k in 0..2 {
            assert!(errors[0][k] < 0.05 * turn, "{errors:?}");
            assert!(errors[1][k] < 0.6 * errors[0][k], "{errors:?}");
        }
    }
}

/// Two hinges in one place, far from the first body: rounding hides how the rows of the second depend on those of the first.
/// What is reported is what the momenta change by all the same.
#[test]
fn impulses_of_far_loops_balance() {
    let mut solved = 0;
    for far in [1e3, 1e6, 1e9, 1e12] {
        let (mut world, room) = world(down());
        let mut near = arm("near", [0.3, 0.5, 0.6]);
        near.position[3..].copy_from_slice(&[0.5, -0.7, 0.1, -0.5]);
        let mut other = arm("other", [0.79 * far, 0.62 * far, 0.63]);
        other.velocity = vec![0.2, -0.3, 0.4, 0.5, -0.6, 0.7];
        let centre = [0, 1, 2].map(|k| near.position[k]);
        let bodies = [near, other].map(|body| world.add(body).unwrap());
        let q = world.initial_state().q;
        let [a, b] = bodies.map(|body| world.pose(&q, body));
        let frame_a = Pose {
            rotation: a.rotation.transpose() * b.rotation,
            position: a.inverse_apply(&b.position),
        };
        for name in ["first", "second"] {
            let [one, two] = bodies;
            let hinge = Joint::new(name, JointKind::Revolute, one, two);
            world.join(Joint { frame_a, ..hinge }).unwrap();
        }
        let slide = Joint::new("slide", JointKind::Cylindrical, room, bodies[0]);
        let frame_a = Pose {
            rotation: a.rotation,
            position: Vector3::from(centre),
        };
        world.join(Joint { frame_a, ..slide }).unwrap();
        for (formulation, h) in BOTH.into_iter().flat_map(|f| [(f, 1e-6), (f, 1e-3)]) {
            let start = world.initial_state();
            let mut state = start.clone();
            let Ok(report) = stepper(formulation).step(&world, &mut state, h, &mut ()) else {
                assert_eq!(state, start);
                continue;
            };
            solved += 1;
            let mut joints = Joints::default();
            world.joint_rows(start.t, h, &start.q, &mut joints).unwrap();
            for (column, mass) in [(0, 2.0), (1, 2.0)] {
                for axis in 0..3 {
                    let rows = &joints.equations.rows;
                    let terms = report.joints.iter().enumerate().map(|(k, joint)| {
                        let side = rows.cols()[k].iter().position(|c| *c == column);
                        side.map_or(0.0, |side| rows.block(k, side)[axis] * joint.impulse)
                    });
                    let place = 6 * column as usize + axis;
                    let free = start.v[place] - if axis == 2 { 9.81 * h } else { 0.0 };
                    let change = mass * (state.v[place] - free);
                    let off = change - terms.sum::<f64>();
                    assert!(
                        off.abs() < 1e-9,
                        "{far:e} m, {h} s: {change} is off {off:e}"
                    );
                }
            }
        }
    }
    assert!(solved >= 4, "{solved}");
}
