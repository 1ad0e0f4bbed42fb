//! Joints, driven bodies and impacts as scenes tell them.

use signorini_scene::{ProjectionRule, Scene};

use crate::{repository, run};

fn scene(text: &str) -> Scene {
    Scene::from_toml(text).unwrap()
}

#[test]
fn a_slider_crank_moves_as_its_formula_says() {
    let mut scene = Scene::from_path(repository("fixtures/scenes/slider_crank.toml")).unwrap();
    let off = |scene: &Scene| {
        let trajectory = run(scene);
        let mut off = 0.0_f64;
        for (t, q) in trajectory.t.iter().zip(&trajectory.q) {
            let angle = std::f64::consts::TAU * t;
            let expected = 0.1 * angle.cos() + (0.09 - (0.1 * angle.sin()).powi(2)).sqrt();
            off = off.max((q[6] - expected).abs());
            assert!(q[7].abs() < 1e-9 && q[8].abs() < 1e-9, "{t}: {q:?}");
        }
        off
    };
    // The error of joints is of the order h² |v|², here 0.1 (2 π h)².
    assert!(off(&scene) < 1e-4);
    // Projected, the joints hold to rounding, and the crank is driven.
    scene.run.projection = Some(ProjectionRule::Exact);
    let off = off(&scene);
    assert!(off < 1e-11, "{off:e}");
}

#[test]
fn a_bouncing_ball_has_its_heights_and_ends() {
    let scene = Scene::from_path(repository("fixtures/scenes/bouncing_ball.toml")).unwrap();
    let trajectory = run(&scene);
    let heights: Vec<f64> = trajectory.q.iter().map(|q| q[2] - 0.05).collect();
    let mut apexes = Vec::new();
    for k in 1..heights.len() - 1 {
        if heights[k] > heights[k - 1] && heights[k] >= heights[k + 1] && heights[k] > 0.2 {
            apexes.push(heights[k]);
        }
    }
    for (k, apex) in (1..).zip(&apexes) {
        let expected = 2.0 * 0.64_f64.powi(k);
        assert!((apex - expected).abs() < 0.02 * expected, "{k}: {apex}");
    }
    assert!(apexes.len() >= 4);
    assert!(heights.last().unwrap().abs() < 1e-9);
}

