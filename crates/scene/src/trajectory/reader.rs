//! Reads a trajectory back.

use thiserror::Error;

use super::Column;

/// Why a text is no trajectory.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ReadTrajectoryError {
    /// There is no header.
    #[error("the trajectory is empty: its first line has to name the columns")]
    Empty,
    /// A head is not of the form `body.quantity [unit]`.
    #[error("column {number} is headed `{head}`: write `body.quantity [unit]`")]
    Head {
        /// Which column, from 1.
        number: usize,
        /// Its head.
        head: String,
    },
    /// A row is too short or too long.
    #[error("line {line} has {found} entries; the header names {expected} columns")]
    Row {
        /// The line, from 1.
        line: usize,
        /// Entries found.
        found: usize,
        /// Columns named.
        expected: usize,
    },
    /// An entry is no finite number.
    #[error("line {line}, {column}: `{found}` is not a finite number")]
    Number {
        /// The line, from 1.
        line: usize,
        /// Body, quantity and unit of the column.
        column: String,
        /// The entry.
        found: String,
    },
}

/// A trajectory in memory.
///
/// # Examples
/// ```
/// use signorini_scene::TrajectoryTable;
/// let table = TrajectoryTable::parse("time [s],ball.x [m]\n0,1\n0.5,1.25\n")?;
/// assert_eq!(table.column("ball.x"), Some(vec![1.0, 1.25]));
/// # Ok::<(), signorini_scene::ReadTrajectoryError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TrajectoryTable {
    /// What the columns hold.
    pub columns: Vec<Column>,
    /// The rows, each as long as `columns`.
    pub rows: Vec<Vec<f64>>,
}

impl TrajectoryTable {
    /// Reads the text of a trajectory file.
    ///
    /// # Errors
    /// [`ReadTrajectoryError`] with the line or the column.
    pub fn parse(text: &str) -> Result<Self, ReadTrajectoryError> {
        let mut lines = text.lines().enumerate();
        let (_, header) = lines.next().ok_or(ReadTrajectoryError::Empty)?;
        let columns = heads(header)
            .into_iter()
            .enumerate()
            .map(|(index, head)| {
                Column::parse(&head).ok_or(ReadTrajectoryError::Head {
                    number: index + 1,
                    head,
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let rows = lines
            .filter(|(_, text)| !text.is_empty())
            .map(|(index, text)| numbers(index + 1, text, &columns))
            .collect::<Result<_, _>>()?;
        Ok(Self { columns, rows })
    }

    /// The values of the column with this name (body and quantity without unit), none if there is no such column.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let index = self
            .columns
            .iter()
            .position(|column| column.name() == name)?;
        Some(self.rows.iter().map(|row| row[index]).collect())
    }
}

fn numbers(line: usize, text: &str, columns: &[Column]) -> Result<Vec<f64>, ReadTrajectoryError> {
    let entries: Vec<&str> = text.split(',').collect();
    if entries.len() != columns.len() {
        let (found, expected) = (entries.len(), columns.len());
        return Err(ReadTrajectoryError::Row {
            line,
            found,
            expected,
        });
    }
    let number = |(entry, column): (&&str, &Column)| {
        let value = entry
            .trim()
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite());
        value.ok_or_else(|| ReadTrajectoryError::Number {
            line,
            column: column.to_string(),
            found: (*entry).to_owned(),
        })
    };
    entries.iter().zip(columns).map(number).collect()
}

/// Splits the header at commas outside quotation marks; a doubled mark inside stands for one.
fn heads(line: &str) -> Vec<String> {
    let mut heads = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                heads.last_mut().expect("there is always one").push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => heads.push(String::new()),
            _ => heads
                .last_mut()
                .expect("there is always one")
                .push(character),
        }
    }
    heads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_head_is_one_head() {
        assert_eq!(
            heads("time [s],\"a,\"\"b\"\".x [m]\""),
            ["time [s]", "a,\"b\".x [m]"]
        );
    }

    #[test]
    fn a_fault_names_its_line_and_column() {
        let fault = TrajectoryTable::parse("time [s],b.x [m]\n0,1\n1,NaN\n").unwrap_err();
        insta::assert_snapshot!(fault, @"line 3, b.x [m]: `NaN` is not a finite number");
        let fault = TrajectoryTable::parse("time [s],b.x [m]\n0\n").unwrap_err();
        insta::assert_snapshot!(fault, @"line 2 has 1 entries; the header names 2 columns");
    }
}
