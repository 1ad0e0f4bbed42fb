//! Which crate may know which: the floors of the workspace, and the borders of the libraries.

use toml::Table;

use super::tree::Tree;
use super::{Fault, scrub};

/// A crate: the floors below it that it may use, and those that its tests may use beside them.
struct Floor {
    name: &'static str,
    below: &'static [&'static str],
    tests: &'static [&'static str],
}

const LIBRARIES: &[&str] = &[
    "ampl",
    "complementarity",
    "geometry",
    "dynamics",
    "steppers",
    "scene",
];
const BELOW_TOP: &[&str] = &[
    "ampl",
    "complementarity",
    "geometry",
    "dynamics",
    "steppers",
    "scene",
    "plot",
    "signorini",
];

/// The whole building. A crate that is not listed here does not exist yet.
const FLOORS: &[Floor] = &[
    Floor {
        name: "complementarity",
        below: &[],
        tests: &[],
    },
    Floor {
        name: "geometry",
        below: &[],
        tests: &[],
    },
    Floor {
        name: "plot",
        below: &[],
        tests: &[],
    },
    Floor {
        name: "ampl",
        below: &["complementarity"],
        tests: &[],
    },
    Floor {
        name: "dynamics",
        below: &["complementarity", "geometry"],
        tests: &[],
    },
    Floor {
        name: "steppers",
        below: &["complementarity", "dynamics"],
        tests: &["geometry"],
    },
    Floor {
        name: "scene",
        below: &["complementarity", "geometry", "dynamics", "steppers"],
        tests: &[],
    },
    Floor {
        name: "signorini",
        below: LIBRARIES,
        tests: &[],
    },
    Floor {
        name: "cli",
        below: BELOW_TOP,
        tests: &[],
    },
    Floor {
        name: "validation",
        below: &[
            "ampl",
            "complementarity",
            "geometry",
            "dynamics",
            "steppers",
            "scene",
            "plot",
            "signorini",
            "benches",
        ],
        tests: &[],
    },
    Floor {
        name: "benches",
        below: BELOW_TOP,
        tests: &[],
    },
    Floor {
        name: "xtask",
        below: &[],
        tests: &[],
    },
];

/// Libraries with one border each: where they may be named outside of tests.
const BORDERS: &[(&str, &[&str])] = &[
    ("faer", &["complementarity"]),
    ("parry2d-f64", &["geometry"]),
    ("parry3d-f64", &["benches"]),
    ("plotters", &["plot"]),
    ("resvg", &["plot"]),
    ("usvg", &["plot"]),
    ("clap", &["cli", "validation", "xtask"]),
    ("indicatif", &["cli", "validation"]),
    ("schemars", &["scene"]),
    ("toml", &["scene", "validation", "xtask"]),
    ("criterion", &[]),
    ("insta", &[]),
    ("jsonschema", &[]),
    ("proptest", &[]),
];

/// One line of a manifest's dependency tables.
struct Dependency {
    name: String,
    dev: bool,
    /// Whether version and path come from the workspace.
    shared: bool,
}

/// No crate depends on a floor above it.
pub(super) fn direction(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (name, path, text) in tree.manifests() {
        let Some(floor) = FLOORS.iter().find(|floor| floor.name == name) else {
            faults.push(Fault::new(
                path,
                format!("crate {name} has no floor in xtask's table"),
            ));
            continue;
        };
        for dependency in dependencies(path, text, &mut faults) {
            let Some(below) = member(&dependency.name) else {
                continue;
            };
            // Tests switch on features of their own crate by a dependency on it.
            let own = dependency.dev && below == name;
            let tested = dependency.dev && floor.tests.contains(&below);
            let allowed = own || tested || floor.below.contains(&below);
            if !allowed {
                faults.push(Fault::new(path, format!("{name} must not know {below}")));
            }
        }
    }
    faults
}

/// A library with a border is used behind it only.
pub(super) fn borders(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (name, path, text) in tree.manifests() {
        for dependency in dependencies(path, text, &mut Vec::new())
            .iter()
            .filter(|d| !d.dev)
        {
            let border = BORDERS
                .iter()
                .find(|(library, _)| *library == dependency.name);
            if border.is_some_and(|(_, crates)| !crates.contains(&name)) {
                let library = &dependency.name;
                faults.push(Fault::new(
                    path,
                    format!("{library} has its border elsewhere"),
                ));
            }
        }
    }
    faults
}

