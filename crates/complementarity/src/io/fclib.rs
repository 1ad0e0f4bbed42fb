//! Friction problems in the HDF5 layout of the collection FCLIB.
//!
//! | object | shape | meaning |
//! | --- | --- | --- |
//! | `fclib_local`, `fclib_global`, `fclib_local_rolling`, `fclib_global_rolling` | group | the problem, of one kind |
//! | `spacedim` in it | (1,) | rows per contact |
//! | `W`; `M`, `H` | groups | sparse matrices: `m`, `n`, `nzmax`, `nz`, `p`, `i`, `x` |
//! | `vectors/q`; `vectors/f`, `vectors/w` | | q; f and b |
//! | `vectors/mu`, `vectors/mu_r` | (contacts,) | friction coefficients, rolling ones |
//! | `info/title`, `info/description`, `info/math_info` | text | may be missing |
//! | `solution/u`, `solution/r` | | may be missing |
//!
//! A matrix has `nz` = −1 by columns, −2 by rows (`p` are the starts, `i` the indices), and else it is that many triplets
//! with rows `i` and columns `p`.
//!
//! # Guarantees and limits
//! Equality constraints (`G`; `V` and `R`) are refused. Ellipses, results and the convex law have no place in the layout:
//! what has them is not written. Numbers come back the same to the last bit.
//!
//! # References
//! - \[ABKP2014\] V. Acary, M. Brémond, T. Koziara, F. Pérignon, FCLIB: a collection of discrete 3D frictional contact
//!   problems, Inria technical report 444, 2014.

use std::path::Path;

use hdf5_pure::{File, FileBuilder, GroupBuilder};
use sprs::CsMat;

use super::error::shown;
use super::files::read_bytes;
use super::friction_file::{FrictionFile, FrictionForm, FrictionReference, RecordedVelocities};
use super::json::{check_length, check_vector};
use super::{ReadError, triplets::by_columns};
use crate::{ContactLaws, FrictionLaw};

/// Characters of a message of the HDF5 library that are kept.
const MESSAGE: usize = 400;

/// Names of the group of the problem, whether it is global, and whether it has rolling friction; in binary order of both.
const GROUPS: [(&str, bool, bool); 4] = [
    ("fclib_local", false, false),
    ("fclib_global", true, false),
    ("fclib_local_rolling", false, true),
    ("fclib_global_rolling", true, true),
];

impl FrictionFile {
    /// Reads a file of the collection FCLIB.
    ///
    /// `info/title` becomes the name, the other texts the note. Impulses of `solution` become the reference, velocities
    /// without impulses the record.
    ///
    /// # Errors
    /// [`ReadError`] that names the object that is wrong or missing.
    pub fn from_hdf5(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        Self::from_hdf5_bytes(read_bytes(path.as_ref())?)
    }

    /// Reads the bytes of a file of the collection FCLIB.
    ///
    /// # Errors
    /// [`ReadError`] that names the object that is wrong or missing.
    pub fn from_hdf5_bytes(bytes: Vec<u8>) -> Result<Self, ReadError> {
        let file = File::from_bytes(bytes).map_err(|error| hdf5_error("/", &error))?;
        let source = Hdf5 { file };
        let kinds = GROUPS.iter().find(|(name, ..)| source.has_group(name));
        let Some(&(root, global, rolling)) = kinds else {
            return Err(missing("fclib_local", "there is no problem in this file"));
        };
        source.problem(root, global, rolling)
    }

