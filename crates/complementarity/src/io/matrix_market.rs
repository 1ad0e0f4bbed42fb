//! One matrix or one vector in a Matrix Market file.
//!
//! ```text
//! %%MatrixMarket matrix coordinate real general
//! % comments
//! 2 2 3
//! 1 1 2.0
//! 2 1 -1.0
//! 2 2 2.0
//! ```
//!
//! # Method
//! Layouts `coordinate` and `array`, fields `real` and `integer`, symmetries `general`, `symmetric` and
//! `skew-symmetric`; the words in any case, the numbers as Rust reads them, also with a Fortran exponent (1.5D-3).
//!
//! # Guarantees and limits
//! Patterns, complex and Hermitian matrices are refused by name. Symmetric files hold the lower triangle only, as the
//! format demands; an entry above the diagonal or a place named twice is refused, not added. A vector may hold
//! infinities (`inf`, `-inf`), for bounds; a matrix may not. Numbers too large for a double are refused.
//!
//! # References
//! - \[BPR1996\] R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market exchange formats: initial design, NISTIR
//!   5935, 1996.

use std::fmt::Write as _;

use sprs::CsMat;

use super::error::{WORD, shown};
use super::triplets::by_columns;
use super::{MatrixMarketFault, ReadError};

/// Most rows or columns that are read: a header alone must not take gigabytes.
pub const MOST_ROWS: usize = 10_000_000;

/// How the entries of a matrix are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Row, column and value of each stored entry.
    Coordinate,
    /// All values by columns, zeros included.
    Array,
}

/// The matrix of a file, by columns.
///
/// # Errors
/// [`ReadError::MatrixMarket`] with the line and what is wrong there.
///
/// # Examples
/// ```
/// use signorini_complementarity::io::matrix_market::read_matrix;
/// let m = read_matrix("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 1 -1\n")?;
/// assert_eq!(m.get(0, 1), Some(&-1.0));
/// # Ok::<(), signorini_complementarity::io::ReadError>(())
/// ```
pub fn read_matrix(text: &str) -> Result<CsMat<f64>, ReadError> {
    let (shape, triplets, lines) = read(text, Values::Finite)?;
    by_columns(shape, &triplets).map_err(|twice| {
        let (row, col) = (twice.row + 1, twice.col + 1);
        fault(
            lines[twice.second],
            MatrixMarketFault::Repeated { row, col },
        )
    })
}

/// The one column of a file; entries that a coordinate file leaves out are 0. Infinities are read, NaN is not.
///
/// # Errors
/// [`ReadError::MatrixMarket`] with the line and what is wrong there.
///
/// # Examples
/// ```
/// use signorini_complementarity::io::matrix_market::{read_vector, write_vector};
/// let upper = [1.0, f64::INFINITY];
/// assert_eq!(read_vector(&write_vector(&upper))?, upper);
/// # Ok::<(), signorini_complementarity::io::ReadError>(())
/// ```
pub fn read_vector(text: &str) -> Result<Vec<f64>, ReadError> {
    let ((rows, cols), triplets, lines) = read(text, Values::Extended)?;
    if cols != 1 {
        return Err(fault(1, MatrixMarketFault::NotVector { rows, cols }));
    }
    let mut vector = vec![0.0; rows];
    let mut written = vec![false; rows];
    for (&(row, _, value), &line) in triplets.iter().zip(&lines) {
        if std::mem::replace(&mut written[row], true) {
            let (row, col) = (row + 1, 1);
            return Err(fault(line, MatrixMarketFault::Repeated { row, col }));
        }
        vector[row] = value;
    }
    Ok(vector)
}

