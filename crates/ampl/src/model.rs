//! A .nl file as a mixed complementarity problem.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Mutex;

use signorini_complementarity::{Assembler, Bounds, DomainError, Mcp};

use crate::compile::compile;
use crate::error::NlError;
use crate::files;
use crate::graph::small;
use crate::header::Header;
use crate::pairing::{Body, Square, pair};
use crate::read::File;
use crate::tape::{Room, Tape, Unit};

/// F of one variable: constant + Σ coefficient · z + the value of a unit.
#[derive(Clone, Debug)]
struct Equation {
    constant: f64,
    /// Part of the list of entries.
    start: usize,
    end: usize,
    nonlinear: Option<Unit>,
    row: Option<usize>,
}

/// The mixed complementarity problem of a .nl file: exact values, exact sparse Jacobian.
///
/// Variables have the order of the file. F of a variable is the body of the row that complements it, or an equation. If the
/// file has side conditions, inequalities that complement nothing, each adds a variable after those of the file.
///
/// # Examples
/// ```
/// use signorini_ampl::Model;
/// use signorini_complementarity::{Mcp, mcp_jacobian};
/// // 0 <= x complements x^2 - 2 >= 0, with the start x = 1.
/// let text = "g3 1 1 0\n 1 1 0 0 0\n 1 0 0 1 0 0\n 0 0\n 1 0 0\n 0 0 0 1\n 0 0 0 0 0\n 1 0\n 0 0\n 0 0 0 0 0\n\
///     C0\no0\no5\nv0\nn2\nn-2\nx1\n0 1\nr\n5 1 1\nb\n2 0\nk0\nJ0 1\n0 0\n";
/// let model = Model::from_bytes("root", text.as_bytes())?;
/// let mut f = [0.0];
/// model.evaluate(model.start(), &mut f, None)?;
/// assert_eq!(f, [-1.0]);
/// assert_eq!(mcp_jacobian(&model, &[3.0])?.get(0, 0), Some(&6.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Model {
    name: String,
    header: Header,
    bounds: Bounds,
    start: Vec<f64>,
    equations: Vec<Equation>,
    /// Entries of all rows, each its variable and its linear coefficient.
    entries: Vec<(u32, f64)>,
    tape: Tape,
    room: Mutex<Room>,
    variable_names: Vec<String>,
    row_names: Vec<String>,
}

/// A variable and its row as the residual sees them; see [`Model::worst_rows`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorstRow {
    /// Index of the variable.
    pub index: usize,
    /// Its value.
    pub z: f64,
    /// F of it.
    pub f: f64,
    /// The natural residual.
    pub residual: f64,
}

impl Model {
    /// Reads a .nl file, text or binary, plain or gzipped. Names come from the .col and .row files beside it, if they are
    /// there.
    ///
    /// # Errors
    /// [`NlError`].
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, NlError> {
        let path = path.as_ref();
        let bytes = files::read(path)?;
        let name = files::stub(path);
        let mut model = Self::from_bytes(
            &name.file_name().unwrap_or_default().to_string_lossy(),
            &bytes,
        )?;
        let columns = model.header.variables;
        model.variable_names = files::names(&name, "col", columns);
        model.row_names = files::names(&name, "row", model.header.rows);
        Ok(model)
    }

    /// Reads STUB.nl, or STUB.nl.gz if there is no such file; the ending may be named or not, as AMPL has it.
    ///
    /// # Errors
    /// [`NlError`].
    pub fn from_stub(stub: impl AsRef<Path>) -> Result<Self, NlError> {
        let stub = files::stub(stub.as_ref());
        let (plain, packed) = (files::beside(&stub, "nl"), files::beside(&stub, "nl.gz"));
        if !plain.exists() && packed.exists() {
            return Self::from_path(packed);
        }
        Self::from_path(plain)
    }

    /// Reads the bytes of a .nl file, text or binary, plain or gzipped.
    ///
    /// # Errors
    /// [`NlError`].
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, NlError> {
        let bytes = files::unpacked(bytes)?;
        let file = File::read(&bytes)?;
        let square = pair(&file)?;
        let compiled = compile(&file, square.bodies.len())?;
        let mut entries = Vec::new();
        let bodies = square.bodies.iter().enumerate();
        let equations = bodies
            .map(|(index, body)| {
                let start = entries.len();
                let (row, constant) = match *body {
                    Body::Row { row, constant } => (Some(row), -constant),
                    Body::SideOfRow { row, bound } => (Some(row), -bound),
                    Body::Fixed { value } => {
                        entries.push((small(index), 1.0));
                        (None, -value)
                    }
                    Body::SideOfVariable { variable, bound } => {
                        entries.push((small(variable), 1.0));
                        (None, -bound)
                    }
                };
                if let Some(row) = row {
                    entries.extend_from_slice(&file.rows[row].linear);
                }
                if matches!(body, Body::SideOfRow { .. } | Body::SideOfVariable { .. }) {
                    entries.push((small(index), -1.0));
                }
                Equation {
                    constant: constant + row.map_or(0.0, |row| compiled.constants[row]),
                    start,
                    end: entries.len(),
                    nonlinear: row.and_then(|row| compiled.rows[row].clone()),
                    row,
                }
            })
            .collect();
        let Square { bounds, bodies } = square;
        let (lower, upper) = bounds.into_iter().unzip();
        let mut start = file.start;
        start.resize(bodies.len(), 0.0);
        Ok(Self {
            name: name.to_owned(),
            header: file.header,
            bounds: Bounds::new(lower, upper)?,
            start,
            equations,
            entries,
            room: Mutex::new(Room::new(&compiled.tape)),
            tape: compiled.tape,
            variable_names: Vec::new(),
            row_names: Vec::new(),
        })
    }