/// Versions and default features are set in the workspace alone.
pub(super) fn declared_once(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (name, path, text) in tree.manifests() {
        for dependency in dependencies(path, text, &mut Vec::new())
            .iter()
            .filter(|d| !d.shared)
        {
            let dependency_on_itself = dependency.dev && member(&dependency.name) == Some(name);
            if dependency_on_itself {
                continue;
            }
            let name = &dependency.name;
            faults.push(Fault::new(
                path,
                format!("declare {name} in the workspace, use it from there"),
            ));
        }
        // benches have lints of their own: a counting allocator is unsafe.
        if name != "benches" && !scrub::without_tests(text).contains("[lints]\nworkspace = true") {
            faults.push(Fault::new(path, "take the lints of the workspace"));
        }
    }
    faults
}

/// Default features are off, and DESIGN.md says why each library is there.
pub(super) fn workspace_table(tree: &Tree) -> Vec<Fault> {
    let (path, design) = ("Cargo.toml", tree.text("DESIGN.md").unwrap_or_default());
    let Some(Ok(manifest)) = tree.text(path).map(str::parse::<Table>) else {
        return vec![Fault::new(path, "is missing or no TOML")];
    };
    let table = manifest
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies"));
    let mut faults = Vec::new();
    for (name, value) in table.and_then(toml::Value::as_table).into_iter().flatten() {
        if member(name).is_some() {
            continue;
        }
        let off = value.get("default-features").and_then(toml::Value::as_bool) == Some(false);
        if !off {
            faults.push(Fault::new(
                path,
                format!("switch the default features of {name} off"),
            ));
        }
        if !design.contains(&format!("`{name}`")) {
            faults.push(Fault::new(
                "DESIGN.md",
                format!("say why `{name}` is a dependency"),
            ));
        }
    }
    faults
}

/// The folder of a member from the name of its package.
fn member(package: &str) -> Option<&str> {
    if package == "signorini" {
        Some(package)
    } else {
        package.strip_prefix("signorini-")
    }
}

/// All dependencies of a manifest, those for one platform included.
fn dependencies(path: &str, text: &str, faults: &mut Vec<Fault>) -> Vec<Dependency> {
    let manifest = match text.parse::<Table>() {
        Ok(manifest) => manifest,
        Err(error) => {
            faults.push(Fault::new(path, format!("is no TOML: {}", error.message())));
            return Vec::new();
        }
    };
    let mut list = Vec::new();
    add_tables(&manifest, &mut list);
    let platforms = manifest.get("target").and_then(toml::Value::as_table);
    for platform in platforms
        .into_iter()
        .flat_map(Table::values)
        .filter_map(toml::Value::as_table)
    {
        add_tables(platform, &mut list);
    }
    list
}

