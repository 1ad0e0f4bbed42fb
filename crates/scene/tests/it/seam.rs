//! The case of a ball that rolls over the joints of flush bodies, and a row of a hundred of them.

use serde_json::{Value, json};
use signorini_scene::Scene;
use signorini_steppers::Trajectory;

use crate::cases::Case;
use crate::run;

/// All schemes that run in space with what the case needs.
const SCHEMES: [&str; 4] = [
    "stewart-trinkle",
    "anitescu-potra",
    "hart-anitescu",
    "geometrically-implicit",
];

fn scene(data: &Value, scheme: &str, h: f64, until: f64) -> Scene {
    let mut scene = Scene::from_json(&data.to_string()).unwrap();
    scene.run.stepper = Some(scheme.parse().unwrap());
    scene.run.h = Some(h);
    scene.run.until = Some(until);
    scene
}

/// Largest errors of height, velocity and sideways place of the ball, the only body that moves.
fn errors(trajectory: &Trajectory, start: [f64; 3]) -> [f64; 3] {
    let mut worst = [0.0_f64; 3];
    for (q, v) in trajectory.q.iter().zip(&trajectory.v) {
        worst[0] = worst[0].max((q[2] - start[2]).abs());
        for (v, own) in v.iter().zip([5.0, 0.0, 0.0]) {
            worst[1] = worst[1].max((v - own).abs());
        }
        worst[2] = worst[2].max((q[1] - start[1]).abs());
    }
    worst
}

fn check(data: &Value, name: &str, until: f64) {
    let case = Case::read("scene-seam");
    let bodies = data["bodies"].as_array().unwrap();
    let ball = bodies.iter().find(|body| body["name"] == "ball").unwrap();
    let start: [f64; 3] = serde_json::from_value(ball["position"].clone()).unwrap();
    for scheme in SCHEMES {
        for h in case.steps() {
            let trajectory = run(&scene(data, scheme, h, until));
            let worst = errors(&trajectory, start);
            for (id, worst) in ["height", "v", "path"].into_iter().zip(worst) {
                let most = case.tolerance(id, "abs");
                assert!(
                    worst <= most,
                    "{name}, {scheme}, h = {h}: {id} is off by {worst:e}"
                );
            }
        }
    }
}

fn rough(data: &Value) -> Value {
    let mut data = data.clone();
    data["contact_default"]["friction"] = json!(0.5);
    let bodies = data["bodies"].as_array_mut().unwrap();
    let ball = bodies
        .iter_mut()
        .find(|body| body["name"] == "ball")
        .unwrap();
    ball["angular_velocity"] = json!([0.0, 50.0, 0.0]);
    data
}

#[test]
fn a_ball_does_not_feel_the_joint_of_two_cubes() {
    let case = Case::read("scene-seam");
    let data = case.problem()["scene"].clone();
    check(&data, "two cubes", 0.25);
    check(&rough(&data), "two rough cubes", 0.25);
}

#[test]
fn nor_that_of_two_pieces_of_one_body() {
    let case = Case::read("scene-seam");
    let mut data = case.problem()["scene"].clone();
    let ball = data["bodies"][2].clone();
    let cube = data["bodies"][0]["shape"].clone();
    let piece = |x: f64| json!({ "shape": cube, "position": [x, 0, -1] });
    data["bodies"] = json!([
        { "name": "floor", "fixed": true, "shape": { "type": "union", "pieces": [piece(0.0), piece(2.0)] } },
        ball,
    ]);
    check(&data, "two pieces", 0.25);
    check(&rough(&data), "two rough pieces", 0.25);
}

#[test]
fn nor_the_diagonal_of_two_triangles() {
    let case = Case::read("scene-seam");
    let mut data = case.problem()["scene"].clone();
    let mut ball = data["bodies"][2].clone();
    ball["position"] = json!([-1.5, -0.3, 0.1]);
    // The ball runs along x and crosses the diagonal at x = -0.3.
    let triangles = json!({
        "type": "triangles", "thickness": 0.05, "triangles": [[0, 1, 2], [0, 2, 3]],
        "vertices": [[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]],
    });
    let field = json!({ "type": "heightfield", "heights": [[0, 0], [0, 0]], "spacing": [4, 4] });
    for shape in [triangles, field] {
        data["bodies"] = json!([{ "name": "floor", "fixed": true, "shape": shape }, ball]);
        check(&data, "two triangles", 0.25);
        check(&rough(&data), "two rough triangles", 0.25);
    }
}

/// The same over a mesh of 2 · 40 · 4 triangles, many diagonals and corners.
#[test]
fn a_ball_rolls_over_a_mesh_as_over_a_plane() {
    let case = Case::read("scene-seam");
    let mut data = case.problem()["scene"].clone();
    let mut ball = data["bodies"][2].clone();
    ball["position"] = json!([-1.5, 0.0, 0.1]);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..41_u32 {
        for j in 0..5_u32 {
            vertices.push([0.1 * f64::from(i) - 2.0, 0.1 * f64::from(j) - 0.2, 0.0]);
            if i < 40 && j < 4 {
                let k = 5 * i + j;
                triangles.extend([[k, k + 5, k + 6], [k, k + 6, k + 1]]);
            }
        }
    }
    let mesh = json!({ "type": "triangles", "thickness": 0.02, "vertices": vertices, "triangles": triangles });
    data["bodies"] = json!([{ "name": "floor", "fixed": true, "shape": mesh }, ball]);
    let data = rough(&data);
    check(&data, "mesh", 0.6);
}

