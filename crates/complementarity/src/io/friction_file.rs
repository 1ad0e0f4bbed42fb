//! A friction problem with its history as one JSON file, format `friction-contact-1`.
//!
//! | field | shape | meaning |
//! | --- | --- | --- |
//! | `format` | | `"friction-contact-1"` |
//! | `kind` | | `"local"` or `"global"`; `"rolling"` and `"global-rolling"` for five or six rows per contact |
//! | `dimension`, `contacts` | | D rows per contact, number of contacts |
//! | `W`, `q` | (n, n), (n,) | local: u = W r + q with n = contacts · D |
//! | `M`, `H`, `f`, `b` | (nv, nv), (nv, n), (nv,), (n,) | global: M v = H r + f, u = Hᵀ v + b |
//! | `mu` | (contacts,) | friction coefficients |
//! | `mu_r` | (contacts,) | rolling: coefficients of rolling friction |
//! | `ellipse` | (contacts · (D − 1),) | factors of the tangents, or left out |
//! | `law` | | `"coulomb"`, the default, or `"convex"` |
//! | `name`, `source`, `licence`, `note` | | text, may be left out |
//! | `reference` | | the best known answer: `solver`, `r`, `u`, residuals e/\|q\|₂ and e, counts of modes |
//! | `results` | | what solvers did with it: `solver`, `rel`, `abs`, `iters`, `time` in s, `info` |
//! | `delassus` | | facts about W: norm of q, size, rank, largest and smallest eigenvalue, asymmetry |
//! | `file_record` | | velocities `u` that the source recorded, with a `note` |
//!
//! Matrices have `rows`, `cols` and triplets `i`, `j` (from 0), `v`; a place at most once.

use serde::{Deserialize, Serialize};
use sprs::CsMat;

use super::ReadError;
use super::files::reads_json;
use super::json::{
    RawMatrix, check_finite, check_format, check_length, check_vector, field, numbers,
};
use crate::{ContactLaws, FrictionError, FrictionLaw, FrictionProblem};

const FORMAT: &str = "friction-contact-1";

/// A friction problem with its history: where it comes from and what is known of its answers.
///
/// # Examples
/// ```
/// use signorini_complementarity::io::FrictionFile;
/// let text = r#"{ "format": "friction-contact-1", "kind": "local", "dimension": 2, "contacts": 1,
///     "W": { "rows": 2, "cols": 2, "i": [0, 1], "j": [0, 1], "v": [0.5, 0.5] },
///     "q": [-3, 1], "mu": [0.5] }"#;
/// let file = FrictionFile::from_json(text)?;
/// assert_eq!(file.problem()?.residuals(&[6.0, -2.0]).relative, 0.0);
/// assert_eq!(FrictionFile::from_json(&file.to_json()?)?, file);
///
/// let error = FrictionFile::from_json(&text.replace("[-3, 1]", "[-3]")).unwrap_err();
/// assert_eq!(error.to_string(), "`q` has length 1, expected 2");
/// # Ok::<(), signorini_complementarity::io::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionFile {
    /// Short name.
    pub name: String,
    /// Where the problem comes from.
    pub source: String,
    /// Under which terms.
    pub licence: String,
    /// What is special about it.
    pub note: String,
    /// W and q, or M, H, f and b.
    pub form: FrictionForm,
    /// Dimension, coefficients and law of the contacts.
    pub laws: ContactLaws,
    /// The best known answer.
    pub reference: Option<FrictionReference>,
    /// What solvers did with it.
    pub results: Vec<FrictionResult>,
    /// Facts about W that others computed.
    pub delassus: Option<DelassusFacts>,
    /// Velocities that the source recorded.
    pub record: Option<RecordedVelocities>,
}

