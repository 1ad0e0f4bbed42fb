//! In which order a sweep goes through the contacts, and which of them do not wait for one another.

use crate::friction::block_gauss_seidel::SweepOrder;

/// Numbers of the contacts in an order, and where its groups end. Contacts of a group share no body.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Groups {
    pub(super) order: Vec<usize>,
    pub(super) ends: Vec<usize>,
}

impl Groups {
    /// Sorts contacts by group, each group in the order given; `groups` has one number per contact.
    fn new(groups: &[usize]) -> Self {
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by_key(|&k| groups[k]);
        let ends = (1..=order.len())
            .filter(|&i| i == order.len() || groups[order[i]] != groups[order[i - 1]])
            .collect();
        Self { order, ends }
    }
}

/// Groups for contacts on these bodies; `fixed` is no body.
pub(super) fn groups(bodies: &[[u32; 2]], fixed: u32, order: SweepOrder) -> Groups {
    match order {
        SweepOrder::Given => levels(bodies, fixed),
        SweepOrder::Coloured => colours(bodies, fixed),
    }
}

/// Contacts by the number of contacts before them that they have to wait for, one after the other. A sweep in this order
/// does the same as one in the order given, to the bit, but neighbours in it are independent.
fn levels(bodies: &[[u32; 2]], fixed: u32) -> Groups {
    let mut reached = vec![0; fixed as usize];
    let level: Vec<usize> = bodies
        .iter()
        .map(|sides| {
            let moving = || sides.iter().filter(|body| **body != fixed);
            let level = moving().fold(0, |m, body| m.max(reached[*body as usize]));
            moving().for_each(|body| reached[*body as usize] = level + 1);
            level
        })
        .collect();
    Groups::new(&level)
}

/// The first colour that no earlier contact on one of the bodies has.
fn colours(bodies: &[[u32; 2]], fixed: u32) -> Groups {
    let mut used: Vec<Vec<bool>> = vec![Vec::new(); fixed as usize];
    let colour: Vec<usize> = bodies
        .iter()
        .map(|sides| {
            let moving = || sides.iter().filter(|body| **body != fixed);
            let taken = |used: &[Vec<bool>], colour: usize| {
                moving().any(|body| used[*body as usize].get(colour) == Some(&true))
            };
            let mut colour = 0;
            while taken(&used, colour) {
                colour += 1;
            }
            for body in moving() {
                let used = &mut used[*body as usize];
                used.resize(used.len().max(colour + 1), false);
                used[colour] = true;
            }
            colour
        })
        .collect();
    Groups::new(&colour)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain 0 – 1 – 2 – 3 on the ground at both ends, and a second contact of its first pair.
    const CHAIN: [[u32; 2]; 6] = [[4, 0], [0, 1], [1, 2], [2, 3], [3, 4], [0, 1]];

    #[test]
    fn a_chain_waits_for_itself_and_needs_few_colours() {
        let given = groups(&CHAIN, 4, SweepOrder::Given);
        assert_eq!(given.order, [0, 1, 2, 3, 5, 4]);
        assert_eq!(given.ends, [1, 2, 3, 5, 6]);
        let coloured = groups(&CHAIN, 4, SweepOrder::Coloured);
        assert_eq!(coloured.order, [0, 2, 4, 1, 3, 5]);
        assert_eq!(coloured.ends, [3, 5, 6]);
        assert_eq!(groups(&[], 4, SweepOrder::Given), Groups::default());
    }

    #[test]
    fn no_group_has_a_body_twice() {
        let mut rng = crate::rng::SplitMix64::new(3);
        let mut number = || u32::try_from(rng.below(31)).unwrap();
        let bodies: Vec<[u32; 2]> = (0..200)
            .map(|_| [number(), number()])
            .map(|[a, b]| if a == b { [a, 30] } else { [a, b] })
            .collect();
        for order in [SweepOrder::Given, SweepOrder::Coloured] {
            let groups = groups(&bodies, 30, order);
            let mut start = 0;
            for &end in &groups.ends {
                let mut seen = [false; 30];
                for &k in &groups.order[start..end] {
                    for body in bodies[k].iter().filter(|b| **b != 30) {
                        assert!(!std::mem::replace(&mut seen[*body as usize], true));
                    }
                }
                start = end;
            }
            let mut all = groups.order;
            all.sort_unstable();
            assert!(all.into_iter().eq(0..200));
        }
    }
}