    /// The bytes of a file in FCLIB's layout that [`FrictionFile::from_hdf5_bytes`] reads back: the problem to the last
    /// bit, name, note and the impulses of the reference.
    ///
    /// # Errors
    /// [`ReadError`] if the problem has what the layout has no place for, or if a field does not fit the problem.
    pub fn to_hdf5(&self) -> Result<Vec<u8>, ReadError> {
        self.problem()?;
        if !self.laws.ellipse.is_empty() {
            return Err(missing("ellipse", "FCLIB has no place for ellipses"));
        }
        if self.laws.law != FrictionLaw::Coulomb {
            return Err(missing("law", "FCLIB knows Coulomb's law alone"));
        }
        if self.laws.dimension == 6 {
            let why = "FCLIB has no place for torsion beside rolling friction";
            return Err(missing("spacedim", why));
        }
        let global = matches!(self.form, FrictionForm::Global { .. });
        let rolling = self.laws.dimension == 5;
        let root = GROUPS[2 * usize::from(rolling) + usize::from(global)].0;
        let mut builder = FileBuilder::new();
        let mut group = builder.create_group(root);
        integers(&mut group, "spacedim", &[self.laws.dimension])?;
        let mut vectors = group.create_group("vectors");
        match &self.form {
            FrictionForm::Local { w, q } => {
                write_matrix(&mut group, "W", w)?;
                numbers(&mut vectors, "q", q);
            }
            FrictionForm::Global { m, h, f, b } => {
                write_matrix(&mut group, "M", m)?;
                write_matrix(&mut group, "H", h)?;
                numbers(&mut vectors, "f", f);
                numbers(&mut vectors, "w", b);
            }
        }
        numbers(&mut vectors, "mu", &self.laws.mu);
        if rolling {
            numbers(&mut vectors, "mu_r", &self.laws.rolling);
        }
        group.add_group(vectors.finish());
        let mut info = group.create_group("info");
        for (name, text) in [("title", &self.name), ("description", &self.note)] {
            if !text.is_empty() {
                let dataset = info.create_dataset(name);
                let written = dataset.with_strings(&[text.as_str()]);
                written.map_err(|error| hdf5_error(name, &error))?;
            }
        }
        group.add_group(info.finish());
        builder.add_group(group.finish());
        if let Some(reference) = &self.reference {
            let n = self.laws.mu.len() * self.laws.dimension;
            check_vector("reference.r", &reference.r, n)?;
            let mut solution = builder.create_group("solution");
            numbers(&mut solution, "r", &reference.r);
            if let Some(u) = &reference.u {
                check_vector("reference.u", u, n)?;
                numbers(&mut solution, "u", u);
            }
            builder.add_group(solution.finish());
        }
        builder.finish().map_err(|error| hdf5_error("/", &error))
    }
}

/// A file as its objects.
struct Hdf5 {
    file: File,
}

impl Hdf5 {
    fn problem(&self, root: &str, global: bool, rolling: bool) -> Result<FrictionFile, ReadError> {
        for constraint in ["G", "V", "R"] {
            let object = format!("{root}/{constraint}");
            if self.has_group(&object) {
                return Err(missing(&object, "equality constraints are not read"));
            }
        }
        let dimension = self.integer(&format!("{root}/spacedim"))?;
        let vector = |name: &str| self.vector(&format!("{root}/vectors/{name}"));
        let mut laws = ContactLaws {
            dimension,
            mu: vector("mu")?,
            ..ContactLaws::default()
        };
        if rolling {
            laws.rolling = vector("mu_r")?;
        }
        let n = laws.mu.len().saturating_mul(dimension);
        // Lengths before anything of that length is made.
        let form = if global {
            let (f, b) = (vector("f")?, vector("w")?);
            check_length("w", b.len(), n)?;
            FrictionForm::Global {
                m: self.matrix(root, "M", (f.len(), f.len()))?,
                h: self.matrix(root, "H", (f.len(), n))?,
                f,
                b,
            }
        } else {
            let q = vector("q")?;
            check_length("q", q.len(), n)?;
            FrictionForm::Local {
                w: self.matrix(root, "W", (n, n))?,
                q,
            }
        };
        let text = |name: &str| self.text(&format!("{root}/info/{name}"));
        let notes: Vec<String> = ["description", "math_info"]
            .into_iter()
            .filter_map(text)
            .collect();
        let mut file = FrictionFile {
            name: text("title").unwrap_or_default(),
            source: String::new(),
            licence: String::new(),
            note: notes.join("\n"),
            form,
            laws,
            reference: None,
            results: Vec::new(),
            delassus: None,
            record: None,
        };
        self.solution(&mut file, n)?;
        Ok(file)
    }

