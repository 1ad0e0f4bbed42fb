//! Lemke's method over sparse factors: no array of n × n numbers.
//!
//! # Method
//! Revised form with bounds. Free variables are basic from the start; a variable between two bounds may flip from one
//! to the other. The kernel of the basis, its tight rows and basic z, is factorised after Markowitz and updated
//! after Forrest and Tomlin; the dense column of the artificial variable stays outside of the factors. A basis is
//! factorised anew when the updates cost more than they save, by counts of operations. A path that rounding has broken
//! off goes on from its last basis, with variables that depend on others at their bounds.

mod data;
mod dictionary;
mod factors;
mod lu;
mod path;
mod regular;

pub(in crate::lemke) use self::data::SparseProblem;
use self::dictionary::{Dictionary, Singular};
pub(in crate::lemke) use self::factors::Factors;
use self::path::{End, follow};
pub(crate) use self::regular::{Origin, PathCode, Pivoting, Trail, TrailLimits, scaling};
use super::{LemkeSettings, certificate};
use crate::polish::basis_of_point;
use crate::residual::LinearView;
use crate::rng::SplitMix64;
use crate::{
    Basis, BasisMark, Certificate, Observer, Solution, Start, Stats, Status, natural_residual,
};

/// A path from a guess may take this many pivots per variable, then the next try is due.
const WARM_PIVOTS: usize = 10;

/// Solves the problem as the dense path does: the guess, then one covering vector after the other, then a proof of
/// infeasibility.
pub(super) fn solve(
    view: LinearView<'_>,
    data: &SparseProblem,
    settings: &LemkeSettings,
    factors: &mut Factors,
    start: Start<'_>,
    observer: &mut dyn Observer,
) -> Solution {
    let z: Vec<f64> = (0..view.len()).map(|i| view.project(i, 0.0)).collect();
    Run::new((view, data), (settings, factors), z).solve(start, observer)
}

/// One path from a basis and a point near the solution, without the tries that would follow it.
pub(super) fn solve_near(
    (view, data): (LinearView<'_>, &SparseProblem),
    (settings, factors): (&LemkeSettings, &mut Factors),
    (basis, point): (&Basis, Option<&[f64]>),
    observer: &mut dyn Observer,
) -> Solution {
    let project = |i: usize| view.project(i, point.map_or(0.0, |point| point[i]));
    let z: Vec<f64> = (0..view.len()).map(project).collect();
    let mut run = Run::new((view, data), (settings, factors), z);
    let begin = Begin::Basis(
        data.standing(basis.marks()),
        point.map(|point| data.reduce(point)),
    );
    let status = run.attempt(begin, observer);
    let status = status.unwrap_or(run.best.status);
    run.finish(status)
}

/// One solve over several tries.
struct Run<'a> {
    settings: &'a LemkeSettings,
    view: LinearView<'a>,
    data: &'a SparseProblem,
    /// Memory of the factors while no path uses it.
    factors: &'a mut Factors,
    /// Best point so far; its status is that of the last failed try.
    best: Solution,
    /// How often the try at hand was taken up again.
    resumed: usize,
}

/// Paths that rounding has broken off are taken up again this many times, then the next try is due.
const RESUMES: usize = 20;

/// Where a path begins.
enum Begin {
    /// At the complementary basis in which the variables stand like this, and at this scaled point if there is one.
    Basis(Vec<BasisMark>, Option<Vec<f64>>),
    /// At the slack basis, with this covering vector (scaled).
    Slack(Vec<f64>),
}

impl<'a> Run<'a> {
    /// Nothing tried yet, with z the best point.
    fn new(
        (view, data): (LinearView<'a>, &'a SparseProblem),
        (settings, factors): (&'a LemkeSettings, &'a mut Factors),
        z: Vec<f64>,
    ) -> Self {
        let best = Solution {
            residual: natural_residual(view, &z),
            z,
            status: Status::Solved,
            stats: Stats::default(),
            basis: None,
            certificate: None,
        };
        Self {
            settings,
            view,
            data,
            factors,
            best,
            resumed: 0,
        }
    }

