//! A step whose problem was not solved, as a file for a report of the fault.

use std::fmt::{self, Write};

use signorini_complementarity::{FrictionLaw, FrictionProblem, LinearMcp};
use signorini_dynamics::State;

/// What is needed to try an unsolved step again: the state it began with, and the problem where the solver gave up.
///
/// | name     | shape | meaning                                                                            |
/// | -------- | ----- | ---------------------------------------------------------------------------------- |
/// | `scheme` | –     | name of the scheme                                                                 |
/// | `state`  | –     | state at the start of the step                                                     |
/// | `h`      | –     | time step, s                                                                       |
/// | `linear` | n     | the problem; a nonlinear one linearised at `z`; none where it is not defined there, for cones, and where no one problem failed |
/// | `friction` | contacts | the problem with round cones; none where joints are part of it, for which `friction-contact-1` has no words |
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
    /// The problem with round cones, if there are no joints in it.
    pub friction: Option<Box<FrictionProblem>>,
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
            friction: None,
            names: (0..v.len()).map(|k| format!("v[{k}]")).collect(),
            worst: None,
            z: v.to_vec(),
        })
    }

    /// Name of the format in [`UnsolvedStep::to_json`].
    pub const FORMAT: &'static str = "signorini-unsolved-step-1";

    /// All of it as JSON, numbers with all their digits: `state` as a saved [`State`] is written, and `M` (triplets `i`, `j`,
    /// `v`), `q`, `l`, `u` (null is infinite) as in the problem files of the complementarity crate; a problem with round cones is
    /// a file of friction as a field, `friction`.
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
            for (name, values) in [("rolling", &m.rolling), ("slip", &m.slip)] {
                if !values.is_empty() {
                    write!(out, "\"{name}\": {}, ", List(values))?;
                }
            }
            write!(out, "\"active\": {}, ", m.active)?;
            write!(out, "\"approach\": {}, ", Number(m.approach))?;
            write!(out, "\"stored\": {}, ", Number(m.stored))?;
            if !m.place.is_empty() {
                write!(out, "\"place\": {}, ", List(&m.place))?;
            }
            write!(out, "\"bounced\": {} }}", m.bounced)?;
        }
        writeln!(out, "] }},")?;
        if let Some(linear) = &self.linear {
            self.write_linear(linear, out)?;
        }
        if let Some(friction) = &self.friction {
            write_friction(friction, out)?;
        }
        writeln!(out, "  \"z\": {},", List(&self.z))?;
        if let Some(worst) = &self.worst {
            writeln!(out, "  \"worst\": {},", Name(worst))?;
        }
        writeln!(out, "  \"names\": {}", Names(&self.names))?;
        writeln!(out, "}}")
    }

    fn write_linear(&self, linear: &LinearMcp, out: &mut String) -> fmt::Result {
        writeln!(out, "  \"n\": {},", self.z.len())?;
        writeln!(out, "  \"M\": {},", triplets(self.z.len(), linear.m()))?;
        writeln!(out, "  \"q\": {},", List(linear.q()))?;
        writeln!(out, "  \"l\": {},", List(linear.bounds().lower()))?;
        writeln!(out, "  \"u\": {},", List(linear.bounds().upper()))
    }
}

/// W, q and the laws of a problem without bilateral rows, as a file of the format `friction-contact-1`.
fn write_friction(problem: &FrictionProblem, out: &mut String) -> fmt::Result {
    let (laws, n) = (problem.laws(), problem.len());
    let kind = if laws.dimension >= 5 {
        "rolling"
    } else {
        "local"
    };
    let law = match laws.law {
        FrictionLaw::Convex => "convex",
        FrictionLaw::Coulomb => "coulomb",
    };
    write!(
        out,
        "  \"friction\": {{ \"format\": \"friction-contact-1\", "
    )?;
    write!(out, "\"kind\": \"{kind}\", \"law\": \"{law}\", ")?;
    let (dimension, contacts) = (laws.dimension, laws.mu.len());
    write!(
        out,
        "\"dimension\": {dimension}, \"contacts\": {contacts}, "
    )?;
    let vectors = [("mu_r", &laws.rolling), ("ellipse", &laws.ellipse)];
    for (name, values) in vectors.into_iter().filter(|(_, v)| !v.is_empty()) {
        write!(out, "\"{name}\": {}, ", List(values))?;
    }
    let (mu, q) = (List(&laws.mu), problem.q());
    write!(out, "\"mu\": {mu}, \"q\": {}, ", List(&q))?;
    writeln!(out, "\"W\": {} }},", triplets(n, &problem.delassus()))
}

/// A square matrix of n rows as JSON.
fn triplets<'a>(n: usize, entries: impl IntoIterator<Item = (&'a f64, (usize, usize))>) -> String {
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (&value, (i, j)) in entries {
        rows.push(i);
        columns.push(j);
        values.push(value);
    }
    let values = List(&values);
    format!(
        "{{ \"rows\": {n}, \"cols\": {n}, \"i\": {rows:?}, \"j\": {columns:?}, \"v\": {values} }}"
    )
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

#[cfg(test)]
mod tests {
    use signorini_complementarity::{BlockRows, FIXED, FrictionData};

    use super::*;

    #[test]
    fn the_problem_of_a_step_with_cones_is_in_its_file() {
        let unit: Vec<f64> = (0..16).map(|k| f64::from(u8::from(k % 5 == 0))).collect();
        let mut contacts = BlockRows::new(4, 4);
        contacts.push([FIXED, 0], &[0.0; 16], &unit);
        let problem = FrictionProblem::new(FrictionData {
            dofs: 4,
            mass: unit,
            free_velocity: vec![-1.0, 0.5, 0.25, 0.1],
            contacts,
            bias: vec![0.0; 4],
            mu: vec![0.5],
            ellipse: vec![1.0, 1.0, 0.01],
            law: FrictionLaw::Convex,
            bilateral: BlockRows::new(1, 4),
            ..FrictionData::default()
        })
        .unwrap();
        let mut step = UnsolvedStep::at_velocity("test", (&State::default(), 0.1), &[]);
        assert!(!step.to_json().contains("friction"));
        step.friction = Some(Box::new(problem.clone()));
        let json: serde_json::Value = serde_json::from_str(&step.to_json()).unwrap();
        let friction = &json["friction"];
        assert_eq!(friction["format"], "friction-contact-1");
        assert_eq!(
            (&friction["kind"], &friction["law"]),
            (&"local".into(), &"convex".into())
        );
        assert_eq!(friction["ellipse"], serde_json::json!([1.0, 1.0, 0.01]));
        assert_eq!(friction["q"], serde_json::json!(problem.q()));
        let entries = &friction["W"];
        for (k, (&value, (i, j))) in problem.delassus().iter().enumerate() {
            assert_eq!(entries["i"][k], i);
            assert_eq!(entries["j"][k], j);
            assert_eq!(entries["v"][k], value);
        }
    }
}
