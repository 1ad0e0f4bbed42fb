//! Every fault is named: body, key, what was found, what to do.

use signorini_scene::Scene;

/// A scene of a floor and a body with these lines, in space.
fn fault_of_body(lines: &str) -> String {
    fault(&format!(
        "gravity = [0, 0, -9.81]\n[[bodies]]\nname = \"floor\"\nfixed = true\n\
         shape = {{ type = \"halfspace\", normal = [0, 0, 1] }}\n[[bodies]]\nname = \"ball\"\n{lines}"
    ))
}

/// A scene of one body with these lines, in the plane.
fn fault_in_plane(lines: &str) -> String {
    fault(&format!(
        "dimension = 2\ngravity = [0, -9.81]\n[[bodies]]\nname = \"disc\"\n{lines}"
    ))
}

fn fault(text: &str) -> String {
    let scene = Scene::from_toml(text).unwrap();
    let error = scene
        .to_world()
        .map(drop)
        .and_then(|()| scene.stepper().map(drop))
        .unwrap_err();
    error.to_string()
}

const SPHERE: &str = "shape = { type = \"sphere\", radius = 0.5 }\nposition = [0, 0, 1]\n";

#[test]
fn mass_and_inertia() {
    let sphere = |line: &str| fault_of_body(&format!("{SPHERE}{line}"));
    insta::assert_snapshot!(sphere(""), @"body `ball`: `mass` is missing: a body that moves needs `mass` or `density`; or write `fixed = true`");
    insta::assert_snapshot!(sphere("mass = 0"), @"body `ball`: `mass` is 0.0: it must be greater than 0");
    insta::assert_snapshot!(sphere("mass = -1.5"), @"body `ball`: `mass` is -1.5: it must be greater than 0");
    insta::assert_snapshot!(sphere("mass = nan"), @"body `ball`: `mass` is NaN: write a finite number");
    insta::assert_snapshot!(sphere("mass = 1\ndensity = 2"), @"body `ball`: `mass` is given together with `density`: keep one of them");
    insta::assert_snapshot!(sphere("density = -inf"), @"body `ball`: `density` is -inf: write a finite number");
    insta::assert_snapshot!(sphere("mass = 1\ninertia = 0.1"), @"body `ball`: `inertia` has no meaning here: in space write `{ principal = [a, b, c] }` or `{ tensor = [[..], ..] }`");
    insta::assert_snapshot!(sphere("mass = 1\ninertia = { principal = [1, 2, nan] }"), @"body `ball`: `inertia.principal` has NaN as number 3: write a finite number");
    insta::assert_snapshot!(sphere("mass = 1\ninertia = { principal = [1, 1, 9] }"), @"the moments of inertia of body `ball` are [1.0, 1.0, 9.0]: the largest exceeds the sum of the others");
    insta::assert_snapshot!(
        sphere("mass = 1\ninertia = { tensor = [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]] }"), @"the inertia of body `ball` is not symmetric: entries differ by 0.5");
    insta::assert_snapshot!(fault_of_body("mass = 1"), @"body `ball`: `inertia` is missing: a body without shape needs its inertia in numbers");
    insta::assert_snapshot!(
        fault_of_body("density = 1\ninertia = { principal = [1, 1, 1] }"), @"body `ball`: `density` has no meaning here: a body without shape has no volume; write `mass`");
    insta::assert_snapshot!(
        fault_in_plane("mass = 1\ninertia = { principal = [1, 1, 1] }"), @"body `disc`: `inertia` has no meaning here: in the plane inertia is one number, such as `inertia = 0.002`");
}

