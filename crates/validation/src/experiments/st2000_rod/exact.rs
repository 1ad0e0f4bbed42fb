//! The falling rod of ST2000, phase by phase: free flight, plastic impact, sticking, sliding, slap-down, rest.
//!
//! With $s = (l/2) \sin θ$, $c = (l/2) \cos θ$ the lower tip has the gap $y - s - r$ and, at its
//! contact point, the tangential velocity $u = v_x + (r + s) ω$. In the phases
//!
//! ```math
//! \begin{aligned}
//! \text{flight}   &: \dot v = (0, -g, 0) \\
//! \text{sticking} &: \dot ω = -m c\,(g + r ω^2) / (J + m c^2 + m (r + s)^2) \\
//! \text{sliding left} &: J \dot ω = λ_n (μ (r + s) - c), \quad λ_n = m (g + c \dot ω - s ω^2), \quad λ_t = μ λ_n
//! \end{aligned}
//! ```
//!
//! # Method
//!
//! Runge–Kutta of fourth order in steps of 10 µs; a step in which a phase ends is cut by bisection.
//! Each phase checks the sign conditions that make it the right one.
//!
//! # Guarantees and limits
//!
//! Times and positions are good to about 1e-11: the steps are so short that rounding dominates. Only
//! the course of this rod is known; another one is refused with the condition that failed.
//!
//! # References
//! - \[ST2000\] D. E. Stewart, J. C. Trinkle, An implicit time-stepping scheme for rigid body dynamics with
//!   Coulomb friction, IEEE ICRA 2000, section 4.1.

use super::{GRAVITY, HALF_LENGTH, INERTIA, MASS, MU, RADIUS};

/// Positions and velocities x, y, θ, v_x, v_y, ω.
pub type Motion = [f64; 6];

/// Step of the integration in s.
const STEP: f64 = 1e-5;

/// A condition of the expected course that does not hold.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the rod's course is not the expected one: {expected} fails with {value} at t = {t} s")]
pub struct CourseError {
    /// What should hold.
    pub expected: &'static str,
    /// The quantity that should be positive.
    pub value: f64,
    /// When, in s.
    pub t: f64,
}

/// The events of the course, times in s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Events {
    /// The lower tip meets the table.
    pub impact: f64,
    /// Normal and tangential impulse of that impact in N s.
    pub impulse: [f64; 2],
    /// The tip begins to slide left.
    pub sliding: f64,
    /// The other tip meets the table.
    pub slap_down: f64,
    /// The rod comes to rest.
    pub rest: f64,
    /// x at rest in m.
    pub final_x: f64,
    /// The acceleration-level problem just after the impact.
    pub accelerations: Accelerations,
}

/// The acceleration-level complementarity problem of the lower tip, 0 ≤ λ_n ⊥ a_n ≥ 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accelerations {
    /// a_n per λ_n if the tip slides right: nᵀM⁻¹n − μ nᵀM⁻¹d, in 1/kg.
    pub sliding_right: f64,
    /// The same with the friction vectors as printed, which leave r out of the lever arm.
    pub sliding_right_as_printed: f64,
    /// a_n without contact force, in m/s².
    pub free: f64,
    /// Contact forces λ_n, λ_t if the tip sticks, in N.
    pub sticking: [f64; 2],
}

impl Accelerations {
    /// Whether there is no solution with the tip sliding right.
    pub fn none_sliding_right(&self) -> bool {
        self.sliding_right < 0.0 && self.free < 0.0
    }

    /// Whether sticking is a solution.
    pub fn sticks(&self) -> bool {
        let [normal, tangent] = self.sticking;
        normal >= 0.0 && tangent.abs() <= MU * normal
    }
}

/// The whole course.
#[derive(Debug, Clone)]
pub struct Course {
    events: Events,
    nodes: Vec<(f64, Phase, Motion)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Flight,
    Sticking,
    SlidingLeft,
    /// Both tips on the table, sliding left.
    Flat,
    Rest,
}