fn add_tables(tables: &Table, list: &mut Vec<Dependency>) {
    for (key, dev) in [
        ("dependencies", false),
        ("build-dependencies", false),
        ("dev-dependencies", true),
    ] {
        for (name, value) in tables
            .get(key)
            .and_then(toml::Value::as_table)
            .into_iter()
            .flatten()
        {
            let renamed = value.get("package").and_then(toml::Value::as_str);
            let shared = value.get("workspace").and_then(toml::Value::as_bool) == Some(true);
            list.push(Dependency {
                name: renamed.unwrap_or(name).to_owned(),
                dev,
                shared,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINTS: &str = "[lints]\nworkspace = true\n";

    fn messages(faults: Vec<Fault>) -> Vec<String> {
        faults.into_iter().map(|fault| fault.message).collect()
    }

    fn direction_of(folder: &str, manifest: &str) -> Vec<String> {
        messages(direction(&Tree::of([(
            &format!("{folder}/Cargo.toml"),
            manifest,
        )])))
    }

    #[test]
    fn a_floor_knows_those_below_and_no_other() {
        let below = "[dependencies]\nsignorini-geometry.workspace = true";
        assert_eq!(direction_of("crates/dynamics", below), [""; 0]);
        let above =
            "[dependencies]\nsignorini-dynamics = { workspace = true, features = [\"serde\"] }";
        assert_eq!(
            direction_of("crates/geometry", above),
            ["geometry must not know dynamics"]
        );
        let beside = "[dev-dependencies]\nsignorini-geometry.workspace = true";
        assert_eq!(
            direction_of("crates/complementarity", beside),
            ["complementarity must not know geometry"]
        );
        assert_eq!(
            direction_of("crates/cli", "[dependencies]\nsignorini.workspace = true"),
            [""; 0]
        );
    }

    #[test]
    fn tests_of_the_steppers_know_geometry_but_the_steppers_do_not() {
        let dev = "[dev-dependencies]\nsignorini-geometry.workspace = true";
        assert_eq!(direction_of("crates/steppers", dev), [""; 0]);
        let normal = "[dependencies]\nsignorini-geometry.workspace = true";
        assert_eq!(
            direction_of("crates/steppers", normal),
            ["steppers must not know geometry"]
        );
    }

    #[test]
    fn tests_may_depend_on_their_own_crate() {
        let own = "[dev-dependencies]\nsignorini-plot = { path = \".\", features = [\"x\"] }";
        assert_eq!(direction_of("crates/plot", own), [""; 0]);
        let manifest = format!("{LINTS}{own}");
        let tree = |path| Tree::of([(path, manifest.as_str())]);
        assert_eq!(declared_once(&tree("crates/plot/Cargo.toml")), []);
        assert_eq!(declared_once(&tree("crates/cli/Cargo.toml")).len(), 1);
    }

    #[test]
    fn a_renamed_or_platform_dependency_does_not_hide() {
        let renamed = "[dependencies]\nx = { package = \"signorini-scene\", path = \"..\" }";
        assert_eq!(
            direction_of("crates/plot", renamed),
            ["plot must not know scene"]
        );
        let platform = "[target.'cfg(unix)'.dependencies]\nsignorini-scene.workspace = true";
        assert_eq!(
            direction_of("crates/plot", platform),
            ["plot must not know scene"]
        );
    }

    #[test]
    fn an_unknown_crate_and_a_broken_manifest_are_faults() {
        assert_eq!(
            direction_of("crates/attic", ""),
            ["crate attic has no floor in xtask's table"]
        );
        assert_eq!(direction_of("crates/plot", "[dependencies").len(), 1);
    }

    #[test]
    fn libraries_stay_behind_their_border() {
        let manifest =
            "[dependencies]\nfaer.workspace = true\n[dev-dependencies]\ninsta.workspace = true";
        let check = |path| messages(borders(&Tree::of([(path, manifest)])));
        assert_eq!(check("crates/complementarity/Cargo.toml"), [""; 0]);
        assert_eq!(
            check("crates/dynamics/Cargo.toml"),
            ["faer has its border elsewhere"]
        );
    }

    #[test]
    fn versions_live_in_the_workspace() {
        let check = |path, manifest: &str| messages(declared_once(&Tree::of([(path, manifest)])));
        let good =
            format!("{LINTS}[dependencies]\nserde = {{ workspace = true, optional = true }}");
        assert_eq!(check("crates/scene/Cargo.toml", &good), [""; 0]);
        let bad = format!("{LINTS}[dependencies]\nserde = \"1\"");
        assert_eq!(
            check("crates/scene/Cargo.toml", &bad),
            ["declare serde in the workspace, use it from there"]
        );
        assert_eq!(
            check("crates/scene/Cargo.toml", ""),
            ["take the lints of the workspace"]
        );
        assert_eq!(check("benches/Cargo.toml", ""), [""; 0]);
    }

    #[test]
    fn each_library_has_a_reason_and_no_default_features() {
        let manifest = "[workspace.dependencies]\nsprs = { version = \"0.11\" }";
        let check = |design| {
            messages(workspace_table(&Tree::of([
                ("Cargo.toml", manifest),
                ("DESIGN.md", design),
            ])))
        };
        assert_eq!(
            check("### Why `sprs`?"),
            ["switch the default features of sprs off"]
        );
        assert_eq!(check("").len(), 2);
    }
}