#[test]
fn pose_and_velocity() {
    let sphere = |line: &str| fault_of_body(&format!("{SPHERE}mass = 1\n{line}"));
    insta::assert_snapshot!(
        fault_of_body("shape = { type = \"none\" }\nposition = [0, 1]"), @"body `ball`: `position` has 2 numbers: 3 are needed in space");
    insta::assert_snapshot!(sphere("quaternion = [2, 0, 0, 0]"), @"body `ball`: `quaternion` has length 2.0 instead of 1: divide it by its length");
    insta::assert_snapshot!(sphere("quaternion = [1, 0, 0]"), @"body `ball`: `quaternion` has 3 numbers: 4 are needed");
    insta::assert_snapshot!(sphere("angle = 1.0"), @"body `ball`: `angle` has no meaning here: in space write `quaternion = [w, x, y, z]`");
    insta::assert_snapshot!(sphere("linear_velocity = [0, inf, 0]"), @"body `ball`: `linear_velocity` has inf as number 2: write a finite number");
    insta::assert_snapshot!(sphere("angular_velocity = 2.0"), @"body `ball`: `angular_velocity` has no meaning here: in space it is three numbers in world axes");
    insta::assert_snapshot!(sphere("angular_velocity = [2.0]"), @"body `ball`: `angular_velocity` has 1 numbers: 3 are needed in space");
    insta::assert_snapshot!(sphere("fixed = true\nangular_velocity = [2.0, 0, 0]"), @"body `ball`: `angular_velocity` has no meaning here: the body is fixed; leave its velocities out");
    insta::assert_snapshot!(fault_in_plane("quaternion = [1, 0, 0, 0]"), @"body `disc`: `quaternion` has no meaning here: in the plane write `angle`, in rad");
    insta::assert_snapshot!(fault_in_plane("angular_velocity = [0, 0, 1]"), @"body `disc`: `angular_velocity` has no meaning here: in the plane it is one number");
    insta::assert_snapshot!(fault_in_plane("angle = nan"), @"body `disc`: `angle` is NaN: write a finite number");
}

