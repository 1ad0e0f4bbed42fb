//! The geometrically implicit scheme where points as unknowns are hard to find: poles without a bound of curvature, and surface
//! functions with a kink.

use signorini_scene::Scene;
use signorini_steppers::Trajectory;

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
