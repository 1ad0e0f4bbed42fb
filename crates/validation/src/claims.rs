//! The table of claims, and the verdict on what was measured.
//!
//! A claim is *reproduced* if the measured value agrees with the printed one, or, where nothing is
//! printed, with the exact one. It is *ok* if its verdict is the expected one and, where an exact
//! value is known, the measured value agrees with it: a wrong claim that is not reproduced for the
//! wrong reason is not ok either.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::ClaimError;
use crate::report::{Measurement, Report};
use crate::value::Value;

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It comes out.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// It does not come out.
    #[serde(rename = "not reproduced")]
    NotReproduced,
    /// It comes out under a condition that the paper does not state.
    #[serde(rename = "conditional")]
    Conditional,
    /// Nothing to compare with; the value is given.
    #[serde(rename = "for information")]
    Information,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reproduced => "reproduced",
            Self::NotReproduced => "not reproduced",
            Self::Conditional => "conditional",
            Self::Information => "for information",
        })
    }
}

/// One entry of the table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimSpec {
    /// Id of the experiment.
    pub experiment: String,
    /// Name, unique in the experiment.
    pub name: String,
    /// Unit of the values; empty for none.
    #[serde(default)]
    pub unit: String,
    /// What the paper says.
    pub printed: Option<Value>,
    /// What is so, by an independent computation.
    pub exact: Option<Value>,
    /// Absolute tolerance, in the unit.
    pub tolerance: Option<f64>,
    /// Tolerance as a part of the printed value, or of the exact one where nothing is printed.
    pub relative_tolerance: Option<f64>,
    /// Why the tolerance is what it is.
    #[serde(default)]
    pub reason: String,
    /// The verdict that must come out.
    pub expected_verdict: Verdict,
    /// What a reader should know.
    #[serde(default)]
    pub note: String,
}

impl ClaimSpec {
    fn target(&self) -> Option<&Value> {
        self.printed.as_ref().or(self.exact.as_ref())
    }

    /// The tolerance in the claim's unit; zero for words and statements.
    fn absolute_tolerance(&self) -> Option<f64> {
        let size = self.target().and_then(Value::number).map(f64::abs);
        self.tolerance.or(self
            .relative_tolerance
            .zip(size)
            .map(|(part, size)| part * size))
    }

    fn check(&self) -> Result<(), ClaimError> {
        let numbers = [&self.printed, &self.exact]
            .into_iter()
            .flatten()
            .any(|v| v.number().is_some());
        let tolerance = self.absolute_tolerance();
        let fault = if self.tolerance.is_some() && self.relative_tolerance.is_some() {
            "has two tolerances"
        } else if numbers && !tolerance.is_some_and(|t| t >= 0.0 && t.is_finite()) {
            "needs a tolerance that is finite and not negative"
        } else if tolerance.is_some() && self.reason.is_empty() {
            "needs a reason for its tolerance"
        } else if self.target().is_none() && self.expected_verdict != Verdict::Information {
            "has neither a printed nor an exact value"
        } else {
            return Ok(());
        };
        let (experiment, name) = (self.experiment.clone(), self.name.clone());
        Err(ClaimError::Entry {
            experiment,
            name,
            fault,
        })
    }

    fn judge(&self, measurement: &Measurement) -> Claim {
        let value = &measurement.value;
        let tolerance = self.absolute_tolerance();
        let agrees = |target: &Value| value.agrees(target, tolerance.unwrap_or(0.0));
        let verdict = if self.expected_verdict == Verdict::Information {
            Verdict::Information
        } else if let Some(verdict) = measurement.verdict {
            verdict
        } else if self.target().is_some_and(agrees) {
            Verdict::Reproduced
        } else {
            Verdict::NotReproduced
        };
        let notes = [self.note.as_str(), measurement.note.as_str()];
        let notes: Vec<_> = notes.into_iter().filter(|note| !note.is_empty()).collect();
        Claim {
            name: self.name.clone(),
            unit: self.unit.clone(),
            printed: self.printed.clone(),
            exact: self.exact.clone(),
            measured: value.clone(),
            tolerance,
            reason: self.reason.clone(),
            verdict,
            expected_verdict: self.expected_verdict,
            ok: verdict == self.expected_verdict
                && (verdict == Verdict::Information || self.exact.as_ref().is_none_or(agrees)),
            note: notes.join("; "),
        }
    }
}

