//! A friction problem prepared for methods that go from contact to contact, with all of its state.
//!
//! Every contact is in the coordinates of its [`Local`] frame, in which its law is the same and its block nearly diagonal.
//! Two forms share one interface: with bodies the velocity is kept, in coordinates where all masses are 1, so that one
//! matrix serves both products of a sweep; without, the velocities of a contact are sums over its row of W.

mod bodies;
mod group;
mod matrix;
mod order;
mod record;
mod rows;
mod schedule;
mod shared;
mod smooth;
mod step;

use super::FrictionProblem;
use super::block_gauss_seidel::SweepOrder;
use super::cone::split;
use super::local::{Block, Branch, Diagonal, Kind, Local};
use super::view::SolverView;
#[cfg(test)]
mod tests;

pub(crate) use smooth::Smoothing;
pub(crate) use step::Scales;

/// How a sweep goes.
#[derive(Clone, Copy, Debug)]
struct Pace {
    relaxation: f64,
    /// δ, the part of the shift that is delayed.
    share: f64,
}

/// What one sweep did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sweep {
    /// Σ |Δr|² over all blocks, each in its coordinates and weighted with its mean stiffness.
    pub(crate) change: f64,
    /// Σ |r|², weighted in the same way.
    pub(crate) size: f64,
    /// Contacts that went to another branch.
    pub(crate) switches: usize,
}

impl std::ops::AddAssign for Sweep {
    fn add_assign(&mut self, other: Self) {
        self.change += other.change;
        self.size += other.size;
        self.switches += other.switches;
    }
}

/// What a step of the method of multipliers did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Multiplied {
    /// Steps of Newton's method.
    pub(crate) steps: usize,
    /// Whether impulses and velocities are in balance but for rounding.
    pub(crate) converged: bool,
}

/// The prepared problem.
pub(crate) trait Blocks: std::fmt::Debug {
    /// One sweep over all contacts and bilateral rows in their order, with the newest values.
    fn sweep(&mut self, relaxation: f64) -> Sweep;

    /// One step of Newton's method on the law as the present point sees it; the number of contacts that are seen
    /// otherwise than in the last step, or `None` if the step does not exist and the point is spoilt.
    fn newton(&mut self, scales: Scales) -> Option<usize>;

    /// A step of the method of multipliers from the present impulses, with equations held κ / W stiff: impulses as functions of
    /// velocities for which both are in balance, by at most `limit` steps of Newton's method. `None` without bodies.
    fn multiply(&mut self, stiffness: f64, limit: usize) -> Option<Multiplied> {
        let _ = (stiffness, limit);
        None
    }

    /// How many times the last change of the impulses, from the state `before`, they can go on before one is at the border of its
    /// cone, ∞ if none is on the way there. Without bodies 0.
    fn reach(&self, before: &[f64]) -> f64 {
        let _ = before;
        0.0
    }

    /// From now on this share of the shift μ |u_T| of the exact law is what contacts remember of it: a contact that slides
    /// opens with δ (μ |u_T| − h). Whether there are contacts that do so; without bodies there are none.
    fn delay(&mut self, share: f64) -> bool {
        let _ = share;
        false
    }

    /// √(Σ (δ (μ |u_T| − h) / W_NN)²) over closed contacts, an impulse: what the delay hides of the error.
    fn lag(&self) -> f64 {
        0.0
    }

    /// h += rate (μ |u_T| − h) in every contact.
    fn follow(&mut self, rate: f64) {
        let _ = rate;
    }

    /// Whether every contact has a smoothed law.
    fn is_smoothable(&self) -> bool;

    /// √(Σ |F|² / ρ / Σ ρ) over all blocks, a velocity: the error of the law smoothed over `width`.
    fn error(&self, width: f64) -> f64;

    /// √(Σ ρ |q|² / Σ ρ), its size without any impulse.
    fn speed(&self) -> f64;

    /// Impulses in frame coordinates, the bilateral ones last: the state, for methods that combine states.
    fn state_into(&self, out: &mut [f64]);

    /// Sets the state, and all that follows from it.
    fn set_state(&mut self, state: &[f64]);

    /// Moves impulses that left their cones to the nearest point with the same normal, and draws the consequences.
    fn clip(&mut self);

    /// Sets the state from z' of the view.
    fn set_impulses(&mut self, z: &[f64]);

    /// z' of the view, each contact projected on its cone.
    fn impulses_into(&self, z: &mut [f64]);
}

/// Prepares a problem. Without bodies contacts come in their order.
pub(crate) fn prepare(
    problem: &FrictionProblem,
    view: &SolverView,
    order: SweepOrder,
) -> Box<dyn Blocks> {
    match view.dimension {
        2 => prepare_dimension::<2>(problem, view, order),
        3 => prepare_dimension::<3>(problem, view, order),
        4 => prepare_dimension::<4>(problem, view, order),
        5 => prepare_dimension::<5>(problem, view, order),
        6 => prepare_dimension::<6>(problem, view, order),
        // Also problems without a contact.
        _ => prepare_dimension::<1>(problem, view, order),
    }
}

fn prepare_dimension<const D: usize>(
    problem: &FrictionProblem,
    view: &SolverView,
    order: SweepOrder,
) -> Box<dyn Blocks> {
    match &view.bodies {
        // A fourth component that is always zero: four lanes take fewer steps than three numbers.
        Some(bodies) if bodies.dofs <= 4 => Box::new(bodies::BodyBlocks::<D, 4>::new(
            problem,
            (view, bodies),
            order,
        )),
        Some(bodies) if bodies.dofs <= 6 => Box::new(bodies::BodyBlocks::<D, 6>::new(
            problem,
            (view, bodies),
            order,
        )),
        _ => Box::new(matrix::MatrixBlocks::<D>::new(problem, view)),
    }
}

