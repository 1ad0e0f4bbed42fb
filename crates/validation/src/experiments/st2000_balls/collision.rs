//! The collision step, and the closed form of what comes before it.

use signorini::steppers::{ContactReport, Mode};

use super::{BallRun, CENTRES, GRAVITY, MASS, MU, RADIUS, THROW};

/// Index of the table among the bodies.
const TABLE: u32 = 0;
/// Index of the thrown ball.
const THROWN: u32 = 1;

/// An event that a run does not show.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the run with h = {h} s shows no {event}")]
pub(super) struct Missing {
    event: &'static str,
    h: f64,
}

/// An impulse at a contact point, on body `body`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Impulse {
    pub(super) point: [f64; 3],
    /// From the contact point into the body.
    pub(super) inward: [f64; 3],
    /// Normal part in N s.
    pub(super) normal: [f64; 3],
    /// Friction in N s.
    pub(super) friction: [f64; 3],
}

/// The step in which the thrown ball meets the line.
#[derive(Debug, Clone)]
pub(super) struct Collision {
    /// Middle of the step in which the thrown ball lands, s.
    pub(super) landing: f64,
    /// Middle of the collision step, s.
    pub(super) time: f64,
    /// Contacts between balls that carry an impulse.
    pairs: usize,
    /// Positions at the end of the step.
    pub(super) positions: Vec<f64>,
    /// Velocities at the end of the step.
    pub(super) velocity_after: Vec<f64>,
    /// Impulses on the balls.
    pub(super) impulses: Vec<Impulse>,
}

impl Collision {
    pub(super) fn find(run: &BallRun) -> Result<Self, Missing> {
        let reports = &run.trajectory.reports;
        let step = |a: u32, b: u32, event| {
            let hits = |c: &ContactReport| (c.id.a, c.id.b) == (a, b) && c.mode != Mode::Open;
            let found = reports
                .iter()
                .position(|report| report.contacts.iter().any(hits));
            found.ok_or(Missing { event, h: run.h })
        };
        let landing = step(TABLE, THROWN, "landing of the thrown ball")?;
        let index = step(THROWN, THROWN + 1, "collision")?;
        let middle = |step: usize| reports[step].t - 0.5 * run.h;
        let hit = |c: &&ContactReport| c.id.a != TABLE && c.mode != Mode::Open;
        Ok(Self {
            landing: middle(landing),
            time: middle(index),
            pairs: reports[index].contacts.iter().filter(hit).count(),
            positions: run.trajectory.q[index + 1].clone(),
            velocity_after: run.trajectory.v[index + 1].clone(),
            impulses: impulses(run, index).ok_or(Missing {
                event: "contact frames",
                h: run.h,
            })?,
        })
    }

    pub(super) fn pairs_hit(&self) -> usize {
        self.pairs
    }
}

/// Impulses of step `index` on the balls, in world axes; the report gives them in the contact frames.
fn impulses(run: &BallRun, index: usize) -> Option<Vec<Impulse>> {
    let mut found = Vec::new();
    for contact in &run.trajectory.reports[index].contacts {
        let point = three(&contact.point)?;
        let normal = three(&contact.normal)?;
        let friction: [f64; 3] = std::array::from_fn(|i| {
            contact.impulse[1] * contact.tangent[i] + contact.impulse[2] * contact.tangent[3 + i]
        });
        let pushed = normal.map(|n| contact.impulse[0] * n);
        let on_b = Impulse {
            point,
            inward: normal,
            normal: pushed,
            friction,
        };
        found.push(on_b);
        if contact.id.a != TABLE {
            let minus = |x: [f64; 3]| x.map(|x| -x);
            found.push(Impulse {
                point,
                inward: minus(normal),
                normal: minus(pushed),
                friction: minus(friction),
            });
        }
    }
    Some(found)
}

fn three(x: &[f64]) -> Option<[f64; 3]> {
    x.try_into().ok()
}

/// Times in closed form, s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ClosedForm {
    pub(super) landing: f64,
    pub(super) collision: f64,
}

/// Flight, plastic impact on the table that stops the slip, rolling, first contact.
pub(super) fn closed_form() -> ClosedForm {
    let landing = (2.0 * (CENTRES[0][2] - RADIUS) / GRAVITY).sqrt();
    let fall = GRAVITY * landing;
    let speed = THROW[0].hypot(THROW[1]);
    // A solid ball that starts to roll keeps 5/7 of its velocity; the friction impulse is the rest.
    let needed = 2.0 / 7.0 * MASS * speed;
    let kept = if needed <= MU * MASS * fall {
        5.0 / 7.0
    } else {
        1.0 - MU * fall / speed
    };
    let start = [
        THROW[0] * landing - CENTRES[1][0],
        THROW[1] * landing - CENTRES[1][1],
    ];
    let v = [kept * THROW[0], kept * THROW[1]];
    // |start + τ v| = 2 r, the first root.
    let (a, b) = (v[0] * v[0] + v[1] * v[1], start[0] * v[0] + start[1] * v[1]);
    let c = start[0] * start[0] + start[1] * start[1] - 4.0 * RADIUS * RADIUS;
    let tau = (-b - (b * b - a * c).sqrt()) / a;
    ClosedForm {
        landing,
        collision: landing + tau,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_form_ends_in_contact() {
        let ClosedForm { landing, collision } = closed_form();
        let part = 5.0 / 7.0 * (collision - landing) + landing;
        let centre = [THROW[0] * part, THROW[1] * part];
        let distance = (centre[0] - CENTRES[1][0]).hypot(centre[1] - CENTRES[1][1]);
        assert!((distance - 2.0 * RADIUS).abs() < 1e-14);
        assert!((CENTRES[0][2] - 0.5 * GRAVITY * landing * landing - RADIUS).abs() < 1e-14);
    }
}
