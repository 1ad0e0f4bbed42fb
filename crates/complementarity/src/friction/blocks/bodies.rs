//! The form with bodies of at most N velocity components each.

#![expect(
    clippy::inline_always,
    reason = "what a kernel calls is compiled for wide vectors only if it is inlined"
)]

mod multipliers;
mod stiffness;

use self::multipliers::Centre;
use super::order::Groups;
use super::record::Record;
use super::rows::{pull, pull_row, push, push_row};
use super::schedule::{Schedule, numbering};
use super::smooth;
use super::step::{Delay, Linear, Scales, linearise};
use super::{
    Blocks, Multiplied, Pace, Sweep, Variable, block_of, impulse_into_frame, into_frame,
    out_of_frame,
};
use crate::friction::block_gauss_seidel::SweepOrder;
use crate::friction::block_lu::BlockLu;
use crate::friction::cone::{Cone, split};
use crate::friction::equation::EquationLaw;
use crate::friction::lanes::{Kernel, widest};
use crate::friction::local::{Block, Kind, Local};
use crate::friction::view::{BodyView, SolverView};
use crate::friction::{FrictionLaw, FrictionProblem};

/// No place.
const UNKNOWN: usize = usize::MAX;

/// Data of one contact, contiguous.
#[derive(Clone, Debug)]
struct Contact<const D: usize, const N: usize> {
    /// Both sides; a fixed one is the last body, with zeros.
    bodies: [u32; 2],
    /// Tᵀ J M^(−½) of both sides.
    rows: [[[f64; N]; D]; 2],
    q: [f64; D],
    local: Local<D>,
}

impl<const D: usize, const N: usize> Contact<D, N> {
    /// μ |u_T| of its first disc.
    fn shift(&self, v: &[[f64; N]]) -> f64 {
        let u = pull(v, self.bodies, &self.rows);
        let slip = u.iter().zip(&self.q).take(split(D)).skip(1);
        let square = slip.map(|(u, q)| (u + q) * (u + q)).sum::<f64>();
        self.local.cone.mu * square.sqrt()
    }

    fn record(&self, place: usize) -> Record<D, N> {
        Record::new(place, self.bodies, &self.rows, &self.q, &self.local)
    }
}

/// Data of one bilateral row.
#[derive(Clone, Debug)]
struct Equation<const N: usize> {
    bodies: [u32; 2],
    rows: [[f64; N]; 2],
    q: f64,
    /// With the compliance.
    w: f64,
    law: EquationLaw,
}

impl<const N: usize> Equation<N> {
    /// u at the velocities v and the impulse p.
    #[inline(always)]
    fn velocity(&self, v: &[[f64; N]], p: f64) -> f64 {
        self.q + pull_row(v, self.bodies, &self.rows) + self.law.compliance * p
    }
}

/// The bodies of block k, of H rows, and J M^(−½) of both sides.
fn whitened<const H: usize, const N: usize>(
    problem: &FrictionProblem,
    view: &BodyView,
    k: usize,
) -> ([u32; 2], [[[f64; N]; H]; 2]) {
    let (dofs, values) = (view.dofs, &view.rows[view.block(k)]);
    let fixed = u32::try_from(view.bodies).expect("as many bodies as their numbers");
    let (mut rows, mut cols) = ([[[0.0; N]; H]; 2], view.cols[k]);
    for (i, row) in values.chunks_exact(dofs).enumerate() {
        // Two sides on one body are one side.
        let side = if cols[0] == cols[1] { 0 } else { i / H };
        for (x, value) in rows[side][i % H].iter_mut().zip(row) {
            *x += value;
        }
    }
    if cols[0] == cols[1] {
        cols[1] = fixed;
    }
    for (side, &body) in rows
        .iter_mut()
        .zip(&cols)
        .filter(|(_, body)| **body != fixed)
    {
        for row in side {
            problem.factor().whiten(body as usize, &mut row[..dofs]);
        }
    }
    (cols, rows)
}

