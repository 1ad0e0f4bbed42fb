//! A linear problem with its history as one JSON file, format `linear-mcp-1`.
//!
//! | field | shape | meaning |
//! | --- | --- | --- |
//! | `format` | | `"linear-mcp-1"` |
//! | `n` | | number of variables |
//! | `M` | | `rows`, `cols` (both n), triplets `i`, `j` (from 0), `v`; a place at most once |
//! | `q` | (n,) | |
//! | `l`, `u` | (n,) | bounds, null is infinite; left out: l = 0, u = ∞, an LCP |
//! | `name`, `source`, `licence`, `note` | | text, may be left out |
//! | `expect` | | `"solvable"`, `"infeasible"`, or null |
//! | `start` | (n,) | a start that the source prescribes, or null |
//! | `covering` | (n,) | a covering vector for Lemke's method that the source prescribes, or null |
//! | `known` | (·, n) | published solutions |
//! | `solutions` | | solutions found, each with `z` (n,), `residual`, `origin` |
//! | `results` | | what solvers did with it: `solver`, `status`, `pivots`, `residual`, `seconds` |
//! | `bases_enumerated` | | solutions at nonsingular bases, by enumeration, or null |

use serde::{Deserialize, Serialize};

use super::ReadError;
use super::files::reads_json;
use super::json::{
    RawMatrix, check_finite, check_format, check_length, check_vector, field, numbers,
};
use crate::{Bounds, LinearMcp};

const FORMAT: &str = "linear-mcp-1";

/// Whether a problem has a solution, as its source says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expect {
    /// There is a solution.
    Solvable,
    /// There is none: a solver must not call it solved.
    Infeasible,
}

/// A solution that somebody found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownSolution {
    /// The point, length n.
    pub z: Vec<f64>,
    /// max |z − mid(l, z − F, u)|, not scaled.
    pub residual: f64,
    /// How it was found.
    pub origin: String,
}

/// What a solver once did with the problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportedResult {
    /// Name and version of the solver.
    pub solver: String,
    /// What it said.
    pub status: String,
    /// Pivots or iterations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pivots: Option<u64>,
    /// max |z − mid(l, z − F, u)| of its answer, not scaled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual: Option<f64>,
    /// Time, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// A linear problem with its history: where it comes from and what is known of its answers.
///
/// # Examples
/// ```
/// use signorini_complementarity::io::ProblemFile;
/// let text = r#"{ "format": "linear-mcp-1", "name": "two", "n": 2,
///     "M": { "rows": 2, "cols": 2, "i": [0, 1, 0, 1], "j": [0, 0, 1, 1], "v": [2, 1, 1, 2] },
///     "q": [-5, -6], "l": [0, null], "u": [null, 4.5] }"#;
/// let file = ProblemFile::from_json(text)?;
/// assert_eq!(file.problem.bounds().upper(), [f64::INFINITY, 4.5]);
/// assert_eq!(ProblemFile::from_json(&file.to_json()?)?, file);
///
/// let error = ProblemFile::from_json(&text.replace("[-5, -6]", "[-5]")).unwrap_err();
/// assert_eq!(error.to_string(), "`q` has length 1, expected 2");
/// # Ok::<(), signorini_complementarity::io::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemFile {
    /// Short name.
    pub name: String,
    /// Where the problem comes from.
    pub source: String,
    /// Under which terms.
    pub licence: String,
    /// What is special about it.
    pub note: String,
    /// M, q, l, u.
    pub problem: LinearMcp,
    /// Whether there is a solution.
    pub expect: Option<Expect>,
    /// A start that the source prescribes, length n.
    pub start: Option<Vec<f64>>,
    /// A covering vector for Lemke's method that the source prescribes, length n, all > 0.
    pub covering: Option<Vec<f64>>,
    /// Published solutions, each of length n.
    pub known: Vec<Vec<f64>>,
    /// Solutions found; not always all of them.
    pub solutions: Vec<KnownSolution>,
    /// What solvers did with it.
    pub results: Vec<ReportedResult>,
    /// Number of solutions found by trying all nonsingular complementary bases.
    pub bases_enumerated: Option<u64>,
}

reads_json!(ProblemFile, Raw);

impl ProblemFile {
    /// A problem with a name and no history.
    pub fn new(name: impl Into<String>, problem: LinearMcp) -> Self {
        Self {
            name: name.into(),
            source: String::new(),
            licence: String::new(),
            note: String::new(),
            problem,
            expect: None,
            start: None,
            covering: None,
            known: Vec::new(),
            solutions: Vec::new(),
            results: Vec::new(),
            bases_enumerated: None,
        }
    }

