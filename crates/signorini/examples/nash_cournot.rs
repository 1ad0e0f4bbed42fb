//! A Nash game: five firms sell the same good, and each produces what earns it most, given the others' output.
//!
//! Firm i has the marginal cost c_i + (q_i / 5)^(1/β_i); the price falls with the total output Q as (5000 / Q)^(1/γ).
//! Its best output satisfies 0 ≤ q_i ⟂ marginal cost − marginal revenue ≥ 0.
//!
//! The data and the answer are those of F. H. Murphy, H. D. Sherali, A. L. Soyster, A mathematical programming approach for
//! determining oligopolistic market equilibrium, Mathematical Programming 24, 1982.

#![expect(clippy::print_stdout, reason = "an example shows its results")]

use signorini::complementarity::{
    Assembler, Bounds, DomainError, Mcp, Path, Solver, Start, Status, sensitivity_at,
};

const COST: [f64; 5] = [10.0, 8.0, 6.0, 4.0, 2.0];
const BETA: [f64; 5] = [1.2, 1.1, 1.0, 0.9, 0.8];
const GAMMA: f64 = 1.1;

struct Game {
    bounds: Bounds,
}

fn price(total: f64) -> f64 {
    (5000.0 / total).powf(1.0 / GAMMA)
}

impl Mcp for Game {
    fn len(&self) -> usize {
        5
    }

    fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn evaluate(
        &self,
        q: &[f64],
        f: &mut [f64],
        mut jacobian: Option<&mut Assembler>,
    ) -> Result<(), DomainError> {
        let mut push = |row, column, value| {
            if let Some(jacobian) = jacobian.as_deref_mut() {
                jacobian.push(row, column, value);
            }
        };
        let total: f64 = q.iter().sum();
        let price = price(total);
        for i in 0..5 {
            // Part of the price that the firm keeps: its own output lowers it.
            let kept = 1.0 - q[i] / (GAMMA * total);
            f[i] = COST[i] + (q[i] / 5.0).powf(1.0 / BETA[i]) - price * kept;
            let by_total = price / (GAMMA * total) * (kept - q[i] / total);
            for j in 0..5 {
                push(i, j, by_total);
            }
            let own = (q[i] / 5.0).powf(1.0 / BETA[i] - 1.0) / (5.0 * BETA[i]);
            push(i, i, own + price / (GAMMA * total));
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bounds = Bounds::nonnegative(5);
    let game = Game { bounds };
    let solution = Path::default().solve(&game, Start::Point(&[10.0; 5]));
    assert_eq!(solution.status, Status::Solved);
    let q = &solution.z;

    // One more unit of marginal cost for the first firm: ∂F/∂c = (1, 0, 0, 0, 0).
    let derivative = sensitivity_at(&game, &solution)?.along(&[1.0, 0.0, 0.0, 0.0, 0.0]);

    println!("firm   output  published  change if firm 1 pays 1 more");
    let published = [36.93, 41.82, 43.71, 42.66, 39.18];
    for i in 0..5 {
        println!(
            "{:4}  {:7.3}  {:9.2}  {:+7.3}",
            i + 1,
            q[i],
            published[i],
            derivative[i]
        );
        assert!((q[i] - published[i]).abs() < 0.005);
    }
    let total: f64 = q.iter().sum();
    println!("total {total:.2} at a price of {:.3}", price(total));
    println!(
        "{} iterations, residual {:.0e}",
        solution.stats.iterations, solution.residual
    );
    Ok(())
}
