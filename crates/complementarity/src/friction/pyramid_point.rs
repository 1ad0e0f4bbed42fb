//! Points of the pyramid's problem from impulses of the cone: where its solvers may begin.

use super::{FrictionProblem, Pyramid, PyramidForm};

/// Tangential impulses from this part of their bound on are at it: below it slip is rounding.
const AT_BOUND: f64 = 1.0 - 1e-9;

impl Pyramid {
    /// z of impulses and bilateral impulses of the problem: β is what the tangential impulse is made of, of the two
    /// directions beside it in space, and λ the slip speed where friction is at its bound. A solution if friction is within
    /// the pyramid everywhere, or in the plane; elsewhere near one. `None` for elliptic cones.
    ///
    /// # Panics
    /// If a slice has the wrong length.
    #[track_caller]
    pub fn point(&self, step: &FrictionProblem, z: &[f64]) -> Option<Vec<f64>> {
        let d = step.dimension();
        if !self.is_round() {
            return None;
        }
        let mut u = vec![0.0; z.len()];
        step.relative_velocities_into(z, &mut u);
        let (impulses, bilateral) = z.split_at(d * self.contacts());
        let mut out = vec![0.0; self.problem().len()];
        if self.form() == PyramidForm::Mixed {
            step.velocity_into(impulses, bilateral, &mut out[self.velocity()]);
        }
        out[self.bilateral()].copy_from_slice(bilateral);
        let directions: Vec<&[f64]> = (0..self.directions()).map(|j| self.direction(j)).collect();
        for (k, (p, u)) in impulses.chunks_exact(d).zip(u.chunks_exact(d)).enumerate() {
            out[self.normal(k)] = p[0];
            if let (Some(facets), Some(slip)) = (self.facets(k), self.slip_index(k)) {
                let beta = &mut out[facets];
                spread(&directions, &p[1..], beta);
                let slides = beta.iter().sum::<f64>() >= step.mu()[k] * p[0] * AT_BOUND;
                let against = (0..self.directions()).map(|j| -dot(self.direction(j), &u[1..]));
                out[slip] = if slides {
                    against.fold(0.0, f64::max)
                } else {
                    0.0
                };
            }
        }
        Some(out)
    }
}

/// β ≥ 0 with D β = t of the two directions beside t: they are at equal angles in their order, and of one length.
pub(super) fn spread(directions: &[&[f64]], t: &[f64], beta: &mut [f64]) {
    let along = |j: usize| dot(directions[j], t);
    let first = (0..beta.len()).max_by(|&i, &j| along(i).total_cmp(&along(j)));
    let Some(first) = first else { return };
    if t.len() == 1 {
        beta[first] = along(first) / dot(directions[first], directions[first]);
        return;
    }
    let count = beta.len();
    let beside = [(first + 1) % count, (first + count - 1) % count];
    let second = if along(beside[0]) >= along(beside[1]) {
        beside[0]
    } else {
        beside[1]
    };
    let (a, b) = (directions[first], directions[second]);
    let area = a[0] * b[1] - a[1] * b[0];
    beta[first] = ((t[0] * b[1] - t[1] * b[0]) / area).max(0.0);
    beta[second] = ((a[0] * t[1] - a[1] * t[0]) / area).max(0.0);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use crate::{BlockRows, FIXED, FrictionData, FrictionProblem, PyramidForm, natural_residual};

    #[test]
    fn a_particle_that_sticks_in_space_is_a_solution_of_the_pyramid()
    -> Result<(), crate::FrictionError> {
        let mut contacts = BlockRows::new(3, 3);
        let rows = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        contacts.push([FIXED, 0], &[0.0; 9], &rows);
        let problem = FrictionProblem::new(FrictionData {
            dofs: 3,
            mass: vec![2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0],
            free_velocity: vec![0.2, -0.1, -1.0],
            contacts,
            bias: vec![0.0; 3],
            mu: vec![0.5],
            ..FrictionData::default()
        })?;
        for form in [PyramidForm::Mixed, PyramidForm::Reduced] {
            for directions in [3, 4, 6, 7, 8, 32] {
                let pyramid = problem.pyramid(directions, form);
                let z = pyramid.point(&problem, &[2.0, -0.4, 0.2]);
                let z = z.unwrap_or_default();
                let residual = natural_residual(pyramid.problem(), &z);
                assert!(residual < 1e-14, "{directions} directions: {residual}");
            }
        }
        Ok(())
    }
}
