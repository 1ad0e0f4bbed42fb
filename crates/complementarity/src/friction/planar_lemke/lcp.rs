//! The linear problem of contacts of the plane with three unknowns each.

use sprs::CsMat;

use crate::friction::{BlockRows, FrictionProblem};
use crate::{Bounds, LinearMcp};

/// Contacts that open faster than this part of the largest velocity are left out.
const FAR: f64 = 0.01;

/// The unknowns p_n of all contacts that take part, then a and v⁻ of those with friction.
#[derive(Debug)]
pub(super) struct PlanarLcp {
    problem: LinearMcp,
    /// The contacts that take part.
    pub(super) contacts: Vec<usize>,
    /// Position of each of them among those with friction.
    pub(super) frictional: Vec<Option<usize>>,
    pub(super) frictional_count: usize,
    /// μ of each of them.
    pub(super) mu: Vec<f64>,
    /// e_t of each of them.
    pub(super) factor: Vec<f64>,
    /// W of their normals, then of their tangents times e_t, and its rows.
    pub(super) delassus: CsMat<f64>,
}

impl PlanarLcp {
    /// Which contacts are far from closing at these impulses; `none` are if so asked.
    pub(super) fn far(problem: &FrictionProblem, z: &[f64], none: bool) -> Vec<bool> {
        let q = problem.q();
        let largest = q.iter().fold(0.0_f64, |m, q| m.max(q.abs()));
        let mut u = vec![0.0; z.len()];
        problem.relative_velocities_into(z, &mut u);
        let contacts = z.chunks_exact(2).zip(u.chunks_exact(2));
        contacts
            .map(|(p, u)| !none && p[0] <= 0.0 && u[0] > FAR * largest)
            .collect()
    }

    /// Takes in the contacts that close at these impulses though they were left out; whether there are any.
    pub(super) fn take_in(problem: &FrictionProblem, z: &[f64], left_out: &mut [bool]) -> bool {
        let mut u = vec![0.0; z.len()];
        problem.relative_velocities_into(z, &mut u);
        let mut any = false;
        for (left_out, u) in left_out.iter_mut().zip(u.chunks_exact(2)) {
            let closes = *left_out && u[0] < 0.0;
            any |= closes;
            *left_out &= !closes;
        }
        any
    }

    pub(super) fn new(problem: &FrictionProblem, left_out: &[bool]) -> Self {
        let contacts: Vec<usize> = (0..left_out.len()).filter(|&k| !left_out[k]).collect();
        let factor_of = |k: usize| problem.laws().ellipse.get(k).copied().unwrap_or(1.0);
        let factor: Vec<f64> = contacts.iter().map(|&k| factor_of(k)).collect();
        let mut frictional_count = 0;
        let mut number = |k: &usize| {
            let has_friction = problem.mu()[*k] > 0.0;
            frictional_count += usize::from(has_friction);
            has_friction.then(|| frictional_count - 1)
        };
        let frictional: Vec<Option<usize>> = contacts.iter().map(&mut number).collect();
        // In units of the scaled tangent impulse p_t / e_t friction is μ.
        let mu: Vec<f64> = contacts.iter().map(|&k| problem.mu()[k]).collect();
        let (rows, mut q) = scalar_rows(problem, (&contacts, &frictional), &factor);
        let delassus = problem.factor().gram(&rows);
        q.extend(std::iter::repeat_n(0.0, frictional_count));
        let mut lcp = Self {
            problem: LinearMcp::from(crate::Lcp::empty()),
            contacts,
            frictional,
            frictional_count,
            mu,
            factor,
            delassus,
        };
        let n = q.len();
        lcp.problem = LinearMcp::new(lcp.matrix(), q, Bounds::nonnegative(n))
            .expect("entries of a checked problem are finite");
        lcp
    }

    pub(super) fn problem(&self) -> &LinearMcp {
        &self.problem
    }