/// The text of a matrix, read back the same to the last bit. A matrix that is symmetric or skew-symmetric, pattern
/// and all, is written as that.
///
/// # Examples
/// ```
/// use signorini_complementarity::Lcp;
/// use signorini_complementarity::io::matrix_market::{Layout, write_matrix};
/// let lcp = Lcp::from_dense(&[[2.0, 1.0], [1.0, 0.0]], vec![0.0; 2])?;
/// let text = write_matrix(lcp.m(), Layout::Array);
/// assert_eq!(text, "%%MatrixMarket matrix array real symmetric\n2 2\n2e0\n1e0\n0e0\n");
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
pub fn write_matrix(m: &CsMat<f64>, layout: Layout) -> String {
    let by_columns;
    let m = if m.is_csc() {
        m
    } else {
        by_columns = m.to_csc();
        &by_columns
    };
    let symmetry = Symmetry::of(m);
    match layout {
        Layout::Coordinate => write_coordinate(m, symmetry),
        Layout::Array => write_array(m, symmetry),
    }
}

/// The text of a vector, as an array of one column; read back the same to the last bit.
///
/// Example: see [`read_vector`].
pub fn write_vector(values: &[f64]) -> String {
    let mut text = banner("array", Symmetry::General);
    line(&mut text, format_args!("{} 1", values.len()));
    for value in values {
        line(&mut text, format_args!("{value:e}"));
    }
    text
}

fn write_coordinate(m: &CsMat<f64>, symmetry: Symmetry) -> String {
    let kept = || m.iter().filter(|(_, (i, j))| symmetry.writes(*i, *j));
    let mut text = banner("coordinate", symmetry);
    line(
        &mut text,
        format_args!("{} {} {}", m.rows(), m.cols(), kept().count()),
    );
    for (value, (i, j)) in kept() {
        line(&mut text, format_args!("{} {} {value:e}", i + 1, j + 1));
    }
    text
}

fn write_array(m: &CsMat<f64>, symmetry: Symmetry) -> String {
    let mut text = banner("array", symmetry);
    line(&mut text, format_args!("{} {}", m.rows(), m.cols()));
    let mut column = vec![0.0; m.rows()];
    for (j, entries) in m.outer_iterator().enumerate() {
        column.fill(0.0);
        entries.iter().for_each(|(i, value)| column[i] = *value);
        for (_, value) in column
            .iter()
            .enumerate()
            .filter(|(i, _)| symmetry.writes(*i, j))
        {
            line(&mut text, format_args!("{value:e}"));
        }
    }
    text
}

fn banner(layout: &str, symmetry: Symmetry) -> String {
    format!("%%MatrixMarket matrix {layout} real {}\n", symmetry.word())
}

