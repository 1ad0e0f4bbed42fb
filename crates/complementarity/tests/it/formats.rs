//! Problems as files: the schema, round trips to the bit, and errors that name the entry.

use proptest::prelude::*;
use serde_json::Value;
use signorini_complementarity::io::matrix_market::{
    Layout, read_matrix, read_vector, write_matrix, write_vector,
};
use signorini_complementarity::io::{ProblemFile, ReadError, ReportedResult, read_text};
use signorini_complementarity::*;

use crate::problems::fixtures;

const SMALL: &str = r#"{ "format": "linear-mcp-1", "n": 2,
"M": { "rows": 2, "cols": 2, "i": [0, 1], "j": [0, 1], "v": [2, 3] },
"q": [-5, -6], "l": [0, null], "u": [null, 4.5], "covering": [1, 1], "known": [[2.5, 2]] }"#;

fn schema() -> jsonschema::Validator {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/problem.schema.json"
    );
    let text = std::fs::read_to_string(path).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// Bits of an entry, row and column.
pub(crate) type Place = (u64, (usize, usize));

/// All bits of M, q, l and u, with the places of M.
pub(crate) fn bits(problem: &LinearMcp) -> (Vec<Place>, Vec<u64>) {
    let m = problem.m().iter().map(|(v, at)| (v.to_bits(), at));
    let bounds = problem.bounds();
    let vectors = [problem.q(), bounds.lower(), bounds.upper()].concat();
    (m.collect(), vectors.iter().map(|x| x.to_bits()).collect())
}

#[test]
fn the_schema_accepts_every_fixture_and_what_is_written() {
    let schema = schema();
    for (name, path) in fixtures() {
        let text = read_text(&path).unwrap();
        let file = ProblemFile::from_json(&text).unwrap();
        let written = file.to_json().unwrap();
        for text in [&text, &written] {
            let value: Value = serde_json::from_str(text).unwrap();
            let faults: Vec<String> = schema.iter_errors(&value).map(|f| f.to_string()).collect();
            assert!(faults.is_empty(), "{name}: {faults:?}");
        }
        let back = ProblemFile::from_json(&written).unwrap();
        assert_eq!(back, file, "{name}");
        assert_eq!(bits(&back.problem), bits(&file.problem), "{name}");
    }
}

#[test]
fn the_schema_and_the_reader_refuse_the_same_faults() {
    let schema = schema();
    let valid: Value = serde_json::from_str(SMALL).unwrap();
    assert!(schema.is_valid(&valid));
    ProblemFile::from_json(SMALL).unwrap();
    let wrong = [
        ("\"n\": 2", "\"n\": -2"),
        ("\"n\": 2", "\"n\": 2.5"),
        ("\"n\": 2,", ""),
        ("linear-mcp-1", "linear-mcp-2"),
        ("[2, 3]", "[2, null]"),
        ("[2, 3]", "[2, \"3\"]"),
        ("[-5, -6]", "[-5, null]"),
        ("[0, null]", "[0, true]"),
        ("\"rows\": 2, ", ""),
        ("\"i\": [0, 1]", "\"i\": [0, -1]"),
        ("\"known\"", "\"knwon\""),
        ("[1, 1]", "[1, 0]"),
        ("[[2.5, 2]]", "[[2.5, null]]"),
    ];
    for (from, to) in wrong {
        assert!(SMALL.contains(from), "{from}");
        let text = SMALL.replacen(from, to, 1);
        assert!(
            !schema.is_valid(&serde_json::from_str(&text).unwrap()),
            "{text}"
        );
        assert!(ProblemFile::from_json(&text).is_err(), "{text}");
    }
}

#[test]
fn errors_name_the_entry() {
    let message = |from: &str, to: &str| {
        assert!(SMALL.contains(from), "{from}");
        let text = SMALL.replacen(from, to, 1);
        ProblemFile::from_json(&text).unwrap_err().to_string()
    };
    let cases = [
        (
            "[-5, -6]",
            "[-5, null]",
            "`q[1]` is null: a finite number is needed",
        ),
        (
            "[2, 3]",
            "[2, null]",
            "`M.v[1]` is null: a finite number is needed",
        ),
        ("[-5, -6]", "[-5]", "`q` has length 1, expected 2"),
        ("[0, null]", "[0, null, 1]", "`l` has length 3, expected 2"),
        (
            "\"rows\": 2",
            "\"rows\": 3",
            "`M.rows` has length 3, expected 2",
        ),
        (
            "\"j\": [0, 1]",
            "\"j\": [0]",
            "`M.j` has length 1, expected 2",
        ),
        (
            "\"i\": [0, 1]",
            "\"i\": [0, 2]",
            "`M.i[1]` is 2: the matrix is 2 x 2, counted from 0",
        ),
        (
            "\"i\": [0, 1], \"j\": [0, 1]",
            "\"i\": [1, 1], \"j\": [0, 0]",
            "triplets 0 and 1 of `M` both stand at row 1, column 0",
        ),
        (
            "[0, null]",
            "[0, 5]",
            "bounds of z[1] are [5, 4.5]: lower must not exceed upper",
        ),
        (
            "[1, 1]",
            "[1, 0]",
            "`covering[1]` is 0.0: it must be greater than 0",
        ),
        (
            "[[2.5, 2]]",
            "[[2.5]]",
            "`known[0]` has length 1, expected 2",
        ),
        (
            "linear-mcp-1",
            "lcp",
            "`format` is \"lcp\": this reads \"linear-mcp-1\"",
        ),
        (
            "\"q\": [-5",
            "\"q\": [1e999",
            "line 3, column 11: number out of range",
        ),
        (
            "\"known\"",
            "\"knwon\"",
            "line 3, column 76: unknown field `knwon`",
        ),
        ("[[2.5, 2]] }", "[[2.5, 2]]", "EOF while parsing an object"),
    ];
    for (from, to, expected) in cases {
        let text = message(from, to);
        assert!(text.contains(expected), "{text}");
    }
    // A claimed size takes no memory.
    let text = SMALL.replace("\"n\": 2", "\"n\": 1000000000000000");
    assert!(matches!(
        ProblemFile::from_json(&text),
        Err(ReadError::Length { .. })
    ));
}

