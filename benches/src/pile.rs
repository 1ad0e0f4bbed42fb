//! A pile of equal discs on a floor, as the friction problem of one step: the input that grows like a real scene.

use signorini_complementarity::{BlockRows, FIXED, FrictionData, FrictionError, FrictionProblem};

/// Radius of a disc, m.
const RADIUS: f64 = 0.5;

/// A triangle of discs of 1 kg with `rows` discs on the floor, one less in each row above, all touching.
///
/// The step is 0.01 s under gravity, from rest but for a drift that differs from disc to disc: a perfectly symmetric pile has
/// many solutions, and which of them is found is no matter of speed.
///
/// # Errors
/// If the data are no friction problem, which no number of rows makes them.
///
/// # Examples
/// ```
/// let pile = signorini_benches::pile(6)?;
/// assert_eq!(pile.contacts().len(), 51);
/// # Ok::<(), signorini_complementarity::FrictionError>(())
/// ```
pub fn pile(rows: usize) -> Result<FrictionProblem, FrictionError> {
    let height = RADIUS * 3.0_f64.sqrt();
    let mut centres = Vec::new();
    for row in 0..rows {
        for k in 0..rows - row {
            let x = RADIUS * (2 * k + row) as f64;
            centres.push([x, RADIUS + height * row as f64]);
        }
    }

    let mut contacts = BlockRows::new(2, 3);
    for (b, at) in centres.iter().enumerate() {
        if at[1] <= RADIUS {
            push(&mut contacts, [FIXED, index(b)], [0.0, 1.0]);
        }
        for (a, other) in centres[..b].iter().enumerate() {
            let apart = [at[0] - other[0], at[1] - other[1]];
            let distance = apart[0].hypot(apart[1]);
            // Half a radius is far more than rounding and far less than the distance to the next disc.
            if distance < 2.5 * RADIUS {
                push(
                    &mut contacts,
                    [index(a), index(b)],
                    apart.map(|x| x / distance),
                );
            }
        }
    }

    let inertia = 0.5 * RADIUS * RADIUS;
    let block = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, inertia];
    let fall = -9.81 * 0.01;
    let drift = |k: usize| 1e-3 * (1.0 + 2.0 * k as f64).sin();
    FrictionProblem::new(FrictionData {
        dofs: 3,
        mass: block.repeat(centres.len()),
        free_velocity: (0..centres.len())
            .flat_map(|k| [drift(k), fall, 0.0])
            .collect(),
        bias: vec![0.0; 2 * contacts.len()],
        mu: vec![0.3; contacts.len()],
        contacts,
        ..FrictionData::default()
    })
}

fn index(body: usize) -> u32 {
    u32::try_from(body).expect("a pile has fewer discs than there are numbers")
}

/// Appends the normal and the tangent row of a contact whose unit normal points from the first disc into the second.
fn push(contacts: &mut BlockRows, bodies: [u32; 2], [x, y]: [f64; 2]) {
    // The arms are r n and −r n: no lever for the normal, the radius for the tangent (−y, x), on both sides.
    let first = [-x, -y, 0.0, y, -x, -RADIUS];
    let second = [x, y, 0.0, -y, x, -RADIUS];
    contacts.push(bodies, &first, &second);
}
