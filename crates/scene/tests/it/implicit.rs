//! The geometrically implicit scheme where points as unknowns are hard to find: poles without a bound of curvature, and surface
//! functions with a kink.

use signorini_scene::Scene;
use signorini_steppers::{StepError, Trajectory, simulate};

use crate::run;

/// The trajectory of a scene with these settings, every step of which keeps its residual.
fn run_implicit(scene: &str, settings: &str) -> Trajectory {
    let text = format!("{scene}\n[run]\nstepper = \"geometrically-implicit\"\n{settings}\n");
    let trajectory = run(&Scene::from_toml(&text).unwrap());
    for report in &trajectory.reports {
        assert!(report.residual <= 1e-10, "t = {}", report.t);
    }
    trajectory
}

/// With an exponent below 2 the normal changes with the root of the way along the surface, at its poles.
#[test]
fn superquadrics_slide_on_a_pole_in_both_formulations() {
    let floor = |normal: &str| {
        format!(
            "[[bodies]]\nname = \"floor\"\nfixed = true\n\
             shape = {{ type = \"halfspace\", normal = {normal} }}\n[[bodies]]\nname = \"body\"\nmass = 2\n"
        )
    };
    let plane = format!(
        "dimension = 2\ngravity = [0, -9.81]\ncontact_default = {{ friction = 0, restitution = 0 }}\n{}\
         shape = {{ type = \"superquadric\", semi_axes = [0.08300516572876004, 0.05532722010889714], exponent = 1.5 }}\n\
         inertia = 0.016\nposition = [0.4, 0.05532722010889714]\nlinear_velocity = [0.5, 0]",
        floor("[0, 1]")
    );
    let space = format!(
        "gravity = [0, 0, -9.81]\ncontact_default = {{ friction = 0, restitution = 0 }}\n{}\
         shape = {{ type = \"superquadric\", semi_axes = [0.08, 0.05, 0.07828175346971858], exponent = 1.5 }}\n\
         inertia = {{ principal = [0.003, 0.004, 0.0035] }}\n\
         position = [0.8, 0, 0.07828175346971858]\nlinear_velocity = [0.5, 0, 0]",
        floor("[0, 0, 1]")
    );
    for scene in [plane, space] {
        for formulation in ["full", "condensed"] {
            let settings = format!("formulation = \"{formulation}\"\nh = 0.005\nuntil = 0.25");
            let Trajectory { q, v, .. } = run_implicit(&scene, &settings);
            let (first, last) = (&q[0], &q[q.len() - 1]);
            assert!((last[0] - first[0] - 0.125).abs() < 1e-12, "{last:?}");
            assert!((last[1] - first[1]).abs() < 1e-12, "{last:?}");
            assert!((v[v.len() - 1][0] - 0.5).abs() < 1e-12, "{last:?}");
        }
    }
}

/// A corner of a polygon on a disc: its surface function has a kink at each corner, and points that are stationary without being
/// the closest ones were found again in every round.
#[test]
fn the_surface_function_of_a_polygon_leads_where_the_distance_does() {
    let scene = "
        dimension = 2
        gravity = [0, -9.81]
        contact_default = { friction = 0.3, restitution = 0 }
        [[bodies]]
        name = \"ground\"
        fixed = true
        shape = { type = \"halfspace\", normal = [0, 1] }
        [[bodies]]
        name = \"b0\"
        mass = 2.5578601430445653
        position = [0.0008384963643095101, 0.07162578260847816]
        angle = -2.582493971535235
        linear_velocity = [-0.24960003090787397, -0.3125415317731327]
        angular_velocity = 1.045016133827481
        [bodies.shape]
        type = \"polygon\"
        vertices = [[0.07091661644403778, 0.0], [-0.035458308222018876, 0.06141559139097399], [-0.035458308222018925, -0.06141559139097396]]
        [[bodies]]
        name = \"b1\"
        shape = { type = \"disc\", radius = 0.10338214842323978 }
        mass = 1.125298219746037
        position = [0.011819294517695, 0.2469583689599881]
        angle = 1.3413803571638212
        linear_velocity = [-0.06656072792134915, 0.4869732458348418]
        angular_velocity = 2.47987817879572
    ";
    let end = |gap: &str| {
        let settings = format!("gap = \"{gap}\"\nimpact = \"poisson\"\nh = 0.005\nuntil = 0.5");
        run_implicit(scene, &settings).q.pop().unwrap()
    };
    let (surface, distance) = (end("surface"), end("signed-distance"));
    for (a, b) in surface.iter().zip(&distance) {
        assert!((a - b).abs() < 1e-8, "{surface:?} {distance:?}");
    }
}

/// A box of 1000 kg that comes down on a corner of one of 1 kg: in steps of 0.01 s the solutions found have the light one turn by
/// radians, with 17 kJ that nothing gives. Such a step is refused, and smaller ones lose energy.
#[test]
fn a_step_that_would_give_what_nobody_has_is_refused() {
    let scene = "
        gravity = [0, 0, -9.81]
        contact_default = { friction = 0.3, restitution = 0 }
        [[bodies]]
        name = \"floor\"
        fixed = true
        shape = { type = \"halfspace\", normal = [0, 0, 1] }
        [[bodies]]
        name = \"light\"
        shape = { type = \"box\", full_size = [1.4712075281962813, 0.8823533128201745, 1.302711530800357] }
        mass = 1
        position = [-0.07145176548723874, -0.19969406010752092, 0.6802596302371346]
        linear_velocity = [-0.28694609039770846, -0.8458668758974216, -0.07035132648796263]
        quaternion = [0.992763580120607, 0.03390340272072385, 0.004140224643401584, 0.1151255480333272]
        angular_velocity = [-0.006115468531780783, -0.08572328129812071, 1.0541497783952343]
        [[bodies]]
        name = \"heavy\"
        shape = { type = \"box\", full_size = [1.03405454313922, 1.4092960366464409, 1.1605097077449822] }
        mass = 1000
        position = [0.22475114693868606, -0.46221140603421884, 1.8925300882609393]
        quaternion = [-0.02233519619270239, 0.457785575396731, 0.8884063173922969, 0.025840301607661376]
        linear_velocity = [-0.11125625004969694, -0.5006496068812243, -0.04167101268227934]
        angular_velocity = [-0.008235963573775353, -0.07696978332475206, 0.922783502700087]
    ";
    let build = |h: f64| {
        let text = format!(
            "{scene}\n[run]\nstepper = \"geometrically-implicit\"\nh = {h:?}\nuntil = 0.03\n"
        );
        Scene::from_toml(&text).unwrap()
    };
    let coarse = build(0.01);
    let (world, mut stepper) = (coarse.to_world().unwrap(), coarse.stepper().unwrap());
    let mut state = world.initial_state();
    let end = coarse.run.step_and_end().unwrap();
    match simulate(world.system(), stepper.as_mut(), &mut state, end, &mut ()) {
        Err(StepError::EnergyGained { body, problem, .. }) => {
            assert_eq!(body, "light");
            assert_eq!((&problem.state, problem.z.len()), (&state, state.v.len()));
        }
        // A gentle solution that is found is better than a refusal.
        Ok(summary) => assert!(summary.largest_energy_gain < 1.0, "{summary:?}"),
        Err(other) => panic!("{other}"),
    }
    let fine = run(&build(0.0025));
    let totals = |k: usize| fine.reports[k].energy_after.total();
    assert!(totals(fine.reports.len() - 1) < fine.reports[0].energy_before.total());
}