    /// Where p_n, a and v⁻ of a contact stand.
    pub(super) fn places(&self, contact: usize) -> (usize, Option<[usize; 2]>) {
        let m = self.contacts.len();
        let friction = self.frictional[contact].map(|f| [m + f, m + self.frictional_count + f]);
        (contact, friction)
    }

    fn matrix(&self) -> CsMat<f64> {
        let n = self.contacts.len() + 2 * self.frictional_count;
        let entries = 3 * self.delassus.nnz();
        let mut indptr = Vec::with_capacity(n + 1);
        let (mut indices, mut data) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
        indptr.push(0);
        let column = |j: usize| self.delassus.outer_view(j).expect("a column of W");
        for k in 0..self.contacts.len() {
            let (normal, friction) = self.places(k);
            let own = column(normal);
            match friction {
                None => {
                    indices.extend_from_slice(own.indices());
                    data.extend_from_slice(own.data());
                }
                Some([a, v]) => {
                    // p_t = a − μ p_n.
                    let (mut own, across) = (own.iter().peekable(), column(a));
                    for (i, &w) in across.iter() {
                        while let Some((j, &w)) = own.next_if(|(j, _)| *j < i) {
                            indices.push(j);
                            data.push(w);
                        }
                        let with = own.next_if(|(j, _)| *j == i).map_or(0.0, |(_, w)| *w);
                        indices.push(i);
                        data.push(with - self.mu[k] * w);
                    }
                    for (j, &w) in own {
                        indices.push(j);
                        data.push(w);
                    }
                    indices.push(v);
                    data.push(2.0 * self.mu[k]);
                }
            }
            indptr.push(indices.len());
        }
        for k in (0..self.contacts.len()).filter(|&k| self.frictional[k].is_some()) {
            let (_, Some([a, v])) = self.places(k) else {
                unreachable!("it has friction")
            };
            let own = column(a);
            indices.extend_from_slice(own.indices());
            data.extend_from_slice(own.data());
            indices.push(v);
            data.push(-1.0);
            indptr.push(indices.len());
        }
        for k in (0..self.contacts.len()).filter(|&k| self.frictional[k].is_some()) {
            let (_, friction) = self.places(k);
            indices.extend(friction.map(|[a, _]| a));
            data.push(1.0);
            indptr.push(indices.len());
        }
        CsMat::new_csc((n, n), indptr, indices, data)
    }

    /// Impulses of all contacts of the problem, 0 where they are left out.
    pub(super) fn impulses_into(&self, z: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (k, &contact) in self.contacts.iter().enumerate() {
            let (normal, friction) = self.places(k);
            out[2 * contact] = z[normal];
            if let Some([a, _]) = friction {
                out[2 * contact + 1] = self.factor[k] * (z[a] - self.mu[k] * z[normal]);
            }
        }
    }
}

/// The rows of normals and of tangents times their factors, one by one, with q.
fn scalar_rows(
    problem: &FrictionProblem,
    (contacts, frictional): (&[usize], &[Option<usize>]),
    factor: &[f64],
) -> (BlockRows, Vec<f64>) {
    let (dofs, all, q_all) = (problem.dofs(), problem.contacts(), problem.q());
    let (mut rows, mut q) = (BlockRows::new(1, dofs), Vec::new());
    for &k in contacts {
        rows.push(
            all.cols()[k],
            &all.block(k, 0)[..dofs],
            &all.block(k, 1)[..dofs],
        );
        q.push(q_all[2 * k]);
    }
    let tangents = contacts.iter().zip(frictional).zip(factor);
    for ((&k, _), &e) in tangents.filter(|((_, f), _)| f.is_some()) {
        let side = |side: usize| -> Vec<f64> {
            let tangent = &all.block(k, side)[dofs..];
            tangent.iter().map(|x| e * x).collect()
        };
        rows.push(all.cols()[k], &side(0), &side(1));
        q.push(e * q_all[2 * k + 1]);
    }
    (rows, q)
}
