//! Golden files: a header that says what each column is and how closely it must be met.
//!
//! ```text
//! # experiment: st2000-rod
//! # column: t abs=0 rel=1e-12
//! # column: y abs=1e-9 rel=0
//! t,y
//! 0.0000000000000000e0,1.0000000000000000e0
//! ```

use super::Fault;
use super::tree::Tree;

/// Every golden file names its experiment and gives a tolerance for every column; every value is a number.
pub(super) fn headers(tree: &Tree) -> Vec<Fault> {
    let golden = tree.files().filter_map(|(path, text)| {
        let name = path
            .strip_prefix("fixtures/golden/")?
            .strip_suffix(".csv")?;
        Some((path, name, text))
    });
    golden
        .filter_map(|(path, name, text)| {
            let (line, message) = check(name, text).err()?;
            Some(Fault::at(path, line, message))
        })
        .collect()
}

/// The first fault of a file, with its line.
fn check(name: &str, text: &str) -> Result<(), (usize, String)> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line))
        .peekable();
    let (_, first) = lines.next().unwrap_or((1, ""));
    let experiment = first
        .strip_prefix("# experiment: ")
        .unwrap_or_default()
        .trim();
    if experiment.is_empty() {
        return Err((1, "begin with `# experiment: ID`".into()));
    }
    if !name.starts_with(experiment) {
        return Err((
            1,
            format!("the file's name does not begin with {experiment}"),
        ));
    }

    let mut columns = Vec::new();
    while let Some((at, line)) = lines.next_if(|(_, line)| line.starts_with('#')) {
        columns.push(column(line).ok_or((at, "write `# column: NAME abs=.. rel=..`".to_owned()))?);
    }
    let (at, header) = lines.next().unwrap_or((columns.len() + 2, ""));
    if columns.is_empty() || columns.join(",") != header {
        return Err((
            at,
            format!("the columns described are {}", columns.join(",")),
        ));
    }

    let mut rows = 0;
    for (at, line) in lines {
        let values = line
            .split(',')
            .map(|field| field.parse::<f64>().is_ok_and(f64::is_finite));
        if values.clone().count() != columns.len() || values.clone().any(|finite| !finite) {
            return Err((at, format!("expected {} finite numbers", columns.len())));
        }
        rows += 1;
    }
    if rows == 0 {
        Err((at, "no rows".into()))
    } else {
        Ok(())
    }
}

/// The column's name, if the line is a complete description with tolerances that are numbers ≥ 0.
fn column(line: &str) -> Option<&str> {
    let mut words = line.strip_prefix("# column: ")?.split_whitespace();
    let name = words.next()?;
    for key in ["abs=", "rel="] {
        let tolerance: f64 = words.next()?.strip_prefix(key)?.parse().ok()?;
        if !(tolerance >= 0.0 && tolerance.is_finite()) {
            return None;
        }
    }
    words.next().is_none().then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# experiment: st2000-rod\n# column: t abs=0 rel=1e-12\n# column: y abs=1e-9 rel=0\nt,y\n0.0,1.0\n";

    fn fault(text: &str) -> Option<(usize, String)> {
        check("st2000-rod-heights", text).err()
    }

    #[test]
    fn a_complete_file_passes() {
        assert_eq!(fault(GOOD), None);
    }

    #[test]
    fn each_missing_part_is_a_fault() {
        for (good, bad, line) in [
            ("# experiment: st2000-rod\n", "", 1),
            ("st2000-rod", "ha2003-joints", 1),
            (" rel=0", "", 3),
            ("abs=1e-9", "abs=-1", 3),
            ("abs=1e-9", "abs=nan", 3),
            ("# column: y abs=1e-9 rel=0\n", "", 3),
            ("t,y", "t,z", 4),
            ("0.0,1.0", "0.0", 5),
            ("0.0,1.0", "0.0,NaN", 5),
            ("0.0,1.0\n", "", 4),
        ] {
            let text = GOOD.replacen(good, bad, 1);
            assert_eq!(fault(&text).map(|(line, _)| line), Some(line), "{text}");
        }
        assert!(fault("").is_some());
    }

    #[test]
    fn only_golden_files_are_read() {
        let tree = Tree::of([
            ("fixtures/golden/a.csv", ""),
            ("fixtures/problems/b.csv", ""),
        ]);
        assert_eq!(headers(&tree).len(), 1);
    }
}
