//! Performance profiles: DM2002 (2.1).

use signorini_plot::{AxisScale, Figure, LinePlot, Series, Style};

use super::solvers::{Run, SOLVERS};

/// Largest multiple of the fastest time that is drawn.
const WIDEST: f64 = 1e4;

/// One curve for each solver: the part of the problems that it solves within τ times the time of the fastest.
pub(super) fn profiles(tolerance: f64, runs: &[Run]) -> Figure {
    let runs: Vec<&Run> = runs
        .iter()
        .filter(|run| run.tolerance.to_bits() == tolerance.to_bits())
        .collect();
    let problems: Vec<&[&Run]> = runs.chunk_by(|a, b| a.problem == b.problem).collect();
    let series = SOLVERS.iter().enumerate().map(|(solver, candidate)| {
        let mut ratios: Vec<f64> = problems
            .iter()
            .filter_map(|runs| ratio(runs, solver))
            .collect();
        ratios.sort_by(f64::total_cmp);
        Series::new(
            candidate.name,
            steps(&ratios, problems.len()),
            Style::nth(solver),
        )
    });
    let plot = LinePlot {
        x_label: "multiple of the fastest time".to_owned(),
        y_label: "part of the problems".to_owned(),
        series: series.collect(),
        x_scale: AxisScale::Logarithmic,
        x_range: Some([1.0, WIDEST]),
        y_range: Some([0.0, 1.0]),
        ..LinePlot::default()
    };
    Figure::new(
        format!(
            "Performance profile at {tolerance:.0e}, {} problems",
            problems.len()
        ),
        700,
        450,
    )
    .with(plot)
}

/// Time of a solver over that of the fastest on one problem; nothing if it does not solve it.
fn ratio(runs: &[&Run], solver: usize) -> Option<f64> {
    let solved = || runs.iter().filter(|run| run.solved);
    let best = solved()
        .map(|run| run.seconds)
        .fold(f64::INFINITY, f64::min);
    let own = solved().find(|run| run.solver == solver)?;
    Some((own.seconds / best).clamp(1.0, WIDEST))
}

/// The corners of the staircase with a step of 1/count at each ratio.
fn steps(ratios: &[f64], count: usize) -> Vec<[f64; 2]> {
    let part = |k: usize| k as f64 / count.max(1) as f64;
    let mut points = vec![[1.0, 0.0]];
    for (k, ratio) in ratios.iter().enumerate() {
        points.push([*ratio, part(k)]);
        points.push([*ratio, part(k + 1)]);
    }
    points.push([WIDEST, part(ratios.len())]);
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_a_staircase() {
        let points = steps(&[1.0, 3.0], 4);
        assert_eq!(
            points,
            [
                [1.0, 0.0],
                [1.0, 0.0],
                [1.0, 0.25],
                [3.0, 0.25],
                [3.0, 0.5],
                [WIDEST, 0.5]
            ]
        );
    }
}