/// The matrices of a [`FrictionFile`].
#[derive(Clone, Debug, PartialEq)]
pub enum FrictionForm {
    /// u = W r + q.
    Local {
        /// The Delassus operator.
        w: CsMat<f64>,
        /// Relative velocities without impulses.
        q: Vec<f64>,
    },
    /// M v = H r + f, u = Hᵀ v + b.
    Global {
        /// The mass matrix.
        m: CsMat<f64>,
        /// One column for each row of each contact.
        h: CsMat<f64>,
        /// Momentum without impulses.
        f: Vec<f64>,
        /// Bias of the relative velocities.
        b: Vec<f64>,
    },
}

/// The best answer that is known of a problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrictionReference {
    /// Name and version of the solver.
    pub solver: String,
    /// Impulses, contacts · D.
    pub r: Vec<f64>,
    /// Their relative velocities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub u: Option<Vec<f64>>,
    /// e / |q|₂, e = |r − P_K(r − ũ)|₂.
    pub residual_relative: f64,
    /// e.
    pub residual_absolute: f64,
    /// Open contacts: r_N at most 1e-9 of the largest entry of r.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<usize>,
    /// Contacts with |r_T| below (1 − 1e-6) μ r_N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stick: Option<usize>,
    /// The others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slip: Option<usize>,
}

/// What a solver once did with a friction problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrictionResult {
    /// Name and version of the solver.
    pub solver: String,
    /// e / |q|₂ of its answer.
    #[serde(rename = "rel")]
    pub relative: f64,
    /// e of its answer.
    #[serde(rename = "abs")]
    pub absolute: f64,
    /// Iterations.
    #[serde(rename = "iters")]
    pub iterations: u64,
    /// Time, s.
    #[serde(rename = "time")]
    pub seconds: f64,
    /// What the solver said: 0 is success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<i64>,
}

/// Facts about the Delassus operator of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelassusFacts {
    /// |q|₂.
    pub norm_q: f64,
    /// Rows of W.
    pub rows: usize,
    /// Entries of W.
    pub nonzeros: usize,
    /// Rank of W.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// Largest eigenvalue of its symmetric part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eig_max: Option<f64>,
    /// Smallest eigenvalue of its symmetric part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eig_min: Option<f64>,
    /// Largest |W_ij − W_ji| relative to the largest entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asymmetry: Option<f64>,
}

/// Relative velocities that came with a problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedVelocities {
    /// Who recorded them.
    pub note: String,
    /// contacts · D entries.
    pub u: Vec<f64>,
}

reads_json!(FrictionFile, Raw);

impl FrictionFile {
    /// A problem with a name and no history; as u = W r + q, whatever it was made from.
    ///
    /// # Panics
    /// If the problem has bilateral rows, for which the format has no words.
    #[track_caller]
    pub fn new(name: impl Into<String>, problem: &FrictionProblem) -> Self {
        assert!(
            problem.bilateral().is_empty(),
            "the format has no bilateral rows"
        );
        Self {
            name: name.into(),
            source: String::new(),
            licence: String::new(),
            note: String::new(),
            form: FrictionForm::Local {
                w: problem.delassus(),
                q: problem.q(),
            },
            laws: problem.laws().clone(),
            reference: None,
            results: Vec::new(),
            delassus: None,
            record: None,
        }
    }

    /// The problem of the file.
    ///
    /// # Errors
    /// [`FrictionError`] if M is singular or W is not symmetric positive semidefinite, or if a public field was changed
    /// so that nothing fits.
    pub fn problem(&self) -> Result<FrictionProblem, FrictionError> {
        let laws = self.laws.clone();
        match &self.form {
            FrictionForm::Local { w, q } => FrictionProblem::from_delassus(w, q.clone(), laws),
            FrictionForm::Global { m, h, f, b } => FrictionProblem::from_global(m, h, f, b, laws),
        }
    }

