//! The solvers that can be named on the command line.

use signorini_complementarity::{
    BlockPivoting, BlockPivotingSettings, GaussSeidel, GaussSeidelSettings, InteriorPoint,
    InteriorPointSettings, Lemke, LemkeSettings, LinearMcp, Mcp, Observer, Path, PathSettings,
    Portfolio, PortfolioSettings, SemismoothNewton, SemismoothSettings, Solution, Solver, Start,
};

/// A solver by its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// What it is for, in one line of the help.
    pub(crate) about: &'static str,
    /// Solves a linear problem with this tolerance of the scaled residual; `None` leaves the default.
    pub(crate) solve: Option<LinearSolve>,
    /// Solves a nonlinear problem with this tolerance of the natural residual.
    pub(crate) solve_nonlinear: Option<NonlinearSolve>,
}

type LinearSolve = fn(&LinearMcp, Option<f64>, &mut dyn Observer) -> Named;

type NonlinearSolve = fn(&dyn Mcp, Option<f64>, Start<'_>, &mut dyn Observer) -> Named;

/// An answer and the name of the solver whose it is.
pub(crate) type Named = (Solution, &'static str);

/// All solvers, the default first.
pub(crate) const METHODS: &[Method] = &[
    Method {
        name: "auto",
        about: "the others in an order that suits the problem; says who answered",
        solve: Some(auto),
        solve_nonlinear: Some(path),
    },
    Method {
        name: "lemke",
        about: "Lemke's method: any problem, exact, proofs of infeasibility",
        solve: Some(|problem, tolerance, observer| {
            let mut settings = LemkeSettings::default();
            settings.tolerance = tolerance.unwrap_or(settings.tolerance);
            observed(Lemke::new(settings), "lemke", problem, observer)
        }),
        solve_nonlinear: None,
    },
    Method {
        name: "block-pivoting",
        about: "block pivoting: P-matrices, exact, few steps",
        solve: Some(|problem, tolerance, observer| {
            let mut settings = BlockPivotingSettings::default();
            settings.tolerance = tolerance.unwrap_or(settings.tolerance);
            let solver = BlockPivoting::new(settings);
            observed(solver, "block-pivoting", problem, observer)
        }),
        solve_nonlinear: None,
    },
    Method {
        name: "interior-point",
        about: "interior point: monotone problems, then the exact active set",
        solve: Some(|problem, tolerance, observer| {
            let mut settings = InteriorPointSettings::default();
            settings.tolerance = tolerance.unwrap_or(settings.tolerance);
            let solver = InteriorPoint::new(settings);
            observed(solver, "interior-point", problem, observer)
        }),
        solve_nonlinear: None,
    },
    Method {
        name: "gauss-seidel",
        about: "projected Gauss-Seidel: symmetric positive semidefinite M, moderate accuracy",
        solve: Some(|problem, tolerance, observer| {
            let mut settings = GaussSeidelSettings::default();
            settings.tolerance = tolerance.unwrap_or(settings.tolerance);
            let solver = GaussSeidel::new(settings);
            observed(solver, "gauss-seidel", problem, observer)
        }),
        solve_nonlinear: None,
    },
    Method {
        name: "path",
        about: "nonlinear problems: Newton along the path of the linearised problem, as PATH does",
        solve: None,
        solve_nonlinear: Some(path),
    },
    Method {
        name: "semismooth-newton",
        about: "nonlinear problems: Newton on equations of the Fischer-Burmeister kind",
        solve: None,
        solve_nonlinear: Some(|problem, tolerance, start, observer| {
            let mut settings = SemismoothSettings::default();
            settings.tolerance = tolerance.unwrap_or(settings.tolerance);
            let mut solver = SemismoothNewton::new(settings);
            let solution = solver.solve_observed(problem, start, observer);
            (solution, "semismooth-newton")
        }),
    },
];

fn path(
    problem: &dyn Mcp,
    tolerance: Option<f64>,
    start: Start<'_>,
    observer: &mut dyn Observer,
) -> Named {
    let mut settings = PathSettings::default();
    settings.convergence_tolerance = tolerance.unwrap_or(settings.convergence_tolerance);
    let solution = Path::new(settings).solve_observed(problem, start, observer);
    (solution, "path")
}

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
    let line = |method: &Method| format!("  {:<17} {}", method.name, method.about);
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