const BODIES: &str = "gravity = [0, 0, -9.81]
[[bodies]]
name = \"room\"
fixed = true
[[bodies]]
name = \"bob\"
position = [1, 0, 0]
mass = 1
inertia = { principal = [0.1, 0.1, 0.1] }
[run]
stepper = \"hart-anitescu\"
h = 0.01
until = 0.5
[[joints]]
name = \"j\"
bodies = [\"room\", \"bob\"]
";

fn with_joint(lines: &str) -> Scene {
    scene(&format!("{BODIES}{lines}"))
}

/// Whatever holds the bob at distance 1 of the origin, it stays there; a rope too, and it is taut.
#[test]
fn every_kind_of_joint_is_read() {
    for lines in [
        "kind = \"spherical\"\nanchor = [0, 0, 0]",
        "kind = \"revolute\"\nanchor = [0, 0, 0]\naxis = [0, 1, 0]",
        "kind = \"universal\"\nanchor = [0, 0, 0]\naxis = [1, 0, 0]\nsecond_axis = [0, 2, 0]",
        "kind = \"distance\"",
        "kind = \"distance\"\nlength = 1.0\nanchor = [0, 0, 0]\nsecond_anchor = [1, 0, 0]",
        "kind = \"rope\"",
    ] {
        let q = run(&with_joint(lines)).q.pop().unwrap();
        let distance = q[..3].iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((distance - 1.0).abs() < 1e-3, "{lines}: {distance}");
        assert!(q[2] < -0.5, "{lines}: {q:?}");
    }
    for lines in [
        "kind = \"fixed\"",
        "kind = \"planar\"",
        "kind = \"cylindrical\"\naxis = [1, 0, 0]",
    ] {
        let q = run(&with_joint(lines)).q.pop().unwrap();
        assert!(q[2].abs() < 1e-9, "{lines}: {q:?}");
    }
    let fallen = run(&with_joint("kind = \"prismatic\"\nlimits = [-0.25, inf]"))
        .q
        .pop()
        .unwrap();
    assert!((fallen[2] + 0.25).abs() < 1e-9, "{fallen:?}");
}

/// A bob on a soft rod settles m g/k below its rest; a motor and friction hold a hinge.
#[test]
fn springs_motors_and_friction_are_read() {
    let mut hanging = with_joint(
        "kind = \"distance\"\nanchor = [1, 0, 1]\nspring = { stiffness = 100, damping = 20 }",
    );
    hanging.run.until = Some(20.0);
    let q = run(&hanging).q.pop().unwrap();
    assert!((q[2] + 0.0981).abs() < 1e-6, "{q:?}");
    let held = with_joint("kind = \"prismatic\"\nfriction = 10");
    assert!(run(&held).q.pop().unwrap()[2].abs() < 1e-9);
    let lifted = with_joint("kind = \"prismatic\"\nmotor = { rate = 0.5, limit = 50 }");
    assert!((run(&lifted).v.pop().unwrap()[2] - 0.5).abs() < 1e-9);
    let thrown = with_joint("kind = \"prismatic\"\nmotor = { effort = 19.81 }");
    assert!((run(&thrown).v.pop().unwrap()[2] - 5.0).abs() < 1e-9);
}

#[test]
fn a_driven_body_goes_its_way() {
    let text = "gravity = [0, 0]\ndimension = 2\n[[bodies]]\nname = \"shaker\"\n\
        driven = { linear = [0, 1], course = { amplitude = 0.5, frequency = 1 } }\n\
        [run]\nstepper = \"hart-anitescu\"\nh = 0.25\nuntil = 1";
    let trajectory = run(&scene(text));
    let heights: Vec<f64> = trajectory.q.iter().map(|q| q[1]).collect();
    for (found, expected) in heights.iter().zip([0.0, 0.5, 0.0, -0.5, 0.0]) {
        assert!((found - expected).abs() < 1e-12, "{heights:?}");
    }
}

#[test]
fn joints_that_make_no_sense_are_refused_by_name() {
    let fault = |lines: &str| with_joint(lines).to_world().unwrap_err().to_string();
    insta::assert_snapshot!(fault("kind = \"universal\"\naxis = [1, 0, 0]\nsecond_axis = [1, 1, 0]"), @"joint `j`: `second_axis` is not at a right angle to `axis`: make it so, to 1e-9");
    insta::assert_snapshot!(fault("kind = \"revolute\"\nlength = 1"), @"joint `j`: `length` has no meaning here: only `distance` and `rope` have a length; leave it out");
    insta::assert_snapshot!(fault("kind = \"spherical\"\naxis = [1, 0, 0]"), @"joint `j`: `axis` has no meaning here: this joint has no axis here; leave it out");
    insta::assert_snapshot!(fault("kind = \"revolute\"\nsecond_axis = [1, 0, 0]"), @"joint `j`: `second_axis` has no meaning here: only `universal` and `gear` in space have a second axis; leave it out");
    insta::assert_snapshot!(fault("kind = \"revolute\"\nsecond_anchor = [1, 0, 0]"), @"joint `j`: `second_anchor` has no meaning here: only `distance` and `rope` have two ends; leave it out");
    insta::assert_snapshot!(fault("kind = \"revolute\"\nspring = {}"), @"joint `j`: stiffness is 0, must be positive where the damping is 0");
    insta::assert_snapshot!(fault("kind = \"revolute\"\nmotor = { rate = 1, limit = -1 }"), @"joint `j`: limit of the motor is -1, must be positive");
    insta::assert_snapshot!(fault("kind = \"spherical\"\nfriction = 1"), @"joint `j` has no coordinate for friction");
    insta::assert_snapshot!(fault("kind = \"gear\"\nratio = 0"), @"joint `j`: ratio is 0, must be finite and not 0");
    insta::assert_snapshot!(fault("kind = \"distance\"\nsecond_anchor = [0, 0, 0]"), @"joint `j`: `length` is 0.0: it must be greater than 0");
    insta::assert_snapshot!(fault("kind = \"spherical\"\nlimits = [0, 1]"), @"joint `j` has no coordinate for limits");
    insta::assert_snapshot!(fault("kind = \"revolute\"\nlimits = [1, 0]"), @"joint `j`: largest coordinate is 0, must be at least the least one");
    insta::assert_snapshot!(fault("kind = \"revolute\"\ndrive = { rate = nan }"), @"joint `j`: `drive` is NaN: write a finite number");
    insta::assert_snapshot!(fault("kind = \"revolute\"\nanchor = [0, 0]"), @"joint `j`: `anchor` has 2 numbers: 3 are needed in space");
    insta::assert_snapshot!(fault("kind = \"fixed\"\n[[joints]]\nname = \"\"\nkind = \"fixed\"\nbodies = [\"room\", \"bob\"]"), @"joint `number 2`: `name` is empty: write a name");
    insta::assert_snapshot!(fault("kind = \"fixed\"\n[[joints]]\nname = \"j\"\nkind = \"fixed\"\nbodies = [\"room\", \"bob\"]"), @"there is a joint `j` already");
    insta::assert_snapshot!(fault("kind = \"fixed\"\n[[joints]]\nname = \"k\"\nkind = \"fixed\"\nbodies = [\"room\", \"rom\"]"), @"joint `k`: `bodies` names `rom`, but no body is called that; there are: room, bob");
    let driven = |lines: &str| {
        let text = format!("gravity = [0, 0, 0]\n[[bodies]]\nname = \"a\"\n{lines}");
        scene(&text).to_world().unwrap_err().to_string()
    };
    insta::assert_snapshot!(driven("driven = { course = { rate = 1 } }"), @"body `a`: `driven` has length 0: write a direction");
    insta::assert_snapshot!(driven("fixed = true\ndriven = { linear = [1, 0, 0], course = { rate = 1 } }"), @"body `a`: `driven` is given together with `fixed`: keep one of them");
    insta::assert_snapshot!(driven("linear_velocity = [1, 0, 0]\ndriven = { linear = [1, 0, 0], course = { rate = 1 } }"), @"body `a`: `linear_velocity` has no meaning here: the body is driven; leave its velocities out");
}