fn line(text: &mut String, words: std::fmt::Arguments<'_>) {
    writeln!(text, "{words}").expect("a string takes every text");
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

impl Symmetry {
    /// The symmetry that a matrix has to the last bit and to the last stored zero.
    fn of(m: &CsMat<f64>) -> Self {
        if m.rows() != m.cols() || m.nnz() == 0 {
            return Self::General;
        }
        let all = |mirrors: fn(f64, f64) -> bool| {
            m.iter()
                .all(|(a, (i, j))| m.get(j, i).is_some_and(|b| mirrors(*a, *b)))
        };
        if all(|a, b| a.to_bits() == b.to_bits()) {
            Self::Symmetric
        } else if all(|a, b| a.to_bits() == (-b).to_bits() && a != 0.0) {
            Self::Skew
        } else {
            Self::General
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::General => "general",
            Self::Symmetric => "symmetric",
            Self::Skew => "skew-symmetric",
        }
    }

    /// Whether the entry stands in the file, rather than being implied.
    fn writes(self, row: usize, col: usize) -> bool {
        match self {
            Self::General => true,
            Self::Symmetric => row >= col,
            Self::Skew => row > col,
        }
    }

    /// The entry that (i, j, value) implies.
    fn mirrored(self, (i, j, value): Triplet) -> Option<Triplet> {
        match self {
            Self::Symmetric if i != j => Some((j, i, value)),
            Self::Skew => Some((j, i, -value)),
            _ => None,
        }
    }
}

/// Row and column from 0, value.
type Triplet = (usize, usize, f64);

#[derive(Clone, Copy, Debug)]
enum Values {
    /// Finite numbers only.
    Finite,
    /// Infinities too.
    Extended,
}

/// Shape, entries and the line of each entry.
type Entries = ((usize, usize), Vec<Triplet>, Vec<usize>);

fn fault(line: usize, fault: MatrixMarketFault) -> ReadError {
    ReadError::MatrixMarket { line, fault }
}

/// Lines that say something, with their numbers from 1.
fn telling_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().skip(1);
    numbered
        .map(|(number, line)| (number + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('%'))
}

fn read(text: &str, values: Values) -> Result<Entries, ReadError> {
    let (layout, symmetry) = read_banner(text.lines().next().unwrap_or_default())?;
    let mut lines = telling_lines(text);
    let (at, sizes) = lines.next().unwrap_or((text.lines().count() + 1, ""));
    let (shape, announced) = read_sizes(sizes, layout, symmetry).map_err(|f| fault(at, f))?;
    let mut reader = Reader {
        shape,
        symmetry,
        values,
        triplets: Vec::new(),
        lines: Vec::new(),
    };
    match layout {
        Layout::Coordinate => reader.coordinate(lines, announced)?,
        Layout::Array => reader.array(lines, announced)?,
    }
    Ok((shape, reader.triplets, reader.lines))
}

fn read_banner(first: &str) -> Result<(Layout, Symmetry), ReadError> {
    let words: Vec<String> = first
        .split_whitespace()
        .map(str::to_ascii_lowercase)
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ["%%matrixmarket", "matrix", layout, field, symmetry] = words[..] else {
        return Err(fault(1, MatrixMarketFault::Banner));
    };
    let refuse = |what, found: &str, expected| {
        let found = shown(found, WORD);
        let kind = MatrixMarketFault::Kind {
            what,
            found,
            expected,
        };
        fault(1, kind)
    };
    if !matches!(field, "real" | "integer" | "double") {
        return Err(refuse("field", field, "real or integer"));
    }
    let layout = match layout {
        "coordinate" => Layout::Coordinate,
        "array" => Layout::Array,
        other => return Err(refuse("layout", other, "coordinate or array")),
    };
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" => Symmetry::Skew,
        other => {
            return Err(refuse(
                "symmetry",
                other,
                "general, symmetric or skew-symmetric",
            ));
        }
    };
    Ok((layout, symmetry))
}

/// Shape and number of entries.
fn read_sizes(
    line: &str,
    layout: Layout,
    symmetry: Symmetry,
) -> Result<((usize, usize), usize), MatrixMarketFault> {
    let numbers: Option<Vec<u64>> = line.split_whitespace().map(|w| w.parse().ok()).collect();
    let (rows, cols, entries) = match (layout, numbers.as_deref()) {
        (Layout::Coordinate, Some(&[rows, cols, entries])) => (rows, cols, Some(entries)),
        (Layout::Array, Some(&[rows, cols])) => (rows, cols, None),
        (Layout::Coordinate, _) => {
            let expected = "ROWS COLUMNS ENTRIES";
            return Err(MatrixMarketFault::Sizes { expected });
        }
        (Layout::Array, _) => {
            let expected = "ROWS COLUMNS";
            return Err(MatrixMarketFault::Sizes { expected });
        }
    };
    let size = |found: u64| match usize::try_from(found) {
        Ok(size) if size <= MOST_ROWS => Ok(size),
        _ => Err(MatrixMarketFault::Size {
            found,
            most: MOST_ROWS,
        }),
    };
    let (rows, cols) = (size(rows)?, size(cols)?);
    if symmetry != Symmetry::General && rows != cols {
        return Err(MatrixMarketFault::NotSquare { rows, cols });
    }
    // At most 10¹⁴, which fits.
    let all = match symmetry {
        Symmetry::General => rows * cols,
        Symmetry::Symmetric => rows * (rows + 1) / 2,
        Symmetry::Skew => rows * rows.saturating_sub(1) / 2,
    };
    let announced = entries.map_or(all, |e| usize::try_from(e).unwrap_or(usize::MAX));
    Ok(((rows, cols), announced))
}