    fn solve(mut self, start: Start<'_>, observer: &mut dyn Observer) -> Solution {
        if !self.data.is_finite() {
            return self.finish(Status::Singular);
        }
        // 1. The guess, if there is one.
        let guess = match start {
            Start::Cold => None,
            Start::Basis(basis) => Some(self.data.standing(basis.marks())),
            Start::Point(z) => Some(self.data.standing(basis_of_point(&self.view, z).marks())),
        };
        if let Some(standing) = guess {
            if let Some(status) = self.attempt(Begin::Basis(standing, None), observer) {
                return self.finish(status);
            }
            self.best.stats.restarts += 1;
        }
        // 2. Cold starts with one covering vector after the other, later from other bases in turn.
        let mut rng = SplitMix64::new(self.settings.seed);
        let mut failure = None;
        // Without a variable in the problem there is but one path.
        let retries = self.settings.retries * usize::from(self.data.len() > 0);
        for number in 0..=retries {
            self.best.stats.restarts += usize::from(number > 0);
            let begin = self.beginning(number, &mut rng);
            if let Some(status) = self.attempt(begin, observer) {
                return self.finish(status);
            }
            failure = failure.or(Some(self.best.status));
        }
        // 3. Nothing solved it: is there a proof that nothing can?
        let is_asked = self.settings.searches_proof;
        let proof = is_asked.then(|| self.search_proof(observer)).flatten();
        if let Some(y) = proof {
            self.best.certificate = Some(Certificate::Farkas(y));
            return self.finish(Status::Infeasible);
        }
        self.finish(failure.unwrap_or(Status::Ray))
    }

    /// One path with all that follows from its end; `None` means that the next try is due, and that the reason is in
    /// `best.status`.
    fn attempt(&mut self, begin: Begin, observer: &mut dyn Observer) -> Option<Status> {
        let warm = matches!(begin, Begin::Basis(..));
        self.best.stats.factorizations += 1;
        let factors = std::mem::take(self.factors);
        let started = match begin {
            Begin::Basis(standing, target) => {
                Dictionary::warm(self.data, standing, target.as_deref(), factors)
            }
            Begin::Slack(covering) => Dictionary::cold(self.data, &covering, factors),
        };
        let mut dictionary = match started {
            Ok(dictionary) => dictionary,
            Err(Singular { factors, .. }) => {
                *self.factors = *factors;
                self.best.status = Status::Singular;
                return None;
            }
        };
        let (limit, stats) = (self.settings.pivot_limit, &mut self.best.stats);
        // A path from a guess with variables between two bounds begins on no ray, and may be closed.
        let last = if warm {
            limit.min(stats.iterations + WARM_PIVOTS * (self.data.len() + WARM_PIVOTS))
        } else {
            limit
        };
        let end = follow(&mut dictionary, self.settings, last, stats, observer);
        let status = self.judge(end, &mut dictionary);
        let standing = dictionary.standing();
        *self.factors = dictionary.into_factors();
        // A wrong basis may be near: go on from it with numbers fresh from the data.
        let near = match end {
            End::Complementary => !warm,
            End::Lost => self.resumed < RESUMES,
            _ => false,
        };
        if near && status.is_none() {
            self.resumed += 1;
            return self.attempt(Begin::Basis(standing, None), observer);
        }
        self.resumed = 0;
        status
    }

    /// What the end of a path is worth.
    fn judge(&mut self, end: End, dictionary: &mut Dictionary<'_>) -> Option<Status> {
        if end != End::Complementary && end != End::Lost {
            self.keep(&dictionary.point(), None);
        }
        // A path may go on for rounding only when t has already vanished.
        if end == End::Complementary || self.best.residual <= self.settings.tolerance {
            if self.accept(dictionary) {
                return Some(Status::Solved);
            }
            self.best.status = Status::Inaccurate;
            return None;
        }
        match end {
            End::Complementary | End::Lost => {
                self.best.status = Status::Inaccurate;
                None
            }
            End::Ray(entering) => {
                self.best.status = Status::Ray;
                self.keep_ray(dictionary, entering)
            }
            End::Limit => {
                let all = self.best.stats.iterations >= self.settings.pivot_limit;
                self.best.status = Status::IterationLimit;
                all.then_some(Status::IterationLimit)
            }
            End::Stopped => Some(Status::Stopped),
        }
    }

    /// Solves the basis from the data; true if its answer is good. The path's own answer is the second choice: it
    /// survives redundant equations, whose basis is singular.
    fn accept(&mut self, dictionary: &mut Dictionary<'_>) -> bool {
        let marks = self.data.marks(&dictionary.standing());
        let own = dictionary.point();
        self.best.stats.factorizations += 1;
        if dictionary.renew().is_some() {
            self.keep(&dictionary.point(), Some(&marks));
        }
        if self.best.residual > self.settings.tolerance || self.best.basis.is_none() {
            self.keep(&own, Some(&marks));
        }
        self.best.residual <= self.settings.tolerance
    }

