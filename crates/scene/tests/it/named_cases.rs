//! Public cases by their names: torsional friction, scales of length, and bounces.

use serde_json::{Value, json};
use signorini_scene::Scene;
use signorini_steppers::{Mode, Trajectory};

use crate::cases::Case;
use crate::run;

/// The scene of a case after some changes, for the scheme of Hart and Anitescu.
fn scene(
    case: &Case,
    (h, until): (f64, f64),
    form: &str,
    change: impl FnOnce(&mut Value),
) -> Scene {
    let mut data = case.problem()["scene"].clone();
    change(&mut data);
    let mut scene = Scene::from_json(&data.to_string()).unwrap();
    scene.run.stepper = Some("hart-anitescu".parse().unwrap());
    scene.run.form = Some(serde_json::from_value(json!(form)).unwrap());
    scene.run.h = Some(h);
    scene.run.until = Some(until);
    scene
}

/// Puts numbers in the place of words.
fn substitute(data: &mut Value, words: &[(&str, f64)]) {
    match data {
        Value::String(word) => {
            if let Some((_, number)) = words.iter().find(|(w, _)| w == word) {
                *data = json!(number);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| substitute(item, words)),
        Value::Object(items) => items.values_mut().for_each(|item| substitute(item, words)),
        _ => {}
    }
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |m, x| f64::max(m, x.abs()))
}

const RADIUS: f64 = 0.05;
const MASS: f64 = 0.1;

/// The disc of the case with another contact: one ball with torsion, or points of equal weight spread evenly over it.
fn spun(data: &mut Value, variant: &str) {
    let moment = 0.5 * MASS * RADIUS * RADIUS;
    let disc = data["bodies"][1].as_object_mut().unwrap();
    match variant {
        "torsional" => {
            disc["shape"] = json!({ "type": "sphere", "radius": RADIUS });
            disc["position"] = json!([0, 0, RADIUS]);
            disc["inertia"] = json!({ "principal": [moment, moment, moment] });
            data["contact_default"]["friction_ellipsoid"] = json!([1.0, 1.0, 2.0 / 3.0 * RADIUS]);
        }
        "area" => {
            // Each point carries its own weight along the axis of a hub that is held level and weighs next to nothing, so that the
            // pressure is even.
            // Two rings of equal weight at these radii have the mean of r and of r² that the area has.
            let (count, size, hub) = (8, 1e-4, 1e-4);
            let rings = [-1.0, 1.0].map(|side| RADIUS * (2.0 / 3.0 + side / 18.0_f64.sqrt()));
            disc["shape"] = json!({ "type": "sphere", "radius": size });
            disc["position"] = json!([0, 0, size]);
            disc["mass"] = json!(hub);
            disc["inertia"] = json!({ "principal": [1e-7, 1e-7, 1e-7] });
            let spin = disc["angular_velocity"][2].as_f64().unwrap();
            let mut joints = vec![json!({ "name": "level", "kind": "planar",
                "bodies": ["floor", "disc"], "axis": [0, 0, 1] })];
            for k in 0..count {
                let r = rings[k % 2];
                let (sin, cos) = (0.25 * std::f64::consts::PI * k as f64).sin_cos();
                let name = format!("point {k}");
                let point = json!({ "name": name, "shape": { "type": "sphere", "radius": size },
                    "position": [r * cos, r * sin, size], "mass": MASS / count as f64,
                    "inertia": { "principal": [1e-8, 1e-8, 1e-8] },
                    "linear_velocity": [-spin * r * sin, spin * r * cos, 0],
                    "angular_velocity": [0, 0, spin] });
                data["bodies"].as_array_mut().unwrap().push(point);
                joints.push(json!({ "name": format!("spoke {k}"), "kind": "prismatic",
                    "bodies": ["disc", name], "axis": [0, 0, 1] }));
            }
            data["joints"] = json!(joints);
        }
        _ => {}
    }
}

