//! A market equilibrium: two canneries serve three markets, and prices balance supply and demand.
//!
//! Nobody ships at a loss: 0 ≤ x_ij ⟂ w_i + c_ij − p_j ≥ 0. A price is positive only where everything is sold:
//! 0 ≤ w_i ⟂ a_i − Σ_j x_ij ≥ 0, and 0 < p_j ⟂ Σ_i x_ij − b_j (p̄_j / p_j)^σ_j ≥ 0, where demand falls as the price rises.
//!
//! The canneries are those of G. B. Dantzig, Linear Programming and Extensions, 1963, section 3.3; the demand curves go
//! through the published prices of the problem with fixed demand, 0.225, 0.153 and 0.126, which therefore are the answer.

#![expect(clippy::print_stdout, reason = "an example shows its results")]

use signorini::complementarity::{
    Assembler, Bounds, DomainError, Mcp, Path, ProblemError, Solver, Start, Status,
};

const CANNERIES: [&str; 2] = ["Seattle", "San Diego"];
const MARKETS: [&str; 3] = ["New York", "Chicago", "Topeka"];
/// Thousands of miles, at 90 per thousand cases and thousand miles.
const MILES: [[f64; 3]; 2] = [[2.5, 1.7, 1.8], [2.5, 1.8, 1.4]];
const FREIGHT: f64 = 0.09;
const DEMAND: [f64; 3] = [325.0, 300.0, 275.0];
const PRICE: [f64; 3] = [0.225, 0.153, 0.126];
const ELASTICITY: [f64; 3] = [1.5, 1.2, 2.0];

/// z holds the shipments x by canneries, then the prices w at the canneries, then the prices p in the markets.
struct Market {
    bounds: Bounds,
    capacity: [f64; 2],
}

impl Market {
    fn new(capacity: [f64; 2]) -> Result<Self, ProblemError> {
        let mut lower = vec![0.0; 11];
        // Demand is not defined for a price of zero.
        lower[8..].fill(1e-6);
        let bounds = Bounds::new(lower, vec![f64::INFINITY; 11])?;
        Ok(Self { bounds, capacity })
    }
}

impl Mcp for Market {
    fn len(&self) -> usize {
        11
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
        let (w, p) = (|i: usize| 6 + i, |j: usize| 8 + j);
        let mut push = |row, column, value| {
            if let Some(jacobian) = jacobian.as_deref_mut() {
                jacobian.push(row, column, value);
            }
        };
        for i in 0..2 {
            f[w(i)] = self.capacity[i];
        }
        for j in 0..3 {
            let demand = DEMAND[j] * (PRICE[j] / z[p(j)]).powf(ELASTICITY[j]);
            f[p(j)] = -demand;
            push(p(j), p(j), ELASTICITY[j] * demand / z[p(j)]);
        }
        for i in 0..2 {
            for j in 0..3 {
                let x = 3 * i + j;
                f[x] = z[w(i)] + FREIGHT * MILES[i][j] - z[p(j)];
                f[w(i)] -= z[x];
                f[p(j)] += z[x];
                push(x, w(i), 1.0);
                push(x, p(j), -1.0);
                push(w(i), x, -1.0);
                push(p(j), x, 1.0);
            }
        }
        Ok(())
    }

    fn name(&self, index: usize) -> std::borrow::Cow<'_, str> {
        match index {
            0..6 => format!("{} to {}", CANNERIES[index / 3], MARKETS[index % 3]).into(),
            6..8 => CANNERIES[index - 6].into(),
            _ => MARKETS[index - 8].into(),
        }
    }
}

fn solve(capacity: [f64; 2]) -> Result<Vec<f64>, ProblemError> {
    let market = Market::new(capacity)?;
    let mut start = vec![0.0; 11];
    start[6..].fill(1.0);
    let solution = Path::default().solve(&market, Start::Point(&start));
    assert_eq!(solution.status, Status::Solved);
    Ok(solution.z)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (full, less) = (solve([350.0, 600.0])?, solve([350.0, 450.0])?);
    println!("price      published     full   San Diego makes 450");
    for j in 0..3 {
        println!(
            "{:10} {:9.3} {:8.3} {:8.3}",
            MARKETS[j],
            PRICE[j],
            full[8 + j],
            less[8 + j]
        );
        assert!((full[8 + j] - PRICE[j]).abs() < 1e-8);
        // What is scarce costs more.
        assert!(less[8 + j] > full[8 + j]);
    }
    println!("\ncases shipped           full   San Diego makes 450");
    let market = Market::new([350.0, 600.0])?;
    for x in 0..6 {
        println!("{:22} {:6.1} {:8.1}", market.name(x), full[x], less[x]);
    }
    // Shipments are not unique, the one from Seattle to Chicago is.
    assert!((full[1] - 300.0).abs() < 1e-6);
    Ok(())
}
