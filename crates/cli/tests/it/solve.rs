//! `signorini solve`: status, answers and refusals.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{fail, repository, signorini, succeed};

const TWO: &str = r#"{ "format": "linear-mcp-1", "n": 2,
"M": { "rows": 2, "cols": 2, "i": [0, 1, 0, 1], "j": [0, 0, 1, 1], "v": [2, 1, 1, 2] }, "q": [-4, -5] }"#;

fn problem(name: &str) -> String {
    let path = repository("fixtures/problems/linear").join(name);
    path.canonicalize()
        .unwrap()
        .into_os_string()
        .into_string()
        .unwrap()
}

/// Output stream of a solve that ends with 1.
fn unsolved(folder: &Path, arguments: &[&str]) -> String {
    let output = signorini(folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    assert!(output.stderr.is_empty(), "an answer is no error");
    String::from_utf8(output.stdout).unwrap()
}

/// The text without the line that no two runs have alike.
fn timeless(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("  time "));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_solved_problem_is_told_to_people() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("two.json"), TWO).unwrap();
    let text = succeed(folder.path(), &["solve", "two.json", "--solver", "lemke"]);
    assert!(text.contains("\n  time "), "{text}");
    insta::assert_snapshot!(timeless(&text), @r"
    two: 2 variables, 4 entries in M
      status         solved
      solver         lemke
      residual       0
      counts         3 iterations, 1 factorisations, 0 restarts
      z[0]           1.0
      z[1]           2.0
    ");
    let long = succeed(folder.path(), &["solve", &problem("murty_20.json")]);
    assert!(!long.contains("more; --json"), "{long}");
    let long = succeed(folder.path(), &["solve", &problem("fathi1_32.json")]);
    assert!(
        long.contains("  ...            12 more; --json prints all\n"),
        "{long}"
    );
}

#[test]
fn json_is_one_object_with_all_that_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let text = succeed(
        folder.path(),
        &["solve", &problem("lcp_deudeu.json"), "--json"],
    );
    assert_eq!(text.lines().count(), 1);
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["format"], "signorini-solution-1");
    assert_eq!(
        (&answer["status"], &answer["solver"]),
        (&"solved".into(), &"block-pivoting".into())
    );
    assert_eq!(
        (&answer["problem"], &answer["n"]),
        (&"lcp_deudeu".into(), &2.into())
    );
    assert!(answer["residual"].as_f64().unwrap() <= 1e-15);
    assert!(answer["counts"]["iterations"].as_u64().unwrap() > 0);
    assert!(answer["seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(answer["worst_rows"], Value::Array(Vec::new()));
    assert_eq!(answer["infeasibility"], Value::Null);
    for (z, expected) in answer["z"]
        .as_array()
        .unwrap()
        .iter()
        .zip([4.0 / 3.0, 7.0 / 3.0])
    {
        assert!((z.as_f64().unwrap() - expected).abs() <= 1e-14);
    }
}

#[test]
fn an_unsolved_problem_names_its_worst_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = problem("unsolvable_1.json");
    let text = unsolved(folder.path(), &["solve", &path]);
    insta::assert_snapshot!(timeless(&text), @r"
    unsolvable_1: 1 variables, 1 entries in M
      status         infeasible, with a certificate
      solver         lemke
      residual       0.5
      counts         1 iterations, 1 factorisations, 0 restarts
    the best point fails most in these rows:
      row 0: residual 0.5: z = 0 in [0, inf], F = -1: F must not be negative at the lower bound
    ");
    let answer = unsolved(folder.path(), &["solve", &path, "--json"]);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(
        (&answer["status"], &answer["residual"]),
        (&"infeasible".into(), &0.5.into())
    );
    assert_eq!(answer["infeasibility"], serde_json::json!([1.0]));
    let row = &answer["worst_rows"][0];
    assert_eq!(
        (&row["row"], &row["f"], &row["upper"]),
        (&0.into(), &(-1.0).into(), &Value::Null)
    );
}

#[test]
fn solver_and_tolerance_are_those_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = problem("ahn_100.json");
    let residual = |options: &[&str]| {
        let arguments = [&["solve", &path, "--json"][..], options].concat();
        let answer: Value = serde_json::from_str(&succeed(folder.path(), &arguments)).unwrap();
        assert_eq!(answer["solver"], "gauss-seidel");
        answer["residual"].as_f64().unwrap()
    };
    let loose = residual(&["--solver", "gauss-seidel", "--tolerance", "1e-3"]);
    let tight = residual(&["--solver", "gauss-seidel", "--tolerance", "1e-13"]);
    assert!(
        tight <= 1e-13 && (1e-12..=1e-3).contains(&loose),
        "{tight:e} {loose:e}"
    );
}

