//! What the public problems do not use: shared defined variables, all operators, side conditions, names.

use signorini_ampl::Model;
use signorini_complementarity::{DomainError, Mcp, mcp_jacobian};

/// A small file in parts.
pub(crate) struct Parts {
    /// Variables, rows, objectives, equations, conditions, entries, defined variables.
    pub(crate) counts: [usize; 7],
    pub(crate) body: &'static str,
}

/// The text of a file; `/` stands for an end of line.
pub(crate) fn file(parts: &Parts) -> String {
    let [n, m, objectives, equations, conditions, entries, defined] = parts.counts;
    let body = parts.body.replace('/', "\n");
    format!(
        "g3 1 1 0\n {n} {m} {objectives} 0 {equations}\n {m} 0 0 {conditions} 0 0\n 0 0\n {n} 0 0\n 0 0 0 1\n \
         0 0 0 0 0\n {entries} 0\n 0 0\n 0 {defined} 0 0 0\n{body}\n"
    )
}

/// v2 = exp(x0) + 3 x1 used by both rows, v3 = v2² by one: F0 = v2 x0, F1 = v3 - x1.
pub(crate) const DEFINED: Parts = Parts {
    counts: [2, 2, 1, 0, 2, 4, 2],
    body: "V2 1 0/1 3/o44/v0/C0/o2/v2/v0/V3 0 2/o5/v2/n2/C1/v3/O0 0/n5/x1/0 1/r/5 1 1/5 3 2/b/2 0/0 -1 4/k1/2/\
           J0 2/0 0/1 0/J1 2/0 0/1 -1",
};

/// A row per family of operators, all of x0 and x1; the last three are if, piecewise and logic.
pub(crate) const OPERATORS: Parts = Parts {
    counts: [2, 2, 0, 0, 2, 4, 0],
    body: "C0/o54/11/o4/v0/n3/o5/v0/v1/o6/v0/v1/o11/2/v0/v1/o12/3/v0/n0.5/v1/o13/v0/o14/v1/o15/o16/v0/o48/v0/v1/\
           o79/v0/o80/v1/s3/\
           C1/o54/6/o35/o21/o23/v0/v1/o20/o24/v0/n7/o34/o22/v1/n0/o2/v0/v1/n9/o64/3/n-1/n0/n2/s1/l5/v1/o3/o37/v0/\
           o39/v1/o72/o30/v0/v1/o41/v0/o46/v0/o2/o70/3/o28/v0/n0/o29/v1/n0/o73/n1/n1/v1/o71/1/o22/v0/v1/\
           r/5 0 1/5 0 2/b/3/3/J0 2/0 0/1 0/J1 2/0 0/1 0",
};

/// x0 complements F0 = x0 - x1; x1 is in [0, 5] and knows one equation, x0 + x1 = 4; row 2 asks for 1 <= x0 x1 <= 9.
pub(crate) const SIDES: Parts = Parts {
    counts: [2, 3, 0, 1, 1, 6, 0],
    body: "C2/o2/v0/v1/r/5 1 1/4 4/0 1 9/b/2 0/0 0 5/k1/3/J0 2/0 1/1 -1/J1 2/0 1/1 1/J2 2/0 0/1 0",
};

fn model(parts: &Parts) -> Model {
    Model::from_bytes("test", file(parts).as_bytes()).unwrap()
}

fn values(model: &Model, z: &[f64]) -> Vec<f64> {
    let mut f = vec![0.0; model.len()];
    model.evaluate(z, &mut f, None).unwrap();
    f
}

/// Central differences of all entries.
fn check_jacobian(model: &Model, z: &[f64]) {
    let jacobian = mcp_jacobian(model, z).unwrap();
    for j in 0..z.len() {
        let h = 1e-6;
        let shifted = |h: f64| {
            let mut z = z.to_vec();
            z[j] += h;
            values(model, &z)
        };
        let (above, below) = (shifted(h), shifted(-h));
        for i in 0..z.len() {
            let difference = (above[i] - below[i]) / (2.0 * h);
            let exact = jacobian.get(i, j).copied().unwrap_or(0.0);
            // h² times third derivatives, and rounding over h.
            assert!(
                (exact - difference).abs() < 1e-7 * (1.0 + exact.abs()),
                "{i} {j}: {exact} {difference}"
            );
        }
    }
}

#[test]
fn defined_variables_of_several_rows() {
    let model = model(&DEFINED);
    assert_eq!(model.start(), [1.0, 0.0]);
    let v = 0.5_f64.exp() + 6.0;
    assert_eq!(values(&model, &[0.5, 2.0]), [0.5 * v, v * v - 2.0]);
    check_jacobian(&model, &[0.5, 2.0]);
    let jacobian = mcp_jacobian(&model, &[0.5, 2.0]).unwrap();
    assert_eq!(jacobian.get(0, 1), Some(&1.5));
    assert_eq!(jacobian.get(1, 1), Some(&(6.0 * v - 1.0)));
}

