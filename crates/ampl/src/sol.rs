//! The .sol file that answers a .nl file.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use signorini_complementarity::Status;

use crate::files;
use crate::model::Model;

/// An answer to a .nl file, as AMPL and Pyomo read it.
///
/// # Examples
/// ```
/// use signorini_ampl::{Model, Sol, result_code};
/// use signorini_complementarity::{Path, Solver, Start};
/// # let text = "g3 1 1 0\n 1 1 0 0 0\n 1 0 0 1 0 0\n 0 0\n 1 0 0\n 0 0 0 1\n 0 0 0 0 0\n 1 0\n 0 0\n 0 0 0 0 0\n\
/// #    C0\no0\no5\nv0\nn2\nn-4\nx1\n0 1\nr\n5 1 1\nb\n2 0\nk0\nJ0 1\n0 0\n";
/// let model = Model::from_bytes("root", text.as_bytes())?;
/// let solution = Path::default().solve(&model, Start::Point(model.start()));
/// let sol = Sol { message: "solved", z: &solution.z, code: result_code(solution.status) };
/// assert!(sol.text(&model).starts_with("solved\n\nOptions\n3\n1\n1\n0\n1\n0\n1\n1\n"));
/// assert!(sol.text(&model).ends_with("\nobjno 0 0\n"));
/// # Ok::<(), signorini_ampl::NlError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sol<'a> {
    /// Lines that AMPL shows.
    pub message: &'a str,
    /// Values of the variables; those of side conditions, after those of the file, are left out.
    pub z: &'a [f64],
    /// AMPL's `solve_result_num`, see [`result_code`].
    pub code: u16,
}

impl Sol<'_> {
    /// The text of the file. Like AMPL's PATH it has no multipliers.
    ///
    /// # Panics
    /// If z has fewer entries than the file has variables.
    pub fn text(&self, model: &Model) -> String {
        let header = model.header();
        let z = &self.z[..header.variables];
        let mut text = String::new();
        // An empty line ends the message.
        for line in self.message.trim_end().lines() {
            text += if line.is_empty() { " " } else { line };
            text.push('\n');
        }
        text.push('\n');
        let mut line = |value: &dyn std::fmt::Display| {
            writeln!(text, "{value}").expect("a string takes every text");
        };
        if !header.options.is_empty() {
            line(&"Options");
            // A tolerance counts for two more.
            line(&(header.options.len() + if header.tolerance.is_some() { 2 } else { 0 }));
            header.options.iter().for_each(|option| line(option));
            for count in [header.rows, 0, header.variables, z.len()] {
                line(&count);
            }
            if let Some(tolerance) = header.tolerance {
                line(&tolerance);
            }
        }
        for value in z {
            line(&format_args!("{value:?}"));
        }
        line(&format_args!("objno 0 {}", self.code));
        text
    }

    /// Writes STUB.sol for the file STUB.nl; returns its path.
    ///
    /// # Errors
    /// What the system says; there is then no half of an answer.
    ///
    /// # Panics
    /// If z has fewer entries than the file has variables.
    pub fn write(&self, model: &Model, stub: impl AsRef<Path>) -> io::Result<PathBuf> {
        let path = files::beside(&files::stub(stub.as_ref()), "sol");
        let text = self.text(model);
        let mut file = File::create(&path)?;
        if let Err(error) = file.write_all(text.as_bytes()) {
            // Whoever reads half an answer takes it for one.
            let _ = std::fs::remove_file(&path);
            return Err(error);
        }
        Ok(path)
    }
}

/// AMPL's `solve_result_num`: 0 solved, 200 infeasible, 400 to 403 stopped by a limit or by the user, 500 and above no
/// answer. Numbers are those of AMPL's PATH where it has one; nothing that is no solution is called nearly one.
///
/// # Examples
/// ```
/// use signorini_ampl::result_code;
/// use signorini_complementarity::Status;
/// assert_eq!([Status::Solved, Status::IterationLimit].map(result_code), [0, 400]);
/// ```
pub fn result_code(status: Status) -> u16 {
    match status {
        Status::Solved => 0,
        Status::Infeasible => 200,
        Status::IterationLimit => 400,
        Status::Stopped => 403,
        Status::Domain { .. } => 503,
        Status::NoProgress => 510,
        Status::Ray => 511,
        Status::Singular => 512,
        Status::Inaccurate => 513,
        Status::RunsOff => 514,
        _ => 500,
    }
}