#[test]
fn the_log_goes_to_the_error_stream() {
    let folder = tempfile::tempdir().unwrap();
    let path = problem("murty_6.json");
    let arguments = ["solve", &path, "--solver", "lemke", "--log", "--json"];
    let output = signorini(folder.path(), &arguments);
    assert!(output.status.success());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    let pivots = answer["counts"]["iterations"].as_u64().unwrap();
    assert_eq!(log.lines().count() as u64, pivots, "{log}");
    assert!(log.lines().all(|line| line.contains("  enters ")), "{log}");
}

#[test]
fn matrix_market_files_are_a_problem() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let text = format!("%%MatrixMarket matrix {text}\n");
        fs::write(folder.path().join(name), text).unwrap();
    };
    write(
        "m.mtx",
        "coordinate real symmetric\n2 2 3\n1 1 2\n2 1 1\n2 2 2",
    );
    write("q.mtx", "array real general\n2 1\n-5\n-6");
    write("l.mtx", "array real general\n2 1\n-inf\n-inf");
    write("u.mtx", "array real general\n2 1\n1\ninf");
    let z = |options: &[&str]| {
        let arguments = [&["solve", "m.mtx", "--q", "q.mtx", "--json"][..], options].concat();
        let answer: Value = serde_json::from_str(&succeed(folder.path(), &arguments)).unwrap();
        let z = answer["z"].as_array().unwrap().iter();
        z.map(|z| z.as_f64().unwrap()).collect::<Vec<f64>>()
    };
    let near = |z: &[f64], expected: [f64; 2]| {
        assert!(
            (z[0] - expected[0]).abs() + (z[1] - expected[1]).abs() <= 1e-14, // a few roundings
            "{z:?}"
        );
    };
    near(&z(&[]), [4.0 / 3.0, 7.0 / 3.0]);
    near(&z(&["--lower", "l.mtx", "--upper", "u.mtx"]), [1.0, 2.5]);

    let error = fail(folder.path(), &["solve", "m.mtx"], 2);
    assert_eq!(
        error,
        "error: the matrix needs its vector: give it with --q FILE.mtx\n"
    );
    let error = fail(folder.path(), &["solve", "q.mtx", "--q", "q.mtx"], 2);
    assert!(
        error.contains("matrix is 2 x 1, vector has length 2"),
        "{error}"
    );
    let error = fail(folder.path(), &["solve", "m.mtx", "--q", "m.mtx"], 2);
    assert!(
        error.starts_with("error: m.mtx: line 1: the matrix is 2 x 2"),
        "{error}"
    );
}

#[test]
fn bad_input_ends_with_two() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("two.json"), TWO).unwrap();
    fs::write(folder.path().join("bad.json"), TWO.replace("-5", "null")).unwrap();
    let wrong: [(&[&str], &str); 7] = [
        (&["none.json"], "error: cannot read `none.json`"),
        (
            &["bad.json"],
            "error: bad.json: `q[1]` is null: a finite number is needed\n",
        ),
        (
            &["two.json", "--solver", "newton"],
            "no solver is called `newton`; there are: auto, lemke,",
        ),
        (
            &["two.json", "--tolerance", "0"],
            "--tolerance is 0.0: it must be finite and greater than 0",
        ),
        (&["two.json", "--tolerance", "-1"], "--tolerance is -1.0"),
        (&["two.json", "--tolerance", "nan"], "--tolerance is NaN"),
        (
            &["two.json", "--q", "q.mtx"],
            "--q goes with a matrix named *.mtx",
        ),
    ];
    for (arguments, message) in wrong {
        let error = fail(folder.path(), &[&["solve"][..], arguments].concat(), 2);
        assert!(error.contains(message), "{arguments:?}: {error}");
    }
}