#[test]
fn scene_disc_spin_down() {
    let case = Case::read("scene-disc-spin-down");
    let forms = [
        ("rim_points", "hart-anitescu", Some("cone")),
        ("torsional", "hart-anitescu", Some("cone")),
        ("torsional", "hart-anitescu", Some("pyramid")),
        ("torsional", "stewart-trinkle", None),
        ("torsional", "anitescu-potra", None),
        ("area", "hart-anitescu", Some("cone")),
    ];
    for (variant, stepper, form) in forms {
        for h in case.steps() {
            let mut scene = scene(&case, (h, 0.5), form.unwrap_or("cone"), |data| {
                spun(data, variant);
            });
            scene.run.stepper = Some(stepper.parse().unwrap());
            scene.run.form = scene.run.form.filter(|_| form.is_some());
            let Trajectory { t, q, v, .. } = run(&scene);
            let stopped = v.iter().position(|v| v[5].abs() < 1e-9).unwrap();
            case.check(variant, h, t[stopped]);
            for q in &q {
                case.check("place", h, q[0].hypot(q[1]));
            }
            for v in &v[stopped..] {
                case.check("rest", h, v[5]);
            }
        }
    }
}

#[test]
fn scene_scale_invariance() {
    let case = Case::read("scene-scale-invariance");
    let sizes = case.problem()["s"].as_array().unwrap();
    let sizes: Vec<f64> = sizes.iter().map(|s| s.as_f64().unwrap()).collect();
    for form in ["cone"] {
        let at = |s: f64| {
            let step = (1e-3 * s.sqrt(), 3.0 * s.sqrt());
            run(&scene(&case, step, form, |data| {
                let cube = s * s * s;
                let words = [
                    ("0", 0.0),
                    ("s", s),
                    ("s/2", s / 2.0),
                    ("s/4", s / 4.0),
                    ("s/10", s / 10.0),
                    ("3*s/2", 3.0 * s / 2.0),
                    ("3*s", 3.0 * s),
                    ("4*s", 4.0 * s),
                    ("s^3", cube),
                    ("s^3/8", cube / 8.0),
                ];
                substitute(data, &words);
            }))
        };
        let unit = at(1.0);
        for &s in sizes.iter().filter(|s| s.to_bits() != 1.0_f64.to_bits()) {
            let other = at(s);
            assert_eq!(other.t.len(), unit.t.len());
            let places = |q: &[f64], s: f64| -> Vec<f64> {
                let bodies = q.chunks_exact(7);
                bodies
                    .flat_map(|q| [q[0] / s, q[1] / s, q[2] / s])
                    .collect()
            };
            let pairs = other.q.iter().zip(&unit.q);
            let off = pairs.map(|(a, b)| {
                let (a, b) = (places(a, s), places(b, 1.0));
                largest(a.iter().zip(&b).map(|(a, b)| a - b))
            });
            let off = off.fold(0.0, f64::max);
            assert!(
                off <= case.tolerance("similar", "abs"),
                "{form} {s}: {off:e}"
            );
            for (k, (a, b)) in other.reports.iter().zip(&unit.reports).enumerate() {
                let open = |r: &signorini_steppers::StepReport| {
                    r.contacts.iter().filter(|c| c.mode == Mode::Open).count()
                };
                assert_eq!(
                    (a.contacts.len(), a.converged),
                    (b.contacts.len(), b.converged),
                    "{form} {s}: step {k}, {} and {} open",
                    open(a),
                    open(b)
                );
            }
            // The apex after the first rise.
            let heights: Vec<f64> = other.q.iter().map(|q| q[16] / s - 0.25).collect();
            let rise = other.v.iter().position(|v| v[14] > 0.0).unwrap();
            let falls = other.v[rise..].iter().position(|v| v[14] < 0.0).unwrap();
            let apex = largest(heights[rise..rise + falls].iter().copied());
            case.check("apex", 1e-3, apex);
        }
    }
}

#[test]
fn scene_ball_chain() {
    let case = Case::read("scene-ball-chain");
    let gaps = [-0.01, 0.1 + 1e-6, 0.2 + 2e-6, 0.3 + 3e-6, 0.4 + 4e-6];
    // With gaps: the case says what a fixed step, which sees one simultaneous impact, gives.
    let variants: [(&str, &[f64], &[f64]); 2] = [
        ("gaps", &gaps, &[-0.6, 0.4, 0.4, 0.4, 0.4]),
        (
            "touching_three",
            &[0.0, 0.1, 0.2],
            &[-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0],
        ),
    ];
    for (variant, places, expected) in variants {
        for h in case.steps() {
            let scene = scene(&case, (h, 0.5), "pyramid", |data| {
                let bodies = data["bodies"].as_array_mut().unwrap();
                bodies.truncate(places.len());
                for (body, x) in bodies.iter_mut().zip(places) {
                    body["position"][0] = json!(x);
                }
            });
            let Trajectory { v, reports, .. } = run(&scene);
            for v in &v {
                let momentum = v.iter().step_by(6).sum::<f64>();
                case.check("momentum", h, momentum);
            }
            for (v, _) in v[1..]
                .iter()
                .zip(&reports)
                .filter(|(_, r)| !r.is_compression())
            {
                let energy = v.iter().step_by(6).map(|v| v * v).sum();
                case.check("energy", h, energy);
            }
            let last = v.last().unwrap().iter().step_by(6);
            for (v, expected) in last.zip(expected) {
                assert!((v - expected).abs() <= case.tolerance(variant, "abs"));
            }
        }
    }
}