/// A ball rolls over a hundred flush cubes of 10 cm and keeps its height to 1e-9, with every scheme.
#[test]
fn a_ball_rolls_over_a_hundred_flush_cubes() {
    let case = Case::read("scene-seam");
    let mut data = case.problem()["scene"].clone();
    let mut ball = data["bodies"][2].clone();
    ball["position"] = json!([0.0, 0.0, 0.1]);
    let mut bodies: Vec<Value> = (0..100)
        .map(|k| {
            json!({
                "name": format!("cube{k}"), "fixed": true,
                "shape": { "type": "box", "full_size": [0.1, 0.1, 0.1] },
                "position": [0.1 * f64::from(k), 0.0, -0.05],
            })
        })
        .collect();
    bodies.push(ball);
    data["bodies"] = json!(bodies);
    let data = rough(&data);
    for scheme in SCHEMES {
        let trajectory = run(&scene(&data, scheme, 0.01, 1.95));
        let [height, speed, side] = errors(&trajectory, [0.0, 0.0, 0.1]);
        assert!(trajectory.q.last().unwrap()[0] > 9.7, "{scheme}");
        assert!(height <= 1e-9, "{scheme}: height off by {height:e}");
        assert!(
            speed <= 1e-9 && side <= 1e-12,
            "{scheme}: {speed:e}, {side:e}"
        );
    }
}

/// The plane's: a disc slides and rolls over the columns of a level profile with every scheme, and of one that slopes.
#[test]
fn a_disc_rolls_over_a_profile_as_over_a_line() {
    for slope in [0.0, 0.25] {
        let heights: Vec<f64> = (0..41).map(|i| slope * 0.1 * f64::from(i - 20)).collect();
        let normal = [-slope, 1.0_f64].map(|x| x / slope.hypot(1.0));
        let along = [normal[1], -normal[0]];
        let start = [0, 1].map(|i| 0.1 * normal[i] - 1.5 * along[i]);
        for friction in [0.0, 0.5] {
            let spin = if friction > 0.0 { -50.0 } else { 0.0 };
            let data = json!({
                "dimension": 2,
                "gravity": normal.map(|x| -9.81 * x),
                "contact_default": { "friction": friction, "restitution": 0.0 },
                "bodies": [
                    {
                        "name": "ground", "fixed": true,
                        "shape": { "type": "profile", "heights": heights, "spacing": 0.1 },
                    },
                    {
                        "name": "disc", "mass": 1.0, "shape": { "type": "disc", "radius": 0.1 },
                        "position": start,
                        "linear_velocity": along.map(|x| 5.0 * x), "angular_velocity": spin,
                    },
                ],
            });
            for scheme in SCHEMES {
                let trajectory = run(&scene(&data, scheme, 0.01, 0.55));
                for (q, v) in trajectory.q.iter().zip(&trajectory.v) {
                    let height = q[0] * normal[0] + q[1] * normal[1];
                    let speed = v[0] * along[0] + v[1] * along[1];
                    assert!((height - 0.1).abs() <= 1e-9, "{scheme}: {height}");
                    assert!((speed - 5.0).abs() <= 1e-9, "{scheme}: {speed}");
                    assert!((v[2] - spin).abs() <= 1e-8, "{scheme}: {}", v[2]);
                }
            }
        }
    }
}

/// Under the relaxed law a sliding box is held above the ground: a corner that has got over the next piece is held there too.
#[test]
fn a_box_that_hovers_does_not_trip_where_pieces_meet() {
    let slides = [
        (
            "relaxed-pyramid",
            0.1,
            0.005,
            -0.077_620_444_773_156_83,
            1.0,
        ),
        ("relaxed", 0.3, 0.02, 0.138_147_744_487_035_6, -2.0),
    ];
    for (form, friction, h, start, speed) in slides {
        let data = json!({
            "dimension": 2,
            "gravity": [0, -9.81],
            "contact_default": { "friction": friction, "restitution": 0.0 },
            "bodies": [
                {
                    "name": "ground", "fixed": true,
                    "shape": { "type": "profile", "heights": vec![0.0; 13], "spacing": 1.0 / 3.0 },
                },
                {
                    "name": "box", "mass": 1.0,
                    "shape": { "type": "box", "full_size": [0.2, 0.1] },
                    "position": [start, 0.05], "linear_velocity": [speed, 0],
                },
            ],
            "run": { "form": form },
        });
        let trajectory = run(&scene(&data, "hart-anitescu", h, 0.3));
        let way = trajectory.q.last().unwrap()[0] - start;
        assert!(way.abs() > 0.2, "{form}: it crosses a seam");
        for v in &trajectory.v {
            assert!(v[2].abs() <= 1e-9, "{form}: {}", v[2]);
        }
    }
}
