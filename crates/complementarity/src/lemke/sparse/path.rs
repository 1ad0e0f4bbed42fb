//! One run over sparse factors: from a start to a complementary basis, a ray or a failure.

use std::ops::ControlFlow;

use super::dictionary::{Block, Dictionary};
use crate::lemke::LemkeSettings;
use crate::{Iterate, Observer, Stats};

/// How one run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// t left the basis.
    Complementary,
    /// Nothing blocks this entering variable.
    Ray(usize),
    /// The pivots of this path are used up.
    Limit,
    /// The basis became singular, or recomputed values were outside of their bounds.
    Lost,
    Stopped,
}

/// Follows the almost complementary path from a dictionary that has just been started.
///
/// CPS1992 algorithm 4.4.5 in the form for bounds of CF1996. Ends before `last` pivots over all tries.
pub(super) fn follow(
    dictionary: &mut Dictionary<'_>,
    settings: &LemkeSettings,
    last: usize,
    stats: &mut Stats,
    observer: &mut dyn Observer,
) -> End {
    let tie = settings.tie_tolerance;
    // 1. All values within their bounds: the starting basis is the answer.
    dictionary.measure(tie);
    let mut entered = dictionary.t();
    let Some(mut leaving) = dictionary.enter_artificial(tie) else {
        return End::Complementary;
    };
    loop {
        // 2. Tell of the exchange, or of the flip: then the variable that entered has left at its other bound.
        let iterate = Iterate {
            entering: Some(entered),
            leaving: Some(leaving),
            ..Iterate::new(stats.iterations, dictionary.artificial())
        };
        stats.iterations += 1;
        if observer.observe(&iterate) == ControlFlow::Break(()) {
            return End::Stopped;
        }
        if is_complementary(dictionary, leaving, settings) {
            return End::Complementary;
        }
        if stats.iterations >= last {
            return End::Limit;
        }
        entered = dictionary.complement(leaving);
        leaving = match exchange(dictionary, entered, settings, stats) {
            Ok(leaving) => leaving,
            Err(end) => return end,
        };
    }
}

/// 3. Whether t left, or stays at zero because another row blocked a rounding error earlier: complementary.
pub(super) fn is_complementary(
    dictionary: &mut Dictionary<'_>,
    leaving: usize,
    settings: &LemkeSettings,
) -> bool {
    if leaving == dictionary.t() {
        return true;
    }
    let vanished = dictionary.artificial_vanished(settings.tie_tolerance);
    if vanished {
        dictionary.drop_artificial(leaving, settings.pivot_floor);
    }
    vanished
}

/// 4. Ratio test and exchange; the variable that leaves. A ray or a tiny pivot is believed only with fresh factors and a
///    refined direction.
pub(super) fn exchange(
    dictionary: &mut Dictionary<'_>,
    entering: usize,
    settings: &LemkeSettings,
    stats: &mut Stats,
) -> Result<usize, End> {
    let tie = settings.tie_tolerance;
    if dictionary.is_worn(settings.refactor_interval) && !refactor(dictionary, settings, stats) {
        return Err(End::Lost);
    }
    loop {
        dictionary.price(entering);
        let fresh = dictionary.updates() == 0;
        if fresh {
            dictionary.refine(entering);
        }
        match dictionary.blocking(entering, settings) {
            Block::Basic(p, step, size) if size >= settings.suspicious_pivot || fresh => {
                return Ok(dictionary.pivot(p, step, entering, tie));
            }
            Block::Flip => {
                dictionary.flip(entering, tie);
                return Ok(entering);
            }
            Block::Nothing if fresh => return Err(End::Ray(entering)),
            Block::Unclear if fresh => return Err(End::Lost),
            _ if !refactor(dictionary, settings, stats) => return Err(End::Lost),
            _ => {}
        }
    }
}

fn refactor(dictionary: &mut Dictionary<'_>, settings: &LemkeSettings, stats: &mut Stats) -> bool {
    stats.factorizations += 1;
    dictionary.refactor(settings)
}
