//! One step of frictional contact in space: a random heap of spheres, a stack of boxes.
//!
//! ```math
//! M = \begin{pmatrix} N^T M_b^{-1} N & N^T M_b^{-1} D & 0 \\ D^T M_b^{-1} N & D^T M_b^{-1} D & E \\ \mu & -E^T & 0 \end{pmatrix},
//! \qquad q = \begin{pmatrix} N^T v^* \\ D^T v^* \\ 0 \end{pmatrix}
//! ```
//!
//! Bodies of 1 kg, all contacts closed, h = 0.005 s, gravity 9.81 m/s².

use signorini_complementarity::{BlockRows, FIXED, FrictionData, FrictionProblem};

use super::dense::pick;
use super::rng::Rng;

/// Radius of a sphere and half the edge of a box, m.
const RADIUS: f64 = 0.1;
/// Step, s.
const STEP: f64 = 0.005;
const GRAVITY: f64 = 9.81;

/// Number of contacts in a heap of spheres whose LCP has the size nearest to n: 2 + directions unknowns each.
fn contacts_near(n: usize, directions: usize) -> usize {
    let each = 2 + directions;
    ((n + each / 2) / each).max(1)
}

/// About two contacts a sphere, with the ground or earlier spheres; the same pair may touch twice.
pub(super) fn spheres(n: usize, directions: usize, rng: &mut Rng) -> FrictionProblem {
    let count = contacts_near(n, directions);
    let bodies = count.div_ceil(2);
    let mut contacts = BlockRows::new(3, 6);
    for c in 0..count {
        let above = c % bodies;
        // The ground is first in line.
        let below = pick(above + 1, rng).checked_sub(1);
        let normal = if below.is_some() {
            let n = [rng.sign(), rng.sign(), rng.between(0.3, 1.0)];
            let length = dot(n, n).sqrt();
            n.map(|x| x / length)
        } else {
            [0.0, 0.0, 1.0]
        };
        let arms = [normal.map(|x| RADIUS * x), normal.map(|x| -RADIUS * x)];
        push(&mut contacts, [below, Some(above)], normal, arms);
    }
    let scale = [0.3, 0.3, 0.3, 1.0, 1.0, 1.0];
    let mut v = rng.vector(6 * bodies, -1.0, 1.0);
    for (k, v) in v.iter_mut().enumerate() {
        *v *= scale[k % 6];
    }
    v.iter_mut()
        .skip(2)
        .step_by(6)
        .for_each(|v| *v -= GRAVITY * STEP);
    finish(contacts, v, 0.4 * RADIUS * RADIUS, 0.5)
}

/// Cubes on top of each other, four corner contacts each, pushed sideways: redundant contacts.
pub(super) fn boxes(n: usize, directions: usize, rng: &mut Rng) -> FrictionProblem {
    let each = 4 * (2 + directions);
    let bodies = ((n + each / 2) / each).max(1);
    let mut contacts = BlockRows::new(3, 6);
    for body in 0..bodies {
        for x in [-RADIUS, RADIUS] {
            for y in [-RADIUS, RADIUS] {
                let arms = [[x, y, RADIUS], [x, y, -RADIUS]];
                let pair = [body.checked_sub(1), Some(body)];
                push(&mut contacts, pair, [0.0, 0.0, 1.0], arms);
            }
        }
    }
    let mut v = vec![0.0; 6 * bodies];
    for axis in 0..2 {
        v.iter_mut()
            .skip(axis)
            .step_by(6)
            .for_each(|v| *v = 0.05 * rng.sign());
    }
    v.iter_mut()
        .skip(2)
        .step_by(6)
        .for_each(|v| *v = -GRAVITY * STEP);
    finish(contacts, v, 4.0 * RADIUS * RADIUS / 6.0, 0.3)
}

fn finish(
    contacts: BlockRows,
    free_velocity: Vec<f64>,
    inertia: f64,
    friction: f64,
) -> FrictionProblem {
    let mut block = [0.0; 36];
    for (k, m) in [1.0, 1.0, 1.0, inertia, inertia, inertia]
        .into_iter()
        .enumerate()
    {
        block[7 * k] = m;
    }
    FrictionProblem::new(FrictionData {
        dofs: 6,
        mass: block.repeat(free_velocity.len() / 6),
        free_velocity,
        bias: vec![0.0; 3 * contacts.len()],
        mu: vec![friction; contacts.len()],
        contacts,
        ..FrictionData::default()
    })
    .expect("shapes agree and all entries are finite")
}

