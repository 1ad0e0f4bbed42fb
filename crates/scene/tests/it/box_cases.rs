//! Public cases with boxes and prisms: what rests must rest, and forces must balance.

use serde_json::{Value, json};
use signorini_scene::Scene;
use signorini_steppers::{StepReport, Trajectory};

use crate::cases::Case;
use crate::run;

const HA: &str = "hart-anitescu";

/// The scene of a case after some changes, for a form of contact of the scheme of Hart and Anitescu, or for another scheme.
fn scene(case: &Case, h: f64, form: &str, change: impl FnOnce(&mut Value)) -> Scene {
    let mut data = case.problem()["scene"].clone();
    change(&mut data);
    let mut scene = Scene::from_json(&data.to_string()).unwrap();
    if let Ok(scheme) = form.parse() {
        scene.run.stepper = Some(scheme);
    } else {
        scene.run.stepper = Some(HA.parse().unwrap());
        scene.run.form = Some(serde_json::from_value(json!(form)).unwrap());
    }
    scene.run.h = Some(h);
    scene.run.until = case.problem()["run"]["t_end"].as_f64();
    scene
}

/// Largest turn of the body in column k of space from its first orientation, rad.
fn turn(rows: &[Vec<f64>], k: usize) -> f64 {
    let start = rows[0][7 * k + 3..7 * k + 7].to_vec();
    let angle = |q: &Vec<f64>| {
        let now = &q[7 * k + 3..7 * k + 7];
        // 1 − |cos(angle/2)| loses digits: the sine of it is the part across.
        let cosine: f64 = now.iter().zip(&start).map(|(a, b)| a * b).sum();
        let across = now
            .iter()
            .zip(&start)
            .map(|(a, b)| (a - cosine * b).powi(2));
        2.0 * across.sum::<f64>().sqrt()
    };
    rows.iter().map(angle).fold(0.0, f64::max)
}

/// Sum of the contact forces between two bodies, on the second, in world axes.
fn force(report: &StepReport, [a, b]: [u32; 2]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for c in report
        .contacts
        .iter()
        .filter(|c| (c.id.a, c.id.b) == (a, b))
    {
        for (i, sum) in sum.iter_mut().enumerate() {
            let along = c.impulse[0] * c.normal[i]
                + c.impulse[1] * c.tangent[i]
                + c.impulse[2] * c.tangent[3 + i];
            *sum += along / report.h;
        }
    }
    sum
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |m, x| f64::max(m, x.abs()))
}

#[test]
fn a_box_that_falls_on_another_stays_on_it() {
    let case = Case::read("scene-dead-drop");
    let steps = case.steps();
    let steps = steps
        .iter()
        .flat_map(|h| ["pyramid", "stewart-trinkle"].map(|form| (*h, form)));
    for (h, form) in steps {
        for mass in [0.1, 1.0, 100.0] {
            let scene = scene(&case, h, form, |data| {
                data["bodies"][2]["mass"] = json!(mass);
            });
            let Trajectory { t, q, v, .. } = run(&scene);
            let gap = |q: &Vec<f64>| q[9] - q[2] - 0.1;
            let first = q.iter().position(|q| gap(q) <= 1e-9).unwrap();
            assert!(q[first..].iter().all(|q| gap(q) <= 1e-6));
            assert!(turn(&q, 0).max(turn(&q, 1)) < 1e-9);
            let sideways = q.iter().flat_map(|q| [q[0], q[1], q[7], q[8]]);
            assert!(largest(sideways) < 1e-9);
            let late = t.iter().zip(&v).filter(|(s, _)| **s > t[first] + 0.05);
            let fastest = largest(late.flat_map(|(_, v)| v.iter().copied()));
            assert!(fastest < 1e-9, "{form}, {mass} kg, {h} s: {fastest:e} m/s");
        }
    }
}

#[test]
fn forces_on_a_slope_balance() {
    let case = Case::read("scene-slope-forces");
    for form in ["pyramid", "cone"] {
        for h in case.steps() {
            let Trajectory { t, q, reports, .. } = run(&scene(&case, h, form, |_| ()));
            assert!(largest(q.iter().map(|q| q[0])) < 1e-9);
            for (_, report) in t[1..].iter().zip(&reports).filter(|(t, _)| **t > 0.1) {
                let [x, y, z] = force(report, [0, 1]);
                case.check("normal", h, z);
                assert!(
                    (x + 5.078_029_664_911_457).abs() < 1e-8 && y.abs() < 1e-8,
                    "{x} {y}"
                );
                // Where the normal force acts, from below the centre.
                let moment: f64 = report
                    .contacts
                    .iter()
                    .map(|c| c.impulse[0] * c.point[0])
                    .sum();
                case.check("centre", h, moment / (z * h));
                for c in &report.contacts {
                    let tangent = c.impulse[1].hypot(c.impulse[2]);
                    assert!(tangent <= 0.5 * c.impulse[0] * (1.0 + 1e-9) + 1e-15);
                }
            }
        }
    }
}

