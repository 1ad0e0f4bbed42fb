//! Where a path begins: at the slack basis with a covering vector, or at a guessed basis.

use super::{Dictionary, NONBASIC};
use crate::BasisMark;
use crate::lemke::sparse::data::SparseProblem;
use crate::lemke::sparse::factors::Factors;

/// Rounds in which a singular guess is repaired.
const REPAIRS: usize = 10;

/// The starting basis is singular: z that depend on others, and the memory of the factors.
#[derive(Debug)]
pub(in crate::lemke::sparse) struct Singular {
    dependent: Vec<usize>,
    pub(in crate::lemke::sparse) factors: Box<Factors>,
}

impl Singular {
    /// The dependent z that have a bound to go to.
    pub(super) fn bounded<'s>(
        &'s self,
        data: &'s SparseProblem,
    ) -> impl Iterator<Item = usize> + 's {
        self.dependent.iter().copied().filter(|&j| !data.free[j])
    }
}

impl<'a> Dictionary<'a> {
    fn empty(data: &'a SparseProblem, factors: Factors) -> Self {
        let n = data.len();
        let zeros = || vec![0.0; n];
        Self {
            data,
            n,
            factors,
            head: Vec::with_capacity(n),
            position: vec![NONBASIC; 2 * n + 1],
            at_upper: vec![false; n],
            covering: zeros(),
            perturbation: zeros(),
            start: Vec::with_capacity(n),
            artificial: None,
            artificial_column: zeros(),
            x: zeros(),
            lower: zeros(),
            upper: zeros(),
            shift: zeros(),
            size: zeros(),
            column: zeros(),
            rate: zeros(),
            largest_rate: 0.0,
            scratch: zeros(),
            ties: Vec::new(),
            fresh: false,
            fragile: false,
        }
    }

    /// The complementary basis in which the variables stand like this.
    pub(in crate::lemke::sparse) fn complementary(
        data: &'a SparseProblem,
        standing: &[BasisMark],
        factors: Factors,
    ) -> Result<Self, Singular> {
        let mut new = Self::empty(data, factors);
        for (i, &mark) in standing.iter().enumerate() {
            let basic = if mark == BasisMark::Basic {
                new.n + i
            } else {
                i
            };
            new.head.push(basic);
            new.position[basic] = i;
            new.at_upper[i] = mark == BasisMark::AtUpper;
        }
        if let Err(dependent) = new.factor() {
            let factors = Box::new(new.factors);
            return Err(Singular { dependent, factors });
        }
        new.compute_values();
        for p in 0..new.n {
            let sign = match (new.lower[p].is_finite(), new.upper[p].is_finite()) {
                (true, _) => 1.0,
                (_, true) => -1.0,
                _ => 0.0,
            };
            let v = new.head[p];
            new.start.push((v, sign));
            // Numbers without pattern in [1, 2), in the units of the data: multiples of the golden ratio.
            let units = v
                .checked_sub(new.n)
                .map_or_else(|| data.row[v], |j| 1.0 / data.col[j]);
            let pattern_free = 1.0 + (0.618_033_988_749_895 * (p + 1) as f64).fract();
            new.shift[p] = sign * units * pattern_free;
        }
        let mut perturbation = std::mem::take(&mut new.perturbation);
        new.multiply_basis(&new.shift, &mut perturbation);
        new.perturbation = perturbation;
        Ok(new)
    }

    /// Starts from the slack basis with this covering vector, > 0 in rows that are no equations. Fails if the free
    /// variables have a singular block.
    pub(in crate::lemke::sparse) fn cold(
        data: &'a SparseProblem,
        covering: &[f64],
        factors: Factors,
    ) -> Result<Self, Singular> {
        let stand = |free: &bool| {
            if *free {
                BasisMark::Basic
            } else {
                BasisMark::AtLower
            }
        };
        let standing: Vec<BasisMark> = data.free.iter().map(stand).collect();
        let mut new = Self::complementary(data, &standing, factors)?;
        for ((d, &c), &free) in new.covering.iter_mut().zip(covering).zip(&data.free) {
            *d = if free { 0.0 } else { c };
        }
        let covering = new.covering.iter().copied().enumerate();
        new.factors.solve(covering, &mut new.artificial_column);
        Ok(new)
    }

