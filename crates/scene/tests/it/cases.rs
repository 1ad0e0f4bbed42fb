//! Public cases that today's shapes and schemes can run, with the numbers and tolerances of the case files.

use serde_json::Value;
use signorini_scene::{GyroscopicRule, Scene};
use signorini_steppers::Trajectory;

use crate::{repository, run};

pub(crate) struct Case(Value);

impl Case {
    pub(crate) fn read(id: &str) -> Self {
        let path = repository("fixtures/cases").join(id).with_extension("json");
        Self(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
    }

    pub(crate) fn problem(&self) -> &Value {
        &self.0["problem"]
    }

    pub(crate) fn steps(&self) -> Vec<f64> {
        let steps = self.problem()["run"]["steps"].as_array().unwrap();
        steps.iter().map(|step| step.as_f64().unwrap()).collect()
    }

    /// The scene with the keys of a variant in place of its own, to be run with the step h.
    fn scene(&self, variant: Option<&str>, h: f64) -> Scene {
        let mut data = self.problem()["scene"].clone();
        if let Some(name) = variant {
            let variants = self.problem()["variants"].as_array().unwrap();
            let variant = variants
                .iter()
                .find(|variant| variant["name"] == name)
                .unwrap();
            for (key, value) in variant
                .as_object()
                .unwrap()
                .iter()
                .filter(|(key, _)| *key != "name")
            {
                data[key] = value.clone();
            }
        }
        let mut scene = Scene::from_json(&data.to_string()).unwrap();
        scene.run.h = Some(h);
        scene.run.until = self.problem()["run"]["t_end"].as_f64();
        scene
    }

    /// One part of the tolerance of the check `id`.
    pub(crate) fn tolerance(&self, id: &str, part: &str) -> f64 {
        let checks = self.0["expect"].as_array().unwrap();
        let check = checks.iter().find(|check| check["id"] == id).unwrap();
        check["tol"][part].as_f64().unwrap()
    }

    /// Panics unless `found` is what the check `id` expects, within its tolerance for the step h.
    pub(crate) fn check(&self, id: &str, h: f64, found: f64) {
        let checks = self.0["expect"].as_array().unwrap();
        let check = checks.iter().find(|check| check["id"] == id).unwrap();
        assert_eq!(check["relation"], "approx");
        let (value, tol) = (check["value"].as_f64().unwrap(), &check["tol"]);
        let part = |key: &str| tol[key].as_f64().unwrap();
        let allowed = part("abs") + part("rel") * value.abs() + part("per_dt") * h;
        let error = (found - value).abs();
        assert!(
            error <= allowed,
            "{id} at h = {h}: {found} for {value}, {error:e} > {allowed:e}"
        );
    }
}

/// Columns of one ball in space.
const X: usize = 0;
const V_X: usize = 0;
const OMEGA_Y: usize = 4;

fn last(rows: &[Vec<f64>]) -> &[f64] {
    rows.last().unwrap()
}

#[test]
fn a_ball_on_a_slope_rolls_below_and_slides_above_the_critical_angle() {
    let case = Case::read("scene-ball-on-incline");
    for h in case.steps() {
        let variant = |name: &str| run(&case.scene(Some(name), h));
        let (rolls, just_rolls, slides) =
            (variant("rolls"), variant("just_rolls"), variant("slides"));
        case.check("rolls", h, last(&rolls.q)[X]);
        case.check("rolls_w", h, last(&rolls.v)[OMEGA_Y]);
        case.check("just_rolls", h, last(&just_rolls.q)[X]);
        case.check("slides", h, last(&slides.q)[X]);
        case.check("slides_w", h, last(&slides.v)[OMEGA_Y]);
        let all = [&rolls, &just_rolls, &slides];
        for report in all.iter().flat_map(|trajectory| &trajectory.reports) {
            case.check("one_contact", h, report.contacts.len() as f64);
            case.check("gap", h, report.contacts[0].gap);
        }
    }
}

#[test]
fn a_sliding_ball_ends_up_rolling_at_five_sevenths_of_its_speed() {
    let case = Case::read("scene-bowling-ball");
    for h in case.steps() {
        let Trajectory { t, q, v, .. } = run(&case.scene(None, h));
        let slip = |v: &[f64]| v[V_X] - 0.11 * v[OMEGA_Y];
        let rolling = v.iter().position(|v| slip(v).abs() < 1e-9).unwrap();
        case.check("t_roll", h, t[rolling]);
        case.check("x_roll", h, q[rolling][X]);
        let late: Vec<&Vec<f64>> = t
            .iter()
            .zip(&v)
            .filter(|(t, _)| **t > 1.05)
            .map(|(_, v)| v)
            .collect();
        for v in &late {
            case.check("v_final", h, v[V_X]);
            case.check("omega", h, v[OMEGA_Y]);
            case.check("no_drag", h, v[V_X] - late[0][V_X]);
        }
    }
}

#[test]
fn a_free_top_flips_on_time_and_keeps_its_energy_and_momentum() {
    let case = Case::read("scene-free-top");
    let rules = [GyroscopicRule::Midpoint, GyroscopicRule::Momentum];
    for (h, rule) in case.steps().into_iter().flat_map(|h| rules.map(|r| (h, r))) {
        let mut scene = case.scene(None, h);
        scene.run.gyroscopic = Some(rule);
        let world = scene.to_world().unwrap();
        let Trajectory { t, q, v, .. } = run(&scene);
        let omega: Vec<f64> = q.iter().zip(&v).map(|(q, v)| body_y(q, v)).collect();
        // Times at which the second component changes its sign, by interpolation; two of them make a period.
        let crossings: Vec<f64> = (1..t.len())
            .filter(|&k| omega[k - 1] * omega[k] < 0.0)
            .map(|k| t[k] - h * omega[k] / (omega[k] - omega[k - 1]))
            .collect();
        case.check("flip1", h, crossings[0]);
        case.check("period", h, crossings[2] - crossings[0]);
        let start = world.system().momentum(&q[0], &v[0]);
        for (q, v) in q.iter().zip(&v) {
            case.check("energy", h, world.system().energy(q, v).kinetic);
            case.check("q", h, q[3..].iter().map(|x| x * x).sum::<f64>().sqrt());
            // The check `L` of the case asks for 1e-6: the rule of momentum keeps the vector, the midpoint rule its length,
            // and its direction to first order only (0.63 h at worst in this run).
            let momentum = world.system().momentum(q, v);
            let drift = momentum.iter().zip(&start).map(|(a, b)| (a - b).powi(2));
            let limit = if rule == GyroscopicRule::Momentum {
                case.tolerance("L", "abs")
            } else {
                h
            };
            assert!(drift.sum::<f64>().sqrt() <= limit);
            let length = |l: &[f64]| l[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
            assert!((length(&momentum) - length(&start)).abs() < 1e-10);
        }
    }
}

/// The check `stable_axes`: near the axes of the least and the largest moment a top does not turn over.
#[test]
fn a_free_top_is_stable_about_its_outer_axes() {
    let case = Case::read("scene-free-top");
    let rules = [GyroscopicRule::Midpoint, GyroscopicRule::Momentum];
    let starts = [(0, [1.0, 0.01, 0.01]), (2, [0.01, 0.01, 1.0])];
    for ((axis, omega), rule) in starts.into_iter().flat_map(|s| rules.map(|r| (s, r))) {
        let mut scene = case.scene(None, 0.01);
        scene.run.gyroscopic = Some(rule);
        scene.bodies[0].angular_velocity =
            serde_json::from_value(serde_json::json!(omega)).unwrap();
        let trajectory = run(&scene);
        for q in &trajectory.q {
            // Entry (axis, axis) of the rotation: the cosine of the angle with the first direction.
            let cosine = 1.0
                - 2.0
                    * (4..7)
                        .filter(|k| k - 4 != axis)
                        .map(|k| q[k] * q[k])
                        .sum::<f64>();
            assert!(cosine > 6.0_f64.to_radians().cos(), "{cosine}");
        }
    }
}

/// The box of the case in the plane of its motion: x and z of the case are x and y here.
#[test]
fn a_box_sticks_below_the_friction_limit_and_slides_above() {
    let case = Case::read("scene-stick-threshold");
    let data = case.problem();
    let plane = |v: &Value| serde_json::json!([v[0], v[2]]);
    let bodies = &data["scene"]["bodies"];
    for variant in data["variants"].as_array().unwrap() {
        let or = |key: &str, other: &Value| variant.get(key).unwrap_or(other).clone();
        let friction = or("friction", &data["scene"]["contact_default"]["friction"]);
        let force = or("force_on_box", &serde_json::json!([0.0, 0.0, 0.0]));
        let scene = serde_json::json!({
            "dimension": 2,
            "gravity": plane(&or("gravity", &data["scene"]["gravity"])),
            "contact_default": { "friction": friction, "restitution": 0.0 },
            "bodies": [
                { "name": "floor", "fixed": true,
                  "shape": { "type": "halfspace", "normal": plane(&bodies[0]["shape"]["normal"]) } },
                { "name": "box", "mass": bodies[1]["mass"], "position": plane(&bodies[1]["position"]),
                  "shape": { "type": "box", "full_size": plane(&bodies[1]["shape"]["full_size"]) } },
            ],
            "loads": [{ "body": "box", "force": plane(&force) }],
        });
        for h in case.steps() {
            let mut scene = Scene::from_json(&scene.to_string()).unwrap();
            scene.run.h = Some(h);
            scene.run.until = data["run"]["t_end"].as_f64();
            case.check(
                variant["name"].as_str().unwrap(),
                h,
                last(&run(&scene).q)[X],
            );
        }
    }
}

/// The second component of the angular velocity in body axes: that of Rᵀ ω.
fn body_y(q: &[f64], v: &[f64]) -> f64 {
    let (w, x, y, z) = (q[3], q[4], q[5], q[6]);
    let second_axis = [
        2.0 * (x * y - w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z + w * x),
    ];
    second_axis
        .iter()
        .zip(&v[3..])
        .map(|(axis, omega)| axis * omega)
        .sum()
}