/// What changes of one contact.
#[derive(Clone, Copy, Debug)]
struct Variable<const D: usize> {
    r: [f64; D],
    guess: f64,
    branch: Branch,
    /// h, the shift μ |u_T| that it remembers.
    shift: f64,
}

impl<const D: usize> Default for Variable<D> {
    fn default() -> Self {
        Self {
            r: [0.0; D],
            guess: 0.0,
            branch: Branch::Open,
            shift: 0.0,
        }
    }
}

impl<const D: usize> Variable<D> {
    /// Whether it has no impulse, and had none.
    #[inline]
    fn rests(&self) -> bool {
        self.branch == Branch::Open && self.r.iter().all(|r| *r == 0.0)
    }

    /// Goes from r̂ with the velocity û to the local solution and a bit beyond; the change of r̂.
    #[expect(
        clippy::inline_always,
        reason = "called in the loop over contacts only; left alone it is not inlined"
    )]
    #[inline(always)]
    fn relax(
        &mut self,
        diagonal: &Diagonal<D>,
        (r, u): (&[f64; D], &[f64; D]),
        (target, branch): (&[f64; D], Branch),
        relaxation: f64,
        sweep: &mut Sweep,
    ) -> [f64; D] {
        sweep.switches += usize::from(branch != self.branch);
        self.branch = branch;
        let mut change = [0.0; D];
        for i in 0..D {
            change[i] = relaxation * (target[i] - r[i]);
        }
        let step = if branch == Branch::Open && diagonal.is_nothing(r, u) {
            // Else it would fade through the subnormal numbers, which are slow, and never be nothing.
            change = r.map(|r| -r);
            let step = self.r.map(|r| -r);
            self.r = [0.0; D];
            step
        } else {
            let step = diagonal.impulse_back(&change);
            for (r, step) in self.r.iter_mut().zip(&step) {
                *r += step;
            }
            step
        };
        sweep.change += step.iter().map(|x| x * x).sum::<f64>();
        sweep.size += self.r.iter().map(|x| x * x).sum::<f64>();
        change
    }

    /// The local solution at the velocity u of the frame.
    #[expect(
        clippy::inline_always,
        reason = "called in the loop over contacts only; left alone it is not inlined"
    )]
    #[inline(always)]
    fn advance(&mut self, local: &Local<D>, u: &[f64; D], relaxation: f64, sweep: &mut Sweep) {
        let u = local.diagonal.velocity(u);
        let rest = self.rests();
        if rest && local.kind() == Kind::Slide && u[0] >= 0.0 {
            return;
        }
        let r = local.diagonal.impulse(&self.r);
        let (target, branch) = local.solve(&r, &u, &mut self.guess);
        if !(rest && branch == Branch::Open) {
            self.relax(
                &local.diagonal,
                (&r, &u),
                (&target, branch),
                relaxation,
                sweep,
            );
        }
    }

    /// Clips the impulse to its cone, keeping the normal.
    fn clip(&mut self, local: &Local<D>) {
        if self.r[0] <= 0.0 {
            self.r = [0.0; D];
            return;
        }
        let split = split(D);
        for (disc, coefficient) in [(1..split, local.cone.mu), (split..D, local.cone.rolling)] {
            let bound = coefficient * self.r[0];
            let disc = &mut self.r[disc];
            let length = disc.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > bound {
                for x in disc {
                    *x *= bound / length;
                }
            }
        }
    }
}

/// The diagonal block k of the view as an array.
fn block_of<const D: usize>(view: &SolverView, k: usize) -> Block<D> {
    let block = view.diagonal_block(k);
    std::array::from_fn(|i| std::array::from_fn(|j| block[i * D + j]))
}

/// Tᵀ x.
fn into_frame<const D: usize>(t: &Block<D>, x: &[f64]) -> [f64; D] {
    std::array::from_fn(|i| t.iter().zip(x).map(|(row, x)| row[i] * x).sum())
}

/// T⁻¹ r, for impulses, as T is not always orthogonal.
fn impulse_into_frame<const D: usize>(t: &Block<D>, r: &[f64]) -> [f64; D] {
    // Gauss–Jordan with row pivots; T is a rotation or a Lorentz transformation, and well-conditioned.
    let (mut a, mut x) = (*t, [0.0; D]);
    x.copy_from_slice(r);
    for c in 0..D {
        let p = (c..D).fold(c, |p, i| if a[i][c].abs() > a[p][c].abs() { i } else { p });
        a.swap(c, p);
        x.swap(c, p);
        for i in 0..D {
            if i != c && a[i][c] != 0.0 {
                let factor = a[i][c] / a[c][c];
                let row = a[c];
                for (x, y) in a[i][c..].iter_mut().zip(&row[c..]) {
                    *x -= factor * y;
                }
                x[i] -= factor * x[c];
            }
        }
    }
    std::array::from_fn(|i| x[i] / a[i][i])
}

/// T r̂, projected on the cone of the view.
fn out_of_frame<const D: usize>(
    view_cone: &super::cone::Cone,
    t: &Block<D>,
    r: &[f64; D],
    out: &mut [f64],
) {
    for (out, row) in out.iter_mut().zip(t) {
        *out = row.iter().zip(r).map(|(t, r)| t * r).sum();
    }
    view_cone.project(out);
}