#[derive(Clone, Debug)]
pub(super) struct BodyBlocks<const D: usize, const N: usize> {
    contacts: Vec<Contact<D, N>>,
    /// What sweeps read of them.
    schedule: Schedule<D, N>,
    /// Number of each contact in the problem; empty if in its order.
    numbers: Vec<usize>,
    equations: Vec<Equation<N>>,
    frames: Vec<(Block<D>, Cone)>,
    variables: Vec<Variable<D>>,
    /// Impulses of the bilateral rows.
    forces: Vec<f64>,
    /// M^(−½) Jᵀ r, the last body is the fixed one and its entry means nothing.
    v: Vec<[f64; N]>,
    linear: Vec<Linear<D>>,
    lu: BlockLu<N>,
    edges: Vec<[u32; 2]>,
    /// Where the factors have the block (second body, first body) of each contact, [`UNKNOWN`] where nobody has asked, and
    /// which of their changes that is for.
    places: Vec<usize>,
    placed: usize,
    rhs: Vec<[f64; N]>,
    /// Of the method of multipliers.
    centre: Centre<D, N>,
    /// Faces of the last Newton step.
    seen: Vec<u8>,
    /// δ, the part of the shift that is delayed.
    delayed: f64,
}

impl<const D: usize, const N: usize> BodyBlocks<D, N> {
    pub(super) fn new(
        problem: &FrictionProblem,
        (view, bodies): (&SolverView, &BodyView),
        order: SweepOrder,
    ) -> Self {
        let mut contacts = Vec::with_capacity(view.contacts);
        let mut frames = Vec::with_capacity(view.contacts);
        let fixed = u32::try_from(bodies.bodies).expect("as many bodies as their numbers");
        let Groups {
            order: numbers,
            ends: colours,
        } = numbering(&bodies.cols[..view.contacts], fixed, order);
        for k in 0..view.contacts {
            let k = numbers.get(k).copied().unwrap_or(k);
            let (bodies, rows) = whitened::<D, N>(problem, bodies, k);
            let (local, t) = Local::new(&block_of::<D>(view, k), view.cones[k], view.law);
            let turned = rows.map(|rows| {
                std::array::from_fn(|i| {
                    std::array::from_fn(|n| (0..D).map(|j| t[j][i] * rows[j][n]).sum())
                })
            });
            contacts.push(Contact {
                bodies,
                rows: turned,
                q: into_frame(&t, &view.q[view.rows(k)]),
                local,
            });
            frames.push((t, view.cones[k]));
        }
        let equations = (view.contacts..view.blocks())
            .map(|k| {
                let (bodies, rows) = whitened::<1, N>(problem, bodies, k);
                Equation {
                    bodies,
                    rows: rows.map(|[row]| row),
                    q: view.q[view.rows(k).start],
                    w: view.diagonal_block(k)[0],
                    law: view.equation(k),
                }
            })
            .collect::<Vec<_>>();
        let records: Vec<_> = (0..).zip(&contacts).map(|(k, c)| c.record(k)).collect();
        // The few sweeps of the convex law in the plane take less than it takes to find groups.
        let schedule = if D == 2 && order == SweepOrder::Given {
            Schedule::one_by_one(records)
        } else {
            Schedule::new(&records, fixed, &colours)
        };
        Self {
            variables: vec![Variable::default(); contacts.len()],
            forces: vec![0.0; equations.len()],
            v: vec![[0.0; N]; bodies.bodies + 1],
            linear: vec![Linear::default(); contacts.len()],
            schedule,
            numbers,
            lu: BlockLu::default(),
            edges: Vec::new(),
            places: Vec::new(),
            placed: 0,
            rhs: Vec::new(),
            centre: Centre::default(),
            seen: Vec::new(),
            delayed: 0.0,
            contacts,
            equations,
            frames,
        }
    }

    /// Number in the problem of the contact at this place.
    fn number(&self, place: usize) -> usize {
        self.numbers.get(place).copied().unwrap_or(place)
    }

