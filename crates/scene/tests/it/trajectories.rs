//! A trajectory that is written and read is the same bits.

use std::ops::ControlFlow;

use signorini_dynamics::State;
use signorini_scene::{Scene, TrajectoryError, TrajectoryTable, TrajectoryWriter};
use signorini_steppers::Recorder;

use crate::{repository, run};

/// The values of the public case on numbers in files.
const VALUES: [f64; 8] = [
    0.0001,
    0.1,
    1.0 / 3.0,
    1e-300,
    -0.0,
    123_456_789.123_456_79,
    2.225_073_858_507_201_4e-308,
    f64::MAX,
];

fn one_body(name: &str) -> Scene {
    let text = format!(
        "dimension = 2\ngravity = [0, 0]\n[[bodies]]\nname = '{name}'\nmass = 1\ninertia = 1"
    );
    Scene::from_toml(&text).unwrap()
}

fn state(q: [f64; 3], v: [f64; 3]) -> State {
    State {
        t: VALUES[6],
        q: q.to_vec(),
        v: v.to_vec(),
        memory: Vec::new(),
    }
}

#[test]
fn every_number_comes_back_bit_for_bit() {
    let world = one_body("a").to_world().unwrap();
    let mut writer = TrajectoryWriter::new(Vec::new());
    for chunk in VALUES.chunks(4) {
        let state = state(
            [chunk[0], chunk[1], chunk[2]],
            [chunk[3], chunk[0], chunk[1]],
        );
        assert!(writer.record(world.system(), &state, None).is_continue());
    }
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    let table = TrajectoryTable::parse(&text).unwrap();
    for (row, chunk) in table.rows.iter().zip(VALUES.chunks(4)) {
        let bits: Vec<u64> = row.iter().map(|value| value.to_bits()).collect();
        let expected = [
            VALUES[6], chunk[0], chunk[1], chunk[2], chunk[3], chunk[0], chunk[1],
        ];
        assert_eq!(bits, expected.map(f64::to_bits));
    }
}

#[test]
fn the_header_names_quantity_body_and_unit() {
    let world = one_body("a, \"b\"").to_world().unwrap();
    let mut writer = TrajectoryWriter::new(Vec::new());
    assert!(
        writer
            .record(world.system(), &world.initial_state(), None)
            .is_continue()
    );
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    insta::assert_snapshot!(text, @r#"
    time [s],"a, ""b"".x [m]","a, ""b"".y [m]","a, ""b"".angle [rad]","a, ""b"".v_x [m/s]","a, ""b"".v_y [m/s]","a, ""b"".omega [rad/s]"
    0.0000000000000000e0,0.0000000000000000e0,0.0000000000000000e0,0.0000000000000000e0,0.0000000000000000e0,0.0000000000000000e0,0.0000000000000000e0
    "#);
    let table = TrajectoryTable::parse(&text).unwrap();
    assert_eq!(table.columns[4].body, "a, \"b\"");
}

#[test]
fn a_number_that_is_not_finite_is_not_written() {
    let world = one_body("a").to_world().unwrap();
    let mut out = Vec::new();
    let mut writer = TrajectoryWriter::new(&mut out);
    let wrong = state([0.0, f64::NAN, 0.0], [0.0; 3]);
    assert_eq!(
        writer.record(world.system(), &wrong, None),
        ControlFlow::Break(())
    );
    let error = writer.finish().unwrap_err();
    assert!(matches!(error, TrajectoryError::NotFinite { ref column, .. } if column == "a.y [m]"));
    assert!(!String::from_utf8(out).unwrap().contains("NaN"));
}

#[test]
fn the_columns_of_space_have_a_quaternion() {
    let scene = Scene::from_path(repository("fixtures/scenes/free_top.toml")).unwrap();
    let world = scene.to_world().unwrap();
    let columns = signorini_scene::Column::of(world.system());
    let heads: Vec<String> = columns.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(heads.join(" "), @"time [s] top.x [m] top.y [m] top.z [m] top.q_w [1] top.q_x [1] top.q_y [1] top.q_z [1] top.v_x [m/s] top.v_y [m/s] top.v_z [m/s] top.omega_x [rad/s] top.omega_y [rad/s] top.omega_z [rad/s]");
}

/// Every row of a real run is the state of its step.
#[test]
fn a_run_and_its_file_are_equal() {
    let scene = Scene::from_path(repository("fixtures/scenes/falling_rod.toml")).unwrap();
    let trajectory = run(&scene);
    let world = scene.to_world().unwrap();
    let mut writer = TrajectoryWriter::new(Vec::new());
    for ((&t, q), v) in trajectory.t.iter().zip(&trajectory.q).zip(&trajectory.v) {
        let state = State {
            t,
            q: q.clone(),
            v: v.clone(),
            memory: Vec::new(),
        };
        assert!(writer.record(world.system(), &state, None).is_continue());
    }
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    let table = TrajectoryTable::parse(&text).unwrap();
    assert_eq!(table.column("time").unwrap(), trajectory.t);
    let omega: Vec<f64> = trajectory.v.iter().map(|v| v[2]).collect();
    assert_eq!(table.column("rod.omega").unwrap(), omega);
    assert_eq!(table.column("rod.colour"), None);
}