impl Course {
    /// Computes the course.
    ///
    /// # Errors
    ///
    /// [`CourseError`] if a phase is not the right one for the data.
    pub fn compute(start: Motion) -> Result<Self, CourseError> {
        let mut path = Path {
            nodes: vec![(0.0, Phase::Flight, start)],
        };
        let (impact, before) = path.follow(Phase::Flight, 0.0, start, gap)?;

        // Plastic impact: the tip's velocity becomes zero, which the friction cone must allow.
        let (after, impulse) = sticking_impact(before);
        require(
            "sticking impact, μ p_n − |p_t|",
            MU * impulse[0] - impulse[1].abs(),
            impact,
        )?;
        let accelerations = accelerations(after);

        let margin = |m: &Motion| {
            let [normal, tangent] = sticking_force(m);
            MU * normal - tangent.abs()
        };
        let (sliding, there) = path.follow(Phase::Sticking, impact, after, margin)?;
        require(
            "friction force to the right, λ_t",
            sticking_force(&there)[1],
            sliding,
        )?;

        let far_gap = |m: &Motion| m[1] + arms(m).0 - RADIUS;
        let (slap_down, before) = path.follow(Phase::SlidingLeft, sliding, there, far_gap)?;
        require("tip sliding left, −u", -tip_speed(&before), slap_down)?;

        let (after, share) = slap(before);
        require(
            "impulse at the lower tip in the slap-down",
            share[0],
            slap_down,
        )?;
        require(
            "impulse at the other tip in the slap-down",
            share[1],
            slap_down,
        )?;
        let (rest, end) = path.follow(Phase::Flat, slap_down, after, |m| -m[3])?;
        path.nodes
            .push((rest, Phase::Rest, [end[0], end[1], end[2], 0.0, 0.0, 0.0]));

        let final_x = end[0];
        let events = Events {
            impact,
            impulse,
            sliding,
            slap_down,
            rest,
            final_x,
            accelerations,
        };
        Ok(Self {
            events,
            nodes: path.nodes,
        })
    }

    /// The events.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// Positions and velocities at time t ≥ 0; just after an impact if t is its time.
    pub fn at(&self, t: f64) -> Motion {
        let index = self.nodes.partition_point(|node| node.0 <= t).max(1) - 1;
        let (start, phase, motion) = self.nodes[index];
        advance(phase, &motion, t - start)
    }
}

fn require(expected: &'static str, value: f64, t: f64) -> Result<(), CourseError> {
    if value > 0.0 {
        Ok(())
    } else {
        Err(CourseError { expected, value, t })
    }
}

struct Path {
    nodes: Vec<(f64, Phase, Motion)>,
}

impl Path {
    /// Follows `phase` until `event`, positive at first, becomes negative.
    fn follow(
        &mut self,
        phase: Phase,
        start: f64,
        motion: Motion,
        event: impl Fn(&Motion) -> f64,
    ) -> Result<(f64, Motion), CourseError> {
        /// No phase of this rod is longer, in s.
        const LONGEST: f64 = 1.0;

        let (mut t, mut motion) = (start, motion);
        self.nodes.push((t, phase, motion));
        let mut steps = 0u32;
        while t - start < LONGEST {
            let next = advance(phase, &motion, STEP);
            if event(&next) < 0.0 {
                // 60 halvings go below the last bit of t.
                let (mut low, mut high) = (0.0, STEP);
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    if event(&advance(phase, &motion, middle)) < 0.0 {
                        high = middle;
                    } else {
                        low = middle;
                    }
                }
                return Ok((t + low, advance(phase, &motion, low)));
            }
            steps += 1;
            // Not t += STEP, whose rounding would add up.
            t = start + f64::from(steps) * STEP;
            motion = next;
            self.nodes.push((t, phase, motion));
        }
        Err(CourseError {
            expected: "end of a phase",
            value: event(&motion),
            t,
        })
    }
}

/// s and c.
fn arms(m: &Motion) -> (f64, f64) {
    let (sine, cosine) = m[2].sin_cos();
    (HALF_LENGTH * sine, HALF_LENGTH * cosine)
}

/// Gap of the lower tip.
fn gap(m: &Motion) -> f64 {
    m[1] - arms(m).0 - RADIUS
}

/// Tangential velocity of the lower tip at its contact point.
fn tip_speed(m: &Motion) -> f64 {
    m[3] + (RADIUS + arms(m).0) * m[5]
}

/// Velocities after the tip has stopped, and the impulse that stops it.
fn sticking_impact(m: Motion) -> (Motion, [f64; 2]) {
    let (s, c) = arms(&m);
    let lever = RADIUS + s;
    // Angular momentum about the contact point is kept: v_x = −lever ω⁺, v_y = c ω⁺.
    let about = INERTIA * m[5] + MASS * (c * m[4] - lever * m[3]);
    let omega = about / (INERTIA + MASS * (c * c + lever * lever));
    let after = [m[0], m[1], m[2], -lever * omega, c * omega, omega];
    let impulse = [MASS * (after[4] - m[4]), MASS * (after[3] - m[3])];
    (after, impulse)
}

/// Angular acceleration of the sticking rod.
fn sticking_alpha(m: &Motion) -> f64 {
    let (s, c) = arms(m);
    let lever = RADIUS + s;
    let inertia = INERTIA + MASS * (c * c + lever * lever);
    -MASS * c * (GRAVITY + RADIUS * m[5] * m[5]) / inertia
}

/// λ_n, λ_t that keep the tip where it is.
fn sticking_force(m: &Motion) -> [f64; 2] {
    let (s, c) = arms(m);
    let (alpha, square) = (sticking_alpha(m), m[5] * m[5]);
    let normal = MASS * (GRAVITY + c * alpha - s * square);
    let tangent = -MASS * ((RADIUS + s) * alpha + c * square);
    [normal, tangent]
}