    /// See [`Blocks::newton`].
    #[inline(always)]
    fn newton_plainly(&mut self, scales: Scales) -> Option<usize> {
        let nb = self.v.len() - 1;
        self.edges.clear();
        let mut switches = 0;
        self.seen.resize(self.contacts.len(), u8::MAX);
        let parts = self.contacts.iter().zip(&self.variables);
        for (((contact, variable), linear), seen) in parts.zip(&mut self.linear).zip(&mut self.seen)
        {
            let mut u = pull(&self.v, contact.bodies, &contact.rows);
            for (u, q) in u.iter_mut().zip(&contact.q) {
                *u += q;
            }
            let delay = Delay {
                share: self.delayed,
                shift: variable.shift,
            };
            *linear = linearise(&contact.local, (&variable.r, &u), scales, delay);
            switches += usize::from(*seen != linear.face);
            *seen = linear.face;
            if linear.face > 0 {
                self.edges.push(contact.bodies);
            }
        }
        for (variable, linear) in self.variables.iter_mut().zip(&self.linear) {
            if linear.face == 0 {
                variable.r = linear.constant;
            }
        }
        self.velocities();
        self.edges.extend(self.equations.iter().map(|e| e.bodies));
        let fixed = u32::try_from(nb).ok()?;
        self.edges.retain(|e| e.iter().all(|b| *b != fixed));
        self.lu.analyse(nb, &self.edges);
        // (1 + Jᵀ A J) Δv = Jᵀ (c − A u − r): what is solved for vanishes at the end, and its rounding too.
        self.rhs.clear();
        self.rhs.resize(nb + 1, [0.0; N]);
        self.lu.fill_identity();
        // A of the convex law is symmetric.
        let convex = |c: &Contact<D, N>| c.local.law() == FrictionLaw::Convex;
        let symmetric = self.contacts.iter().all(convex);
        let parts = self.contacts.iter().zip(&mut self.linear);
        for ((contact, linear), variable) in parts.zip(&self.variables) {
            if linear.face == 0 {
                continue;
            }
            let mut u = pull(&self.v, contact.bodies, &contact.rows);
            for (u, q) in u.iter_mut().zip(&contact.q) {
                *u += q;
            }
            // From here on c is the impulse at Δv = 0.
            linear.constant = linear.impulse(&u);
            let lacking = std::array::from_fn(|i| linear.constant[i] - variable.r[i]);
            push(&mut self.rhs, contact.bodies, &contact.rows, &lacking);
        }
        self.add_contacts(symmetric, fixed);
        let stiff = self.stiffen_equations(scales.stiffness, fixed);
        self.lu.factor(symmetric)?;
        self.lu.solve(&mut self.rhs[..nb]);
        self.rhs[nb] = [0.0; N];
        for ((contact, linear), variable) in self
            .contacts
            .iter()
            .zip(&self.linear)
            .zip(&mut self.variables)
        {
            let u = pull(&self.rhs, contact.bodies, &contact.rows);
            variable.r = linear.impulse(&u);
        }
        for ((equation, force), k) in self.equations.iter().zip(&mut self.forces).zip(stiff) {
            *force -= k * pull_row(&self.rhs, equation.bodies, &equation.rows);
        }
        self.velocities();
        let finite = self.v.iter().flatten().all(|x| x.is_finite());
        finite.then_some(switches)
    }

    fn velocities(&mut self) {
        widest(Velocity(self));
    }

    /// See [`Blocks::error`].
    #[inline(always)]
    fn error_plainly(&self, width: f64) -> f64 {
        let (mut weight, mut sum) = (0.0, 0.0);
        for (contact, variable) in self.contacts.iter().zip(&self.variables) {
            let mut u = pull(&self.v, contact.bodies, &contact.rows);
            for (u, q) in u.iter_mut().zip(&contact.q) {
                *u += q;
            }
            let (rho, error) = smooth::error(&contact.local, &variable.r, &u, width);
            weight += rho;
            sum += error;
        }
        let equations = self.equations.iter().zip(&self.forces);
        for (equation, force) in equations.filter(|(e, _)| e.w > 0.0) {
            let u = equation.velocity(&self.v, *force);
            let off = equation.w * equation.law.natural_map(1.0 / equation.w, *force, u);
            weight += 1.0 / equation.w;
            sum += off * off / equation.w;
        }
        (sum / weight).sqrt()
    }

    #[inline(always)]
    fn velocities_plainly(&mut self) {
        self.v.fill([0.0; N]);
        for (contact, variable) in self.contacts.iter().zip(&self.variables) {
            push(&mut self.v, contact.bodies, &contact.rows, &variable.r);
        }
        for (equation, force) in self.equations.iter().zip(&self.forces) {
            push_row(&mut self.v, equation.bodies, &equation.rows, *force);
        }
    }
}