/// Appends a contact: bodies below and above (`None`: the ground), the normal from the first into the second, the arms from
/// their centres.
fn push(
    contacts: &mut BlockRows,
    bodies: [Option<usize>; 2],
    normal: [f64; 3],
    arms: [[f64; 3]; 2],
) {
    // The axis with the smallest component, the first of equals.
    let size = |k: &usize| normal[*k].abs();
    let axis = (0..3)
        .min_by(|i, j| size(i).total_cmp(&size(j)))
        .expect("three axes");
    let mut unit = [0.0; 3];
    unit[axis] = 1.0;
    let tangent = cross(normal, unit);
    let length = dot(tangent, tangent).sqrt();
    let tangent = tangent.map(|x| x / length);
    let mut blocks = [Vec::with_capacity(18), Vec::with_capacity(18)];
    for direction in [normal, tangent, cross(normal, tangent)] {
        for ((block, arm), sign) in blocks.iter_mut().zip(arms).zip([-1.0, 1.0]) {
            block.extend(direction.map(|x| sign * x));
            block.extend(cross(arm, direction).map(|x| sign * x));
        }
    }
    let column = |body: Option<usize>| match body {
        Some(body) => u32::try_from(body).expect("fewer bodies than there are numbers"),
        None => FIXED,
    };
    contacts.push(bodies.map(column), &blocks[0], &blocks[1]);
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// The step with another free velocity: a normal deviate of standard deviation `sd` (m/s) is added to each linear
/// component, of `sd` over the radius of gyration to each angular one. The same seed gives the same change.
///
/// # Panics
/// If the step is neither one in the plane (3 velocity components per body) nor in space (6).
///
/// # Examples
/// ```
/// use signorini_benches::families::{Family, velocity_changed};
/// let instance = Family::Boxes { directions: 8 }.problem(40, 1);
/// let step = instance.friction.expect("a family with friction");
/// let next = velocity_changed(&step, 0.005, 1);
/// let change = next.free_velocity()[2] - step.free_velocity()[2];
/// assert!(change != 0.0 && change.abs() < 0.03);
/// ```
pub fn velocity_changed(step: &FrictionProblem, sd: f64, seed: u64) -> FrictionProblem {
    let dofs = step.dofs();
    let linear = match dofs {
        3 => 2,
        6 => 3,
        _ => panic!("a body has 3 or 6 velocity components, not {dofs}"),
    };
    let mut rng = Rng::new(seed);
    let mut data = step.clone().into_data();
    let mean = |block: &[f64], range: std::ops::Range<usize>| {
        let count = range.len() as f64;
        range.map(|k| block[k * (dofs + 1)]).sum::<f64>() / count
    };
    for (v, block) in data
        .free_velocity
        .chunks_exact_mut(dofs)
        .zip(data.mass.chunks_exact(dofs * dofs))
    {
        let gyration = (mean(block, linear..dofs) / mean(block, 0..linear)).sqrt();
        for (k, v) in v.iter_mut().enumerate() {
            let unit = if k < linear { sd } else { sd / gyration };
            *v += unit * rng.normal();
        }
    }
    FrictionProblem::new(data).expect("only the velocity changed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_change_has_the_standard_deviation_asked_for() {
        let step = spheres(1000, 4, &mut Rng::new(5));
        let next = velocity_changed(&step, 0.005, 9);
        let mut sums = [0.0; 2];
        for (k, (new, old)) in next
            .free_velocity()
            .iter()
            .zip(step.free_velocity())
            .enumerate()
        {
            sums[k % 6 / 3] += (new - old).powi(2);
        }
        let count = step.nv() as f64 / 2.0;
        let gyration = 0.4_f64.sqrt() * RADIUS;
        for (sum, expected) in sums.into_iter().zip([0.005, 0.005 / gyration]) {
            // Four standard errors of a standard deviation from 252 deviates: 4 / √504.
            assert!(
                ((sum / count).sqrt() / expected - 1.0).abs() < 0.18,
                "{sums:?}"
            );
        }
        assert_eq!(
            next,
            velocity_changed(&step, 0.005, 9),
            "a seed is a promise"
        );
    }
}