#[test]
fn shapes() {
    let shape = |words: &str| fault_of_body(&format!("mass = 1\nshape = {{ type = {words} }}"));
    let plane = |words: &str| fault_in_plane(&format!("mass = 1\nshape = {{ type = {words} }}"));
    insta::assert_snapshot!(shape("\"sphere\", radius = -1"), @"body `ball`: `shape.radius` is -1.0: it must be greater than 0");
    insta::assert_snapshot!(shape("\"box\", full_size = [1, 1, 0]"), @"body `ball`: `shape.full_size` is 0.0: it must be greater than 0");
    insta::assert_snapshot!(shape("\"disc\", radius = 1"), @"body `ball`: `shape` is `disc`, which is not supported yet in space; supported there: none, sphere, halfspace, capsule, box, convex_hull, cylinder, ellipsoid, superquadric, union, heightfield, triangles, mesh");
    insta::assert_snapshot!(shape("\"ellipsoid\", semi_axes = [1, 1]"), @"body `ball`: `shape.semi_axes` has 2 numbers: 3 are needed in space");
    insta::assert_snapshot!(shape("\"ellipsoid\", semi_axes = [1, 0, 1]"), @"body `ball`: `shape.semi_axes` is 0.0: it must be greater than 0");
    insta::assert_snapshot!(shape("\"superquadric\", semi_axes = [1, 1, 1], exponent = 1"), @"body `ball`: `shape` is not possible: the exponent is 1, it must be between 1.05 and 20");
    insta::assert_snapshot!(shape("\"cylinder\", radius = 1, full_length = 0"), @"body `ball`: `shape.full_length` is 0.0: it must be greater than 0");
    insta::assert_snapshot!(shape("\"cylinder\", radius = 1, full_length = 1, axis = [0, 0, 0]"), @"body `ball`: `shape.axis` has length 0: write a direction");
    insta::assert_snapshot!(plane("\"cylinder\", radius = 1, full_length = 1"), @"body `disc`: `shape` is `cylinder`, which is not supported yet in the plane; supported there: none, sphere, disc, halfspace, capsule, polygon, box, ellipsoid, superquadric, union, profile");
    insta::assert_snapshot!(shape("\"halfspace\", normal = [0, 0, 1]"), @"body `ball`: `shape` has no meaning here: a half-space has no end and cannot move; write `fixed = true`");
    insta::assert_snapshot!(shape("\"halfspace\", normal = [0, 0, 0]"), @"body `ball`: `shape.normal` has length 0: write a direction");
    insta::assert_snapshot!(shape("\"halfspace\", normal = [0, 1]"), @"body `ball`: `shape.normal` has 2 numbers: 3 are needed in space");
    insta::assert_snapshot!(shape("\"capsule\", full_length = nan, radius = 1"), @"body `ball`: `shape.full_length` is NaN: write a finite number");
    insta::assert_snapshot!(plane("\"box\", full_size = [1, 0]"), @"body `disc`: `shape.full_size` is 0.0: it must be greater than 0");
    insta::assert_snapshot!(plane("\"box\", full_size = [1, 1, 1]"), @"body `disc`: `shape.full_size` has 3 numbers: 2 are needed in the plane");
    insta::assert_snapshot!(plane("\"polygon\", vertices = [[0, 0], [1, 0]]"), @"body `disc`: `shape.vertices` is not possible: a polygon has 2 vertices, it needs at least 3");
    insta::assert_snapshot!(
        plane("\"polygon\", vertices = [[0, 0], [2, 0], [0.1, 0.1], [0, 2]]"), @"body `disc`: `shape.vertices` is not possible: vertex 2 does not turn as the other corners do: the polygon is not strictly convex");
    insta::assert_snapshot!(plane("\"polygon\", vertices = [[0, 0], [3, 0], [0, 3]]"), @r#"body `disc`: `shape` has its centroid at [1.0, 1.0], but a body's origin is its centre of mass: subtract the centroid from the vertices or pieces (of a mesh file write `origin = "centroid"`), and move the body by it"#);
}

#[test]
fn names_and_pairs() {
    let pair = |lines: &str| fault_of_body(&format!("{SPHERE}mass = 1\n[[contact]]\n{lines}"));
    insta::assert_snapshot!(fault("gravity = [0, 0, 0]\n[[bodies]]\nname = \"\""), @"body `number 1`: `name` is empty: write a name");
    insta::assert_snapshot!(fault("gravity = [0, 0, 0]\n[[bodies]]\nname = \"a\\nb\""), @"body `number 1`: `name` has a line break or another control character: write it on one line");
    insta::assert_snapshot!(
        fault("gravity = [0, 0, 0]\nbodies = [{ name = \"a\" }, { name = \"a\" }]"), @"body `a`: `name` is also the name of another body: give each body its own");
    insta::assert_snapshot!(pair("bodies = [\"floor\", \"bal\"]"), @"contact rule 1: `bodies` names `bal`, but no body is called that; there are: floor, ball");
    insta::assert_snapshot!(pair("bodies = [\"ball\", \"ball\"]"), @"contact rule 1: `bodies` names `ball` twice: a pair is two different bodies");
    insta::assert_snapshot!(
        pair("bodies = [\"ball\", \"floor\"]\n[[contact]]\nbodies = [\"floor\", \"ball\"]"), @"contact rule 2: `bodies` names the pair of `floor` and `ball`, which an earlier rule names: keep one");
    insta::assert_snapshot!(pair("bodies = [\"ball\", \"floor\"]\nfriction = -0.1"), @"contact rule 1: `friction` is -0.1: it must be at least 0");
    insta::assert_snapshot!(pair("bodies = [\"ball\", \"floor\"]\nrolling_friction = -1e-3"), @"contact rule 1: `rolling_friction` is -0.001: it must be at least 0");
    insta::assert_snapshot!(pair("bodies = [\"ball\", \"floor\"]\nrestitution = 1.5"), @"contact rule 1: `restitution` is 1.5: it must be between 0 and 1");
    insta::assert_snapshot!(pair("bodies = [\"ball\", \"floor\"]\ntangential_restitution = -0.5"), @"contact rule 1: `tangential_restitution` is -0.5: it must be between 0 and 1");
}

#[test]
fn the_scene_itself() {
    insta::assert_snapshot!(fault("gravity = [0, -9.81]\nbodies = []"), @"scene: `gravity` has 2 numbers: 3 are needed in space");
    insta::assert_snapshot!(fault("gravity = [0, 0, nan]\nbodies = []"), @"scene: `gravity` has NaN as number 3: write a finite number");
    insta::assert_snapshot!(
        fault("gravity = [0, 0, 0]\nbodies = []\ncontact_default = { friction = nan }"), @"contact_default: `friction` is NaN: write a finite number");
    insta::assert_snapshot!(
        fault("gravity = [0, 0, 0]\nbodies = []\ncontact_default = { rolling_friction = inf }"), @"contact_default: `rolling_friction` is inf: write a finite number");
    insta::assert_snapshot!(
        fault("gravity = [0, 0, 0]\nbodies = []\nfriction_reference = [0, 0, 0]"), @"scene: `friction_reference` has length 0: write a direction");
    insta::assert_snapshot!(
        fault("dimension = 2\ngravity = [0, 0]\nbodies = []\nfriction_reference = [0, 1]"), @"scene: `friction_reference` has no meaning here: in the plane there is only one tangent; leave it out");
}

#[test]
fn loads() {
    let load = |lines: &str| fault_of_body(&format!("{SPHERE}mass = 1\n[[loads]]\n{lines}"));
    insta::assert_snapshot!(load("body = \"floor\"\nforce = [1, 0, 0]"), @"load 1: `body` names `floor`, which is fixed: a load would do nothing");
    insta::assert_snapshot!(load("body = \"bal\""), @"load 1: `body` names `bal`, but no body is called that; there are: floor, ball");
    insta::assert_snapshot!(load("body = \"ball\"\nforce = [1, 0]"), @"load 1: `force` has 2 numbers: 3 are needed in space");
    insta::assert_snapshot!(load("body = \"ball\"\ntorque = 1"), @"load 1: `torque` has no meaning here: in space it is three numbers in world axes");
    insta::assert_snapshot!(load("body = \"ball\"\nfrom = 2\nuntil = 1"), @"load 1: `until` is 1.0, but it begins at `from` = 2.0: it must be later");
    insta::assert_snapshot!(load("body = \"ball\"\nsinusoid = { frequency = -1 }"), @"load 1: `sinusoid.frequency` is -1.0: it must be at least 0");
}

#[test]
fn run_settings() {
    let run = |lines: &str| fault(&format!("gravity = [0, 0, 0]\nbodies = []\n[run]\n{lines}"));
    let plan = |lines: &str| {
        let text = format!("gravity = [0, 0, 0]\nbodies = []\n[run]\n{lines}");
        Scene::from_toml(&text)
            .unwrap()
            .run
            .step_and_end()
            .unwrap_err()
            .to_string()
    };
    insta::assert_snapshot!(run("stepper = \"anitescu-potra\"\nmax_rounds = 3"), @"run: `max_rounds` means nothing to `anitescu-potra`: leave it out, or choose geometrically-implicit or hart-anitescu or stewart-trinkle or tzitzouris-pang");
    insta::assert_snapshot!(run("directions = 5"), @"run: `directions` is 5: it must be even and at least 4");
    insta::assert_snapshot!(run("stall = \"accept\""), @r#"run: `stall` has no meaning here: only `evaluation = "fixed-point"` can stall"#);
    insta::assert_snapshot!(run("gap = \"surface\""), @"run: `gap` means nothing to `stewart-trinkle`: leave it out, or choose geometrically-implicit or tzitzouris-pang");
    insta::assert_snapshot!(run("stepper = \"tzitzouris-pang\"\nformulation = \"full\""), @"run: `formulation` means nothing to `tzitzouris-pang`: leave it out, or choose geometrically-implicit");
    insta::assert_snapshot!(run("stepper = \"geometrically-implicit\"\ndirections = 8"), @"run: `directions` means nothing to `geometrically-implicit`: leave it out, or choose anitescu-potra or hart-anitescu or stewart-trinkle");
    insta::assert_snapshot!(run("stepper = \"anitescu-potra\"\nevaluation = \"current\""), @"run: `evaluation` means nothing to `anitescu-potra`: leave it out, or choose stewart-trinkle");
    insta::assert_snapshot!(run("stepper = \"hart-anitescu\"\nform = \"cone\"\nimpact = \"poisson\""), @r#"run: `impact` is `poisson`, which goes with `form = "pyramid"` only: choose that, or another law"#);
    insta::assert_snapshot!(run("stepper = \"hart-anitescu\"\nform = \"cone\"\ndirections = 8"), @"run: `directions` has no meaning here: only the forms with pyramids have directions; leave it out");
    insta::assert_snapshot!(run("projection = \"exact\""), @"run: `projection` means nothing to `stewart-trinkle`: leave it out, or choose hart-anitescu");
    insta::assert_snapshot!(run("stepper = \"hart-anitescu\"\nform = \"relaxed-pyramid\"\nimpact = \"poisson\""), @r#"run: `impact` is `poisson`, which goes with `form = "pyramid"` only: choose that, or another law"#);
    insta::assert_snapshot!(run("stepper = \"hart-anitescu\"\ngamma = 1.5"), @"run: `gamma` is 1.5: it must be between 0 and 1");
    insta::assert_snapshot!(run("impact = \"poisson\"\nepsilon = 0.1"), @"run: `epsilon` means nothing to `stewart-trinkle`: leave it out, or choose hart-anitescu");
    insta::assert_snapshot!(run("rest_speed = -1"), @"run: `rest_speed` is -1.0: it must be at least 0");
    insta::assert_snapshot!(plan("until = 1"), @"run: `h` is missing: write `h` under [run], or give --h");
    insta::assert_snapshot!(plan("h = 0.1"), @"run: `until` is missing: write `until` under [run], or give --until");
    insta::assert_snapshot!(plan("h = 0.0\nuntil = 1"), @"run: `h` is 0.0: it must be greater than 0");
    insta::assert_snapshot!(plan("h = -1e-300\nuntil = 1"), @"run: `h` is -1e-300: it must be greater than 0");
    insta::assert_snapshot!(plan("h = 0.1\nuntil = inf"), @"run: `until` is inf: write a finite number");
    insta::assert_snapshot!(plan("h = 1e-300\nuntil = 1e300"), @"run: `h` is 1e-300: it is lost in the rounding of times up to `until` = 1e300; write a larger one, or an earlier end");
    // What is there is looked at, whether or not all is there.
    let planned = |lines: &str| {
        let text = format!("gravity = [0, 0, 0]\nbodies = []\n[run]\n{lines}");
        let planned = Scene::from_toml(&text).unwrap().run.planned();
        planned.map_or_else(|e| e.to_string(), |run| format!("{run:?}"))
    };
    insta::assert_snapshot!(planned("h = 0.1"), @"None");
    insta::assert_snapshot!(planned("until = 0.0"), @"run: `until` is 0.0: it must be greater than 0");
    insta::assert_snapshot!(planned("h = nan"), @"run: `h` is NaN: write a finite number");
    insta::assert_snapshot!(planned("h = 0.5\nuntil = 1"), @"Some(Run { h: 0.5, until: 1.0 })");
}

/// Faults of the text itself have a line, a column and a mark.
#[test]
fn texts() {
    let toml = |text: &str| Scene::from_toml(text).unwrap_err().to_string();
    let json = |text: &str| Scene::from_json(text).unwrap_err().to_string();
    insta::assert_snapshot!(toml("gravity = [0, 0, 'a']"), @r#"
    line 1, column 18: invalid type: string "a", expected f64
    1 | gravity = [0, 0, 'a']
      |                  ^
    "#);
    insta::assert_snapshot!(toml("gravity = [0, 0, 0"), @"
    line 1, column 19: unclosed array, expected `]`
    1 | gravity = [0, 0, 0
      |                   ^
    ");
    insta::assert_snapshot!(toml("version = 7\nnew_key = 1"), @"the scene has version 7, but this program reads version 1: run it with a program of its time, or write it anew as docs/scene.schema.json says");
    insta::assert_snapshot!(toml("gravity = [0]\n[[bodies]]\nname = \"a\"\nmas = 1"), @"
    line 4, column 1: unknown field `mas`, expected one of `name`, `shape`, `position`, `quaternion`, `angle`, `mass`, `density`, `inertia`, `linear_velocity`, `angular_velocity`, `surface_velocity`, `fixed`, `driven`, `groups`
    4 | mas = 1
      | ^
    ");
    insta::assert_snapshot!(
        toml("gravity = [0]\n[[bodies]]\nname = \"a\"\nshape = { type = \"cube\" }"), @r#"
    line 4, column 18: unknown variant `cube`, expected one of `none`, `sphere`, `disc`, `halfspace`, `capsule`, `polygon`, `box`, `cylinder`, `convex_hull`, `union`, `heightfield`, `profile`, `triangles`, `mesh`, `ellipsoid`, `superquadric`
    4 | shape = { type = "cube" }
      |                  ^
    "#);
    insta::assert_snapshot!(
        toml("gravity = [0]\n[[bodies]]\nname = \"a\"\ninertia = \"uniform\""), @r#"
    line 4, column 11: invalid value: string "uniform", expected "from_shape_uniform", a number (plane), { principal = [a, b, c] } or { tensor = [[..], [..], [..]] }
    4 | inertia = "uniform"
      |           ^
    "#);
    insta::assert_snapshot!(json("{ \"gravity\": [0, 0, NaN] }"), @r#"
    line 1, column 21: expected value
    1 | { "gravity": [0, 0, NaN] }
      |                     ^
    "#);
    insta::assert_snapshot!(json("{ \"gravity\": [0, 0, 1e999] }"), @r#"
    line 1, column 25: number out of range
    1 | { "gravity": [0, 0, 1e999] }
      |                         ^
    "#);
    insta::assert_snapshot!(
        json("{ \"gravity\": [0, 0, 0],\n  \"bodies\": [],\n  \"dimension\": 1 }"), @r#"
    line 3, column 18: dimension 1 is not known: write 2 for the plane or 3 for space
    3 |   "dimension": 1 }
      |                  ^
    "#);
}

#[test]
fn files() {
    let error = Scene::from_path("rod.yaml").unwrap_err();
    insta::assert_snapshot!(error, @"cannot tell the language of `rod.yaml`: name it `*.toml` or `*.json`");
    let error = Scene::from_path("no/such/rod.toml").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("cannot read `no/such/rod.toml`: "),
        "{error}"
    );
}

/// What has several forms says which ones there are.
#[test]
fn forms_that_nothing_fits() {
    let fault = |line: &str| {
        let text = format!("gravity = [0, 0, 0]\n[[bodies]]\nname = \"ball\"\n{line}");
        Scene::from_toml(&text).unwrap_err().to_string()
    };
    let course = fault("driven = { linear = [1, 0, 0], course = { kind = \"steady\" } }");
    assert!(
        course.starts_with("line 4, column 41: a course is `{ rate = 1.0 }`, or"),
        "{course}"
    );
    let motor = fault(
        "mass = 1\n[[joints]]\nname = \"j\"\nbodies = [\"ball\", \"ball\"]\nkind = \"revolute\"\nmotor = { speed = 1 }",
    );
    assert!(
        motor.contains(": a motor is `{ rate = 1.0 }`, to which"),
        "{motor}"
    );
}