#[test]
fn a_sliding_box_stops_as_far_in_every_direction() {
    let case = Case::read("scene-stop-distance-isotropy");
    for h in case.steps() {
        let mut first: Option<f64> = None;
        for phi in [0.0_f64, 15.0, 22.5, 30.0, 45.0, 60.0, 90.0] {
            let (sin, cos) = phi.to_radians().sin_cos();
            let scene = scene(&case, h, "cone", |data| {
                data["bodies"][1]["linear_velocity"] = json!([2.0 * cos, 2.0 * sin, 0.0]);
            });
            let Trajectory { q, .. } = run(&scene);
            let end = q.last().unwrap();
            let (along, across) = (cos * end[0] + sin * end[1], cos * end[1] - sin * end[0]);
            case.check("stop", h, along);
            case.check("straight", h, across);
            assert!(turn(&q, 0) < 1e-6);
            let first = *first.get_or_insert(along);
            assert!((along - first).abs() < 1e-8, "{phi}: {along} {first}");
        }
    }
}

#[test]
fn a_vibrating_track_carries_a_box() {
    let case = Case::read("scene-vibrating-track");
    for variant in case.problem()["variants"].as_array().unwrap() {
        let number = |key: &str| variant[key].as_f64().unwrap();
        let (name, h) = (variant["name"].as_str().unwrap(), 1e-4);
        let (amplitude, frequency) = (number("A"), number("f"));
        let (sin, cos) = number("beta_degrees").to_radians().sin_cos();
        let start = std::f64::consts::TAU * frequency * amplitude;
        let scene = scene(&case, h, "pyramid", |data| {
            data["contact_default"]["friction"] = variant["mu"].clone();
            let track = &mut data["bodies"][0];
            for key in [
                "fixed",
                "linear_velocity",
                "mass",
                "inertia",
                "angular_velocity",
                "motion",
            ] {
                track.as_object_mut().unwrap().remove(key);
            }
            track["driven"] = json!({ "linear": [cos, 0, sin],
                "course": { "amplitude": amplitude, "frequency": frequency } });
            let carried = &mut data["bodies"][1];
            carried["linear_velocity"] = json!([start * cos, 0.0, start * sin]);
        });
        let Trajectory { t, q, .. } = run(&scene);
        let place = |s: f64| {
            let k = t.iter().position(|t| (t - s).abs() < 0.5 * h).unwrap();
            q[k][7] - q[k][0]
        };
        if name == "stick" {
            let off = q.iter().map(|q| q[7] - q[0] - (q_start(&scene)));
            assert!(largest(off) <= case.tolerance("stick", "abs"));
        } else {
            let from = if name == "fast" { 0.8 } else { 0.4 };
            case.check(name, h, (place(1.2) - place(from)) / (1.2 - from));
        }
        let gap = q.iter().map(|q| q[9] - q[2] - 0.005);
        assert!(largest(gap) <= 1e-7, "{name}");
    }
}

/// Place of the box on the track at the start.
fn q_start(scene: &Scene) -> f64 {
    let q = scene.to_world().unwrap().initial_state().q;
    q[7] - q[0]
}

#[test]
fn a_prism_rests_on_its_three_corners() {
    let case = Case::read("scene-resting-prism");
    for extra in [false, true] {
        for h in case.steps() {
            let scene = scene(&case, h, "pyramid", |data| {
                // Here the origin is the centre of mass, in the case the centre of the base.
                let prism = &mut data["bodies"][1];
                prism["position"][2] = json!(0.025);
                prism.as_object_mut().unwrap().remove("body_origin");
                let vertices = prism["shape"]["vertices"].as_array_mut().unwrap();
                if extra {
                    vertices.push(json!([0.0, 0.0, 0.0]));
                }
                for vertex in vertices {
                    vertex[2] = json!(vertex[2].as_f64().unwrap() - 0.025);
                }
            });
            let Trajectory { t, q, reports, .. } = run(&scene);
            let start = q[0].clone();
            let moved = |q: &Vec<f64>| largest((0..3).map(|i| q[i] - start[i]));
            assert!(q.iter().map(moved).fold(0.0, f64::max) <= case.tolerance("still", "abs"));
            assert!(turn(&q, 0) <= case.tolerance("still", "abs"));
            for (_, report) in t[1..].iter().zip(&reports).filter(|(t, _)| **t > 0.1) {
                case.check("support", h, force(report, [0, 1])[2]);
                let pressing = report.contacts.iter().filter(|c| c.gap < 0.01);
                let forces: Vec<_> = pressing.map(|c| c.impulse[0] / h).collect();
                assert_eq!(forces.len(), 3);
                for force in forces {
                    case.check("corners", h, force);
                }
            }
        }
    }
}

