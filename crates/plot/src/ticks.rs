//! Where an axis has its ticks and what they say.

/// Ticks of one axis: coordinate and label.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ticks {
    pub(crate) values: Vec<f64>,
    pub(crate) labels: Vec<String>,
}

impl Ticks {
    /// Ticks at multiples of 1, 2 or 5 times a power of ten, about `target` of them.
    ///
    /// A tick is the integer `n` times 10^`exponent`. Its label is written from that integer, so it
    /// is exact: zero is 0 and nothing else is.
    pub(crate) fn linear(low: f64, high: f64, target: usize) -> Self {
        /// Part of a step that the ends of the range may be off by rounding.
        const SLACK: f64 = 1e-6;

        let rough = (high - low) / target.max(1) as f64;
        let mut exponent = exponent_of(rough);
        let mantissa = rough / power_of_ten(exponent);
        let mut unit = match mantissa {
            m if m <= 1.0 + SLACK => 1,
            m if m <= 2.0 + SLACK => 2,
            m if m <= 5.0 + SLACK => 5,
            _ => 10,
        };
        if unit == 10 {
            unit = 1;
            exponent += 1;
        }
        let step = f64::from(unit) * power_of_ten(exponent);
        // A tick that rounding puts just outside the range belongs to it.
        let first = (low / step - SLACK).ceil();
        let count = (high / step + SLACK).floor() - first + 1.0;
        let mut ticks = Self {
            values: Vec::new(),
            labels: Vec::new(),
        };
        let largest = low.abs().max(high.abs());
        for i in 0..to_count(count) {
            let n = (first + i as f64) * f64::from(unit);
            let value = scaled(n, exponent);
            ticks.values.push(value.clamp(low, high));
            ticks.labels.push(label(n, exponent, largest));
        }
        ticks
    }

    /// Ticks of a logarithmic axis; `low` and `high` are exponents of ten.
    ///
    /// Whole decades, thinned to `target`; below three decades also 2 and 5 times them.
    pub(crate) fn logarithmic(low: f64, high: f64, target: usize) -> Self {
        let fine = high - low < 3.0;
        let decades = to_count(high.floor() - low.ceil() + 1.0);
        let every = decades.div_ceil(target.max(1)).max(1);
        let mut ticks = Self {
            values: Vec::new(),
            labels: Vec::new(),
        };
        let mut decade = low.floor();
        while decade <= high {
            let factors: &[f64] = if fine { &[1.0, 2.0, 5.0] } else { &[1.0] };
            let shown = fine || decade.rem_euclid(every as f64) == 0.0;
            for &factor in factors {
                let value = decade + factor.log10();
                if shown && value >= low - 1e-9 && value <= high + 1e-9 {
                    let exponent = to_exponent(decade);
                    ticks.values.push(value.clamp(low, high));
                    ticks
                        .labels
                        .push(label(factor, exponent, scaled(factor, exponent)));
                }
            }
            decade += 1.0;
        }
        ticks
    }
}

/// n · 10^exponent, correctly rounded for small integers n and |exponent| ≤ 22.
fn scaled(n: f64, exponent: i32) -> f64 {
    if exponent >= 0 {
        n * power_of_ten(exponent)
    } else {
        n / power_of_ten(-exponent)
    }
}

fn power_of_ten(exponent: i32) -> f64 {
    10f64.powi(exponent)
}

/// Exponent of the leading decimal digit.
fn exponent_of(x: f64) -> i32 {
    to_exponent(x.log10().floor())
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "exponents of f64 are between -324 and 308"
)]
fn to_exponent(x: f64) -> i32 {
    x as i32
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a few dozen ticks; negative counts become 0"
)]
fn to_count(x: f64) -> usize {
    x.max(0.0) as usize
}

/// Text of the integer `n` times 10^`exponent`, exact, with a typographic minus.
///
/// Plain digits where `largest`, the largest value on the axis, and the step allow it, powers of
/// ten elsewhere.
fn label(n: f64, exponent: i32, largest: f64) -> String {
    let text = if n == 0.0 {
        "0".to_owned()
    } else if (-10..=0).contains(&exponent) && (1e-4..1e5).contains(&largest) {
        let decimals = usize::try_from(-exponent).unwrap_or(0);
        format!("{:.decimals$}", scaled(n, exponent))
    } else if exponent > 0 && largest < 1e5 {
        format!("{:.0}", scaled(n, exponent))
    } else {
        let digits = format!("{:.0}", n.abs());
        let power = exponent + i32::try_from(digits.len()).unwrap_or(1) - 1;
        let tail = digits[1..].trim_end_matches('0');
        let point = if tail.is_empty() { "" } else { "." };
        let sign = if n < 0.0 { "-" } else { "" };
        format!("{sign}{}{point}{tail}e{power}", &digits[..1])
    };
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64) -> String {
        Ticks::linear(low, high, 5)
            .labels
            .join(" ")
            .replace('\u{2212}', "-")
    }

    #[test]
    fn labels_are_exact() {
        assert_eq!(labels(0.0, 1.0), "0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(labels(-0.3, 0.3), "-0.2 0 0.2");
        assert_eq!(labels(0.0, 12_000.0), "0 5000 10000");
        assert_eq!(labels(0.0, 3e-7), "0 1e-7 2e-7 3e-7");
        assert_eq!(labels(-2.5e6, 2.5e6), "-2e6 -1e6 0 1e6 2e6");
        assert_eq!(labels(0.38, 0.4), "0.380 0.385 0.390 0.395 0.400");
        assert_eq!(
            labels(1.0, 1.000_000_1),
            "1.00000000 1.00000002 1.00000004 1.00000006 1.00000008 1.00000010"
        );
    }

    #[test]
    fn nonzero_is_never_printed_as_zero() {
        for e in -30..30 {
            for factor in [1.0, 2.3, 7.7] {
                let high = factor * 10f64.powi(e);
                let ticks = Ticks::linear(-high, high, 6);
                assert!(ticks.values.len() >= 3, "{high}");
                for (value, label) in ticks.values.iter().zip(&ticks.labels) {
                    let zero = !label.chars().any(|c| ('1'..='9').contains(&c));
                    assert_eq!(zero, *value == 0.0, "{value} {label}");
                }
            }
        }
    }

    #[test]
    fn logarithmic_ticks() {
        let ticks = Ticks::logarithmic(0.001f64.log10(), 0.02f64.log10(), 6);
        assert_eq!(ticks.labels, ["0.001", "0.002", "0.005", "0.01", "0.02"]);
        let wide = Ticks::logarithmic(-16.0, 0.0, 5);
        assert_eq!(wide.values, [-16.0, -12.0, -8.0, -4.0, 0.0]);
        assert_eq!(wide.labels[0], "1e\u{2212}16");
    }
}