#[test]
fn help_teaches() {
    let text = succeed(&repository("."), &["solve", "--help"]);
    for part in [
        "Solvers:\n  auto ",
        "  gauss-seidel ",
        "Examples:",
        "--tolerance <T>",
        "Exit status:",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

fn nonlinear(name: &str) -> String {
    let path = repository("fixtures/problems/mcp").join(name);
    let path = path.canonicalize().unwrap();
    path.into_os_string().into_string().unwrap()
}

#[test]
fn a_nonlinear_problem_is_solved_from_each_of_its_starts() {
    let folder = tempfile::tempdir().unwrap();
    let text = succeed(folder.path(), &["solve", &nonlinear("kojshin.nl")]);
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("kojshin: 4 variables, 16 entries in the Jacobian")
    );
    assert!(text.contains("\n  solver         path\n"), "{text}");
    assert!(text.contains("\n  x[0] "), "{text}");
    for start in ["0", "1", "7"] {
        let arguments = [
            "solve",
            &nonlinear("kojshin.json"),
            "--start",
            start,
            "--json",
        ];
        let answer = succeed(folder.path(), &arguments);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["status"], "solved");
        assert!(answer["residual"].as_f64().unwrap() <= 1e-10);
    }
    let arguments = [
        "solve",
        &nonlinear("kojshin.json"),
        "--solver",
        "semismooth-newton",
        "--json",
    ];
    let answer = succeed(folder.path(), &arguments);
    assert!(
        answer.contains("\"solver\":\"semismooth-newton\""),
        "{answer}"
    );
    let logged = signorini(folder.path(), &["solve", &nonlinear("kojshin.nl"), "--log"]);
    let log = String::from_utf8(logged.stderr).unwrap();
    assert!(log.contains("Major Iteration Log"), "{log}");
}

#[test]
fn names_of_the_nl_file_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::copy(nonlinear("billups.nl"), path("trap.nl")).unwrap();
    fs::write(path("trap.col"), "depth\n").unwrap();
    fs::write(path("trap.row"), "well\n").unwrap();
    let text = succeed(folder.path(), &["solve", "trap.nl"]);
    assert!(text.contains("\n  depth          2.00498"), "{text}");
    // F = -x - 1.01 is negative at every x >= 0: no answer.
    let text = fs::read_to_string(path("trap.nl")).unwrap();
    let unsolvable = text.replace(
        "o2\no0\nv0\nn-1\no0\nv0\nn-1\nn-1.01\n",
        "o16\nv0\nn-1.01\n",
    );
    fs::write(path("trap.nl"), unsolvable).unwrap();
    let text = unsolved(folder.path(), &["solve", "trap.nl"]);
    assert!(text.contains("\n  well: residual "), "{text}");
    assert!(text.contains(": depth = "), "{text}");
}

#[test]
fn refusals_of_nonlinear_problems_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let error = |arguments: &[&str]| fail(folder.path(), arguments, 2);
    let sidecar = nonlinear("kojshin.json");
    assert_eq!(
        error(&["solve", &sidecar, "--start", "8"]),
        "error: --start 8: there are 8 starts, counted from 0\n"
    );
    assert_eq!(
        error(&["solve", &sidecar, "--solver", "lemke"]),
        "error: lemke solves linear problems; this one is nonlinear: try --solver auto\n"
    );
    assert_eq!(
        error(&["solve", &problem("murty_6.json"), "--solver", "path"]),
        "error: path solves nonlinear problems; this one is linear: try --solver auto\n"
    );
    assert_eq!(
        error(&["solve", &problem("murty_6.json"), "--start", "0"]),
        "error: --start 0 goes with a nonlinear problem; solvers of other ones begin from nothing\n"
    );
    fs::write(folder.path().join("bad.nl"), "g3 1 1 0\n 1 1 1").unwrap();
    assert_eq!(
        error(&["solve", "bad.nl"]),
        "error: bad.nl: line 2: the file ends where a count of the header should stand\n"
    );
    fs::write(
        folder.path().join("lost.json"),
        r#"{"format": "mcp-nl-1", "nl": "no.nl"}"#,
    )
    .unwrap();
    let lost = error(&["solve", "lost.json"]);
    assert!(lost.starts_with("error: cannot read `no.nl`: "), "{lost}");
}

