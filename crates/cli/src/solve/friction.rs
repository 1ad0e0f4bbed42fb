//! Frictional contact: files of the format `friction-contact-1`.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use signorini_complementarity::io::{FrictionFile, FrictionForm, read_text};
use signorini_complementarity::{
    Certificate, ContactMode, FrictionAnswer, FrictionLaw, FrictionProblem, FrictionSettings,
    Observer, Start, solve_friction_observed,
};

use super::answer::{MOST_ENTRIES, MOST_ROWS, word};
use super::unsolved::{self, Held};
use super::{Log, ends_in, is_matrix_market, name_of, no_vectors, refuse};
use crate::args::SolveArguments;
use crate::error::CliError;
use crate::number::short;
use crate::terminal;

/// How formats of friction problems begin.
const FAMILY: &str = "friction-contact-";

/// The friction law as it is named on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Law {
    /// Coulomb's law, exact.
    Coulomb,
    /// Its convex relaxation.
    Convex,
}

/// What any file in JSON says of itself.
#[derive(Debug, Deserialize)]
struct Label {
    format: String,
}

/// The problem, if the file is one of frictional contact.
pub(crate) fn load(arguments: &SolveArguments) -> Result<Option<FrictionFile>, CliError> {
    let path = &arguments.file;
    if ends_in(path, "hdf5") || ends_in(path, "h5") {
        no_vectors(arguments)?;
        return hdf5(path).map(Some);
    }
    if is_matrix_market(path) {
        return Ok(None);
    }
    let text = read_text(path).map_err(|source| refuse(path, source))?;
    match unsolved::problem(path, &text)? {
        Some(Held::Friction(file)) => {
            no_vectors(arguments)?;
            return Ok(Some(named(*file, path)));
        }
        Some(Held::Linear(_)) => return Ok(None),
        None => {}
    }
    let friction = match serde_json::from_str::<Label>(&text) {
        Ok(label) => label.format.starts_with(FAMILY),
        // Cut off, or with a number that JSON has not.
        Err(_) => text.contains(FAMILY),
    };
    if !friction {
        return Ok(None);
    }
    no_vectors(arguments)?;
    let file = FrictionFile::from_json(&text).map_err(|source| refuse(path, source))?;
    Ok(Some(named(file, path)))
}

/// A file of the collection FCLIB.
#[cfg(feature = "hdf5")]
fn hdf5(path: &Path) -> Result<FrictionFile, CliError> {
    let file = FrictionFile::from_hdf5(path).map_err(|source| refuse(path, source))?;
    Ok(named(file, path))
}

#[cfg(not(feature = "hdf5"))]
fn hdf5(_path: &Path) -> Result<FrictionFile, CliError> {
    Err(CliError::NoHdf5)
}

fn named(mut file: FrictionFile, path: &Path) -> FrictionFile {
    if file.name.is_empty() {
        file.name = name_of(path);
    }
    file
}

/// Solves the problem and says so; true if it was solved.
pub(crate) fn solve(arguments: &SolveArguments, mut file: FrictionFile) -> Result<bool, CliError> {
    if arguments.solver.name != "auto" {
        let solver = arguments.solver.name;
        return Err(CliError::NotForFriction { solver });
    }
    if let Some(start) = arguments.start {
        return Err(CliError::LinearStart { start });
    }
    match arguments.law {
        Some(Law::Coulomb) => file.laws.law = FrictionLaw::Coulomb,
        Some(Law::Convex) => file.laws.law = FrictionLaw::Convex,
        None => {}
    }
    let problem = file.problem();
    let problem = problem.map_err(|source| refuse(&arguments.file, source.into()))?;
    let mut settings = FrictionSettings::default();
    settings.tolerance = arguments.tolerance.unwrap_or(settings.tolerance);
    let observer: &mut dyn Observer = if arguments.log { &mut Log } else { &mut () };
    let start = Instant::now();
    let answer = solve_friction_observed(&problem, &settings, Start::Cold, observer);
    let report = Report {
        file: &file,
        problem: &problem,
        answer: &answer,
        seconds: start.elapsed().as_secs_f64(),
    };
    let text = if arguments.json {
        report.to_json()
    } else {
        report.to_text()
    };
    terminal::print_text(&text)?;
    Ok(answer.solution.status.is_solved())
}