    /// JSON text, one field per line, that [`FrictionFile::from_json`] reads back the same to the last bit.
    ///
    /// # Errors
    /// [`ReadError`] if a public field is such that it could not be read back: a wrong length, or a number that is not
    /// finite.
    pub fn to_json(&self) -> Result<String, ReadError> {
        self.problem()?;
        self.check()?;
        let options = |values: &[f64]| Some(values.iter().map(|x| Some(*x)).collect::<Vec<_>>());
        let given = |values: &[f64]| {
            if values.is_empty() {
                None
            } else {
                options(values)
            }
        };
        let mut fields = vec![
            field("format", &FORMAT),
            field("name", &self.name),
            field("kind", &self.kind()),
            field("dimension", &self.laws.dimension),
            field("contacts", &self.laws.mu.len()),
            field("source", &self.source),
            field("licence", &self.licence),
            field("note", &self.note),
            field("law", &Law::from(self.laws.law)),
        ];
        match &self.form {
            FrictionForm::Local { w, q } => {
                fields.extend([field("W", &RawMatrix::new(w)), field("q", &options(q))]);
            }
            FrictionForm::Global { m, h, f, b } => fields.extend([
                field("M", &RawMatrix::new(m)),
                field("H", &RawMatrix::new(h)),
                field("f", &options(f)),
                field("b", &options(b)),
            ]),
        }
        fields.extend([
            field("mu", &options(&self.laws.mu)),
            field("mu_r", &given(&self.laws.rolling)),
            field("ellipse", &given(&self.laws.ellipse)),
            field("results", &self.results),
            field("reference", &self.reference),
            field("delassus", &self.delassus),
            field("file_record", &self.record),
        ]);
        Ok(format!("{{\n{}\n}}\n", fields.join(",\n")))
    }

    fn kind(&self) -> Kind {
        match (&self.form, self.laws.dimension) {
            (FrictionForm::Local { .. }, 5 | 6) => Kind::Rolling,
            (FrictionForm::Local { .. }, _) => Kind::Local,
            (FrictionForm::Global { .. }, 5 | 6) => Kind::GlobalRolling,
            (FrictionForm::Global { .. }, _) => Kind::Global,
        }
    }