/// A damaged sidecar is told of as one, not as a linear problem.
#[test]
fn damaged_sidecars_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    for (text, told) in [
        (
            r#"{"format": "mcp-nl-1", "nl": "a.nl", "#,
            "EOF while parsing",
        ),
        (
            r#"{"format": "mcp-nl-1", "nl": "a.nl", "starts": [[Infinity]]}"#,
            "expected value",
        ),
        (
            r#"{"format": "mcp-nl-2", "nl": "a.nl"}"#,
            "this program reads `mcp-nl-1`",
        ),
        (r#"{"format": "mcp-nl-1"}"#, "missing field `nl`"),
    ] {
        fs::write(folder.path().join("side.json"), text).unwrap();
        let error = fail(folder.path(), &["solve", "side.json"], 2);
        assert!(
            error.starts_with("error: side.json: ") && error.contains(told),
            "{error}"
        );
    }
}

fn contact(name: &str) -> String {
    let path = repository("fixtures/friction").join(name);
    let path = path.canonicalize().unwrap();
    path.into_os_string().into_string().unwrap()
}

/// One contact in the plane that comes down with 1 m/s and slides with 4 m/s.
const SLIDE: &str = r#"{ "format": "friction-contact-1", "kind": "local", "dimension": 2, "contacts": 1,
"W": { "rows": 2, "cols": 2, "i": [0, 1], "j": [0, 1], "v": [1, 1] }, "q": [-1, 4], "mu": [0.5] }"#;

#[test]
fn frictional_contact_is_told_to_people() {
    let folder = tempfile::tempdir().unwrap();
    let text = succeed(folder.path(), &["solve", &contact("FC3D_Example1.json")]);
    for part in [
        "FC3D_Example1: 3 contacts, in space, 9 entries in W\n  status         solved\n  law            coulomb\n",
        "\n  modes          0 open, 0 stick, 3 slip\n",
        " relative, ",
        "\n  r[2]           (1, -0.0316228, -0.0948683)\n",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    fs::write(folder.path().join("slide.json"), SLIDE).unwrap();
    // Exact: r = (1, -1/2). Convex: the contact opens with half of its speed, r = (2.4, -1.2).
    for (options, impulse) in [(&[][..], 1.0), (&["--law", "convex"][..], 2.4)] {
        let arguments = [
            &["solve", "slide.json", "--tolerance", "1e-12", "--json"],
            options,
        ];
        let text = succeed(folder.path(), &arguments.concat());
        assert_eq!(text.lines().count(), 1);
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(answer["format"], "signorini-friction-1");
        assert_eq!(
            (&answer["problem"], &answer["status"], &answer["contacts"]),
            (&"slide".into(), &"solved".into(), &1.into())
        );
        assert_eq!(answer["law"], *options.last().unwrap_or(&"coulomb"));
        assert_eq!(answer["modes"]["slip"], 1);
        assert!(answer["residual_relative"].as_f64().unwrap() <= 1e-12);
        assert!(
            (answer["r"][0].as_f64().unwrap() - impulse).abs() < 1e-10,
            "{text}"
        );
        assert_eq!(answer["worst_contacts"], Value::Array(Vec::new()));
    }
}

#[test]
fn global_rolling_and_gzipped_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let first = |name: &str| {
        let text = succeed(folder.path(), &["solve", &contact(name)]);
        text.lines().next().unwrap().to_owned()
    };
    assert_eq!(
        first("GFC3D_TwoRods1.json"),
        "GFC3D_TwoRods1: 3 contacts, in space, 54 velocities"
    );
    assert_eq!(
        first("RFC3D_sphere_1.json"),
        "RFC3D_sphere_1: 1 contacts, in space, with rolling friction, 9 entries in W"
    );
    assert_eq!(
        first("Confeti-ex13-Fc3D-SBM.json.gz"),
        "Confeti-ex13-Fc3D-SBM: 107 contacts, in space, 17949 entries in W"
    );
}

