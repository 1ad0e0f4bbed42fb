//! A step whose problem was not solved, as a file for a report of the fault.

use std::fmt::{self, Write};

use signorini_complementarity::LinearMcp;
use signorini_dynamics::State;

/// What is needed to try an unsolved step again: the state it began with, and the problem where the solver gave up.
///
/// | name     | shape | meaning                                                                            |
/// | -------- | ----- | ---------------------------------------------------------------------------------- |
/// | `scheme` | –     | name of the scheme                                                                 |
/// | `state`  | –     | state at the start of the step                                                     |
/// | `h`      | –     | time step, s                                                                       |
/// | `linear` | n     | the problem; a nonlinear one linearised at `z`; none where it is not defined there, for cones, and where no one problem failed |
/// | `z`      | (n,)  | best point, in the units of the problem                                            |
/// | `names`  | (n,)  | of unknowns and rows                                                               |
/// | `worst`  | –     | the contact, joint or body with the largest residual at `z`, where rows tell       |
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct UnsolvedStep {
    /// Name of the scheme.
    pub scheme: &'static str,
    /// State at the start of the step.
    pub state: State,
    /// Time step, s.
    pub h: f64,
    /// The problem, linearised at `z` if it is not linear.
    pub linear: Option<LinearMcp>,
    /// Best point.
    pub z: Vec<f64>,
    /// Names of unknowns and rows.
    pub names: Vec<String>,
    /// What the largest residual at `z` belongs to, as `contact ground/box#0`, `joint hinge` or `body box`.
    pub worst: Option<String>,
}

/// In a line: an error that is unwrapped shows it, and its data are for a file.
impl fmt::Debug for UnsolvedStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsolvedStep")
            .field("scheme", &self.scheme)
            .field("h", &self.h)
            .field("unknowns", &self.z.len())
            .finish_non_exhaustive()
    }
}

impl UnsolvedStep {
    /// A step that no one problem stands for, at velocities (nv,).
    pub(crate) fn at_velocity(
        scheme: &'static str,
        (state, h): (&State, f64),
        v: &[f64],
    ) -> Box<Self> {
        Box::new(Self {
            scheme,
            state: state.clone(),
            h,
            linear: None,
            names: (0..v.len()).map(|k| format!("v[{k}]")).collect(),
            worst: None,
            z: v.to_vec(),
        })
    }

    /// Name of the format in [`UnsolvedStep::to_json`].
    pub const FORMAT: &'static str = "signorini-unsolved-step-1";

    /// All of it as JSON, numbers with all their digits: `state` as a saved [`State`] is written, and `M` (triplets `i`, `j`,
    /// `v`), `q`, `l`, `u` (null is infinite) as in the problem files of the complementarity crate.
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let State { t, q, v, memory } = &self.state;
        writeln!(out, "{{")?;
        writeln!(out, "  \"format\": {:?},", Self::FORMAT)?;
        writeln!(out, "  \"scheme\": {:?},", self.scheme)?;
        writeln!(out, "  \"h\": {},", Number(self.h))?;
        write!(out, "  \"state\": {{ \"format\": {:?}, ", State::FORMAT)?;
        write!(out, "\"t\": {}, \"q\": {}, ", Number(*t), List(q))?;
        write!(out, "\"v\": {}, \"memory\": [", List(v))?;
        for (k, m) in memory.iter().enumerate() {
            let comma = if k == 0 { "" } else { ", " };
            let (a, b, feature) = (m.id.a, m.id.b, m.id.feature);
            write!(out, "{comma}{{ \"id\": {{ \"a\": {a}, \"b\": {b}, ")?;
            if m.id.pieces != [0; 2] {
                let [of_a, of_b] = m.id.pieces;
                write!(out, "\"pieces\": [{of_a}, {of_b}], ")?;
            }
            write!(out, "\"feature\": {feature} }}, ")?;
            write!(out, "\"impulse\": {}, ", List(&m.impulse))?;
            write!(out, "\"torsion\": {}, ", Number(m.torsion))?;
            write!(out, "\"active\": {}, ", m.active)?;
            write!(out, "\"approach\": {}, ", Number(m.approach))?;
            write!(out, "\"bounced\": {} }}", m.bounced)?;
        }
        writeln!(out, "] }},")?;
        if let Some(linear) = &self.linear {
            self.write_linear(linear, out)?;
        }
        writeln!(out, "  \"z\": {},", List(&self.z))?;
        if let Some(worst) = &self.worst {
            writeln!(out, "  \"worst\": {},", Name(worst))?;
        }
        writeln!(out, "  \"names\": {}", Names(&self.names))?;
        writeln!(out, "}}")
    }

    fn write_linear(&self, linear: &LinearMcp, out: &mut String) -> fmt::Result {
        let n = self.z.len();
        let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (&value, (i, j)) in linear.m() {
            rows.push(i);
            columns.push(j);
            values.push(value);
        }
        writeln!(out, "  \"n\": {n},")?;
        write!(out, "  \"M\": {{ \"rows\": {n}, \"cols\": {n}, ")?;
        writeln!(
            out,
            "\"i\": {rows:?}, \"j\": {columns:?}, \"v\": {} }},",
            List(&values)
        )?;
        writeln!(out, "  \"q\": {},", List(linear.q()))?;
        writeln!(out, "  \"l\": {},", List(linear.bounds().lower()))?;
        writeln!(out, "  \"u\": {},", List(linear.bounds().upper()))
    }
}

/// A number as JSON knows it: null stands for one that is not finite.
struct Number(f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_finite() {
            write!(f, "{:?}", self.0)
        } else {
            write!(f, "null")
        }
    }
}

struct List<'a>(&'a [f64]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[")?;
        for (k, x) in self.0.iter().enumerate() {
            let comma = if k == 0 { "" } else { ", " };
            write!(f, "{comma}{}", Number(*x))?;
        }
        write!(f, "]")
    }
}

/// A name, whatever users call their bodies.
struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"")?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        write!(f, "\"")
    }
}

struct Names<'a>(&'a [String]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[")?;
        for (k, name) in self.0.iter().enumerate() {
            write!(f, "{}{}", if k == 0 { "" } else { ", " }, Name(name))?;
        }
        write!(f, "]")
    }
}