#[test]
fn scene_bounce_map() {
    let case = Case::read("scene-bounce-map");
    for h in case.steps() {
        let mut sums = [0.0; 2];
        for k in 0..=100 {
            let z0 = 2.9 + 0.001 * f64::from(k);
            let scene = scene(&case, (h, 1.0), "pyramid", |data| {
                substitute(data, &[("z0", z0)]);
            });
            let z = run(&scene).q.last().unwrap()[2];
            assert!((z - (6.0 - z0)).abs() <= case.tolerance("value", "per_dt") * h);
            sums[0] += (z0 - 2.95) * (z0 - 2.95);
            sums[1] += (z0 - 2.95) * z;
        }
        if h < 5e-3 {
            case.check("slope", h, sums[1] / sums[0]);
        }
    }
}

/// Heights of the apexes above the place of rest.
fn apexes(run: &Trajectory) -> Vec<f64> {
    let height = |k: usize| run.q[k][2] - 0.05;
    let turns = (1..run.v.len()).filter(|&k| run.v[k - 1][2] > 0.0 && run.v[k][2] <= 0.0);
    turns.map(|k| height(k - 1).max(height(k))).collect()
}

#[test]
fn scene_bounce_series() {
    let case = Case::read("scene-bounce-series");
    let bouncing = |e: f64, h: f64, until: f64| {
        let scene = scene(&case, (h, until), "pyramid", |data| {
            substitute(data, &[("e", e)]);
        });
        run(&scene)
    };
    for h in case.steps() {
        for e in ["0.3", "0.5", "0.8", "0.95"] {
            let trajectory = bouncing(e.parse().unwrap(), h, 6.0);
            case.check(&format!("apex_{e}"), h, apexes(&trajectory)[0]);
            if e != "0.95" {
                let flies = trajectory.q.iter().rposition(|q| q[2] - 0.05 >= 1e-4);
                case.check(&format!("zeno_{e}"), h, trajectory.t[flies.unwrap() + 1]);
            }
            let mut before = f64::INFINITY;
            for report in trajectory.reports.iter().filter(|r| !r.is_compression()) {
                let energy = report.energy_after.total();
                assert!(energy - before <= case.tolerance("never_up", "per_dt") * h);
                before = energy;
            }
        }
    }
    // The check `e1`.
    let (h, speed) = (1e-4, (2.0 * 9.81 * 2.0_f64).sqrt());
    let heights = apexes(&bouncing(1.0, h, 13.5));
    assert!((heights[9] / heights[0] - 1.0).abs() <= 0.01);
    for (k, height) in (1..).zip(&heights) {
        assert!(*height <= 2.0 + f64::from(k) * speed * h, "{k}: {height}");
    }
}

#[test]
fn scene_elastic_ping_pong() {
    let case = Case::read("scene-elastic-ping-pong");
    for h in case.steps() {
        let Trajectory { q, v, reports, .. } = run(&scene(&case, (h, 950.0), "pyramid", |_| ()));
        for (v, _) in v[1..]
            .iter()
            .zip(&reports)
            .filter(|(_, r)| !r.is_compression())
        {
            case.check("speed", h, v[0].abs());
        }
        for v in &v {
            case.check("sides", h, largest(v[1..].iter().copied()));
        }
        let inside = 9.5 + case.tolerance("inside", "per_dt") * h;
        assert!(largest(q.iter().map(|q| q[0])) <= inside);
        let fast = v.iter().map(|v| v[0]).filter(|v| v.abs() > 19.9);
        let signs: Vec<bool> = fast.map(|v| v > 0.0).collect();
        let bounces = signs.windows(2).filter(|pair| pair[0] != pair[1]).count();
        case.check("count", h, bounces as f64);
    }
}