    /// Starts from a complementary basis. There the column of t is such that every basic variable with one bound moves
    /// inwards at unit rate, and one with two bounds only if it violates one, and not beyond the middle.
    ///
    /// With a target, a scaled point, the path begins there instead: at the problem whose solution with this basis is
    /// nearest to it.
    ///
    /// A singular basis is repaired: variables that depend on others go to their bounds.
    pub(in crate::lemke::sparse) fn warm(
        data: &'a SparseProblem,
        mut standing: Vec<BasisMark>,
        target: Option<&[f64]>,
        mut factors: Factors,
    ) -> Result<Self, Singular> {
        let mut rounds = 0;
        let mut new = loop {
            match Self::complementary(data, &standing, factors) {
                Ok(new) => break new,
                Err(singular) if rounds < REPAIRS => {
                    let bounded: Vec<usize> = singular.bounded(data).collect();
                    if bounded.is_empty() {
                        return Err(singular);
                    }
                    for j in bounded {
                        standing[j] = BasisMark::AtLower;
                    }
                    factors = *singular.factors;
                    rounds += 1;
                }
                Err(singular) => return Err(singular),
            }
        };
        match target {
            Some(target) => new.head_for(target),
            None => new.head_inwards(),
        }
        let mut covering = std::mem::take(&mut new.covering);
        new.multiply_basis(&new.artificial_column, &mut covering);
        new.covering = covering;
        Ok(new)
    }

    fn head_inwards(&mut self) {
        let violation = |p: usize| (self.lower[p] - self.x[p]).max(self.x[p] - self.upper[p]);
        let furthest = (0..self.n).map(violation).fold(0.0, f64::max);
        for p in 0..self.n {
            let (x, l, u) = (self.x[p], self.lower[p], self.upper[p]);
            let gain = match (l.is_finite(), u.is_finite()) {
                (true, true) if x < l => (furthest.min(0.5 * (l + u) - x).max(l - x)) / furthest,
                (true, true) if x > u => -(furthest.min(x - 0.5 * (l + u)).max(x - u)) / furthest,
                (true, false) => 1.0,
                (false, true) => -1.0,
                _ => 0.0,
            };
            self.artificial_column[p] = -gain;
        }
    }

    /// A column of t that makes the basic variables those of y, within their bounds, at t = 1.
    fn head_for(&mut self, y: &[f64]) {
        let mut s = self.data.q.clone();
        for (j, y) in y.iter().enumerate() {
            self.data.column(j).for_each(|(i, m)| s[i] += m * y);
        }
        for p in 0..self.n {
            let variable = self.head[p];
            let value = variable
                .checked_sub(self.n)
                .map_or_else(|| s[variable], |j| y[j]);
            let value = value.max(self.lower[p]).min(self.upper[p]);
            self.artificial_column[p] = self.x[p] - value;
        }
    }

    /// Lets t enter at the value that makes the basis feasible; the variable that leaves. `None`: it is feasible.
    pub(in crate::lemke::sparse) fn enter_artificial(&mut self, tie: f64) -> Option<usize> {
        let mut furthest = 0.0_f64;
        let mut violation = std::mem::take(&mut self.scratch);
        for (p, violation) in violation.iter_mut().enumerate() {
            let x = self.x[p];
            *violation = (self.lower[p] - x).max(x - self.upper[p]);
            if *violation > 0.0 && *violation <= tie * self.size[p] {
                self.x[p] = x.max(self.lower[p]).min(self.upper[p]);
            }
            let counts = *violation > tie * self.size[p];
            *violation = if counts {
                *violation / self.artificial_column[p].abs()
            } else {
                0.0
            };
            furthest = furthest.max(*violation);
        }
        let ratio = |p: usize| self.shift[p] / -self.artificial_column[p];
        let leaving = (0..self.n)
            .filter(|&p| furthest > 0.0 && violation[p] >= furthest * (1.0 - tie))
            .min_by(|&a, &b| ratio(a).total_cmp(&ratio(b)).then(b.cmp(&a)));
        self.scratch = violation;
        let p = leaving?;
        let shift = self.shift[p] / self.artificial_column[p];
        self.rate.clear();
        self.rate.extend(self.artificial_column.iter().map(|y| -y));
        self.advance(furthest, shift, tie);
        let variable = self.head[p];
        self.note_bound(p, variable);
        self.position[variable] = NONBASIC;
        self.place(self.t(), p, furthest, shift);
        self.artificial = Some(p);
        Some(variable)
    }
}
