//! What an experiment hands back.

use signorini_plot::Figure;

use crate::animation::Animation;
use crate::claims::Verdict;
use crate::value::Value;

/// One measured claim.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measurement {
    pub(crate) name: String,
    pub(crate) value: Value,
    /// A verdict that no comparison of values can give.
    pub(crate) verdict: Option<Verdict>,
    pub(crate) note: String,
}

/// A figure with what a reader must know of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Plate {
    /// Name of its files, without extension: `fig3`.
    pub name: String,
    /// The text below it.
    pub caption: String,
    /// The picture.
    pub figure: Figure,
}

/// A column of a [`Table`].
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Name without blanks, commas or quotes.
    pub name: String,
    /// Unit; empty for none.
    pub unit: String,
    /// Absolute tolerance of the golden comparison, in the unit.
    pub abs: f64,
    /// Relative tolerance of the golden comparison.
    pub rel: f64,
}

impl Column {
    /// A column that must come out within `abs`.
    pub fn new(name: &str, unit: &str, abs: f64) -> Self {
        Self {
            name: name.to_owned(),
            unit: unit.to_owned(),
            abs,
            rel: 0.0,
        }
    }
}

/// Data: one row of numbers per step, or whatever a row is.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Name of its file, without extension.
    pub name: String,
    /// Whether a golden file stands beside it.
    pub golden: bool,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows, each as long as `columns`.
    pub rows: Vec<Vec<f64>>,
}

/// A table of texts for the reader, such as ours beside the paper's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    /// What it shows.
    pub caption: String,
    /// Headings.
    pub header: Vec<String>,
    /// Rows, each as long as `header`.
    pub rows: Vec<Vec<String>>,
}

/// Everything an experiment found.
///
/// # Examples
///
/// ```
/// use signorini_validation::Report;
/// let mut report = Report::default();
/// report.measure("first impact", 0.385).note("end of the step in which the tip arrives");
/// report.measure("tip slides right after the impact", false);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    pub(crate) measurements: Vec<Measurement>,
    /// Figures, in the paper's order.
    pub plates: Vec<Plate>,
    /// Moving pictures: name of the page, without extension, the text of its link, and what moves.
    pub animations: Vec<(String, String, Animation)>,
    /// Tables for the reader.
    pub sheets: Vec<Sheet>,
    /// Data.
    pub tables: Vec<Table>,
    /// Paragraphs on what was found.
    pub remarks: Vec<String>,
}

impl Report {
    /// Records what came out for the claim `name`.
    pub fn measure(&mut self, name: &str, value: impl Into<Value>) -> Noted<'_> {
        self.push(name, value.into(), None)
    }

    /// Records a value with a verdict that the experiment has to give itself, because the claim
    /// holds under a condition only.
    pub fn verdict(&mut self, name: &str, value: impl Into<Value>, verdict: Verdict) -> Noted<'_> {
        self.push(name, value.into(), Some(verdict))
    }

    fn push(&mut self, name: &str, value: Value, verdict: Option<Verdict>) -> Noted<'_> {
        let name = name.to_owned();
        self.measurements.push(Measurement {
            name,
            value,
            verdict,
            note: String::new(),
        });
        Noted(&mut self.measurements.last_mut().expect("pushed above").note)
    }

    /// Adds a moving picture.
    pub fn animate(&mut self, name: &str, caption: &str, animation: Animation) {
        let entry = (name.to_owned(), caption.to_owned(), animation);
        self.animations.push(entry);
    }

    /// Adds a figure.
    pub fn plate(&mut self, name: &str, caption: &str, figure: Figure) {
        self.plates.push(Plate {
            name: name.to_owned(),
            caption: caption.to_owned(),
            figure,
        });
    }
}

/// A measurement that can be given a note.
#[derive(Debug)]
pub struct Noted<'a>(&'a mut String);

impl Noted<'_> {
    /// Says how the value was found, or what it means.
    pub fn note(self, note: impl Into<String>) {
        *self.0 = note.into();
    }
}