    /// Name of the problem: that of the file without its ending.
    pub fn problem_name(&self) -> &str {
        &self.name
    }

    /// The start of the file, and 0 where it gives none; of length n.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// Number of variables of the file; those of side conditions come after them.
    pub fn file_variables(&self) -> usize {
        self.header.variables
    }

    /// Number of rows of the file.
    pub fn file_rows(&self) -> usize {
        self.header.rows
    }

    /// Number of entries of the Jacobian.
    pub fn nonzeros(&self) -> usize {
        self.entries.len()
    }

    /// The row of the file that is F of this variable, if there is one.
    ///
    /// # Panics
    /// If there is no such variable.
    pub fn row(&self, index: usize) -> Option<usize> {
        self.equations[index].row
    }

    /// Name of the row that is F of this variable.
    ///
    /// # Panics
    /// If there is no such variable.
    pub fn row_name(&self, index: usize) -> Cow<'_, str> {
        match self.equations[index].row {
            Some(row) => match self.row_names.get(row) {
                Some(name) => Cow::Borrowed(name),
                None => Cow::Owned(format!("row {row}")),
            },
            None => Cow::Borrowed("bound"),
        }
    }

    /// Natural residuals |z − mid(l, z − F, u)| at z that are not 0, the worst first, `most` at most.
    ///
    /// # Errors
    /// [`DomainError`] where F is not defined.
    ///
    /// # Panics
    /// If z has the wrong length.
    pub fn worst_rows(&self, z: &[f64], most: usize) -> Result<Vec<WorstRow>, DomainError> {
        let mut f = vec![0.0; z.len()];
        self.evaluate(z, &mut f, None)?;
        let (lower, upper) = (self.bounds.lower(), self.bounds.upper());
        let row = |(index, (&z, &f)): (usize, (&f64, &f64))| WorstRow {
            index,
            z,
            f,
            residual: f.max(z - upper[index]).min(z - lower[index]).abs(),
        };
        let mut rows: Vec<WorstRow> = z.iter().zip(&f).enumerate().map(row).collect();
        rows.retain(|row| row.residual > 0.0);
        rows.sort_by(|a, b| b.residual.total_cmp(&a.residual));
        rows.truncate(most);
        Ok(rows)
    }

    /// What AMPL wants back in the .sol file.
    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    fn values(&self, z: &[f64], f: &mut [f64], room: &mut Room) -> Result<(), DomainError> {
        self.tape.forward(z, room);
        for (row, equation) in self.equations.iter().enumerate() {
            let mut value = equation.constant;
            for (variable, coefficient) in &self.entries[equation.start..equation.end] {
                value += coefficient * z[*variable as usize];
            }
            if let Some(unit) = &equation.nonlinear {
                value += room.value(unit.root);
            }
            f[row] = value;
        }
        match f.iter().position(|value| !value.is_finite()) {
            Some(row) => Err(DomainError { row }),
            None => Ok(()),
        }
    }

    fn derivatives(&self, jacobian: &mut Assembler, room: &mut Room) -> Result<(), DomainError> {
        self.tape.shared_gradients(room);
        for (row, equation) in self.equations.iter().enumerate() {
            let entries = &self.entries[equation.start..equation.end];
            let Some(unit) = &equation.nonlinear else {
                for (variable, coefficient) in entries {
                    jacobian.push(row, *variable as usize, *coefficient);
                }
                continue;
            };
            self.tape.sweep(unit, room);
            let mut finite = true;
            // To the end of the row, or the next sweep would find what this one left.
            for (variable, coefficient) in entries {
                let derivative = coefficient + room.take(*variable);
                finite &= derivative.is_finite();
                jacobian.push(row, *variable as usize, derivative);
            }
            if !finite {
                return Err(DomainError { row });
            }
        }
        Ok(())
    }
}

impl Mcp for Model {
    fn len(&self) -> usize {
        self.equations.len()
    }

    fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// # Panics
    /// If z or f has the wrong length.
    fn evaluate(
        &self,
        z: &[f64],
        f: &mut [f64],
        jacobian: Option<&mut Assembler>,
    ) -> Result<(), DomainError> {
        let n = self.equations.len();
        assert_eq!((z.len(), f.len()), (n, n), "one entry per variable");
        let evaluate = |room: &mut Room| {
            self.values(z, f, room)?;
            jacobian.map_or(Ok(()), |jacobian| self.derivatives(jacobian, room))
        };
        // The room of the model, unless another thread is in it.
        match self.room.try_lock() {
            Ok(mut room) => evaluate(&mut room),
            Err(_) => evaluate(&mut Room::new(&self.tape)),
        }
    }

    fn is_affine(&self, row: usize) -> bool {
        self.equations[row].nonlinear.is_none()
    }

    fn name(&self, index: usize) -> Cow<'_, str> {
        match self.variable_names.get(index) {
            Some(name) => Cow::Borrowed(name),
            None if index < self.header.variables => Cow::Owned(format!("x[{index}]")),
            None => Cow::Owned(format!("side of {}", self.row_name(index))),
        }
    }
}