/// A claim with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Claim {
    /// Name in the table.
    pub name: String,
    /// Unit of the values; empty for none.
    pub unit: String,
    /// What the paper says.
    pub printed: Option<Value>,
    /// What is so.
    pub exact: Option<Value>,
    /// What came out here.
    pub measured: Value,
    /// Absolute tolerance, in the unit.
    pub tolerance: Option<f64>,
    /// Why the tolerance is what it is.
    pub reason: String,
    /// What became of the claim.
    pub verdict: Verdict,
    /// What had to become of it.
    pub expected_verdict: Verdict,
    /// Whether that is the same, and the exact value, where known, was met.
    pub ok: bool,
    /// What a reader should know.
    pub note: String,
}

impl Claim {
    /// The measured value with one digit more than the tolerance supports; counts as they are.
    pub fn measured_text(&self) -> String {
        match self.measured {
            Value::Number(x) if x.fract() != 0.0 => {
                self.measured.with_decimals(self.decimals() + 1)
            }
            _ => self.measured.to_string(),
        }
    }

    /// The measured value with no more digits than the tolerance supports, fewer if it lies on a
    /// rounding tie: the same text on every machine.
    pub fn measured_rounded(&self) -> String {
        /// Part of the last digit; results differ between machines by far less.
        const TIE: f64 = 0.01;

        match self.measured {
            Value::Number(x) if x.fract() != 0.0 => {
                let tie = |decimals: usize| {
                    let digits = (0..decimals).fold(x.abs(), |x, _| 10.0 * x);
                    (digits.fract() - 0.5).abs() < TIE
                };
                let decimals = (0..=self.decimals()).rev().find(|d| !tie(*d)).unwrap_or(0);
                self.measured.with_decimals(decimals)
            }
            _ => self.measured.to_string(),
        }
    }

    /// Decimals whose last one is no finer than twice the tolerance; three without tolerance.
    fn decimals(&self) -> usize {
        let Some(tolerance) = self.tolerance.filter(|t| *t > 0.0) else {
            return 3;
        };
        let (mut unit, mut decimals) = (1.0, 0);
        while unit > 2.000_001 * tolerance && decimals < 12 {
            unit *= 0.1;
            decimals += 1;
        }
        decimals
    }
}

/// The claims of one experiment, judged, in the order of the table.
pub type Judged = Result<Vec<Claim>, ClaimError>;

/// All claims of all papers.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimTable {
    #[serde(default, rename = "claim")]
    claims: Vec<ClaimSpec>,
}

impl ClaimTable {
    /// The table of this repository, `fixtures/claims.toml`.
    ///
    /// # Errors
    ///
    /// As [`ClaimTable::parse`].
    pub fn ours() -> Result<Self, ClaimError> {
        Self::parse(include_str!("../../../fixtures/claims.toml"))
    }