#[test]
fn a_contact_that_nothing_stops_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let fixed = SLIDE.replace("\"v\": [1, 1]", "\"v\": [0, 0]");
    fs::write(folder.path().join("fixed.json"), fixed).unwrap();
    let text = unsolved(folder.path(), &["solve", "fixed.json"]);
    assert!(
        text.contains("\nthe best point fails most at these contacts:\n  contact 0: residual "),
        "{text}"
    );
    assert!(
        text.ends_with("u = (-1, 4): the contact must not close\n"),
        "{text}"
    );
    let answer = unsolved(folder.path(), &["solve", "fixed.json", "--json"]);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["worst_contacts"][0]["contact"], 0);
}

#[test]
fn refusals_of_frictional_contact_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("slide.json"), SLIDE).unwrap();
    fs::write(
        folder.path().join("negative.json"),
        SLIDE.replace("0.5", "-0.5"),
    )
    .unwrap();
    fs::write(
        folder.path().join("old.json"),
        SLIDE.replace("contact-1", "contact-0"),
    )
    .unwrap();
    fs::write(folder.path().join("cut.json"), &SLIDE[..120]).unwrap();
    fs::write(folder.path().join("two.json"), TWO).unwrap();
    let wrong: [(&[&str], &str); 8] = [
        (
            &["slide.json", "--solver", "lemke"],
            "error: lemke solves no frictional contact: try --solver auto\n",
        ),
        (
            &["slide.json", "--q", "q.mtx"],
            "error: --q goes with a matrix named *.mtx",
        ),
        (
            &["slide.json", "--start", "1"],
            "error: --start 1 goes with a nonlinear problem",
        ),
        (
            &["slide.json", "--law", "tresca"],
            "possible values: coulomb, convex",
        ),
        (
            &["two.json", "--law", "convex"],
            "error: --law goes with frictional contact, a file of the format friction-contact-1\n",
        ),
        (
            &["negative.json"],
            "error: negative.json: mu[0] is -0.5, must be from 0 to 1e100\n",
        ),
        (
            &["old.json"],
            "error: old.json: `format` is \"friction-contact-0\": this reads \"friction-contact-1\"\n",
        ),
        (&["cut.json"], "error: cut.json: line 2, column "),
    ];
    for (arguments, message) in wrong {
        let error = fail(folder.path(), &[&["solve"][..], arguments].concat(), 2);
        assert!(error.contains(message), "{arguments:?}: {error}");
    }
}

#[test]
fn hdf5_files_need_the_feature() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("Rover11211", "1 contacts, in space, 9 entries in W"),
        ("GFC3D_TwoRods1", "3 contacts, in space, 54 velocities"),
        (
            "RFC3D_sphere_1",
            "1 contacts, in space, with rolling friction, 9 entries in W",
        ),
    ];
    for (name, first) in files {
        let path = repository("fixtures/fclib").join(format!("{name}.hdf5"));
        let path = path.canonicalize().unwrap();
        let path = path.to_str().unwrap();
        if cfg!(feature = "hdf5") {
            let text = succeed(folder.path(), &["solve", path]);
            assert!(text.starts_with(&format!("{name}: {first}\n")), "{text}");
            assert!(text.contains("\n  status         solved\n"), "{text}");
        } else {
            let error = fail(folder.path(), &["solve", path], 2);
            assert!(error.contains("built with the feature hdf5"), "{error}");
        }
    }
}