#[test]
fn operators_have_the_values_and_derivatives_of_ampl() {
    let model = model(&OPERATORS);
    let (x, y) = (0.7_f64, 1.9_f64);
    // mod, ^, less, min, max, floor, ceil, abs, atan2, logistic, signed power.
    let first = x % 3.0
        + x.powf(y)
        + 0.0
        + x
        + y
        + 0.0
        + 2.0
        + x
        + x.atan2(y)
        + 1.0 / (1.0 + (-x).exp())
        + y.powf(3.0);
    // x <= y and (x = 7 or not y < 0): x y; slopes -1, 2, 5 with breakpoints 0 and 1; all true: y; any true: 1.
    let second = x * y + 2.0 + 5.0 * (y - 1.0) + x.tanh() / y.sqrt() + x.sin() + y + 1.0;
    let f = values(&model, &[x, y]);
    assert!(
        (f[0] - first).abs() < 1e-14 && (f[1] - second).abs() < 1e-14,
        "{f:?} {first} {second}"
    );
    check_jacobian(&model, &[x, y]);
    // x > y: the other branches.
    let f = values(&model, &[2.2, 0.4]);
    let second = 9.0 + 2.0 * 0.4 + 2.2_f64.tanh() / 0.4_f64.sqrt() + 2.2_f64.sin() + 0.4 + 0.0;
    assert!((f[1] - second).abs() < 1e-14, "{f:?} {second}");
    check_jacobian(&model, &[2.2, 0.4]);
}

#[test]
fn the_row_without_a_value_is_named() {
    let model = model(&OPERATORS);
    let evaluate = |z: [f64; 2]| model.evaluate(&z, &mut [0.0; 2], None);
    // The square root of -1 in the second row, a broken power of -1 in the first.
    assert_eq!(evaluate([0.5, -1.0]), Err(DomainError { row: 1 }));
    assert_eq!(evaluate([-1.0, 0.5]), Err(DomainError { row: 0 }));
    // F of sqrt is defined at 0, its derivative is not: only who asks for it is told.
    let root = Parts {
        counts: [1, 1, 0, 0, 1, 1, 0],
        body: "C0/o39/v0/r/5 1 1/b/2 0/J0 1/0 0",
    };
    let root = self::model(&root);
    assert_eq!(values(&root, &[0.0]), [0.0]);
    assert_eq!(mcp_jacobian(&root, &[0.0]), Err(DomainError { row: 0 }));
    // The refusal leaves nothing behind.
    assert_eq!(mcp_jacobian(&root, &[4.0]).unwrap().get(0, 0), Some(&0.25));
}

/// Each side condition adds a variable y: a lower bound g ≥ l becomes y ≥ 0 ⟂ g - l - y, an upper one y ≤ 0 ⟂ g - u - y.
#[test]
fn side_conditions_add_variables() {
    let model = model(&SIDES);
    assert_eq!((model.file_variables(), model.len()), (2, 6));
    let infinity = f64::INFINITY;
    // Rows come first, then the bounds of x1, which is free then.
    assert_eq!(
        model.bounds().lower(),
        [0.0, -infinity, 0.0, -infinity, 0.0, -infinity]
    );
    assert_eq!(
        model.bounds().upper(),
        [infinity, infinity, infinity, 0.0, infinity, 0.0]
    );
    let f = values(&model, &[1.0, 3.0, 2.0, -1.0, 0.5, -2.0]);
    assert_eq!(
        f,
        [
            -2.0,
            0.0,
            3.0 - 1.0 - 2.0,
            3.0 - 9.0 + 1.0,
            3.0 - 0.0 - 0.5,
            3.0 - 5.0 + 2.0
        ]
    );
    check_jacobian(&model, &[1.0, 3.0, 2.0, -1.0, 0.5, -2.0]);
    assert_eq!(model.name(0), "x[0]");
    assert_eq!(model.name(2), "side of row 2");
}

/// Rows that cannot be paired along the diagonal: the matching has to swap, and takes what is there where nothing fits.
#[test]
fn equations_go_to_free_variables_along_the_jacobian() {
    let parts = Parts {
        counts: [3, 3, 0, 3, 0, 5, 0],
        body: "r/4 0/4 1/4 2/b/3/3/3/J0 2/0 1/1 1/J1 1/0 2/J2 2/0 1/2 1",
    };
    let model = model(&parts);
    let rows: Vec<usize> = (0..3).map(|index| model.row(index).unwrap()).collect();
    assert_eq!(rows, [1, 0, 2]);
    assert_eq!(values(&model, &[3.0, 5.0, 7.0]), [5.0, 8.0, 8.0]);
    let parts = Parts {
        counts: [2, 2, 0, 2, 0, 2, 0],
        body: "r/4 0/4 1/b/3/3/J0 1/0 1/J1 1/0 2",
    };
    let singular = self::model(&parts);
    assert_eq!((singular.row(0), singular.row(1)), (Some(0), Some(1)));
}