    /// Reads and checks a table.
    ///
    /// # Errors
    ///
    /// [`ClaimError::Table`] if it is not TOML of the right shape, [`ClaimError::Entry`] for an
    /// entry without the tolerance, reason or value it needs, [`ClaimError::Twice`] for one that
    /// stands there twice.
    ///
    /// # Examples
    ///
    /// ```
    /// use signorini_validation::{ClaimTable, Report, Verdict};
    /// let table = ClaimTable::parse(
    ///     r#"
    ///     [[claim]]
    ///     experiment = "st2000-rod"
    ///     name = "first impact"
    ///     unit = "s"
    ///     printed = 0.383
    ///     tolerance = 0.0025
    ///     reason = "one step"
    ///     expected_verdict = "reproduced"
    ///     "#,
    /// )?;
    /// let mut report = Report::default();
    /// report.measure("first impact", 0.385);
    /// let claims = table.judge("st2000-rod", &report)?;
    /// assert_eq!(claims[0].verdict, Verdict::Reproduced);
    /// # Ok::<(), signorini_validation::ClaimError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, ClaimError> {
        let table: Self = toml::from_str(text)?;
        let mut seen = BTreeSet::new();
        for claim in &table.claims {
            claim.check()?;
            if !seen.insert((&claim.experiment, &claim.name)) {
                let (experiment, name) = (claim.experiment.clone(), claim.name.clone());
                return Err(ClaimError::Twice { experiment, name });
            }
        }
        Ok(table)
    }

    /// The entries of an experiment.
    pub fn of<'a>(&'a self, experiment: &'a str) -> impl Iterator<Item = &'a ClaimSpec> {
        self.claims
            .iter()
            .filter(move |claim| claim.experiment == experiment)
    }

    /// All entries.
    pub fn all(&self) -> &[ClaimSpec] {
        &self.claims
    }

    /// Puts what an experiment measured against its claims.
    ///
    /// # Errors
    ///
    /// [`ClaimError`] if it measured something that is not in the table, something twice, something
    /// that is not finite, or not all of its claims.
    pub fn judge(&self, experiment: &str, report: &Report) -> Judged {
        let owned = |name: &str| (experiment.to_owned(), name.to_owned());
        let mut seen = BTreeSet::new();
        for measurement in &report.measurements {
            let name = measurement.name.as_str();
            if !self.of(experiment).any(|claim| claim.name == name) {
                let (experiment, name) = owned(name);
                return Err(ClaimError::Unlisted { experiment, name });
            }
            if !seen.insert(name) {
                let (experiment, name) = owned(name);
                return Err(ClaimError::Twice { experiment, name });
            }
            if let Some(value) = measurement.value.number().filter(|x| !x.is_finite()) {
                let (experiment, name) = owned(name);
                return Err(ClaimError::NotFinite {
                    experiment,
                    name,
                    value,
                });
            }
        }
        let judge = |claim: &ClaimSpec| {
            let found = report.measurements.iter().find(|m| m.name == claim.name);
            let (experiment, name) = owned(&claim.name);
            found
                .map(|measurement| claim.judge(measurement))
                .ok_or(ClaimError::Unmeasured { experiment, name })
        };
        self.of(experiment).map(judge).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(entry: &str) -> Result<ClaimTable, ClaimError> {
        ClaimTable::parse(&format!(
            "[[claim]]\nexperiment = \"e\"\nname = \"c\"\n{entry}"
        ))
    }

    fn judged(entry: &str, value: impl Into<Value>) -> (Verdict, bool) {
        let mut report = Report::default();
        report.measure("c", value);
        let claims = table(entry).unwrap().judge("e", &report).unwrap();
        (claims[0].verdict, claims[0].ok)
    }

    #[test]
    fn numbers_agree_within_the_tolerance() {
        let entry =
            "printed = 2.0\ntolerance = 0.5\nreason = \"r\"\nexpected_verdict = \"reproduced\"";
        assert_eq!(judged(entry, 2.5), (Verdict::Reproduced, true));
        assert_eq!(judged(entry, 2.6), (Verdict::NotReproduced, false));
        let part = entry.replace("tolerance = 0.5", "relative_tolerance = 0.25");
        assert_eq!(judged(&part, 1.5), (Verdict::Reproduced, true));
    }

    #[test]
    fn a_wrong_claim_is_ok_only_with_the_exact_value() {
        let entry = "printed = 3.6\nexact = 3.7016\ntolerance = 0.01\nreason = \"r\"\n\
                     expected_verdict = \"not reproduced\"";
        assert_eq!(judged(entry, 3.70), (Verdict::NotReproduced, true));
        assert_eq!(judged(entry, 9.9), (Verdict::NotReproduced, false));
        assert_eq!(judged(entry, 3.6), (Verdict::Reproduced, false));
    }

    #[test]
    fn words_and_statements_agree_if_equal() {
        let entry =
            "printed = \"slides\"\nexact = \"sticks\"\nexpected_verdict = \"not reproduced\"";
        assert_eq!(judged(entry, "sticks"), (Verdict::NotReproduced, true));
        assert_eq!(judged(entry, "jumps"), (Verdict::NotReproduced, false));
        let flag = "printed = true\nexpected_verdict = \"reproduced\"";
        assert_eq!(judged(flag, true), (Verdict::Reproduced, true));
        assert_eq!(judged(flag, "true"), (Verdict::NotReproduced, false));
    }

    #[test]
    fn information_is_always_ok() {
        assert_eq!(
            judged("expected_verdict = \"for information\"", 1.0),
            (Verdict::Information, true)
        );
    }

    #[test]
    fn faults_are_named() {
        let message = |entry: &str| table(entry).unwrap_err().to_string();
        insta::assert_snapshot!(
            message("printed = 2.0\nexpected_verdict = \"reproduced\""),
            @"table of claims: `e`, `c`: needs a tolerance that is finite and not negative"
        );
        insta::assert_snapshot!(
            message("printed = 2.0\ntolerance = 1.0\nexpected_verdict = \"reproduced\""),
            @"table of claims: `e`, `c`: needs a reason for its tolerance"
        );
        let table = table("expected_verdict = \"for information\"").unwrap();
        let judge = |names: &[&str], value: f64| {
            let mut report = Report::default();
            for name in names {
                report.measure(name, value);
            }
            table.judge("e", &report).unwrap_err().to_string()
        };
        insta::assert_snapshot!(judge(&[], 0.0), @"experiment `e` did not measure `c`");
        insta::assert_snapshot!(judge(&["c", "c"], 0.0), @"experiment `e` measured `c` twice");
        insta::assert_snapshot!(judge(&["d"], 0.0), @"experiment `e` measured `d`, which is not in the table of claims");
        insta::assert_snapshot!(judge(&["c"], f64::NAN), @"experiment `e` measured `c` as NaN");
    }
}
