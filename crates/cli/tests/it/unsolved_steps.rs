//! Files of steps that were not solved, damaged: the place or the field is named, and nothing is solved.

use std::fs;

use serde_json::{Value, json};

use crate::{fail, names, succeed};

fn with_friction() -> Value {
    json!({
        "format": "signorini-unsolved-step-1", "scheme": "hart-anitescu", "h": 0.01,
        "state": { "format": "signorini-state-1", "t": 0.0, "q": [0.0, 1.0, 0.0], "v": [0.0, -1.0, 0.0], "memory": [] },
        "friction": {
            "format": "friction-contact-1", "kind": "local", "law": "coulomb", "dimension": 2, "contacts": 1, "mu": [0.5],
            "q": [-3.0, 1.0], "W": { "rows": 2, "cols": 2, "i": [0, 1], "j": [0, 1], "v": [0.5, 0.5] }
        },
        "z": [null, 0.0], "worst": "contact floor/box#0", "names": ["normal of floor/box#0", "tangent 1 of floor/box#0"]
    })
}

fn linear() -> Value {
    json!({
        "format": "signorini-unsolved-step-1", "scheme": "stewart-trinkle", "h": 0.01,
        "n": 1, "M": { "rows": 1, "cols": 1, "i": [0], "j": [0], "v": [2.0] }, "q": [-1.0], "l": [0.0], "u": [null],
        "z": [0.0], "names": ["normal of floor/box#0"]
    })
}

/// What `solve` says of this text, which it must refuse.
fn refusal(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.json"), text).unwrap();
    let error = fail(folder.path(), &["solve", "s.json"], 2);
    assert_eq!(names(folder.path()), ["s.json"]);
    error.trim_end().replace("error: s.json: ", "")
}

fn changed(mut file: Value, change: impl FnOnce(&mut Value)) -> String {
    change(&mut file);
    refusal(&file.to_string())
}

#[test]
fn whole_files_are_solved() {
    let folder = tempfile::tempdir().unwrap();
    // Torsion and rolling moments: six rows.
    let mut rolling = with_friction();
    let diagonal = [0, 1, 2, 3, 4, 5];
    rolling["friction"] = json!({
        "format": "friction-contact-1", "kind": "rolling", "law": "coulomb", "dimension": 6, "contacts": 1, "mu": [0.5],
        "mu_r": [0.01], "ellipse": [1.0, 1.0, 0.02, 1.0, 1.0], "q": [-3.0, 1.0, 0.0, 0.1, 0.2, 0.0],
        "W": { "rows": 6, "cols": 6, "i": diagonal, "j": diagonal, "v": [0.5, 0.5, 0.5, 2.0, 2.0, 2.0] }
    });
    rolling["z"] = json!([null, 0.0, 0.0, 0.0, 0.0, 0.0]);
    rolling["names"] = json!(["n", "t", "o", "r", "m", "l"]);
    for file in [with_friction(), linear(), rolling] {
        fs::write(folder.path().join("s.json"), file.to_string()).unwrap();
        assert!(succeed(folder.path(), &["solve", "s.json"]).contains("solved"));
    }
}

/// The place is that of the file, where it ends, and not that of a part of it.
#[test]
fn files_that_are_cut_off_or_hold_no_number_have_a_place() {
    let text = serde_json::to_string_pretty(&with_friction()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    for kept in [4, 20, lines.len() - 1] {
        let error = refusal(&lines[..kept].join("\n"));
        let place = format!("line {kept}, column ");
        assert!(
            error.starts_with(&place) && error.contains("EOF while parsing"),
            "{error}"
        );
    }
    let number = lines.iter().position(|line| line.contains("-3.0")).unwrap();
    let error = refusal(&text.replace("-3.0", "NaN"));
    assert!(
        error.starts_with(&format!("line {}, column ", number + 1)),
        "{error}"
    );
}

#[test]
fn a_wrong_field_is_named() {
    let friction = |change: &dyn Fn(&mut Value)| changed(with_friction(), change);
    insta::assert_snapshot!(friction(&|f| f["friction"]["q"][1] = Value::Null), @"in `friction`: `q[1]` is null: a finite number is needed");
    insta::assert_snapshot!(friction(&|f| f["friction"]["mu"] = json!([0.5, 0.5])), @"in `friction`: `mu` has length 2, expected 1");
    insta::assert_snapshot!(friction(&|f| f["friction"]["W"]["i"] = json!([0, 7])), @"in `friction`: `W.i[1]` is 7: the matrix is 2 x 2, counted from 0");
    insta::assert_snapshot!(friction(&|f| f["friction"] = json!(3)), @"`friction` is 3: an object is needed");
    insta::assert_snapshot!(friction(&|f| f["h"] = json!(-0.5)), @"`h` is -0.5: a number greater than 0 is needed");
    insta::assert_snapshot!(friction(&|f| f["h"] = Value::Null), @"`h` is null: a number greater than 0 is needed");
    insta::assert_snapshot!(friction(&|f| f["scheme"] = json!(1)), @"`scheme` is 1: a text is needed");
    insta::assert_snapshot!(friction(&|f| f["z"] = json!([1.0])), @"`z` has length 1, the problem has 2 unknowns");
    insta::assert_snapshot!(friction(&|f| f["z"][1] = json!("a")), @r#"`z[1]` is "a": a number or null is needed"#);
    insta::assert_snapshot!(friction(&|f| f["names"][0] = json!(1)), @"`names[0]` is 1: a text is needed");
    insta::assert_snapshot!(friction(&|f| f["names"] = json!([])), @"`names` has length 0, the problem has 2 unknowns");
    insta::assert_snapshot!(friction(&|f| f["worst"] = json!([])), @"`worst` is []: a text is needed");
    insta::assert_snapshot!(friction(&|f| f["stat"] = json!({})), @"`stat` is no field of a step that was not solved; there are: format, scheme, h, state, n, M, q, l, u, friction, z, worst, names");
    insta::assert_snapshot!(friction(&|f| f["state"]["q"][0] = Value::Null), @"`state` is no state: invalid type: null, expected f64");
    insta::assert_snapshot!(friction(&|f| f["state"]["t"] = json!("now")), @r#"`state` is no state: invalid type: string "now", expected f64"#);
    let of_lcp = |change: &dyn Fn(&mut Value)| changed(linear(), change);
    insta::assert_snapshot!(of_lcp(&|f| f["q"] = json!([1.0, 2.0])), @"`q` has length 2, expected 1");
    insta::assert_snapshot!(of_lcp(&|f| f["M"]["v"][0] = Value::Null), @"`M.v[0]` is null: a finite number is needed");
    insta::assert_snapshot!(of_lcp(&|f| { f.as_object_mut().unwrap().remove("M"); }), @"missing field `M`");
    insta::assert_snapshot!(of_lcp(&|f| (f["l"], f["u"]) = (json!([3.0]), json!([1.0]))), @"bounds of z[0] are [3, 1]: lower must not exceed upper");
}
