//! The ten lines at the head of a .nl file.

use crate::error::{Fault, NlError};
use crate::source::{Form, Source};

/// Counts of the header of a .nl file, as far as they matter to complementarity problems.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Header {
    /// What AMPL wants back in the .sol file, up to nine numbers.
    pub(crate) options: Vec<i64>,
    /// A tolerance that goes back with them if the second option is 3.
    pub(crate) tolerance: Option<f64>,
    pub(crate) form: Form,
    pub(crate) variables: usize,
    pub(crate) rows: usize,
    pub(crate) objectives: usize,
    /// Inequalities with two sides.
    pub(crate) ranges: usize,
    pub(crate) equations: usize,
    /// Complementarity conditions, linear and nonlinear.
    pub(crate) conditions: usize,
    pub(crate) functions: usize,
    /// Entries of the Jacobian and of the gradients.
    pub(crate) nonzeros: usize,
    pub(crate) gradient_nonzeros: usize,
    /// Defined variables.
    pub(crate) defined: usize,
}

/// Most numbers of one line.
const MOST: usize = 10;

impl Header {
    /// Reads the ten lines and leaves `source` behind them, in its form.
    pub(crate) fn read(source: &mut Source<'_>) -> Result<Self, NlError> {
        let binary = match source.letter() {
            Some(b'g') => false,
            Some(b'b') => true,
            _ => return Err(source.fault(Fault::Magic)),
        };
        let (options, tolerance) = read_options(source)?;
        let line = |source: &mut Source<'_>| read_line(source);
        let [variables, rows, objectives, ranges, equations, logical, ..] = line(source)?;
        let [_, _, linear, nonlinear, ..] = line(source)?;
        let _network = line(source)?;
        let _nonlinear_variables = line(source)?;
        let place = source.place();
        let [_, functions, arithmetic, ..] = line(source)?;
        let discrete = line(source)?;
        let [nonzeros, gradient_nonzeros, ..] = line(source)?;
        let _name_lengths = line(source)?;
        let defined = line(source)?;
        let form = match (binary, arithmetic) {
            (false, _) => Form::Text,
            (true, 1) => Form::LittleEndian,
            (true, 2) => Form::BigEndian,
            (true, found) => {
                let fault = Fault::Arithmetic { found };
                return Err(NlError::Fault { place, fault });
            }
        };
        source.set_form(form);
        if logical > 0 {
            return Err(NlError::Logical { count: logical });
        }
        let discrete: usize = discrete.iter().sum();
        if discrete > 0 {
            return Err(NlError::Discrete { count: discrete });
        }
        let header = Self {
            options,
            tolerance,
            form,
            variables,
            rows,
            objectives,
            ranges,
            equations,
            conditions: linear + nonlinear,
            functions,
            nonzeros,
            gradient_nonzeros,
            defined: defined.iter().sum(),
        };
        header.check(source)?;
        Ok(header)
    }

    /// Everything that is counted takes a byte at least: memory is asked for in proportion to the file.
    fn check(&self, source: &Source<'_>) -> Result<(), NlError> {
        let left = source.left();
        for (count, what) in [
            (self.variables, "variables"),
            (self.rows, "rows"),
            (self.objectives, "objectives"),
            (self.functions, "imported functions"),
            (self.nonzeros, "entries of the Jacobian"),
            (self.gradient_nonzeros, "entries of gradients"),
            (self.defined, "defined variables"),
        ] {
            if count > left {
                let found = i64::try_from(count).unwrap_or(i64::MAX);
                return Err(source.fault(Fault::Absurd { what, found, left }));
            }
        }
        Ok(())
    }
}

/// What stands after the first letter: a count, that many numbers, and a tolerance if the second of them is 3.
fn read_options(source: &mut Source<'_>) -> Result<(Vec<i64>, Option<f64>), NlError> {
    let mut options = Vec::new();
    if !source.at_end_of_line() {
        let count = source.index("the number of options", MOST)?;
        for _ in 0..count {
            if source.at_end_of_line() {
                break;
            }
            options.push(source.integer("an option")?);
        }
    }
    let mut tolerance = None;
    if options.get(1) == Some(&3) && !source.at_end_of_line() {
        tolerance = Some(source.finite("a tolerance")?);
    }
    source.end_of_line()?;
    Ok((options, tolerance))
}

/// The numbers of a line; those that are left out are 0.
fn read_line(source: &mut Source<'_>) -> Result<[usize; MOST], NlError> {
    let mut numbers = [0; MOST];
    for (place, number) in numbers.iter_mut().enumerate() {
        // Lines may be short, but none is left out.
        if place > 0 && source.at_end_of_line() {
            break;
        }
        // A sum of ten of them is still a number.
        *number = source.index("a count of the header", 0x8000_0000)?;
    }
    source.end_of_line()?;
    Ok(numbers)
}