/// A finished solve.
#[derive(Clone, Copy)]
struct Report<'a> {
    file: &'a FrictionFile,
    problem: &'a FrictionProblem,
    answer: &'a FrictionAnswer,
    seconds: f64,
}

/// What `--json` prints. A number that is not finite is null.
#[derive(Debug, Serialize)]
struct Json<'a> {
    format: &'static str,
    program: &'static str,
    problem: &'a str,
    contacts: usize,
    dimension: usize,
    law: &'static str,
    solver: &'static str,
    status: &'static str,
    residual_relative: f64,
    residual_scaled: f64,
    modes: Modes,
    counts: Counts,
    seconds: f64,
    r: &'a [f64],
    u: &'a [f64],
    /// Impulses that prove that there is no solution.
    infeasibility: Option<&'a [f64]>,
    /// Empty if solved.
    worst_contacts: Vec<WorstContact>,
}

#[derive(Debug, Serialize)]
struct Modes {
    open: usize,
    stick: usize,
    slip: usize,
    roll: usize,
    slip_and_roll: usize,
}

#[derive(Debug, Serialize)]
struct Counts {
    iterations: usize,
    factorizations: usize,
}

#[derive(Debug, Serialize)]
struct WorstContact {
    contact: usize,
    residual_relative: f64,
    residual_scaled: f64,
    fault: &'static str,
}

