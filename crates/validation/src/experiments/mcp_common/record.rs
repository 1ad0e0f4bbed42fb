//! What PATH 4.7 did with the same problems from the same starts: `fixtures/problems/mcp_path.csv`.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

/// One solve of PATH. Its demonstration mode takes at most 300 variables and 2000 entries of the Jacobian; there is no
/// record of larger problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::experiments) struct Record {
    pub(in crate::experiments) solved: bool,
    pub(in crate::experiments) majors: usize,
    pub(in crate::experiments) minors: usize,
    pub(in crate::experiments) crash: usize,
    pub(in crate::experiments) evaluations: usize,
}

/// The records by problem and start.
pub(in crate::experiments) fn records()
-> Result<BTreeMap<(String, usize), Record>, Box<dyn Error + Send + Sync>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/problems/mcp_path.csv");
    parse(&std::fs::read_to_string(path)?)
}

fn parse(text: &str) -> Result<BTreeMap<(String, usize), Record>, Box<dyn Error + Send + Sync>> {
    let mut records = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [
            problem,
            start,
            status,
            _,
            majors,
            minors,
            crash,
            evaluations,
            ..,
        ] = cells[..]
        else {
            return Err(format!("mcp_path.csv: too few cells in `{line}`").into());
        };
        if status == "over_size_limit" {
            continue;
        }
        let record = Record {
            solved: status == "solved",
            majors: majors.parse()?,
            minors: minors.parse()?,
            crash: crash.parse()?,
            evaluations: evaluations.parse()?,
        };
        records.insert((problem.to_owned(), start.parse()?), record);
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_is_complete() {
        let records = records().unwrap();
        let solved = records.values().filter(|record| record.solved);
        let majors: usize = solved.clone().map(|record| record.majors).sum();
        assert_eq!((records.len(), solved.count(), majors), (83, 81, 707));
    }
}
