//! A traffic equilibrium: a new road makes everybody slower.
//!
//! Six thousand drivers go from a to z. Nobody can gain by taking another route: 0 ≤ h_r ⟂ T_r(h) − μ ≥ 0 for the flow on
//! each route and the shortest travel time μ, which is free and paired with Σ h_r = 6.
//!
//! The network and its answers are those of D. Braess, Über ein Paradoxon aus der Verkehrsplanung, Unternehmensforschung
//! 12, 1968: 83 minutes without the new road, 92 with it.

#![expect(clippy::print_stdout, reason = "an example shows its results")]

use signorini::complementarity::{
    Assembler, Bounds, DomainError, Mcp, Path, ProblemError, Solver, Start, Status,
};

/// Travel time fixed + slope · flow, in minutes, with the flow in thousands of drivers.
const ROADS: [(&str, f64, f64); 5] = [
    ("a-b", 0.0, 10.0),
    ("b-z", 50.0, 1.0),
    ("a-c", 50.0, 1.0),
    ("c-z", 0.0, 10.0),
    ("b-c", 10.0, 1.0),
];

/// Routes by their roads; the last one needs the new road b-c.
const ROUTES: [&[usize]; 3] = [&[0, 1], &[2, 3], &[0, 4, 3]];

const DRIVERS: f64 = 6.0;

/// z holds the flows on the routes, then the travel time.
struct Network {
    bounds: Bounds,
    routes: &'static [&'static [usize]],
}

impl Network {
    fn new(routes: &'static [&'static [usize]]) -> Result<Self, ProblemError> {
        let mut lower = vec![0.0; routes.len() + 1];
        lower[routes.len()] = f64::NEG_INFINITY;
        let bounds = Bounds::new(lower, vec![f64::INFINITY; routes.len() + 1])?;
        Ok(Self { bounds, routes })
    }
}

impl Mcp for Network {
    fn len(&self) -> usize {
        self.routes.len() + 1
    }

    fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn evaluate(
        &self,
        z: &[f64],
        f: &mut [f64],
        mut jacobian: Option<&mut Assembler>,
    ) -> Result<(), DomainError> {
        let mut push = |row, column, value| {
            if let Some(jacobian) = jacobian.as_deref_mut() {
                jacobian.push(row, column, value);
            }
        };
        let time = self.routes.len();
        let mut flows = [0.0; ROADS.len()];
        for (route, flow) in self.routes.iter().zip(z) {
            route.iter().for_each(|&road| flows[road] += flow);
        }
        f[time] = z[..time].iter().sum::<f64>() - DRIVERS;
        for (r, route) in self.routes.iter().enumerate() {
            let minutes = |&road: &usize| ROADS[road].1 + ROADS[road].2 * flows[road];
            f[r] = route.iter().map(minutes).sum::<f64>() - z[time];
            for (s, other) in self.routes.iter().enumerate() {
                let shared = route.iter().filter(|road| other.contains(road));
                push(r, s, shared.map(|&road| ROADS[road].2).sum());
            }
            push(r, time, -1.0);
            push(time, r, 1.0);
        }
        Ok(())
    }
}

/// Flows on the routes, and the travel time.
fn equilibrium(routes: &'static [&'static [usize]]) -> Result<Vec<f64>, ProblemError> {
    let network = Network::new(routes)?;
    let solution = Path::default().solve(&network, Start::Cold);
    assert_eq!(solution.status, Status::Solved);
    Ok(solution.z)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let before = equilibrium(&ROUTES[..2])?;
    let after = equilibrium(&ROUTES)?;
    println!("route        before   with the new road");
    for (r, route) in ROUTES.iter().enumerate() {
        let names: Vec<&str> = route.iter().map(|&road| ROADS[road].0).collect();
        let flow = if r < 2 { before[r] } else { 0.0 };
        println!(
            "{:12} {:6.3} {:8.3} thousand drivers",
            names.join(" "),
            flow,
            after[r]
        );
        assert!((after[r] - 2.0).abs() < 1e-9);
    }
    println!(
        "{:12} {:6.1} {:8.1} minutes",
        "travel time", before[2], after[3]
    );
    assert!((before[2] - 83.0).abs() < 1e-9 && (after[3] - 92.0).abs() < 1e-9);
    Ok(())
}
