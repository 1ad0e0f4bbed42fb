//! Meshes from files, and scenes with grounds.

use nalgebra::Vector3;
use serde_json::json;
use signorini_geometry::{Polygon, Polytope, Shape};
use signorini_scene::{AnyWorld, Fault, MeshFileError, Scene, SceneError, read_mesh};

use crate::{repository, run};

const FILES: [(&str, f64); 2] = [("wedge.obj", 1.0), ("wedge.stl", 1e-3)];

/// The wedge has its mass by the prism's formulas, from text and from binary, polygons or triangles.
#[test]
fn a_wedge_from_a_file_is_the_prism() {
    let base = Polygon::new([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]).unwrap();
    let prism = Polytope::prism(&base, 2.0).unwrap();
    let exact = Shape::from(prism).mass_properties(3.0).unwrap();
    for (file, scale) in FILES {
        let mesh = read_mesh(repository("fixtures/meshes").join(file)).unwrap();
        assert_eq!(
            (mesh.vertices().len(), mesh.triangles().len()),
            (6, 8),
            "{file}"
        );
        let mesh = mesh.map(|x| x * scale).unwrap();
        let mass = mesh.mass_properties(3.0).unwrap();
        let off = (mass.inertia - exact.inertia).amax() / exact.inertia.amax();
        assert!(off < 1e-12, "{file}: {off}");
        let centroid = exact.centroid + Vector3::z();
        assert!((mass.centroid - centroid).norm() < 1e-12, "{file}");
        assert_eq!(mesh.hull().unwrap().faces(), 5, "{file}");
    }
}

#[test]
fn what_is_no_mesh_is_told_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read_mesh(path).unwrap_err()
    };
    assert!(matches!(
        write("a.ply", ""),
        MeshFileError::Extension { .. }
    ));
    assert!(matches!(
        write("a.obj", "v 0 0\n"),
        MeshFileError::Syntax { .. }
    ));
    assert!(matches!(
        write("a.stl", "neither"),
        MeshFileError::Syntax { .. }
    ));
    assert!(matches!(
        write("b.obj", "v 0 0 0\n"),
        MeshFileError::Mesh { .. }
    ));
    let missing = read_mesh(folder.path().join("none.stl"));
    assert!(matches!(missing, Err(MeshFileError::Read { .. })));
    let text = write("b.obj", "v 0 0 0\n").to_string();
    assert!(
        text.ends_with("has no usable mesh: the mesh has no triangle with an area"),
        "{text}"
    );
}

/// A wedge from a file next to the scene, about its centroid, comes to rest on the face that it stands on.
#[test]
fn a_scene_names_mesh_files_relative_to_itself() {
    let folder = tempfile::tempdir().unwrap();
    for (file, scale) in FILES {
        std::fs::copy(
            repository("fixtures/meshes").join(file),
            folder.path().join(file),
        )
        .unwrap();
        let scene = json!({
            "gravity": [0, 0, -9.81],
            "contact_default": { "friction": 0.5, "restitution": 0.0 },
            "bodies": [
                { "name": "floor", "fixed": true, "shape": { "type": "halfspace", "normal": [0, 0, 1] } },
                { "name": "wedge", "mass": 1.0, "position": [0, 0, 1],
                  "shape": { "type": "mesh", "file": file, "scale": scale, "origin": "centroid" } },
            ],
            "run": { "stepper": "hart-anitescu", "h": 0.01, "until": 0.2 },
        });
        let path = folder.path().join(format!("{file}.json"));
        std::fs::write(&path, scene.to_string()).unwrap();
        let scene = Scene::from_path(&path).unwrap();
        let trajectory = run(&scene);
        let v = trajectory.v.last().unwrap();
        assert!(v.iter().all(|v| v.abs() < 1e-9), "{file}: {v:?}");
        assert_eq!(
            trajectory.reports.last().unwrap().contacts.len(),
            3,
            "{file}"
        );
    }
}

fn refused(shape: &serde_json::Value, fixed: bool) -> Fault {
    refused_in(3, shape, fixed)
}

fn refused_in(dimension: usize, shape: &serde_json::Value, fixed: bool) -> Fault {
    let scene = json!({
        "dimension": dimension,
        "gravity": vec![0; dimension],
        "bodies": [{ "name": "body", "mass": 1.0, "fixed": fixed, "shape": shape }],
    });
    let scene = Scene::from_json(&scene.to_string()).unwrap();
    match scene.to_world().map(|_: AnyWorld| ()).unwrap_err() {
        SceneError::Value { fault, .. } => fault,
        other => panic!("{other}"),
    }
}

