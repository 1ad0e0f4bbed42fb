//! Golden files: data of a run that must not move unnoticed.
//!
//! ```text
//! # experiment: st2000-rod
//! # column: t abs=1e-12 rel=0e0
//! t
//! 2.5000000000000001e-3
//! ```
//!
//! Values have 17 digits, enough for every bit. A value agrees if it is off by no more than
//! `abs + rel · |expected|`.

use std::path::{Path, PathBuf};

use crate::error::GoldenError;
use crate::report::{Column, Table};

/// The folder of the golden files of this repository.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/golden")
}

/// Name of the golden file of a table.
pub fn file_name(experiment: &str, table: &Table) -> String {
    format!("{experiment}-{}.csv", table.name)
}

/// The text of a golden file.
pub fn write(experiment: &str, table: &Table) -> String {
    let mut text = format!("# experiment: {experiment}\n");
    for column in &table.columns {
        text += &describe(column);
        text.push('\n');
    }
    text + &rows(table, |column| column.name.clone())
}

/// Heading and rows with 17 digits; `heading` names a column.
pub(crate) fn rows(table: &Table, heading: impl Fn(&Column) -> String) -> String {
    let headings: Vec<_> = table.columns.iter().map(heading).collect();
    let mut text = headings.join(",");
    text.push('\n');
    for row in &table.rows {
        let row: Vec<_> = row.iter().map(|x| format!("{x:.16e}")).collect();
        text += &row.join(",");
        text.push('\n');
    }
    text
}

fn describe(column: &Column) -> String {
    format!(
        "# column: {} abs={:e} rel={:e}",
        column.name, column.abs, column.rel
    )
}

/// Compares a table with the text of its golden file.
///
/// # Errors
///
/// [`GoldenError`] for a file that is not in the format, for other columns, tolerances or numbers
/// of rows, and for the first value out of tolerance.
pub fn compare(text: &str, table: &Table) -> Result<(), GoldenError> {
    let expected = parse(text)?;
    let names = |columns: &[String]| columns.join(", ");
    let found: Vec<_> = table.columns.iter().map(describe).collect();
    if found != expected.columns {
        let (expected, found) = (names(&expected.columns), names(&found));
        return Err(GoldenError::Columns { expected, found });
    }
    if expected.rows.len() != table.rows.len() {
        let (expected, found) = (expected.rows.len(), table.rows.len());
        return Err(GoldenError::Rows { expected, found });
    }
    for (index, (expected, found)) in expected.rows.iter().zip(&table.rows).enumerate() {
        for (column, (&expected, &found)) in table.columns.iter().zip(expected.iter().zip(found)) {
            let tolerance = column.abs + column.rel * expected.abs();
            let difference = (found - expected).abs();
            if difference.is_nan() || difference > tolerance {
                let (row, column) = (index + 1, column.name.clone());
                return Err(GoldenError::Value {
                    row,
                    column,
                    found,
                    expected,
                    tolerance,
                });
            }
        }
    }
    Ok(())
}

/// Largest absolute difference per column; `None` if the shapes differ.
pub fn differences(text: &str, table: &Table) -> Option<Vec<(String, f64)>> {
    let expected = parse(text).ok()?;
    let same = expected.rows.len() == table.rows.len()
        && expected
            .rows
            .first()
            .is_none_or(|row| row.len() == table.columns.len());
    same.then(|| {
        let largest = |index: usize| {
            let pairs = expected.rows.iter().zip(&table.rows);
            pairs
                .map(|(a, b)| (a[index] - b[index]).abs())
                .fold(0.0, f64::max)
        };
        let columns = table.columns.iter().enumerate();
        columns
            .map(|(index, column)| (column.name.clone(), largest(index)))
            .collect()
    })
}

struct Parsed {
    columns: Vec<String>,
    rows: Vec<Vec<f64>>,
}

fn parse(text: &str) -> Result<Parsed, GoldenError> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line))
        .peekable();
    let fault = |line, fault| GoldenError::Format { line, fault };
    match lines.next() {
        Some((_, line)) if line.starts_with("# experiment: ") => {}
        _ => return Err(fault(1, "expected `# experiment: ID`")),
    }
    let mut columns = Vec::new();
    while let Some((line, text)) = lines.next_if(|(_, text)| text.starts_with('#')) {
        if !text.starts_with("# column: ") {
            return Err(fault(line, "expected `# column: NAME abs=.. rel=..`"));
        }
        columns.push(text.to_owned());
    }
    if lines.next().is_none() {
        return Err(fault(
            columns.len() + 2,
            "expected the names of the columns",
        ));
    }
    let mut rows = Vec::new();
    for (line, text) in lines {
        let row: Result<Vec<f64>, _> = text.split(',').map(str::parse).collect();
        let row = row.map_err(|_| fault(line, "expected numbers separated by commas"))?;
        if row.len() != columns.len() {
            return Err(fault(line, "expected one number per column"));
        }
        rows.push(row);
    }
    Ok(Parsed { columns, rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(y: f64) -> Table {
        Table {
            name: "run".into(),
            golden: true,
            columns: vec![Column::new("t", "s", 0.0), Column::new("y", "m", 1e-9)],
            rows: vec![vec![0.1, 1.0 / 3.0], vec![0.2, y]],
        }
    }

    #[test]
    fn a_table_agrees_with_its_own_file() {
        let text = write("e", &table(2.0));
        assert!(
            text.contains("\n1.0000000000000001e-1,3.3333333333333331e-1\n"),
            "{text}"
        );
        assert_eq!(compare(&text, &table(2.0)), Ok(()));
        assert_eq!(compare(&text, &table(2.0 + 0.9e-9)), Ok(()));
        assert!((differences(&text, &table(2.5)).unwrap()[1].1 - 0.5).abs() < 1e-12);
    }

    #[test]
    fn differences_are_named() {
        let text = write("e", &table(2.0));
        let message = |table: &Table| compare(&text, table).unwrap_err().to_string();
        insta::assert_snapshot!(message(&table(2.1)), @"row 2, column `y`: 2.1e0, expected 2e0 within 1e-9");
        insta::assert_snapshot!(message(&table(f64::NAN)), @"row 2, column `y`: NaN, expected 2e0 within 1e-9");
        let mut short = table(2.0);
        short.rows.pop();
        insta::assert_snapshot!(message(&short), @"1 rows, expected 2");
        let mut loose = table(2.0);
        loose.columns[1].abs = 1.0;
        assert!(matches!(
            compare(&text, &loose),
            Err(GoldenError::Columns { .. })
        ));
        assert!(matches!(
            compare("t,y\n", &short),
            Err(GoldenError::Format { line: 1, .. })
        ));
    }
}
