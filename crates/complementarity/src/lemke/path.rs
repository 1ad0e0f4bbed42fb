//! One run of Lemke's method: from a start to a complementary basis, a ray or a failure.

use std::ops::ControlFlow;

use super::LemkeSettings;
use super::scaled::ScaledLcp;
use super::tableau::{Place, Tableau};
use crate::{Iterate, Observer, Stats};

/// How one run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// z₀ left the basis.
    Complementary,
    /// Nothing blocks the entering variable of this column.
    Ray(usize),
    Limit,
    /// The basis became singular, or recomputed values were negative.
    Lost,
    Stopped,
}

/// Follows the almost complementary path from a tableau that has just been started.
///
/// CPS1992 algorithm 4.4.5 with the lexicographic rule of section 4.9.
pub(super) fn follow(
    tableau: &mut Tableau,
    lcp: &ScaledLcp,
    settings: &LemkeSettings,
    stats: &mut Stats,
    observer: &mut dyn Observer,
) -> End {
    // 1. All values nonnegative: the starting basis is the answer.
    let Some(mut row) = tableau.first_row(settings.tie_tolerance) else {
        return End::Complementary;
    };
    let mut entering = tableau.z0();
    let rebuild_after = settings.refactor_interval.max(lcp.len());
    loop {
        let Place::Column(column) = tableau.place(entering) else {
            unreachable!("the entering variable is nonbasic")
        };
        // 2. Exchange; z₀ entered first, later the complement of what left.
        if stats.iterations >= settings.pivot_limit {
            return End::Limit;
        }
        let leaving = tableau.pivot(row, column, settings.tie_tolerance);
        let iterate = Iterate {
            entering: Some(entering),
            leaving: Some(leaving),
            ..Iterate::new(stats.iterations, tableau.artificial())
        };
        stats.iterations += 1;
        if observer.observe(&iterate) == ControlFlow::Break(()) {
            return End::Stopped;
        }
        // 3. z₀ left, or stays at zero because another row blocked a rounding error earlier: complementary.
        if leaving == tableau.z0() {
            return End::Complementary;
        }
        if tableau.artificial_vanished(settings.tie_tolerance) {
            tableau.drop_artificial(leaving, settings.pivot_floor, settings.tie_tolerance);
            return End::Complementary;
        }
        entering = tableau.complement(leaving);
        if tableau.since_build() >= rebuild_after && !rebuild(tableau, lcp, settings, stats) {
            return End::Lost;
        }
        // 4. Ratio test; a ray or a tiny pivot is believed only in a tableau fresh from the data.
        row = loop {
            let Place::Column(column) = tableau.place(entering) else {
                unreachable!("it is nonbasic")
            };
            match tableau.blocking_row(column, settings) {
                Some((row, size))
                    if size >= settings.suspicious_pivot || tableau.since_build() == 0 =>
                {
                    break row;
                }
                None if tableau.since_build() == 0 => return End::Ray(column),
                _ if !rebuild(tableau, lcp, settings, stats) => return End::Lost,
                _ => {}
            }
        };
    }
}

fn rebuild(
    tableau: &mut Tableau,
    lcp: &ScaledLcp,
    settings: &LemkeSettings,
    stats: &mut Stats,
) -> bool {
    stats.factorizations += 1;
    tableau.refactor(lcp, settings).is_some() && tableau.clip(settings.lost_tolerance)
}
