//! In which order a sweep goes through the contacts, and which of them do not wait for one another.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::friction::four::LANES;

/// Numbers of the contacts in an order, and where its groups end. Contacts of a group share no body.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Groups {
    pub(super) order: Vec<usize>,
    pub(super) ends: Vec<usize>,
}

/// Groups of up to four contacts, such that a sweep over them does the same as one in the order given, to the bit: of two
/// contacts on one body the first comes first. `fixed` is no body, and a contact that is `lone` has a group of its own.
///
/// A contact waits for the last one before it on each of its bodies. Of those that wait no longer, the ones come first
/// that most others wait for, one after the other.
pub(super) fn packed(bodies: &[[u32; 2]], fixed: u32, lone: impl Fn(usize) -> bool) -> Groups {
    const NONE: usize = usize::MAX;
    let n = bodies.len();
    let (mut next, mut height, mut waits) = (vec![[NONE; 2]; n], vec![0_usize; n], vec![0_u8; n]);
    let mut nearest = vec![NONE; fixed as usize];
    for k in (0..n).rev() {
        for (side, body) in bodies[k].iter().enumerate().filter(|(_, b)| **b != fixed) {
            let after = std::mem::replace(&mut nearest[*body as usize], k);
            // With both sides on one body it would wait for itself.
            if after != NONE && after != k {
                next[k][side] = after;
                height[k] = height[k].max(height[after] + 1);
                waits[after] += 1;
            }
        }
    }
    let mut ready = [BinaryHeap::new(), BinaryHeap::new()];
    let entry = |k: usize| (height[k], Reverse(k));
    for k in (0..n).filter(|k| waits[*k] == 0) {
        ready[usize::from(lone(k))].push(entry(k));
    }
    let mut groups = Groups::default();
    let mut group = Vec::with_capacity(LANES);
    loop {
        let (which, most) = if ready[1].peek() > ready[0].peek() {
            (1, 1)
        } else {
            (0, LANES)
        };
        let top = std::iter::from_fn(|| ready[which].pop());
        group.extend(top.take(most).map(|(_, Reverse(k))| k));
        if group.is_empty() {
            return groups;
        }
        for k in group.drain(..) {
            groups.order.push(k);
            for after in next[k].into_iter().filter(|after| *after != NONE) {
                waits[after] -= 1;
                if waits[after] == 0 {
                    ready[usize::from(lone(after))].push(entry(after));
                }
            }
        }
        groups.ends.push(groups.order.len());
    }
}

/// Groups of contacts, each with the first colour that no earlier contact on one of its bodies has.
pub(super) fn coloured(bodies: &[[u32; 2]], fixed: u32) -> Groups {
    let mut used: Vec<Vec<bool>> = vec![Vec::new(); fixed as usize];
    let colours: Vec<usize> = bodies
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
    let mut order: Vec<usize> = (0..colours.len()).collect();
    order.sort_by_key(|&k| colours[k]);
    let ends = (1..=order.len())
        .filter(|&i| i == order.len() || colours[order[i]] != colours[order[i - 1]])
        .collect();
    Groups { order, ends }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain 0 – 1 – 2 – 3 on the ground at both ends, and a second contact of its first pair.
    const CHAIN: [[u32; 2]; 6] = [[4, 0], [0, 1], [1, 2], [2, 3], [3, 4], [0, 1]];

    #[test]
    fn a_chain_waits_for_itself_and_needs_few_colours() {
        let given = packed(&CHAIN, 4, |_| false);
        assert_eq!(given.order, [0, 1, 2, 3, 5, 4]);
        assert_eq!(given.ends, [1, 2, 3, 5, 6]);
        let lone = packed(&CHAIN, 4, |k| k == 5);
        assert_eq!(lone.order, [0, 1, 2, 3, 4, 5]);
        assert_eq!(lone.ends, [1, 2, 3, 4, 5, 6]);
        let colours = coloured(&CHAIN, 4);
        assert_eq!(colours.order, [0, 2, 4, 1, 3, 5]);
        assert_eq!(colours.ends, [3, 5, 6]);
        assert_eq!(packed(&[], 4, |_| false), Groups::default());
        assert_eq!(coloured(&[], 4), Groups::default());
    }

    /// A chain that begins with the last of many contacts is not left to the end.
    #[test]
    fn what_others_wait_for_comes_first() {
        let free = [[9, 0], [9, 1], [9, 2], [9, 3], [9, 4], [4, 5], [5, 6]];
        let groups = packed(&free, 9, |_| false);
        assert_eq!(groups.order, [4, 0, 1, 2, 5, 3, 6]);
        assert_eq!(groups.ends, [4, 6, 7]);
    }

    #[test]
    fn no_group_has_a_body_twice() {
        let mut rng = crate::rng::SplitMix64::new(3);
        let mut number = || u32::try_from(rng.below(31)).unwrap();
        let bodies: Vec<[u32; 2]> = (0..200)
            .map(|_| [number(), number()])
            .map(|[a, b]| if a == b { [a, 30] } else { [a, b] })
            .collect();
        let given = packed(&bodies, 30, |k| k % 7 == 0);
        // On each body contacts come as they were given.
        let mut last = [None; 30];
        for &k in &given.order {
            for body in bodies[k].iter().filter(|b| **b != 30) {
                assert!(last[*body as usize].replace(k) < Some(k));
            }
        }
        for groups in [given, coloured(&bodies, 30)] {
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