struct NewtonStep<'a, const D: usize, const N: usize>(&'a mut BodyBlocks<D, N>, Scales);

impl<const D: usize, const N: usize> Kernel for NewtonStep<'_, D, N> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run(self) -> Option<usize> {
        self.0.newton_plainly(self.1)
    }
}

struct Velocity<'a, const D: usize, const N: usize>(&'a mut BodyBlocks<D, N>);

impl<const D: usize, const N: usize> Kernel for Velocity<'_, D, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.velocities_plainly();
    }
}

struct Errors<'a, const D: usize, const N: usize>(&'a BodyBlocks<D, N>, f64);

impl<const D: usize, const N: usize> Kernel for Errors<'_, D, N> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        self.0.error_plainly(self.1)
    }
}

impl<const D: usize, const N: usize> Blocks for BodyBlocks<D, N> {
    fn sweep(&mut self, relaxation: f64) -> Sweep {
        let contacts = &self.contacts;
        let local = |place: usize| &contacts[place].local;
        let pace = Pace {
            relaxation,
            share: self.delayed,
        };
        let mut sweep = self
            .schedule
            .sweep(&mut self.variables, &mut self.v, local, pace);
        for (equation, force) in self.equations.iter().zip(&mut self.forces) {
            if equation.w > 0.0 {
                let u = equation.velocity(&self.v, *force);
                let next = *force - relaxation * u / equation.w;
                let change = equation.law.project(next) - *force;
                *force += change;
                sweep.change += change * change;
                sweep.size += *force * *force;
                push_row(&mut self.v, equation.bodies, &equation.rows, change);
            }
        }
        sweep
    }

    fn newton(&mut self, scales: Scales) -> Option<usize> {
        widest(NewtonStep(self, scales))
    }

    fn multiply(&mut self, stiffness: f64, limit: usize) -> Option<Multiplied> {
        Some(self.multiply_bodies(stiffness, limit))
    }

    fn reach(&self, before: &[f64]) -> f64 {
        self.reach_from(before)
    }

    fn delay(&mut self, share: f64) -> bool {
        self.delayed = share;
        self.contacts.iter().any(|c| c.local.kind() == Kind::Slide)
    }

    fn lag(&self) -> f64 {
        let mut square = 0.0;
        for (contact, variable) in self.contacts.iter().zip(&self.variables) {
            if variable.r[0] > 0.0 && contact.local.kind() == Kind::Slide {
                let lack = contact.shift(&self.v) - variable.shift;
                square += (lack / contact.local.block[0][0]).powi(2);
            }
        }
        self.delayed * square.sqrt()
    }

    fn follow(&mut self, rate: f64) {
        for (contact, variable) in self.contacts.iter().zip(&mut self.variables) {
            variable.shift += rate * (contact.shift(&self.v) - variable.shift);
        }
    }

    fn is_smoothable(&self) -> bool {
        self.contacts.iter().all(|c| c.local.is_smoothable())
    }

    fn error(&self, width: f64) -> f64 {
        widest(Errors(self, width))
    }

    fn speed(&self) -> f64 {
        let (mut weight, mut sum) = (0.0, 0.0);
        for contact in &self.contacts {
            let (rho, error) = smooth::error(&contact.local, &[0.0; D], &contact.q, 0.0);
            weight += rho;
            sum += error;
        }
        (sum / weight).sqrt()
    }
    fn state_into(&self, out: &mut [f64]) {
        let impulses = self.variables.iter().flat_map(|v| &v.r);
        for (out, r) in out.iter_mut().zip(impulses.chain(&self.forces)) {
            *out = *r;
        }
    }

    fn set_state(&mut self, state: &[f64]) {
        let (contacts, forces) = state.split_at(self.contacts.len() * D);
        for (variable, r) in self.variables.iter_mut().zip(contacts.chunks_exact(D)) {
            variable.r.copy_from_slice(r);
        }
        self.forces.copy_from_slice(forces);
        self.velocities();
    }

    fn clip(&mut self) {
        for (variable, contact) in self.variables.iter_mut().zip(&self.contacts) {
            variable.clip(&contact.local);
        }
        for (equation, force) in self.equations.iter().zip(&mut self.forces) {
            *force = equation.law.project(*force);
        }
        self.velocities();
    }