    /// What the types and the problem do not see: lengths of the history, and numbers that JSON has no word for.
    fn check(&self) -> Result<(), ReadError> {
        let n = self.laws.mu.len() * self.laws.dimension;
        if let Some(reference) = &self.reference {
            check_vector("reference.r", &reference.r, n)?;
            if let Some(u) = &reference.u {
                check_vector("reference.u", u, n)?;
            }
            check_finite(
                "reference.residual_relative",
                0,
                reference.residual_relative,
            )?;
            check_finite(
                "reference.residual_absolute",
                0,
                reference.residual_absolute,
            )?;
        }
        for (k, result) in self.results.iter().enumerate() {
            check_finite("results.rel", k, result.relative)?;
            check_finite("results.abs", k, result.absolute)?;
            check_finite("results.time", k, result.seconds)?;
        }
        if let Some(facts) = &self.delassus {
            check_finite("delassus.norm_q", 0, facts.norm_q)?;
            let optional = [
                ("delassus.eig_max", facts.eig_max),
                ("delassus.eig_min", facts.eig_min),
                ("delassus.asymmetry", facts.asymmetry),
            ];
            for (what, number) in optional {
                check_finite(what, 0, number.unwrap_or(0.0))?;
            }
        }
        if let Some(record) = &self.record {
            check_vector("file_record.u", &record.u, n)?;
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Local,
    Global,
    Rolling,
    GlobalRolling,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Global => "global",
            Self::Rolling => "rolling",
            Self::GlobalRolling => "global-rolling",
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Law {
    #[default]
    Coulomb,
    Convex,
}

impl From<FrictionLaw> for Law {
    fn from(law: FrictionLaw) -> Self {
        match law {
            FrictionLaw::Coulomb => Self::Coulomb,
            FrictionLaw::Convex => Self::Convex,
        }
    }
}

impl From<Law> for FrictionLaw {
    fn from(law: Law) -> Self {
        match law {
            Law::Coulomb => Self::Coulomb,
            Law::Convex => Self::Convex,
        }
    }
}

type Numbers = Vec<Option<f64>>;

/// The file as serde reads it. Numbers that may be null by mistake are options: the error names the entry.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    format: String,
    #[serde(default)]
    name: String,
    kind: Kind,
    dimension: usize,
    contacts: usize,
    #[serde(default)]
    source: String,
    #[serde(default)]
    licence: String,
    #[serde(default)]
    note: String,
    #[serde(default)]
    law: Law,
    #[serde(default, rename = "W")]
    w: Option<RawMatrix>,
    #[serde(default)]
    q: Option<Numbers>,
    #[serde(default, rename = "M")]
    m: Option<RawMatrix>,
    #[serde(default, rename = "H")]
    h: Option<RawMatrix>,
    #[serde(default)]
    f: Option<Numbers>,
    #[serde(default)]
    b: Option<Numbers>,
    mu: Numbers,
    #[serde(default)]
    mu_r: Option<Numbers>,
    #[serde(default)]
    ellipse: Option<Numbers>,
    #[serde(default)]
    results: Vec<FrictionResult>,
    #[serde(default)]
    reference: Option<FrictionReference>,
    #[serde(default)]
    delassus: Option<DelassusFacts>,
    #[serde(default)]
    file_record: Option<RecordedVelocities>,
}

impl Raw {
    fn checked(self) -> Result<FrictionFile, ReadError> {
        check_format(&self.format, FORMAT)?;
        let kind = self.kind.word();
        let missing = |field| move || ReadError::Missing { field, kind };
        let foreign = |field, given: bool| {
            if given {
                Err(ReadError::Foreign { field, kind })
            } else {
                Ok(())
            }
        };
        let rolling = matches!(self.kind, Kind::Rolling | Kind::GlobalRolling);
        if rolling != matches!(self.dimension, 5 | 6) {
            let dimension = self.dimension;
            return Err(ReadError::Kind { kind, dimension });
        }
        // Lengths before anything of that length is made: counts are only claims.
        let mu = numbers("mu", &self.mu)?;
        check_length("mu", mu.len(), self.contacts)?;
        let mut laws = ContactLaws {
            dimension: self.dimension,
            mu,
            law: self.law.into(),
            ..ContactLaws::default()
        };
        if rolling {
            let mu_r = self.mu_r.ok_or_else(missing("mu_r"))?;
            laws.rolling = numbers("mu_r", &mu_r)?;
            check_length("mu_r", laws.rolling.len(), self.contacts)?;
        } else {
            foreign("mu_r", self.mu_r.is_some())?;
        }
        if let Some(ellipse) = self.ellipse {
            laws.ellipse = numbers("ellipse", &ellipse)?;
        }
        let n = self.contacts.saturating_mul(self.dimension);
        let form = if matches!(self.kind, Kind::Local | Kind::Rolling) {
            foreign("M", self.m.is_some())?;
            foreign("H", self.h.is_some())?;
            foreign("f", self.f.is_some())?;
            foreign("b", self.b.is_some())?;
            let q = numbers("q", &self.q.ok_or_else(missing("q"))?)?;
            check_length("q", q.len(), n)?;
            let w = self.w.ok_or_else(missing("W"))?.checked("W", (n, n))?;
            FrictionForm::Local { w, q }
        } else {
            foreign("W", self.w.is_some())?;
            foreign("q", self.q.is_some())?;
            let f = numbers("f", &self.f.ok_or_else(missing("f"))?)?;
            let b = numbers("b", &self.b.ok_or_else(missing("b"))?)?;
            check_length("b", b.len(), n)?;
            let nv = f.len();
            let m = self.m.ok_or_else(missing("M"))?.checked("M", (nv, nv))?;
            let h = self.h.ok_or_else(missing("H"))?.checked("H", (nv, n))?;
            FrictionForm::Global { m, h, f, b }
        };
        let file = FrictionFile {
            name: self.name,
            source: self.source,
            licence: self.licence,
            note: self.note,
            form,
            laws,
            reference: self.reference,
            results: self.results,
            delassus: self.delassus,
            record: self.file_record,
        };
        file.check()?;
        Ok(file)
    }
}