#[test]
fn refusals_say_what_is_wrong() {
    let message = |parts: &Parts| {
        Model::from_bytes("x", file(parts).as_bytes())
            .unwrap_err()
            .to_string()
    };
    let one = |body| Parts {
        counts: [1, 1, 0, 0, 1, 1, 0],
        body,
    };
    for (body, expected) in [
        (
            "C0/o58/v0/n1/r/5 1 1/b/2 0/J0 1/0 0",
            "line 12: operator 58 (trunc) is not read",
        ),
        ("C0/v3", "line 12: a variable is 3: it must be from 0 to 0"),
        ("C0/n1e400", "line 12: a number is not finite"),
        (
            "C0/o0/v0",
            "line 14: the file ends where an expression should stand",
        ),
        (
            "C0/n1 7",
            "line 12: `7` where the end of the line should stand",
        ),
        (
            "C0/n1/C0/n1",
            "line 13: segment C0 stands here for the second time",
        ),
        (
            "r/5 1 1/J0 1/0 1",
            "the file ends without its segment `b`, the bounds of the variables",
        ),
        (
            "b/2 0/J0 1/0 1",
            "the file ends without its segment `r`, the ranges of the rows",
        ),
        (
            "r/5 1 1/b/0 2 1/J0 1/0 1",
            "variable 0 has the bounds [2, 1]: lower must not exceed upper",
        ),
        (
            "C0/v0/r/5 1 1/b/2 0",
            "the header announces 1 entries of the Jacobian, the file has 0",
        ),
        (
            "q",
            "line 11: `q` where the letter of a segment should stand",
        ),
        (
            "r/3/b/3/J0 1/0 1",
            "the header announces 1 complementarity conditions, the file has 0",
        ),
    ] {
        assert_eq!(message(&one(body)), expected, "{body}");
    }
    let two = |equations, conditions, body| Parts {
        counts: [2, 2, 0, equations, conditions, 2, 0],
        body,
    };
    for (parts, expected) in [
        (
            two(0, 2, "r/5 1 1/5 1 1/b/2 0/3/J0 1/0 1/J1 1/1 1"),
            "rows 0 and 1 both complement variable 0",
        ),
        (
            two(1, 0, "r/4 1/1 3/b/3/3/J0 1/0 1/J1 1/1 1"),
            "1 equations for 2 variables that no row complements (variable 1 finds none): they must be as many",
        ),
        (
            two(2, 0, "r/4 1/4 1/b/3/4 2/J0 1/0 1/J1 1/1 1"),
            "2 equations for 1 variables that no row complements (row 1 finds none): they must be as many",
        ),
        (
            two(0, 2, "C0/v1/r/5 1 1/5 1 2/b/2 0/2 0/J0 1/0 1/J1 1/1 1"),
            "row 0 uses variable 1, which its segment `J` leaves out",
        ),
        (
            two(0, 2, "r/5 1 1/5 1 2/b/2 0/2 0/k1/2/J0 1/0 1/J1 1/1 1"),
            "segment `k` counts 2 entries up to variable 0, the `J` segments have 1",
        ),
    ] {
        assert_eq!(message(&parts), expected);
    }
    let objective = Parts {
        counts: [1, 1, 1, 0, 1, 1, 0],
        body: "O0 0/v0/r/5 1 1/b/2 0/J0 1/0 1",
    };
    assert!(message(&objective).contains("objective 0 depends on variables"));
    let text = file(&one("F0 1 -1 gsl/C0/f0 1/v0")).replace(" 0 0 0 1\n", " 0 1 0 1\n");
    let error = Model::from_bytes("x", text.as_bytes())
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "line 13: the imported function `gsl` is called: libraries of functions are not loaded"
    );
    for (line, expected) in [
        (
            "\n 0 1 0 0 0\n",
            "1 variables are integer or binary: this reads problems in real variables",
        ),
        ("\n 0 0 0 0 0\n", "variable 0"),
    ] {
        let text = file(&one("r/5 1 1/b/0 2 1/J0 1/0 1")).replace("\n 0 0 0 0 0\n", line);
        let error = Model::from_bytes("x", text.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    let other = Model::from_bytes("x", b"{}").unwrap_err().to_string();
    assert!(
        other.starts_with("line 1: the file begins neither with `g`"),
        "{other}"
    );
}

#[test]
fn names_come_from_the_files_beside_the_stub() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.b.nl"), file(&DEFINED)).unwrap();
    std::fs::write(path("a.b.col"), "price\nquantity\n").unwrap();
    std::fs::write(path("a.b.row"), "profit\nmarket\u{7}\nobjective\n").unwrap();
    for stub in ["a.b", "a.b.nl"] {
        let model = Model::from_stub(path(stub)).unwrap();
        assert_eq!([model.name(0), model.name(1)], ["price", "quantity"]);
        assert_eq!(
            [model.row_name(0), model.row_name(1)],
            ["profit", "market\\u{7}"]
        );
        assert_eq!(model.problem_name(), "a.b");
    }
    // Too few names are none.
    std::fs::write(path("a.b.col"), "price\n").unwrap();
    assert_eq!(Model::from_stub(path("a.b")).unwrap().name(0), "x[0]");
}