    fn set_impulses(&mut self, z: &[f64]) {
        let (contacts, forces) = z.split_at(self.contacts.len() * D);
        for (place, (t, _)) in self.frames.iter().enumerate() {
            let r = &contacts[self.number(place) * D..][..D];
            self.variables[place].r = impulse_into_frame(t, r);
        }
        self.forces.copy_from_slice(forces);
        self.velocities();
    }

    fn impulses_into(&self, z: &mut [f64]) {
        let (contacts, forces) = z.split_at_mut(self.contacts.len() * D);
        let parts = self.variables.iter().zip(&self.frames);
        for (place, (variable, (t, cone))) in parts.enumerate() {
            let out = &mut contacts[self.number(place) * D..][..D];
            out_of_frame(cone, t, &variable.r, out);
        }
        let laws = self.equations.iter().zip(&self.forces);
        for (out, (equation, force)) in forces.iter_mut().zip(laws) {
            *out = equation.law.project(*force);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection;

    /// Wide vectors change no bit of steps.
    #[test]
    fn both_copies_do_the_same() {
        let heap = collection::heap(30, 1);
        let view = SolverView::new(&heap);
        let bodies = view.bodies.as_ref().unwrap();
        let mut wide = BodyBlocks::<3, 6>::new(&heap, (&view, bodies), SweepOrder::Given);
        let mut plain = wide.clone();
        let scales = Scales {
            stiffness: 30.0,
            smoothing: None,
        };
        for _ in 0..5 {
            assert!(wide.sweep(1.2).change > 0.0);
            plain.sweep(1.2);
            let switches = wide.newton(scales);
            assert!(switches.is_some());
            assert_eq!(switches, plain.newton_plainly(scales));
            wide.clip();
            plain.clip();
            assert_eq!(wide.v, plain.v);
        }
    }

    /// Contacts that are taken by four do what they do one by one, to the bit.
    fn grouped_are_lone<const D: usize, const N: usize>(problem: &FrictionProblem) -> usize {
        let view = SolverView::new(problem);
        let bodies = view.bodies.as_ref().unwrap();
        let mut grouped = BodyBlocks::<D, N>::new(problem, (&view, bodies), SweepOrder::Coloured);
        let mut lone = grouped.clone();
        let places = (0..).zip(&lone.contacts);
        let records: Vec<_> = places.map(|(k, c)| c.record(k)).collect();
        lone.schedule = Schedule::one_by_one(records);
        for number in 0..40 {
            if number == 20 {
                assert_eq!(grouped.delay(0.05), lone.delay(0.05));
                grouped.follow(1.0);
                lone.follow(1.0);
            }
            let (a, b) = (grouped.sweep(1.3), lone.sweep(1.3));
            assert_eq!(a.switches, b.switches);
            assert!((a.change - b.change).abs() <= 1e-12 * b.change);
            assert!((a.size - b.size).abs() <= 1e-12 * b.size);
            assert_eq!(grouped.v, lone.v);
            let state = |blocks: &BodyBlocks<D, N>| {
                let mut state = vec![0.0; problem.len()];
                blocks.state_into(&mut state);
                state
            };
            assert_eq!(state(&grouped), state(&lone));
        }
        grouped.schedule.grouped()
    }

    #[test]
    fn contacts_by_four_do_what_they_do_one_by_one() {
        let heap = collection::heap(30, 1);
        for problem in [&heap, &super::super::tests::uneven(&heap)] {
            for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
                let grouped = grouped_are_lone::<3, 6>(&problem.clone().with_law(law));
                assert!(grouped > 20, "{law:?} {grouped}");
            }
        }
        let mut counts = [0; 2];
        for seed in 0..300 {
            let problem = collection::random_contacts(seed);
            for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
                let problem = problem.clone().with_law(law);
                match (problem.dimension(), problem.dofs()) {
                    (2, 3) => counts[0] += grouped_are_lone::<2, 4>(&problem),
                    (3, 6) => counts[1] += grouped_are_lone::<3, 6>(&problem),
                    _ => {}
                }
            }
        }
        assert!(counts.iter().all(|n| *n > 0), "{counts:?}");
    }
}