impl Report<'_> {
    fn to_json(self) -> String {
        let solution = &self.answer.solution;
        let u = self.velocities();
        let json = Json {
            format: "signorini-friction-1",
            program: concat!("signorini ", env!("CARGO_PKG_VERSION")),
            problem: &self.file.name,
            contacts: self.problem.contact_count(),
            dimension: self.problem.dimension(),
            law: self.law(),
            solver: self.answer.method.name(),
            status: word(solution.status),
            residual_relative: self.answer.residuals.relative,
            residual_scaled: self.answer.residuals.scaled,
            modes: self.modes(),
            counts: Counts {
                iterations: solution.stats.iterations,
                factorizations: solution.stats.factorizations,
            },
            seconds: self.seconds,
            r: &solution.z,
            u: &u,
            infeasibility: match &solution.certificate {
                Some(Certificate::SelfStress(d)) => Some(d),
                _ => None,
            },
            worst_contacts: self.worst(&u),
        };
        let mut text = serde_json::to_string(&json).expect("a tree of numbers and strings");
        text.push('\n');
        text
    }

    fn to_text(self) -> String {
        let (solution, residuals) = (&self.answer.solution, &self.answer.residuals);
        let (contacts, d) = (self.problem.contact_count(), self.problem.dimension());
        let mut text = format!("{}: {contacts} contacts, {}\n", self.file.name, self.kind());
        let mut row = |name: &str, value: String| {
            writeln!(text, "  {name:<14} {value}").expect("a string takes every text");
        };
        row("status", solution.status.to_string());
        row("law", self.law().to_owned());
        row("solver", self.answer.method.name().to_owned());
        row(
            "residual",
            format!(
                "{} relative, {} scaled",
                short(residuals.relative, 3),
                short(residuals.scaled, 3)
            ),
        );
        row("modes", self.modes().to_string());
        row(
            "counts",
            format!(
                "{} iterations, {} factorisations",
                solution.stats.iterations, solution.stats.factorizations
            ),
        );
        row("time", format!("{} s", short(self.seconds, 3)));
        if solution.status.is_solved() {
            let impulses = solution.z.chunks_exact(d.max(1));
            for (k, r) in impulses.take(MOST_ENTRIES).enumerate() {
                row(&format!("r[{k}]"), numbers(r));
            }
            if contacts > MOST_ENTRIES {
                let more = contacts - MOST_ENTRIES;
                row("...", format!("{more} more; --json prints all"));
            }
        } else {
            text += &self.breakdown();
        }
        text
    }

    fn law(self) -> &'static str {
        match self.problem.law() {
            FrictionLaw::Coulomb => "coulomb",
            FrictionLaw::Convex => "convex",
        }
    }

    /// Rows per contact in words, and what the file has of the matrix.
    fn kind(self) -> String {
        let rows = match self.problem.dimension() {
            1 => "without friction",
            2 => "in the plane",
            3 => "in space",
            4 => "in space, with torsion",
            5 => "in space, with rolling friction",
            _ => "in space, with torsion and rolling friction",
        };
        match &self.file.form {
            FrictionForm::Local { w, .. } => format!("{rows}, {} entries in W", w.nnz()),
            FrictionForm::Global { m, .. } => {
                format!("{rows}, {} velocities", m.rows())
            }
        }
    }

    fn modes(self) -> Modes {
        let modes = self.problem.modes(&self.answer.solution.z);
        let count = |mode| modes.iter().filter(|m| **m == mode).count();
        Modes {
            open: count(ContactMode::Open),
            stick: count(ContactMode::Stick),
            slip: count(ContactMode::Slip),
            roll: count(ContactMode::Roll),
            slip_and_roll: count(ContactMode::SlipRoll),
        }
    }

    fn velocities(self) -> Vec<f64> {
        let z = &self.answer.solution.z;
        let mut u = vec![0.0; z.len()];
        self.problem.relative_velocities_into(z, &mut u);
        u
    }

    /// The contacts where an answer that is none fails most, worst first.
    fn worst(self, u: &[f64]) -> Vec<WorstContact> {
        let (solution, residuals) = (&self.answer.solution, &self.answer.residuals);
        if solution.status.is_solved() {
            return Vec::new();
        }
        let mut order: Vec<usize> = (0..residuals.contacts.len()).collect();
        order.sort_by(|a, b| {
            let [a, b] = [a, b].map(|k| residuals.contacts[*k].relative);
            b.total_cmp(&a)
        });
        let d = self.problem.dimension();
        order
            .into_iter()
            .take(MOST_ROWS)
            .map(|contact| (contact, residuals.contacts[contact]))
            .filter(|(_, residual)| residual.relative > 0.0)
            .map(|(contact, residual)| {
                let rows = contact * d..(contact + 1) * d;
                WorstContact {
                    contact,
                    residual_relative: residual.relative,
                    residual_scaled: residual.scaled,
                    fault: fault(solution.z[rows.start], u[rows.start]),
                }
            })
            .collect()
    }

    /// Where the best point fails, and how.
    fn breakdown(self) -> String {
        let u = self.velocities();
        let worst = self.worst(&u);
        if worst.is_empty() {
            return String::new();
        }
        let mut text = "the best point fails most at these contacts:\n".to_owned();
        for worst in worst {
            let rows = worst.contact * self.problem.dimension();
            let rows = rows..rows + self.problem.dimension();
            writeln!(
                text,
                "  contact {}: residual {}: r = {}, u = {}: {}",
                worst.contact,
                short(worst.residual_relative, 3),
                numbers(&self.answer.solution.z[rows.clone()]),
                numbers(&u[rows]),
                worst.fault,
            )
            .expect("a string takes every text");
        }
        text
    }
}

/// What is wrong with the normal impulse and velocity, if they are at fault.
fn fault(impulse: f64, velocity: f64) -> &'static str {
    match (impulse > 0.0, velocity) {
        (_, u) if u < 0.0 => "the contact must not close",
        (true, u) if u > 0.0 => "a contact that opens must not push",
        _ => "friction must stay in its cone and oppose slip",
    }
}

fn numbers(values: &[f64]) -> String {
    let numbers: Vec<String> = values.iter().map(|x| short(*x, 6)).collect();
    format!("({})", numbers.join(", "))
}

impl std::fmt::Display for Modes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} open, {} stick, {} slip",
            self.open, self.stick, self.slip
        )?;
        if self.roll + self.slip_and_roll > 0 {
            write!(
                f,
                ", {} roll, {} slip and roll",
                self.roll, self.slip_and_roll
            )?;
        }
        Ok(())
    }
}