    /// Keeps a scaled point if it is better than the best one.
    fn keep(&mut self, y: &[f64], basis: Option<&Basis>) {
        let mut z = self.data.expand(y);
        z.iter_mut()
            .enumerate()
            .for_each(|(i, z)| *z = self.view.project(i, *z));
        if !z.iter().all(|z| z.is_finite()) {
            return;
        }
        let residual = natural_residual(self.view, &z);
        let first = self.best.basis.is_none() && basis.is_some();
        let good = residual <= self.best.residual.max(self.settings.tolerance);
        if residual < self.best.residual || (first && good) {
            (self.best.z, self.best.residual, self.best.basis) = (z, residual, basis.cloned());
        }
    }

    /// Remembers the first ray; the answer if it proves infeasibility.
    fn keep_ray(&mut self, dictionary: &Dictionary<'_>, entering: usize) -> Option<Status> {
        let (y, s, z0) = dictionary.ray(entering);
        let (z, w) = self.data.expand_ray(&y, &s);
        if let Some(y) = certificate::farkas(&self.view, &z, self.settings) {
            self.best.certificate = Some(Certificate::Farkas(y));
            return Some(Status::Infeasible);
        }
        let ray = Certificate::Ray { z, w, z0 };
        self.best.certificate.get_or_insert(ray);
        None
    }

    /// The linear program of [`certificate::program`], on which Lemke's method ends in a solution or in a ray that holds
    /// a proof.
    fn search_proof(&mut self, observer: &dyn Observer) -> Option<Vec<f64>> {
        let n = self.view.len();
        let program = certificate::program(&self.view);
        let view = LinearView::from(&program);
        let mut data = SparseProblem::new(&view, false);
        if Dictionary::cold(&data, &data.row, Factors::default()).is_err() {
            data = SparseProblem::new(&view, true);
        }
        let factors = std::mem::take(self.factors);
        let mut dictionary = Dictionary::cold(&data, &data.row, factors).ok()?;
        let stats = &mut Stats::default();
        let last = self.settings.pivot_limit;
        let mut quiet = certificate::Quiet::new(observer);
        let end = follow(&mut dictionary, self.settings, last, stats, &mut quiet);
        let End::Ray(entering) = end else {
            return None;
        };
        let (y, s, _) = dictionary.ray(entering);
        let (z, _) = data.expand_ray(&y, &s);
        certificate::farkas(&self.view, &z[n..], self.settings)
    }

    /// The start of try `number`: covering vectors of ones, of ones on the scaled rows, of |q|, then random ones, in
    /// turn with random bases.
    fn beginning(&self, number: usize, rng: &mut SplitMix64) -> Begin {
        let n = self.data.len();
        let mut covering = match number {
            0 => self.data.row.clone(),
            1 => vec![1.0; n],
            2 => {
                let mean = self.data.q.iter().map(|q| q.abs()).sum::<f64>() / n as f64;
                let floor = if mean > 0.0 { mean } else { 1.0 };
                self.data.q.iter().map(|q| q.abs() + floor).collect()
            }
            _ if number.is_multiple_of(2) => return Begin::Basis(self.small_basis(rng), None),
            // Log-uniform over two decades.
            _ => (0..n)
                .map(|_| 10.0_f64.powf(2.0 * rng.uniform() - 1.0))
                .collect(),
        };
        // The column of t is scaled as the others are.
        let largest = covering.iter().fold(0.0_f64, |m, d| m.max(*d));
        crate::linalg::scale(&mut covering, (-largest.log2().round()).exp2());
        Begin::Slack(covering)
    }

    /// A complementary basis with one or two z more than the free ones, at random.
    fn small_basis(&self, rng: &mut SplitMix64) -> Vec<BasisMark> {
        let data = self.data;
        let free = |free: &bool| {
            if *free {
                BasisMark::Basic
            } else {
                BasisMark::AtLower
            }
        };
        let mut standing: Vec<BasisMark> = data.free.iter().map(free).collect();
        let i = rng.below(data.len());
        standing[i] = BasisMark::Basic;
        let partners: Vec<usize> = data
            .column(i)
            .filter(|&(j, m)| j != i && m != 0.0 && data.entry(i, j) != 0.0)
            .map(|(j, _)| j)
            .collect();
        if data.entry(i, i) == 0.0 && !partners.is_empty() {
            standing[partners[rng.below(partners.len())]] = BasisMark::Basic;
        }
        standing
    }

    fn finish(mut self, status: Status) -> Solution {
        self.best.status = status;
        if status == Status::Solved {
            self.best.certificate = None;
        }
        self.best
    }
}
