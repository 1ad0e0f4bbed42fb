//! Layouts, symmetries and faults of Matrix Market files.

use super::*;

fn dense(text: &str) -> Vec<Vec<f64>> {
    let m = read_matrix(text).unwrap().to_dense();
    m.outer_iter().map(|row| row.to_vec()).collect()
}

fn message(text: &str) -> String {
    read_matrix(text).unwrap_err().to_string()
}

#[test]
fn the_same_matrix_in_every_layout() {
    let skew = [vec![0.0, -3.0], vec![3.0, 0.0]];
    for text in [
        "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n",
        "%%MatrixMarket MATRIX Array Integer Skew-Symmetric\n% a comment\n\n 2\t2 \n 3",
        "%%MatrixMarket matrix array real general\n2 2\n0 3.0D+0\n-3 0\n",
        "%%matrixmarket matrix coordinate real general\n2 2 2\n2 1 3e0\n\n1 2 -3\n",
    ] {
        assert_eq!(dense(text), skew, "{text}");
    }
    let symmetric = "%%MatrixMarket matrix array real symmetric\n2 2\n1 2 3";
    assert_eq!(dense(symmetric), [vec![1.0, 2.0], vec![2.0, 3.0]]);
}

#[test]
fn faults_are_named_with_their_line() {
    let head = "%%MatrixMarket matrix coordinate real symmetric\n% c\n2 2 1\n";
    let cases = [
        (
            "",
            "line 1: the file must begin with `%%MatrixMarket matrix LAYOUT FIELD SYMMETRY`"
                .to_owned(),
        ),
        (
            "%%MatrixMarket matrix array complex general\n",
            "line 1: field `complex` is not read: use real or integer".to_owned(),
        ),
        (
            "%%MatrixMarket matrix array real general\n",
            "line 2: expected the sizes, ROWS COLUMNS".to_owned(),
        ),
        (
            "%%MatrixMarket matrix array real general\n1 99999999999\n",
            "line 2: size 99999999999 is above 10000000".to_owned(),
        ),
        (
            "%%MatrixMarket matrix array real symmetric\n1 2\n",
            "line 2: a 1 x 2 matrix cannot be symmetric".to_owned(),
        ),
        (
            "%%MatrixMarket matrix array real general\n1 2\n5\n",
            "line 3: found 1 entries, expected 2".to_owned(),
        ),
        (
            "%%MatrixMarket matrix array real general\n1 1\n5\n6\n",
            "line 4: found 2 entries, expected 1".to_owned(),
        ),
        (
            "%%MatrixMarket matrix array real general\n1 1\n1e999\n",
            "line 3: `1e999` is no finite number".to_owned(),
        ),
        (
            "%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 5\n1 1 5\n",
            "line 4: entry (1, 1) is written twice".to_owned(),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(message(text), expected, "{text}");
    }
    for (entry, expected) in [
        (
            "1 2 7",
            "entry (1, 2) is implied by the symmetry and must not be written",
        ),
        ("0 1 7", "row index `0` is no integer from 1 to 2"),
        ("2 3 7", "column index `3` is no integer from 1 to 2"),
        ("2 1", "found 2 words, expected 3"),
        ("2 1 nan", "`nan` is no finite number"),
        ("2 1 1\n2 2 1", "found 2 entries, expected 1"),
    ] {
        let text = message(&format!("{head}{entry}\n"));
        assert!(text.ends_with(expected), "{text}");
    }
}

#[test]
fn vectors_may_be_infinite_where_they_say_so() {
    let array = |numbers: &str| {
        read_vector(&format!(
            "%%MatrixMarket matrix array real general\n2 1\n{numbers}"
        ))
    };
    assert_eq!(
        array("inf\n-Infinity\n").unwrap(),
        [f64::INFINITY, f64::NEG_INFINITY]
    );
    assert!(array("1e999 0").is_err() && array("nan 0").is_err());
    let sparse = "%%MatrixMarket matrix coordinate real general\n3 1 1\n2 1 5\n";
    assert_eq!(read_vector(sparse).unwrap(), [0.0, 5.0, 0.0]);
    let twice = sparse.replace("1 1\n", "1 2\n") + "2 1 6\n";
    assert_eq!(
        read_vector(&twice).unwrap_err().to_string(),
        "line 4: entry (2, 1) is written twice"
    );
    let wide = sparse.replace("3 1 1", "3 2 1");
    assert_eq!(
        read_vector(&wide).unwrap_err().to_string(),
        "line 1: the matrix is 3 x 2: a vector has one column"
    );
}

#[test]
fn the_symmetry_written_is_the_one_that_gives_the_same_bits() {
    let word = |triplets: &[Triplet]| {
        let m = by_columns((2, 2), triplets).unwrap();
        for layout in [Layout::Coordinate, Layout::Array] {
            let back = read_matrix(&write_matrix(&m, layout)).unwrap();
            let bits = |m: &CsMat<f64>| -> Vec<_> {
                let all = m.iter().map(|(v, at)| (v.to_bits(), at));
                all.filter(|(bits, _)| layout == Layout::Coordinate || *bits != 0)
                    .collect()
            };
            assert_eq!(bits(&back), bits(&m), "{triplets:?}");
        }
        Symmetry::of(&m)
    };
    assert_eq!(
        word(&[(0, 1, 2.0), (1, 0, 2.0), (1, 1, -0.0)]),
        Symmetry::Symmetric
    );
    assert_eq!(word(&[(0, 1, 0.0), (1, 0, -0.0)]), Symmetry::General);
    assert_eq!(word(&[(0, 1, -2.0), (1, 0, 2.0)]), Symmetry::Skew);
    assert_eq!(
        word(&[(0, 1, -2.0), (1, 0, 2.0), (0, 0, 0.0)]),
        Symmetry::General
    );
    assert_eq!(word(&[(0, 1, 2.0)]), Symmetry::General);
    assert_eq!(word(&[]), Symmetry::General);
}