#[test]
fn what_could_not_be_read_back_is_not_written() {
    let file = ProblemFile::from_json(SMALL).unwrap();
    let mut nan = file.clone();
    nan.known[0][1] = f64::NAN;
    assert_eq!(
        nan.to_json().unwrap_err().to_string(),
        "`known[0][1]` is NaN: a finite number is needed"
    );
    let mut short = file.clone();
    short.start = Some(vec![1.0]);
    assert_eq!(
        short.to_json().unwrap_err().to_string(),
        "`start` has length 1, expected 2"
    );
    let mut slow = file;
    slow.results.push(ReportedResult {
        solver: "none".to_owned(),
        status: "waiting".to_owned(),
        pivots: None,
        residual: None,
        seconds: Some(f64::INFINITY),
    });
    assert_eq!(
        slow.to_json().unwrap_err().to_string(),
        "`results.seconds[0]` is inf: a finite number is needed"
    );
}

/// Any finite double: every bit pattern, and those near the ends.
fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>()
            .prop_map(f64::from_bits)
            .prop_filter("finite", |x| x.is_finite()),
        prop::sample::select(vec![
            0.0,
            -0.0,
            5e-324,
            -5e-324,
            f64::MAX,
            f64::MIN_POSITIVE,
            0.1
        ]),
    ]
}

/// A problem with any pattern, explicit zeros included, and any bounds.
fn problem() -> impl Strategy<Value = LinearMcp> {
    (0..7_usize)
        .prop_flat_map(|n| {
            let entry = prop::option::weighted(0.6, finite());
            let bounds = (finite(), finite(), 0..4_usize);
            (
                prop::collection::vec(entry, n * n),
                prop::collection::vec(finite(), n),
                prop::collection::vec(bounds, n),
            )
        })
        .prop_map(|(entries, q, bounds)| {
            let n = q.len();
            let mut m = sprs::TriMat::new((n, n));
            for (e, value) in entries.iter().enumerate() {
                if let Some(value) = value {
                    m.add_triplet(e / n, e % n, *value);
                }
            }
            let bound = |(a, b, kind): &(f64, f64, usize)| match kind {
                0 => (a.min(*b), a.max(*b)),
                1 => (*a, f64::INFINITY),
                2 => (f64::NEG_INFINITY, *b),
                _ => (f64::NEG_INFINITY, f64::INFINITY),
            };
            let (lower, upper) = bounds.iter().map(bound).unzip();
            LinearMcp::new(m.to_csc(), q, Bounds::new(lower, upper).unwrap()).unwrap()
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn every_bit_survives(problem in problem()) {
        let file = ProblemFile::new("any", problem.clone());
        let back = ProblemFile::from_json(&file.to_json().unwrap()).unwrap();
        prop_assert_eq!(bits(&back.problem), bits(&problem));

        let bounds = problem.bounds();
        let vector = |x: &[f64]| read_vector(&write_vector(x)).unwrap();
        let bounds = Bounds::new(vector(bounds.lower()), vector(bounds.upper())).unwrap();
        let q = vector(problem.q());
        let coordinate = read_matrix(&write_matrix(problem.m(), Layout::Coordinate)).unwrap();
        let back = LinearMcp::new(coordinate, q.clone(), bounds.clone()).unwrap();
        prop_assert_eq!(bits(&back), bits(&problem));

        // The dense layout does not know which +0 was stored.
        let array = read_matrix(&write_matrix(&problem.m().to_csr(), Layout::Array)).unwrap();
        let mut sparse = sprs::TriMat::new(problem.m().shape());
        for (v, (i, j)) in problem.m().iter().filter(|(v, _)| v.to_bits() != 0) {
            sparse.add_triplet(i, j, *v);
        }
        let expected = LinearMcp::new(sparse.to_csc(), q.clone(), bounds.clone()).unwrap();
        prop_assert_eq!(bits(&LinearMcp::new(array, q, bounds).unwrap()), bits(&expected));
    }
}
