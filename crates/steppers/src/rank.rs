//! Closed loops of joints, and how many of their equations are independent.
//!
//! A tree of joints has independent rows: bodies with one joint are taken off until loops are left. Their rows are
//! orthogonalised one after the other; a row of which less than [`RANK`] is left is implied by those before it.

use signorini_complementarity::FIXED;
use signorini_dynamics::{ConstraintRows, System};

/// A row of which only this part is across the others is implied by them: independent rows of machines have a hundredth and
/// more, and loops that close to rounding 1e-15.
const RANK: f64 = 1e-7;

/// Moving bodies of a row, by side.
pub(crate) type Columns = [Option<usize>; 2];

/// Equations in loops by groups that share no moving body, from the joint and the columns of each equation; the equations of
/// a joint follow each other.
pub(crate) fn in_loops(
    equations: impl Iterator<Item = (u32, Columns)>,
    bodies: usize,
) -> Vec<Vec<usize>> {
    // Each joint with its rows and bodies.
    let mut joints: Vec<(Vec<usize>, Columns)> = Vec::new();
    let mut last = None;
    for (k, (joint, columns)) in equations.enumerate() {
        match joints.last_mut().filter(|_| last == Some(joint)) {
            Some((members, _)) => members.push(k),
            None => joints.push((vec![k], columns)),
        }
        last = Some(joint);
    }
    // For each body the number of its joints, and the exclusive or of their places: the place itself once one is left.
    let mut around = vec![(0_usize, 0_usize); bodies];
    for (place, (_, columns)) in joints.iter().enumerate() {
        for &column in columns.iter().flatten() {
            around[column].0 += 1;
            around[column].1 ^= place;
        }
    }
    let mut ends: Vec<usize> = (0..bodies).filter(|&body| around[body].0 == 1).collect();
    while let Some(end) = ends.pop() {
        let (count, place) = around[end];
        if count != 1 {
            continue;
        }
        for &column in std::mem::take(&mut joints[place].1).iter().flatten() {
            around[column].0 -= 1;
            around[column].1 ^= place;
            if around[column].0 == 1 {
                ends.push(column);
            }
        }
    }
    let mut parent: Vec<usize> = (0..bodies).collect();
    for (_, columns) in &joints {
        if let [Some(a), Some(b)] = *columns {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut groups: Vec<(usize, Vec<usize>)> = Vec::new();
    for (members, columns) in joints {
        // Without a column: taken off above, or between bodies that do not move.
        let Some(column) = columns.into_iter().flatten().next() else {
            continue;
        };
        let root = root(&mut parent, column);
        match groups.iter_mut().find(|(known, _)| *known == root) {
            Some((_, group)) => group.extend(members),
            None => groups.push((root, members)),
        }
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

/// The root of k in a forest in which each points to one with a lower number, and roots to themselves.
pub(crate) fn root(parent: &mut [usize], mut k: usize) -> usize {
    while parent[k] != k {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    k
}

/// Independent rows: unit vectors across each other, and each row's components along them.
#[derive(Debug, Default)]
pub(crate) struct Independent {
    across: Vec<Vec<f64>>,
    triangle: Vec<Vec<f64>>,
}

impl Independent {
    /// Takes a row of unit length if it is independent of those before; else what it is of them.
    pub(crate) fn add(&mut self, mut row: Vec<f64>) -> Result<(), Vec<f64>> {
        let mut along = vec![0.0; self.across.len()];
        // Gram and Schmidt, twice against rounding.
        for _ in 0..2 {
            for (direction, along) in self.across.iter().zip(&mut along) {
                let part: f64 = direction.iter().zip(&row).map(|(a, b)| a * b).sum();
                row.iter_mut()
                    .zip(direction)
                    .for_each(|(x, d)| *x -= part * d);
                *along += part;
            }
        }
        let left = norm(&row);
        if left > RANK {
            for x in &mut row {
                *x /= left;
            }
            along.push(left);
            self.across.push(row);
            self.triangle.push(along);
            return Ok(());
        }
        // Back substitution: of the rows, and not of the unit vectors.
        for i in (0..along.len()).rev() {
            along[i] /= self.triangle[i][i];
            let (head, tail) = along.split_at_mut(i);
            head.iter_mut()
                .zip(&self.triangle[i])
                .for_each(|(x, r)| *x -= tail[0] * r);
        }
        Err(along)
    }
}

pub(crate) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Rank of the equations of the joints of a system, `None` without any. Angular velocities count as those of points at the
/// system's length; driven bodies do not move.
pub(crate) fn joint_rank(system: &dyn System, equations: &ConstraintRows) -> Option<usize> {
    if equations.is_empty() {
        return None;
    }
    let (dofs, d, length) = (system.dofs(), system.dimension(), system.scale().length);
    let columns = |k: usize| {
        equations.rows.cols()[k].map(|column| {
            let moves = column != FIXED && !system.is_driven(column as usize);
            moves.then_some(column as usize)
        })
    };
    let ids = equations.id.iter().enumerate();
    let loops = in_loops(
        ids.map(|(k, id)| (id.joint, columns(k))),
        system.nv() / dofs,
    );
    let mut implied = 0;
    for members in loops {
        let mut bodies: Vec<usize> = members.iter().flat_map(|&k| columns(k)).flatten().collect();
        bodies.sort_unstable();
        bodies.dedup();
        let mut independent = Independent::default();
        for k in members {
            let mut row = vec![0.0; bodies.len() * dofs];
            for (side, column) in columns(k).into_iter().enumerate() {
                let Some(column) = column else { continue };
                let at = bodies.partition_point(|&body| body < column) * dofs;
                for (j, x) in equations.rows.block(k, side).iter().enumerate() {
                    row[at + j] += if j < d { *x } else { x / length };
                }
            }
            let size = norm(&row);
            let is_implied = size == 0.0 || {
                for x in &mut row {
                    *x /= size;
                }
                independent.add(row).is_err()
            };
            implied += usize::from(is_implied);
        }
    }
    Some(equations.len() - implied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_taken_off_loops() {
        // A ring 0-1-2, a tail 2-3-4, a body of its own on a fixed one, and two joints between 5 and what is fixed.
        let joints: [(u32, Columns); 8] = [
            (0, [Some(0), Some(1)]),
            (0, [Some(0), Some(1)]),
            (1, [Some(1), Some(2)]),
            (2, [Some(2), Some(0)]),
            (3, [Some(2), Some(3)]),
            (4, [Some(3), Some(4)]),
            (5, [None, Some(5)]),
            (6, [Some(5), None]),
        ];
        let found = in_loops(joints.into_iter(), 6);
        assert_eq!(found, [vec![0, 1, 2, 3], vec![6, 7]]);
    }

    #[test]
    fn a_row_is_told_what_it_is_of_the_others() {
        let mut rows = Independent::default();
        let half = 0.5_f64.sqrt();
        assert_eq!(rows.add(vec![1.0, 0.0, 0.0]), Ok(()));
        assert_eq!(rows.add(vec![half, half, 0.0]), Ok(()));
        let of = rows.add(vec![0.0, 1.0, 0.0]).unwrap_err();
        assert!((of[0] + 1.0).abs() < 1e-15 && (of[1] - 2.0 * half).abs() < 1e-15);
    }
}