/// Angular acceleration of the rod whose tip slides left: friction pushes right.
fn sliding_alpha(m: &Motion) -> f64 {
    let (s, c) = arms(m);
    let lever = MU * (RADIUS + s) - c;
    MASS * lever * (GRAVITY - s * m[5] * m[5]) / (INERTIA - MASS * c * lever)
}

/// Velocities after both tips have met the table, and the normal impulses of the lower and the other tip.
fn slap(m: Motion) -> (Motion, [f64; 2]) {
    // Both normal velocities vanish: v_y = 0, ω = 0. Friction pushes right with μ times the sum.
    let total = -MASS * m[4];
    let vx = m[3] + MU * total / MASS;
    // −J ω = p₁ (−c) + p₂ c + μ (p₁ + p₂) r with c = −l/2 at θ = π.
    let difference = (-INERTIA * m[5] - MU * RADIUS * total) / -arms(&m).1;
    let share = [0.5 * (total + difference), 0.5 * (total - difference)];
    ([m[0], m[1], m[2], vx, 0.0, 0.0], share)
}

fn accelerations(m: Motion) -> Accelerations {
    let (s, c) = arms(&m);
    let (normal, friction) = (-c, RADIUS + s);
    let diagonal = 1.0 / MASS + normal * normal / INERTIA;
    Accelerations {
        sliding_right: diagonal - MU * normal * friction / INERTIA,
        sliding_right_as_printed: diagonal - MU * normal * s / INERTIA,
        free: -GRAVITY + s * m[5] * m[5],
        sticking: sticking_force(&m),
    }
}

fn derivative(phase: Phase, m: &Motion) -> Motion {
    let (s, c) = arms(m);
    let square = m[5] * m[5];
    let [ax, ay, alpha] = match phase {
        Phase::Flight => [0.0, -GRAVITY, 0.0],
        Phase::Sticking => {
            let alpha = sticking_alpha(m);
            [
                -(RADIUS + s) * alpha - c * square,
                c * alpha - s * square,
                alpha,
            ]
        }
        Phase::SlidingLeft => {
            let alpha = sliding_alpha(m);
            let ay = c * alpha - s * square;
            [MU * (GRAVITY + ay), ay, alpha]
        }
        Phase::Flat => [MU * GRAVITY, 0.0, 0.0],
        Phase::Rest => [0.0; 3],
    };
    [m[3], m[4], m[5], ax, ay, alpha]
}

/// One step of the classical Runge–Kutta scheme.
fn advance(phase: Phase, m: &Motion, h: f64) -> Motion {
    let shifted =
        |k: &Motion, part: f64| -> Motion { std::array::from_fn(|i| m[i] + part * h * k[i]) };
    let k1 = derivative(phase, m);
    let k2 = derivative(phase, &shifted(&k1, 0.5));
    let k3 = derivative(phase, &shifted(&k2, 0.5));
    let k4 = derivative(phase, &shifted(&k3, 1.0));
    std::array::from_fn(|i| m[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course() -> Course {
        Course::compute(super::super::START).unwrap()
    }

    #[test]
    fn sticking_and_sliding_keep_the_tip_on_the_table() {
        let course = course();
        let events = *course.events();
        for i in 0..100 {
            let part = f64::from(i) / 100.0;
            let m = course.at(events.impact + part * (events.slap_down - events.impact));
            assert!(gap(&m).abs() < 1e-12, "{part}: gap {}", gap(&m));
        }
        let sticking = course.at(0.5 * (events.impact + events.sliding));
        assert!(tip_speed(&sticking).abs() < 1e-12);
    }

    #[test]
    fn sticking_keeps_the_energy() {
        let course = course();
        let energy = |m: Motion| {
            0.5 * (MASS * (m[3] * m[3] + m[4] * m[4]) + INERTIA * m[5] * m[5])
                + MASS * GRAVITY * m[1]
        };
        let events = course.events();
        let (first, last) = (
            energy(course.at(events.impact)),
            energy(course.at(events.sliding)),
        );
        assert!((first - last).abs() < 1e-11, "{first} {last}");
    }

    #[test]
    fn impact_obeys_newton() {
        let course = course();
        let t = course.events().impact;
        let before = advance(Phase::Flight, &super::super::START, t);
        let (after, [normal, tangent]) = sticking_impact(before);
        let (s, c) = arms(&before);
        let turn = (tangent * (RADIUS + s) - normal * c) / INERTIA;
        assert!((after[5] - before[5] - turn).abs() < 1e-12);
    }

    #[test]
    fn a_rod_that_starts_at_rest_on_the_table_is_refused() {
        let lying = [0.0, RADIUS, std::f64::consts::PI, 0.0, 0.0, 0.0];
        assert!(Course::compute(lying).is_err());
    }
}