    /// Impulses and velocities of the file, if it has them.
    fn solution(&self, file: &mut FrictionFile, n: usize) -> Result<(), ReadError> {
        let read = |name: &str| -> Result<Option<Vec<f64>>, ReadError> {
            let object = format!("solution/{name}");
            if self.file.dataset(&object).is_err() {
                return Ok(None);
            }
            let values = self.vector(&object)?;
            check_vector(&object, &values, n)?;
            Ok(Some(values))
        };
        let u = read("u")?;
        if let Some(r) = read("r")? {
            let problem = file.problem()?;
            let relative = problem.residuals(&r).relative;
            let norm = problem.q().iter().fold(0.0_f64, |l, q| l.hypot(*q));
            file.reference = Some(FrictionReference {
                solver: "solution of the file".to_owned(),
                r,
                u,
                residual_relative: relative,
                residual_absolute: relative * norm,
                open: None,
                stick: None,
                slip: None,
            });
        } else if let Some(u) = u {
            let note = "velocities of the file, without impulses".to_owned();
            file.record = Some(RecordedVelocities { note, u });
        }
        Ok(())
    }

    fn matrix(
        &self,
        root: &str,
        name: &'static str,
        (rows, cols): (usize, usize),
    ) -> Result<CsMat<f64>, ReadError> {
        let object = |part: &str| format!("{root}/{name}/{part}");
        check_length(&object("m"), self.integer(&object("m"))?, rows)?;
        check_length(&object("n"), self.integer(&object("n"))?, cols)?;
        let layout = self.integers(&object("nz"))?;
        let layout = layout.first().copied().unwrap_or_default();
        let (p, i) = (self.integers(&object("p"))?, self.integers(&object("i"))?);
        let x = self.vector(&object("x"))?;
        let (p, i) = (indices(&object("p"), &p)?, indices(&object("i"), &i)?);
        let triplets: Vec<_> = match layout {
            -1 => expand(&object("p"), &p, cols, (&i, &x))?
                .map(|(col, row, x)| (row, col, x))
                .collect(),
            -2 => expand(&object("p"), &p, rows, (&i, &x))?.collect(),
            count if count >= 0 => {
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                check_length(&object("p"), p.len(), count)?;
                check_length(&object("i"), i.len(), count)?;
                if x.len() < count {
                    check_length(&object("x"), x.len(), count)?;
                }
                let places = i.iter().zip(&p).zip(&x);
                places.map(|((row, col), x)| (*row, *col, *x)).collect()
            }
            _ => {
                return Err(missing(
                    &object("nz"),
                    "must be -1, -2, or a number of triplets",
                ));
            }
        };
        checked(name, (rows, cols), &triplets)
    }

    fn has_group(&self, object: &str) -> bool {
        self.file.group(object).is_ok()
    }

    fn vector(&self, object: &str) -> Result<Vec<f64>, ReadError> {
        let dataset = self.file.dataset(object);
        let values = dataset.and_then(|dataset| dataset.read_f64());
        values.map_err(|error| hdf5_error(object, &error))
    }

    fn integers(&self, object: &str) -> Result<Vec<i64>, ReadError> {
        let dataset = self.file.dataset(object);
        let values = dataset.and_then(|dataset| dataset.read_i64());
        values.map_err(|error| hdf5_error(object, &error))
    }

    fn integer(&self, object: &str) -> Result<usize, ReadError> {
        let values = self.integers(object)?;
        let value = values
            .first()
            .copied()
            .and_then(|x| usize::try_from(x).ok());
        value.ok_or_else(|| missing(object, "must be a number that is not negative"))
    }

