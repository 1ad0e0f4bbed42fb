//! Points of the pyramid's problem from impulses of the cone: where its solvers may begin.

use super::{FrictionProblem, Pyramid, PyramidForm};

/// Tangential impulses from this part of their bound on are at it: below it slip is rounding.
const AT_BOUND: f64 = 1.0 - 1e-9;

impl Pyramid {
    /// z of impulses and bilateral impulses of the problem: β is what the tangential impulse is made of, of the two
    /// directions beside it in space, and λ the slip speed where friction is at its bound; torsion and rolling moments likewise. A
    /// solution if friction is within the pyramid everywhere, or in the plane; elsewhere near one.
    ///
    /// # Panics
    /// If a slice has the wrong length.
    #[track_caller]
    pub fn point(&self, step: &FrictionProblem, z: &[f64]) -> Vec<f64> {
        let d = step.dimension();
        let mut u = vec![0.0; z.len()];
        step.relative_velocities_into(z, &mut u);
        let (impulses, bilateral) = z.split_at(d * self.contacts());
        let mut out = vec![0.0; self.problem().len()];
        if self.form() == PyramidForm::Mixed {
            step.velocity_into(impulses, bilateral, &mut out[self.velocity()]);
        }
        out[self.bilateral()].copy_from_slice(bilateral);
        for (k, (p, u)) in impulses.chunks_exact(d).zip(u.chunks_exact(d)).enumerate() {
            out[self.normal(k)] = p[0];
            let friction = (self.facets(k), self.slip_index(k), step.mu()[k]);
            let mu = step.laws().rolling.get(k).copied().unwrap_or(0.0);
            let rolling = (self.rolling_facets(k), self.rolling_index(k), mu);
            for (disc, (facets, slip, mu)) in [friction, rolling].into_iter().enumerate() {
                let (Some(facets), Some(slip)) = (facets, slip) else {
                    continue;
                };
                let beta = &mut out[facets];
                self.polytopes().spread(disc, k, p, beta);
                let slides = beta.iter().sum::<f64>() >= mu * p[0] * AT_BOUND;
                out[slip] = if slides {
                    self.polytopes().speed(disc, k, u)
                } else {
                    0.0
                };
            }
        }
        out
    }
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
                let residual = natural_residual(pyramid.problem(), &z);
                assert!(residual < 1e-14, "{directions} directions: {residual}");
            }
        }
        Ok(())
    }
}
