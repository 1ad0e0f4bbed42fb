//! Curved shapes of a scene as bodies of a world.

use signorini_dynamics::{ContactQuery, Contacts};
use signorini_scene::{AnyWorld, Scene};

fn world(dimension: u8, shape: &str, pose: &str) -> AnyWorld {
    let (normal, gravity) = if dimension == 2 {
        ("[0, 1]", "[0, -9.81]")
    } else {
        ("[0, 0, 1]", "[0, 0, -9.81]")
    };
    let text = format!(
        "dimension = {dimension}\ngravity = {gravity}\n[[bodies]]\nname = \"floor\"\nfixed = true\n\
         shape = {{ type = \"halfspace\", normal = {normal} }}\n[[bodies]]\nname = \"body\"\n\
         shape = {{ type = {shape} }}\nmass = 2\ninertia = \"from_shape_uniform\"\n{pose}"
    );
    Scene::from_toml(&text).unwrap().to_world().unwrap()
}

/// Gap above the floor with the body's origin 1 m high, and the moment about x (in the plane the only one).
fn facts(world: &AnyWorld) -> (f64, f64) {
    let (system, state) = (world.system(), world.initial_state());
    let mut contacts = Contacts::default();
    let query = ContactQuery {
        margin: 2.0,
        include: &[],
    };
    system
        .contacts(0.0, &state.q, &query, &mut contacts)
        .unwrap();
    let mut mass = Vec::new();
    system.mass_blocks(&state.q, &mut mass);
    let n = system.dofs();
    let moment = if n == 3 { mass[8] } else { mass[3 * n + 3] };
    let gap = contacts.gap.iter().copied().fold(f64::INFINITY, f64::min);
    (gap, moment)
}

#[test]
fn shapes_have_their_size_and_inertia() {
    let near = |(gap, moment): (f64, f64), expected: (f64, f64)| {
        assert!(
            (gap - expected.0).abs() < 1e-15,
            "gap {gap}, not {}",
            expected.0
        );
        assert!(
            (moment - expected.1).abs() < 1e-15,
            "moment {moment}, not {}",
            expected.1
        );
    };
    let space = |shape: &str| facts(&world(3, shape, "position = [0, 0, 1]"));
    let plane = |shape: &str| facts(&world(2, shape, "position = [0, 1]"));
    // 2/5 (b² + c²), ½ r², ¼ r² + ⅓ l² and ½ (a² + b²) for 2 kg.
    near(
        space("\"ellipsoid\", semi_axes = [0.5, 0.3, 0.2]"),
        (0.8, 0.052),
    );
    near(plane("\"ellipsoid\", semi_axes = [0.5, 0.2]"), (0.8, 0.145));
    let superquadric = "\"superquadric\", semi_axes = [0.5, 0.3, 0.2], exponent = 2";
    near(space(superquadric), (0.8, 0.052));
    near(
        plane("\"superquadric\", semi_axes = [0.5, 0.2], exponent = 2.0"),
        (0.8, 0.145),
    );
    let upright = 2.0 * (0.09 / 4.0 + 0.16 / 3.0);
    let cylinder = "\"cylinder\", radius = 0.3, full_length = 0.8";
    near(space(cylinder), (0.6, upright));
    near(
        space(&format!("{cylinder}, axis = [0, 0, -2]")),
        (0.6, upright),
    );
    near(
        space(&format!("{cylinder}, axis = [1e-200, 0, 0]")),
        (0.7, 0.09),
    );
    near(
        space(&format!("{cylinder}, axis = [0, -7, 0]")),
        (0.7, upright),
    );
    let slanted = space(&format!("{cylinder}, axis = [3, 0, -4]"));
    assert!((slanted.0 - (1.0 - 0.3 * 0.6 - 0.4 * 0.8)).abs() < 1e-15);
}