#[test]
fn a_box_on_a_smaller_pedestal_rebounds_to_where_it_fell_from() {
    let case = Case::read("scene-inboard-contacts");
    for form in ["pyramid", "cone"] {
        for h in case.steps() {
            let scene = scene(&case, h, form, |_| ());
            let Trajectory { t, q, v, reports } = run(&scene);
            let spins = v.iter().flat_map(|v| v[3..6].iter().copied());
            assert!(largest(spins) <= case.tolerance("spin", "abs"), "{form}");
            let energies = reports.iter().map(|r| r.energy_after.total());
            let gain = energies.fold(0.0, f64::max) - 14.715;
            assert!(
                gain <= 14.715 * case.tolerance("energy", "rel")
                    + case.tolerance("energy", "per_dt") * h
            );
            let impact = v.iter().position(|v| v[2] > 0.0).unwrap();
            let before = v[..impact].iter().map(|v| -v[2]).fold(0.0, f64::max);
            case.check("speed_ratio", h, v[impact][2] / before);
            let bottom = q.iter().map(|q| q[2] - 0.5);
            let apex = bottom.zip(&t).filter(|(_, t)| **t > 0.6).map(|(z, _)| z);
            case.check("apex", h, apex.fold(0.0, f64::max));
        }
    }
}

#[test]
fn a_heavy_cube_rests_on_a_light_one() {
    let case = Case::read("scene-mass-ratio-stack");
    for form in [
        "cone",
        "relaxed",
        "pyramid",
        "stewart-trinkle",
        "anitescu-potra",
    ] {
        for h in case.steps() {
            for ratio in case.problem()["ratio"].as_array().unwrap() {
                let mass = ratio.as_f64().unwrap();
                let scene = scene(&case, h, form, |data| {
                    data["bodies"][2]["mass"] = json!(mass);
                });
                let Trajectory { q, reports, .. } = run(&scene);
                case.check("lower_z", h, q.last().unwrap()[2]);
                assert!(largest(q.iter().map(|q| q[2] - 0.25)) <= 1e-6);
                assert!(largest(q.iter().map(|q| q[9] - 0.75)) <= 1e-6);
                let turned = turn(&q, 0).max(turn(&q, 1));
                assert!(turned <= 1e-7, "{form}, {mass} kg, {h} s: {turned:e}");
                for report in reports.iter().filter(|r| r.t > 0.1) {
                    let floor = force(report, [0, 1])[2] / (9.81 * (1.0 + mass));
                    let middle = force(report, [1, 2])[2] / (9.81 * mass);
                    let off = (floor - 1.0).abs().max((middle - 1.0).abs());
                    assert!(off <= 1e-6, "{form} {mass}: {off}");
                }
            }
        }
    }
}

#[test]
fn a_plate_between_two_pads_is_still() {
    let case = Case::read("scene-squeeze-no-gravity");
    for form in ["cone", "relaxed", "pyramid"] {
        for h in case.steps() {
            for force_given in case.problem()["F"].as_array().unwrap() {
                let given = force_given.as_f64().unwrap();
                let scene = scene(&case, h, form, |data| {
                    data["joints"] = json!([
                        { "name": "left", "kind": "prismatic", "bodies": ["frame", "pad_left"], "axis": [1, 0, 0] },
                        { "name": "right", "kind": "prismatic", "bodies": ["frame", "pad_right"], "axis": [1, 0, 0] },
                    ]);
                    data["loads"] = json!([
                        { "body": "pad_left", "force": [given, 0, 0] },
                        { "body": "pad_right", "force": [-given, 0, 0] },
                    ]);
                    let frame = json!({ "name": "frame", "fixed": true, "position": [0, 0, -9],
                        "shape": { "type": "sphere", "radius": 0.001 } });
                    data["bodies"].as_array_mut().unwrap().push(frame);
                });
                let Trajectory { v, reports, .. } = run(&scene);
                let late = v[2..].iter().flatten().copied();
                // The case asks for 1e-9: cones are solved to a part of the speed F h/m that one step of the force gives.
                let given_speed = given * h / 0.1;
                let part = if form == "pyramid" {
                    1.0
                } else {
                    given_speed.max(1.0)
                };
                assert!(largest(late) <= 1e-9 * part, "{form} {given}");
                for report in &reports[2..] {
                    for pair in [[0, 2], [1, 2]] {
                        let x = force(report, pair)[0];
                        assert!((x.abs() / given - 1.0).abs() <= 1e-9, "{form} {given} {x}");
                    }
                }
            }
        }
    }
}
