//! The solvers that can be named on the command line.

use signorini_complementarity::{
    BlockPivoting, BlockPivotingSettings, GaussSeidel, GaussSeidelSettings, InteriorPoint,
    InteriorPointSettings, Lemke, LemkeSettings, LinearMcp, Observer, Portfolio, PortfolioSettings,
    Solution, Solver, Start,
};

/// A solver by its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// What it is for, in one line of the help.
    pub(crate) about: &'static str,
    /// Solves with this tolerance of the scaled residual; `None` leaves the default.
    pub(crate) solve: fn(&LinearMcp, Option<f64>, &mut dyn Observer) -> Named,
}

/// An answer and the name of the solver whose it is.
pub(crate) type Named = (Solution, &'static str);

/// All solvers, the default first.
pub(crate) const METHODS: &[Method] = &[
    Method {
        name: "auto",
        about: "the others in an order that suits the problem; says who answered",
        solve: auto,
    },
    Method {
        name: "lemke",
        about: "Lemke's method: any problem, exact, proofs of infeasibility",
        solve: |problem, tolerance, observer| {
            let mut settings = LemkeSettings::default();
            settings.tolerance = tolerance.unwrap_or(settings.tolerance);
            observed(Lemke::new(settings), "lemke", problem, observer)
        },
    },
    Method {
        name: "block-pivoting",
        about: "block pivoting: P-matrices, exact, few steps",
        solve: |problem, tolerance, observer| {
            let mut settings = BlockPivotingSettings::default();
            settings.tolerance = tolerance.unwrap_or(settings.tolerance);
            let solver = BlockPivoting::new(settings);
            observed(solver, "block-pivoting", problem, observer)
        },
    },
    Method {
        name: "interior-point",
        about: "interior point: monotone problems, then the exact active set",
        solve: |problem, tolerance, observer| {
            let mut settings = InteriorPointSettings::default();
            settings.tolerance = tolerance.unwrap_or(settings.tolerance);
            let solver = InteriorPoint::new(settings);
            observed(solver, "interior-point", problem, observer)
        },
    },
    Method {
        name: "gauss-seidel",
        about: "projected Gauss-Seidel: symmetric positive semidefinite M, moderate accuracy",
        solve: |problem, tolerance, observer| {
            let mut settings = GaussSeidelSettings::default();
            settings.tolerance = tolerance.unwrap_or(settings.tolerance);
            let solver = GaussSeidel::new(settings);
            observed(solver, "gauss-seidel", problem, observer)
        },
    },
];

/// The method of this name.
pub(crate) fn by_name(name: &str) -> Result<Method, String> {
    let method = METHODS.iter().find(|method| method.name == name).copied();
    method.ok_or_else(|| {
        let names: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
        format!(
            "no solver is called `{name}`; there are: {}",
            names.join(", ")
        )
    })
}

/// One line per solver, for the help.
pub(crate) fn list() -> String {
    let line = |method: &Method| format!("  {:<14} {}", method.name, method.about);
    METHODS.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn observed(
    mut solver: impl Solver<LinearMcp>,
    name: &'static str,
    problem: &LinearMcp,
    observer: &mut dyn Observer,
) -> Named {
    (solver.solve_observed(problem, Start::Cold, observer), name)
}

fn auto(problem: &LinearMcp, tolerance: Option<f64>, observer: &mut dyn Observer) -> Named {
    use signorini_complementarity::Method as Of;
    let mut settings = PortfolioSettings::default();
    settings.tolerance = tolerance.unwrap_or(settings.tolerance);
    let answer = Portfolio::new(settings).answer(problem, Start::Cold, observer);
    let name = match answer.method {
        Of::BlockPivoting => "block-pivoting",
        Of::Lemke => "lemke",
        Of::InteriorPoint => "interior-point",
        Of::GaussSeidel => "gauss-seidel",
        _ => "auto",
    };
    (answer.solution, name)
}