    /// JSON text, one field per line, that [`ProblemFile::from_json`] reads back the same to the last bit.
    ///
    /// # Errors
    /// [`ReadError`] if a public field is such that it could not be read back: a wrong length, or a number that is not
    /// finite.
    pub fn to_json(&self) -> Result<String, ReadError> {
        self.check()?;
        let (m, n) = (self.problem.m(), self.problem.len());
        let finite = |x: &f64| x.is_finite().then_some(*x);
        let bounds = self.problem.bounds();
        let raw = Raw {
            format: FORMAT.to_owned(),
            name: self.name.clone(),
            n,
            source: self.source.clone(),
            licence: self.licence.clone(),
            note: self.note.clone(),
            expect: self.expect,
            matrix: RawMatrix::new(m),
            q: self.problem.q().iter().map(|q| Some(*q)).collect(),
            l: Some(bounds.lower().iter().map(finite).collect()),
            u: Some(bounds.upper().iter().map(finite).collect()),
            start: self.start.clone(),
            covering: self.covering.clone(),
            known: self.known.clone(),
            solutions: self.solutions.clone(),
            results: self.results.clone(),
            bases_enumerated: self.bases_enumerated,
        };
        Ok(raw.to_json())
    }

    /// What the types do not see: lengths, and numbers that JSON has no word for.
    fn check(&self) -> Result<(), ReadError> {
        let n = self.problem.len();
        let optional = [("start", &self.start), ("covering", &self.covering)];
        for (what, values) in optional {
            if let Some(values) = values {
                check_vector(what, values, n)?;
            }
        }
        if let Some(covering) = &self.covering
            && let Some(index) = covering.iter().position(|d| *d <= 0.0)
        {
            let value = covering[index];
            return Err(ReadError::Covering { index, value });
        }
        for (k, z) in self.known.iter().enumerate() {
            check_vector(&format!("known[{k}]"), z, n)?;
        }
        for (k, solution) in self.solutions.iter().enumerate() {
            check_vector(&format!("solutions[{k}].z"), &solution.z, n)?;
            check_finite("solutions.residual", k, solution.residual)?;
        }
        for (k, result) in self.results.iter().enumerate() {
            let numbers = [
                ("results.residual", result.residual),
                ("results.seconds", result.seconds),
            ];
            for (what, number) in numbers {
                check_finite(what, k, number.unwrap_or(0.0))?;
            }
        }
        Ok(())
    }
}

/// The file as serde reads and writes it. Numbers that may be null by mistake are options: the error names the entry.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    format: String,
    #[serde(default)]
    name: String,
    n: usize,
    #[serde(default)]
    source: String,
    #[serde(default)]
    licence: String,
    #[serde(default)]
    note: String,
    #[serde(default)]
    expect: Option<Expect>,
    #[serde(rename = "M")]
    matrix: RawMatrix,
    q: Vec<Option<f64>>,
    #[serde(default)]
    l: Option<Vec<Option<f64>>>,
    #[serde(default)]
    u: Option<Vec<Option<f64>>>,
    #[serde(default)]
    start: Option<Vec<f64>>,
    #[serde(default)]
    covering: Option<Vec<f64>>,
    #[serde(default)]
    known: Vec<Vec<f64>>,
    #[serde(default)]
    solutions: Vec<KnownSolution>,
    #[serde(default)]
    results: Vec<ReportedResult>,
    #[serde(default)]
    bases_enumerated: Option<u64>,
}

impl Raw {
    fn checked(self) -> Result<ProblemFile, ReadError> {
        check_format(&self.format, FORMAT)?;
        // All lengths before anything of length n is made: n is only a claim.
        let n = self.n;
        let infinite = |bound: Option<Vec<Option<f64>>>, default: f64, infinity: f64| {
            let values = bound.map(|b| b.into_iter().map(|x| x.unwrap_or(infinity)).collect());
            values.unwrap_or_else(|| vec![default; self.q.len()])
        };
        let q = numbers("q", &self.q)?;
        check_length("q", q.len(), n)?;
        let lower: Vec<f64> = infinite(self.l, 0.0, f64::NEG_INFINITY);
        let upper: Vec<f64> = infinite(self.u, f64::INFINITY, f64::INFINITY);
        check_length("l", lower.len(), n)?;
        check_length("u", upper.len(), n)?;
        let m = self.matrix.checked("M", (n, n))?;
        let problem = LinearMcp::new(m, q, Bounds::new(lower, upper)?)?;
        let file = ProblemFile {
            name: self.name,
            source: self.source,
            licence: self.licence,
            note: self.note,
            problem,
            expect: self.expect,
            start: self.start,
            covering: self.covering,
            known: self.known,
            solutions: self.solutions,
            results: self.results,
            bases_enumerated: self.bases_enumerated,
        };
        file.check()?;
        Ok(file)
    }

    /// One field per line: long arrays stay in lines of their own.
    fn to_json(&self) -> String {
        let fields = [
            field("format", &self.format),
            field("name", &self.name),
            field("n", &self.n),
            field("source", &self.source),
            field("licence", &self.licence),
            field("note", &self.note),
            field("expect", &self.expect),
            field("M", &self.matrix),
            field("q", &self.q),
            field("l", &self.l),
            field("u", &self.u),
            field("start", &self.start),
            field("covering", &self.covering),
            field("known", &self.known),
            field("solutions", &self.solutions),
            field("results", &self.results),
            field("bases_enumerated", &self.bases_enumerated),
        ];
        format!("{{\n{}\n}}\n", fields.join(",\n"))
    }
}
