//! Why a file is no complementarity problem.

use std::fmt;
use std::path::PathBuf;

use signorini_complementarity::ProblemError;
use thiserror::Error;

/// Where in a file: a line of a text, a byte of a binary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Line of a text, from 1.
    Line(usize),
    /// Number of the bytes before.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// Why a .nl file is no complementarity problem. Rows, variables and defined variables are counted from 0.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NlError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The gzip stream is damaged or ends early.
    #[error("damaged gzip data: {source}")]
    Compressed {
        /// What the decoder says.
        source: std::io::Error,
    },
    /// More than [`MOST_BYTES`](crate::MOST_BYTES), after decompression.
    #[error("more than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// The text is no .nl file, or the file uses something that this reader does not take.
    #[error("{place}: {fault}")]
    Fault {
        /// Where.
        place: Place,
        /// What is wrong there.
        fault: Fault,
    },
    /// A segment that the file must have is missing.
    #[error("the file ends without its segment `{segment}`, {what}")]
    Missing {
        /// Letter of the segment.
        segment: char,
        /// What it would tell.
        what: &'static str,
    },
    /// The segments disagree with a count of the header.
    #[error("the header announces {announced} {what}, the file has {found}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// The number in the header.
        announced: usize,
        /// The number in the segments.
        found: usize,
    },
    /// Segments `k` and `J` disagree.
    #[error(
        "segment `k` counts {counted} entries up to variable {variable}, the `J` segments have {found}"
    )]
    Columns {
        /// Last variable counted.
        variable: usize,
        /// Entries up to it in `k`.
        counted: usize,
        /// Entries up to it in the `J` segments.
        found: usize,
    },
    /// An expression uses a variable that the row's segment `J` leaves out.
    #[error("row {row} uses variable {variable}, which its segment `J` leaves out")]
    LeftOut {
        /// The row.
        row: usize,
        /// The variable.
        variable: usize,
    },
    /// Integer or binary variables.
    #[error("{count} variables are integer or binary: this reads problems in real variables")]
    Discrete {
        /// How many.
        count: usize,
    },
    /// Logical constraints.
    #[error(
        "{count} logical constraints: this reads equations, inequalities and complementarity conditions"
    )]
    Logical {
        /// How many.
        count: usize,
    },
    /// There is something to minimise.
    #[error(
        "objective {objective} depends on variables: with complementarity conditions that is an MPEC, which this does \
         not solve; drop the objective"
    )]
    Objective {
        /// The objective.
        objective: usize,
    },
    /// Two rows complement one variable.
    #[error("rows {first} and {second} both complement variable {variable}")]
    Twice {
        /// The first row.
        first: usize,
        /// The second row.
        second: usize,
        /// Their variable.
        variable: usize,
    },
    /// Equations and free variables do not pair.
    #[error(
        "{equations} equations for {variables} variables that no row complements{}: they must be as many",
        first_of(*row, *variable)
    )]
    NotSquare {
        /// Number of equations.
        equations: usize,
        /// Number of variables that no row complements.
        variables: usize,
        /// An equation without a variable, if there are too many.
        row: Option<usize>,
        /// A variable without an equation, if there are too few.
        variable: Option<usize>,
    },
    /// The numbers form no problem.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The lower bound is above the upper one.
    #[error("{what} {index} has the bounds [{lower}, {upper}]: lower must not exceed upper")]
    Bounds {
        /// Row or variable.
        what: &'static str,
        /// Which.
        index: usize,
        /// Lower bound.
        lower: f64,
        /// Upper bound.
        upper: f64,
    },
}

fn first_of(row: Option<usize>, variable: Option<usize>) -> String {
    match (row, variable) {
        (Some(row), _) => format!(" (row {row} finds none)"),
        (None, Some(variable)) => format!(" (variable {variable} finds none)"),
        (None, None) => String::new(),
    }
}

/// What is wrong at one place of a .nl file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// The first letter is neither `g` nor `b`.
    #[error(
        "the file begins neither with `g`, a text, nor with `b`, a binary file: is it a .nl file?"
    )]
    Magic,
    /// A binary file whose numbers are neither IEEE in one byte order nor in the other.
    #[error(
        "kind of arithmetic {found}: this reads 1 and 2, IEEE with the low or the high byte first"
    )]
    Arithmetic {
        /// The number in the header.
        found: usize,
    },
    /// The file ends in the middle.
    #[error("the file ends where {expected} should stand")]
    Ended {
        /// What should stand there.
        expected: &'static str,
    },
    /// Something else stands there.
    #[error("`{found}` where {expected} should stand")]
    Expected {
        /// What should stand there.
        expected: &'static str,
        /// The first characters of what does.
        found: String,
    },
    /// A number is NaN or infinite.
    #[error("{what} is not finite")]
    NotFinite {
        /// What it is.
        what: &'static str,
    },
    /// An integer is out of range.
    #[error("{what} is {found}: it must be from {least} to {most}")]
    Range {
        /// What it is.
        what: &'static str,
        /// Its value.
        found: i64,
        /// The least it can be.
        least: i64,
        /// The most it can be.
        most: i64,
    },
    /// A count is too large for the bytes of the file.
    #[error("{found} {what} do not fit in what is left of the file, {left} bytes")]
    Absurd {
        /// What is counted.
        what: &'static str,
        /// The count.
        found: i64,
        /// Bytes left.
        left: usize,
    },
    /// An operator that this reader does not know.
    #[error("operator {number}{} is not read", named(*number))]
    Operator {
        /// Its number.
        number: i64,
    },
    /// A call of a function from a user's library.
    #[error("the imported function `{name}` is called: libraries of functions are not loaded")]
    Imported {
        /// Its name in the file.
        name: String,
    },
    /// A defined variable is used before its segment.
    #[error("defined variable {index} is used before it is defined")]
    Undefined {
        /// Its number, counted on from the variables.
        index: usize,
    },
    /// A segment of this kind and number came before.
    #[error("segment {segment}{index} stands here for the second time")]
    Repeated {
        /// Letter of the segment.
        segment: char,
        /// Its number; 0 for those without.
        index: usize,
    },
    /// A variable is named twice in a list.
    #[error("variable {variable} stands twice in this segment")]
    Duplicate {
        /// The variable.
        variable: usize,
    },
    /// The breakpoints of a piecewise-linear term do not rise.
    #[error("the breakpoints of a piecewise-linear term must rise")]
    Breakpoints,
}

fn named(number: i64) -> &'static str {
    match number {
        56 => " (precision)",
        57 => " (round)",
        58 => " (trunc)",
        59 => " (count)",
        60 | 61 => " (numberof)",
        62 | 63 | 66..=69 => " (a counting constraint)",
        65 => " (if of strings)",
        74 | 75 => " (alldiff)",
        _ => "",
    }
}