#[test]
fn grounds_that_make_no_sense_are_refused() {
    let field = json!({ "type": "heightfield", "heights": [[0, 0], [0, 0]], "spacing": [1, 1] });
    assert!(matches!(refused(&field, false), Fault::Meaningless { .. }));
    let profile = json!({ "type": "profile", "heights": [0, 0], "spacing": 1 });
    assert!(matches!(
        refused_in(2, &profile, false),
        Fault::Meaningless { .. }
    ));
    let short = json!({ "type": "profile", "heights": [0], "spacing": 1 });
    assert!(matches!(refused_in(2, &short, true), Fault::Shape(_)));
    assert!(matches!(
        refused(&profile, true),
        Fault::UnsupportedShape { .. }
    ));
    let uneven = json!({ "type": "heightfield", "heights": [[0, 0], [0]], "spacing": [1, 1] });
    assert!(matches!(refused(&uneven, true), Fault::Shape(_)));
    let file = repository("fixtures/meshes/wedge.obj");
    let mesh = |more: serde_json::Value| {
        let mut shape = json!({ "type": "mesh", "file": file });
        for (key, value) in more.as_object().unwrap() {
            shape[key] = value.clone();
        }
        shape
    };
    let thin = mesh(json!({ "solid": "ground" }));
    assert!(matches!(refused(&thin, true), Fault::Missing { .. }));
    let thick_hull = mesh(json!({ "thickness": 1 }));
    assert!(matches!(
        refused(&thick_hull, true),
        Fault::Meaningless { .. }
    ));
    let centred = mesh(json!({ "solid": "ground", "thickness": 0.1, "origin": "centroid" }));
    assert!(matches!(refused(&centred, true), Fault::Meaningless { .. }));
    assert!(matches!(
        refused(&mesh(json!({})), false),
        Fault::OffCentre { .. }
    ));
    let nested =
        json!({ "type": "union", "pieces": [{ "shape": { "type": "union", "pieces": [] } }] });
    assert!(matches!(refused(&nested, true), Fault::Shape(_)));
    let hollow = json!({ "type": "union", "pieces": [{ "shape": { "type": "none" } }] });
    assert!(matches!(refused(&hollow, true), Fault::Missing { .. }));
}

/// A box falls onto the ridge of a roof of triangles and onto a hill of a height field: it stays above both.
#[test]
fn bodies_stay_above_grounds() {
    let heights: Vec<Vec<f64>> = (0..21)
        .map(|i| {
            let x = f64::from(i) - 10.0;
            (0..21)
                .map(|j| {
                    let y = f64::from(j) - 10.0;
                    0.4 * (0.3 * x).cos() * (0.3 * y).cos()
                })
                .collect()
        })
        .collect();
    let ground = json!({ "type": "heightfield", "heights": heights, "spacing": [0.2, 0.2] });
    let bodies: Vec<_> = std::iter::once(
        json!({ "name": "hills", "fixed": true, "shape": ground }),
    )
    .chain((0..9).map(|k| {
        let place = [
            0.7 * f64::from(k % 3) - 0.7,
            0.7 * f64::from(k / 3) - 0.7,
            0.8,
        ];
        let shape = if k % 2 == 0 {
            json!({ "type": "box", "full_size": [0.2, 0.3, 0.15] })
        } else {
            json!({ "type": "sphere", "radius": 0.1 })
        };
        json!({ "name": format!("body{k}"), "mass": 1.0, "position": place, "shape": shape })
    }))
    .collect();
    let scene = json!({
        "gravity": [0, 0, -9.81],
        "contact_default": { "friction": 0.9, "restitution": 0.0 },
        "bodies": bodies,
        "run": { "stepper": "hart-anitescu", "form": "cone", "h": 0.01, "until": 1.5 },
    });
    let scene = Scene::from_json(&scene.to_string()).unwrap();
    let AnyWorld::Spatial(world) = scene.to_world().unwrap() else {
        panic!("it is in space");
    };
    let trajectory = run(&scene);
    let mut state = world.initial_state();
    let depth = |q: &Vec<f64>, state: &mut signorini_dynamics::State| {
        state.q.clone_from(q);
        let overlaps = world.initial_overlaps(state).unwrap();
        overlaps.iter().map(|o| o.depth).fold(0.0, f64::max)
    };
    // What comes down in a step without a contact is in by a step's way: 2.5 m/s for 0.01 s.
    for q in trajectory.q.iter().step_by(5) {
        let depth = depth(q, &mut state);
        assert!(depth < 0.03, "{depth}");
    }
    let depth = depth(trajectory.q.last().unwrap(), &mut state);
    assert!(depth < 1e-4, "at the end {depth}");
}