struct Reader {
    shape: (usize, usize),
    symmetry: Symmetry,
    values: Values,
    triplets: Vec<Triplet>,
    lines: Vec<usize>,
}

impl Reader {
    fn coordinate<'a>(
        &mut self,
        lines: impl Iterator<Item = (usize, &'a str)>,
        announced: usize,
    ) -> Result<(), ReadError> {
        let (mut found, mut last) = (0, 1);
        for (at, line) in lines {
            found += 1;
            last = at;
            if found > announced {
                break;
            }
            let triplet = self.entry(line).map_err(|f| fault(at, f))?;
            self.push(at, triplet);
        }
        complete(last, found, announced)
    }

    fn array<'a>(
        &mut self,
        lines: impl Iterator<Item = (usize, &'a str)>,
        announced: usize,
    ) -> Result<(), ReadError> {
        let (rows, cols) = self.shape;
        let symmetry = self.symmetry;
        let mut places = (0..cols)
            .flat_map(|j| (0..rows).map(move |i| (i, j)))
            .filter(|(i, j)| symmetry.writes(*i, *j));
        let (mut found, mut last) = (0, 1);
        let words = lines.flat_map(|(at, line)| line.split_whitespace().map(move |w| (at, w)));
        for (at, word) in words {
            found += 1;
            last = at;
            let Some((i, j)) = places.next() else { break };
            let value = self.number(word).map_err(|f| fault(at, f))?;
            // Dense files write out their zeros; -0 is a value.
            if value.to_bits() != 0 {
                self.push(at, (i, j, value));
            }
        }
        complete(last, found, announced)
    }

    fn push(&mut self, at: usize, triplet: Triplet) {
        for triplet in [Some(triplet), self.symmetry.mirrored(triplet)]
            .into_iter()
            .flatten()
        {
            self.triplets.push(triplet);
            self.lines.push(at);
        }
    }

    fn entry(&self, line: &str) -> Result<Triplet, MatrixMarketFault> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [i, j, value] = words[..] else {
            let (found, expected) = (words.len(), 3);
            return Err(MatrixMarketFault::Words { found, expected });
        };
        let index = |axis, word: &str, most: usize| match word.parse::<usize>() {
            Ok(index) if (1..=most).contains(&index) => Ok(index - 1),
            _ => Err(MatrixMarketFault::Index {
                axis,
                found: shown(word, WORD),
                most,
            }),
        };
        let (i, j) = (
            index("row", i, self.shape.0)?,
            index("column", j, self.shape.1)?,
        );
        if !self.symmetry.writes(i, j) {
            let (row, col) = (i + 1, j + 1);
            return Err(MatrixMarketFault::Implied { row, col });
        }
        Ok((i, j, self.number(value)?))
    }

    fn number(&self, word: &str) -> Result<f64, MatrixMarketFault> {
        let fortran = || word.replace(['d', 'D'], "e").parse();
        let number: Option<f64> = word.parse().or_else(|_| fortran()).ok();
        // Rust reads 1e999 as infinity; only the word may mean it.
        let said = word.contains(['n', 'N']);
        let good = |x: &f64| match self.values {
            Values::Finite => x.is_finite(),
            Values::Extended => x.is_finite() || (x.is_infinite() && said),
        };
        number
            .filter(good)
            .ok_or_else(|| MatrixMarketFault::Number {
                found: shown(word, WORD),
                expected: match self.values {
                    Values::Finite => "finite number",
                    Values::Extended => "number",
                },
            })
    }
}

fn complete(line: usize, found: usize, expected: usize) -> Result<(), ReadError> {
    if found == expected {
        return Ok(());
    }
    Err(fault(line, MatrixMarketFault::Entries { found, expected }))
}

#[cfg(test)]
mod tests;