    fn text(&self, object: &str) -> Option<String> {
        let dataset = self.file.dataset(object).ok()?;
        let text = dataset.read_string().ok()?.into_iter().next()?;
        // Fixed-length strings of C end in a zero.
        Some(text.trim_end_matches('\0').to_owned())
    }
}

/// (major, minor, value) of a compressed matrix with starts `p` of `count` rows or columns.
fn expand<'a>(
    object: &str,
    p: &'a [usize],
    count: usize,
    (i, x): (&'a [usize], &'a [f64]),
) -> Result<impl Iterator<Item = (usize, usize, f64)> + use<'a>, ReadError> {
    check_length(object, p.len(), count.saturating_add(1))?;
    let most = i.len().min(x.len());
    let sorted = p.windows(2).all(|pair| pair[0] <= pair[1]);
    if p.first() != Some(&0) || !sorted || p.last().is_some_and(|last| *last > most) {
        return Err(missing(object, "must rise from 0 to the number of entries"));
    }
    let rows = p.windows(2).enumerate();
    Ok(rows.flat_map(move |(major, pair)| (pair[0]..pair[1]).map(move |e| (major, i[e], x[e]))))
}

fn checked(
    name: &'static str,
    (rows, cols): (usize, usize),
    triplets: &[(usize, usize, f64)],
) -> Result<CsMat<f64>, ReadError> {
    for (entry, &(row, col, _)) in triplets.iter().enumerate() {
        let outside = [('i', row, rows), ('p', col, cols)];
        if let Some(&(axis, found, _)) = outside.iter().find(|(_, index, size)| index >= size) {
            return Err(ReadError::Index {
                matrix: name,
                axis,
                entry,
                found: found as u64,
                rows,
                cols,
            });
        }
    }
    by_columns((rows, cols), triplets).map_err(|twice| ReadError::Repeated {
        matrix: name,
        first: twice.first,
        second: twice.second,
        row: twice.row,
        col: twice.col,
    })
}

fn indices(object: &str, values: &[i64]) -> Result<Vec<usize>, ReadError> {
    let index = |x: &i64| usize::try_from(*x).ok();
    let indices: Option<Vec<usize>> = values.iter().map(index).collect();
    indices.ok_or_else(|| missing(object, "has a negative entry"))
}

/// By columns, as compressed columns.
fn write_matrix(
    group: &mut GroupBuilder,
    name: &'static str,
    matrix: &CsMat<f64>,
) -> Result<(), ReadError> {
    let matrix = matrix.to_csc();
    let mut part = group.create_group(name);
    integers(&mut part, "m", &[matrix.rows()])?;
    integers(&mut part, "n", &[matrix.cols()])?;
    integers(&mut part, "nzmax", &[matrix.nnz()])?;
    part.create_dataset("nz").with_i32_data(&[-1]);
    integers(&mut part, "p", &matrix.proper_indptr())?;
    integers(&mut part, "i", matrix.indices())?;
    numbers(&mut part, "x", matrix.data());
    group.add_group(part.finish());
    Ok(())
}

fn numbers(group: &mut GroupBuilder, name: &str, values: &[f64]) {
    group.create_dataset(name).with_f64_data(values);
}

fn integers(group: &mut GroupBuilder, name: &str, values: &[usize]) -> Result<(), ReadError> {
    let narrow: Option<Vec<i32>> = values.iter().map(|x| i32::try_from(*x).ok()).collect();
    let narrow = narrow.ok_or_else(|| missing(name, "is too large for the layout"))?;
    group.create_dataset(name).with_i32_data(&narrow);
    Ok(())
}

fn missing(object: &str, message: &str) -> ReadError {
    ReadError::Hdf5 {
        object: object.to_owned(),
        message: message.to_owned(),
    }
}

fn hdf5_error(object: &str, error: &dyn std::fmt::Display) -> ReadError {
    ReadError::Hdf5 {
        object: object.to_owned(),
        message: shown(&error.to_string(), MESSAGE),
    }
}
