//! Which row belongs to which variable.
//!
//! A row that complements a variable is that variable's. Equations go to the variables that no row complements and that
//! are free: any choice gives the same problem, so a matching along the entries of the Jacobian is taken, which leaves the
//! diagonal nonzero where that can be had. Inequalities that complement nothing, and bounds of variables that only
//! equations know, are side conditions: they hold at a solution and push on nothing. As AMPL's own PATH has it, each gets a
//! variable y of its own,
//!
//! ```math
//! y \ge 0 \perp g(x) - l - y \ge 0, \qquad y \le 0 \perp g(x) - u - y \le 0
//! ```

use crate::error::NlError;
use crate::read::{File, Range};

/// F of one variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Body {
    /// The body of a row less a constant.
    Row { row: usize, constant: f64 },
    /// The variable itself, which is fixed: F plays no part.
    Fixed { value: f64 },
    /// A side condition of a row: its body less a bound less the variable.
    SideOfRow { row: usize, bound: f64 },
    /// A side condition of another variable.
    SideOfVariable { variable: usize, bound: f64 },
}

/// The square problem: for each variable, those of the file first, its bounds and its F.
#[derive(Clone, Debug)]
pub(crate) struct Square {
    pub(crate) bounds: Vec<(f64, f64)>,
    pub(crate) bodies: Vec<Body>,
}

pub(crate) fn pair(file: &File) -> Result<Square, NlError> {
    let mut bodies: Vec<Option<Body>> = vec![None; file.bounds.len()];
    let mut equations = Vec::new();
    let mut sides = Vec::new();
    for (row, ranged) in file.rows.iter().enumerate() {
        match ranged.range {
            Range::Complements(variable) => {
                if let Some(Body::Row { row: first, .. }) = bodies[variable] {
                    return Err(NlError::Twice {
                        first,
                        second: row,
                        variable,
                    });
                }
                let constant = 0.0;
                bodies[variable] = Some(Body::Row { row, constant });
            }
            Range::Between(lower, upper) if lower == upper => equations.push((row, lower)),
            Range::Between(lower, upper) => {
                sides_of(lower, upper, &mut sides, |bound| Body::SideOfRow {
                    row,
                    bound,
                });
            }
        }
    }
    let mut bounds = file.bounds.clone();
    let mut free = Vec::new();
    for (variable, body) in bodies.iter_mut().enumerate() {
        let (lower, upper) = bounds[variable];
        if body.is_some() {
        } else if lower == upper {
            *body = Some(Body::Fixed { value: lower });
        } else {
            free.push(variable);
            bounds[variable] = (f64::NEG_INFINITY, f64::INFINITY);
            sides_of(lower, upper, &mut sides, |bound| Body::SideOfVariable {
                variable,
                bound,
            });
        }
    }
    if equations.len() != free.len() {
        return Err(NlError::NotSquare {
            equations: equations.len(),
            variables: free.len(),
            row: equations.get(free.len()).map(|(row, _)| *row),
            variable: free.get(equations.len()).copied(),
        });
    }
    for (equation, variable) in matching(file, &equations, &free) {
        let (row, constant) = equations[equation];
        bodies[variable] = Some(Body::Row { row, constant });
    }
    let paired = bodies.into_iter().collect::<Option<Vec<Body>>>();
    let mut bodies = paired.expect("as many equations as free variables");
    for (side, side_bounds) in sides {
        bodies.push(side);
        bounds.push(side_bounds);
    }
    Ok(Square { bounds, bodies })
}

/// One side condition per finite bound, with the bounds of its variable.
fn sides_of(
    lower: f64,
    upper: f64,
    sides: &mut Vec<(Body, (f64, f64))>,
    body: impl Fn(f64) -> Body,
) {
    if lower > f64::NEG_INFINITY {
        sides.push((body(lower), (0.0, f64::INFINITY)));
    }
    if upper < f64::INFINITY {
        sides.push((body(upper), (f64::NEG_INFINITY, 0.0)));
    }
}

/// Pairs of an equation (its number in the list) and a free variable: as many as can be along entries of the Jacobian,
/// the rest in their order.
fn matching(file: &File, equations: &[(usize, f64)], free: &[usize]) -> Vec<(usize, usize)> {
    const NONE: usize = usize::MAX;
    let mut is_free = vec![false; file.bounds.len()];
    for variable in free {
        is_free[*variable] = true;
    }
    let entries = |equation: usize| {
        let row = &file.rows[equations[equation].0];
        row.linear.iter().map(|(variable, _)| *variable as usize)
    };
    let mut of_variable = vec![NONE; file.bounds.len()];
    let mut of_equation = vec![NONE; equations.len()];
    // 1. The variable in the same place, else the first that is still there.
    for equation in 0..equations.len() {
        let open = |variable: &usize| is_free[*variable] && of_variable[*variable] == NONE;
        let mut choices = entries(equation).filter(open);
        let same = entries(equation)
            .filter(open)
            .find(|v| *v == free[equation]);
        if let Some(variable) = same.or_else(|| choices.next()) {
            of_variable[variable] = equation;
            of_equation[equation] = variable;
        }
    }
    // 2. Augmenting paths, each a search in depth with a stack of its own.
    let mut visited = vec![NONE; file.bounds.len()];
    for start in (0..equations.len())
        .filter(|e| of_equation[*e] == NONE)
        .collect::<Vec<_>>()
    {
        let mut path = vec![(start, entries(start))];
        let mut steps = Vec::new();
        while let Some((_, choices)) = path.last_mut() {
            let next = choices.find(|v| is_free[*v] && visited[*v] != start);
            let Some(variable) = next else {
                path.pop();
                steps.pop();
                continue;
            };
            visited[variable] = start;
            steps.push(variable);
            let owner = of_variable[variable];
            if owner == NONE {
                for ((equation, _), variable) in path.iter().zip(&steps) {
                    of_variable[*variable] = *equation;
                    of_equation[*equation] = *variable;
                }
                break;
            }
            path.push((owner, entries(owner)));
        }
    }
    // 3. What is left: the Jacobian is singular at every point, but the problem is the same.
    let mut left = free.iter().filter(|v| of_variable[**v] == NONE);
    of_equation
        .iter()
        .enumerate()
        .map(|(equation, variable)| match *variable {
            NONE => (equation, *left.next().expect("as many as equations")),
            variable => (equation, variable),
        })
        .collect()
}
