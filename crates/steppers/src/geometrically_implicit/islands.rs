//! Groups of bodies that pairs and joints connect: each is a problem of its own.

use super::{
    links::Link,
    problem::{Contact, Given},
};
use crate::rank::root;

/// One group: indices of its contacts and of its rows of joints, and columns of its moving bodies, all increasing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Island {
    pub(super) contacts: Vec<usize>,
    pub(super) bodies: Vec<usize>,
    pub(super) links: Vec<usize>,
}

impl Island {
    /// Velocities of the system in which this group has its own and all others are free.
    pub(super) fn velocities(&self, given: &Given<'_>, own: &[f64]) -> Vec<f64> {
        let dofs = given.system.dofs();
        let mut v = given.free.clone();
        for (&body, own) in self.bodies.iter().zip(own.chunks_exact(dofs)) {
            v[body * dofs..][..dofs].copy_from_slice(own);
        }
        v
    }
}

/// The groups of these contacts, in the order of their first bodies.
pub(super) fn islands(contacts: &[Contact], links: &[Link], bodies: usize) -> Vec<Island> {
    // A forest over the bodies: each points to one with a lower number, roots to themselves.
    let mut parent: Vec<usize> = (0..bodies).collect();
    let pairs = contacts.iter().map(|contact| contact.columns);
    let all = pairs.chain(links.iter().map(|link| link.columns));
    for columns in all.clone() {
        if let [Some(a), Some(b)] = columns {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut islands: Vec<Island> = Vec::new();
    let mut island_of = vec![usize::MAX; bodies];
    let mut is_listed = vec![false; bodies];
    for (k, columns) in all.enumerate() {
        for column in columns.into_iter().flatten() {
            let root = root(&mut parent, column);
            if island_of[root] == usize::MAX {
                island_of[root] = islands.len();
                islands.push(Island::default());
            }
            let island = &mut islands[island_of[root]];
            let (list, index) = match k.checked_sub(contacts.len()) {
                Some(link) => (&mut island.links, link),
                None => (&mut island.contacts, k),
            };
            let is_row = k < contacts.len() || !links[index].is_implied;
            if is_row && list.last() != Some(&index) {
                list.push(index);
            }
            if !std::mem::replace(&mut is_listed[column], true) {
                island.bodies.push(column);
            }
        }
    }
    for island in &mut islands {
        island.bodies.sort_unstable();
    }
    islands.sort_by_key(|island| island.bodies[0]);
    islands
}

#[cfg(test)]
mod tests {
    use signorini_dynamics::{ContactId, PairLayout};

    use super::*;
    use crate::{Formulation, GapFunction};

    fn contact(columns: [Option<usize>; 2]) -> Contact {
        let layout = PairLayout {
            id: ContactId {
                a: 0,
                b: 1,
                pieces: [0; 2],
                feature: 0,
            },
            nz: 6,
            equations: 6,
            np: 4,
            dofs: 6,
            offsets: columns.map(|c| c.map(|c| 6 * c)),
            friction: 0.0,
            restitution: 0.0,
            tangential_restitution: 0.0,
            ellipsoid: [1.0, 1.0, 0.0],
            rolling: 0.0,
            face: None,
        };
        Contact::new(
            layout,
            (Formulation::Full, GapFunction::SignedDistance),
            (&[false; 6], false),
        )
    }

    #[test]
    fn fixed_bodies_connect_nothing_and_moving_ones_do() {
        let contacts = [
            [None, Some(4)],
            [None, Some(2)],
            [Some(0), Some(3)],
            [Some(3), Some(2)],
        ]
        .map(contact);
        let found = islands(&contacts, &[], 6);
        let island = |contacts: &[usize], bodies: &[usize]| Island {
            contacts: contacts.to_vec(),
            bodies: bodies.to_vec(),
            links: Vec::new(),
        };
        assert_eq!(found, [island(&[1, 2, 3], &[0, 2, 3]), island(&[0], &[4])]);
    }
}
