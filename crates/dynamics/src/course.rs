//! Motion that is prescribed as a function of time.

use std::{f64::consts::TAU, fmt, sync::Arc};

/// A coordinate as a function of time: of a driven body along its [direction](crate::Motion::Driven), or of a driven joint.
///
/// Steps use its change over the step, so that positions at the ends of steps are exact whatever the step. It counts from
/// the coordinate the body or joint was added with.
///
/// # Examples
/// ```
/// use signorini_dynamics::Course;
/// let shake = Course::Oscillation { amplitude: 3.0, frequency: 1.0 / 1.5, phase: 0.0, from: 3.0, until: f64::INFINITY };
/// assert_eq!(shake.at(2.0), 0.0);
/// assert!((shake.at(3.375) - 3.0).abs() < 1e-12);
/// let belt = Course::Steady { rate: 0.2 };
/// assert_eq!(belt.mean_rate(1.0, 0.5), 0.2);
/// ```
#[derive(Clone)]
pub enum Course {
    /// rate · t; m/s or rad/s.
    Steady {
        /// Rate, in units of the coordinate per second.
        rate: f64,
    },
    /// amplitude (sin(2π frequency (t − from) + phase) − sin phase) from `from` on; after `until` it stands still.
    Oscillation {
        /// Amplitude, in units of the coordinate.
        amplitude: f64,
        /// Frequency, Hz.
        frequency: f64,
        /// Phase, rad.
        phase: f64,
        /// Start, s.
        from: f64,
        /// End, s; may be ∞.
        until: f64,
    },
    /// Any function of time, of the user's own; it has to be finite.
    Custom(Arc<dyn Fn(f64) -> f64 + Send + Sync>),
}

impl Course {
    /// The coordinate at time t.
    pub fn at(&self, t: f64) -> f64 {
        match self {
            Self::Steady { rate } => rate * t,
            Self::Oscillation {
                amplitude,
                frequency,
                phase,
                from,
                until,
            } => {
                let since = (t.min(*until) - from).max(0.0);
                amplitude * ((TAU * frequency * since + phase).sin() - phase.sin())
            }
            Self::Custom(function) => function(t),
        }
    }

    /// Its mean rate over [t, t + h].
    pub fn mean_rate(&self, t: f64, h: f64) -> f64 {
        match self {
            Self::Steady { rate } => *rate,
            _ => (self.at(t + h) - self.at(t)) / h,
        }
    }

    /// Whether its numbers make sense; a function of the user's own is asked in every step.
    pub(crate) fn is_valid(&self) -> bool {
        match self {
            Self::Steady { rate } => rate.is_finite(),
            Self::Oscillation {
                amplitude,
                frequency,
                phase,
                from,
                until,
            } => {
                [amplitude, frequency, phase, from]
                    .iter()
                    .all(|x| x.is_finite())
                    && until >= from
            }
            Self::Custom(_) => true,
        }
    }
}

impl fmt::Debug for Course {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steady { rate } => f.debug_struct("Steady").field("rate", rate).finish(),
            Self::Oscillation {
                amplitude,
                frequency,
                phase,
                from,
                until,
            } => f
                .debug_struct("Oscillation")
                .field("amplitude", amplitude)
                .field("frequency", frequency)
                .field("phase", phase)
                .field("from", from)
                .field("until", until)
                .finish(),
            Self::Custom(_) => f.write_str("Custom(..)"),
        }
    }
}

/// Two functions are equal if they are the same one.
impl PartialEq for Course {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Custom(a), Self::Custom(b)) => Arc::ptr_eq(a, b),
            (Self::Steady { rate: a }, Self::Steady { rate: b }) => a == b,
            (
                Self::Oscillation {
                    amplitude,
                    frequency,
                    phase,
                    from,
                    until,
                },
                Self::Oscillation {
                    amplitude: a,
                    frequency: f,
                    phase: p,
                    from: s,
                    until: u,
                },
            ) => (amplitude, frequency, phase, from, until) == (a, f, p, s, u),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_rate_sums_up_to_the_course() {
        let course = Course::Oscillation {
            amplitude: 2.0,
            frequency: 0.7,
            phase: 0.3,
            from: 0.25,
            until: 1.55,
        };
        let h = 0.1;
        let sum: f64 = (0..20)
            .map(|k| h * course.mean_rate(f64::from(k) * h, h))
            .sum();
        assert!((sum - course.at(2.0)).abs() < 1e-14);
        let (still, before) = (course.at(1.55), course.at(0.0));
        assert!((course.at(9.0) - still).abs() < 1e-15 && before.abs() < 1e-15);
    }
}
