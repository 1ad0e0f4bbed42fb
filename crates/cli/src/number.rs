//! Numbers for people: short, and never 0 unless they are.

/// `value` with up to `digits` significant digits, as a decimal where that is short, else in scientific notation.
pub(crate) fn short(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let decimals = digits.saturating_sub(1);
    let scientific = format!("{value:.decimals$e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..6).contains(&exponent) {
        return format!("{}e{exponent}", trimmed(mantissa));
    }
    let places = usize::try_from(i32::try_from(decimals).unwrap_or(0) - exponent).unwrap_or(0);
    trimmed(&format!("{value:.places$}")).to_owned()
}

/// A number and what it counts: `1 body`, `2 bodies`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The decimal without the zeros that end its fraction.
fn trimmed(decimal: &str) -> &str {
    if decimal.contains('.') {
        decimal.trim_end_matches('0').trim_end_matches('.')
    } else {
        decimal
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, short};

    #[test]
    fn one_is_one() {
        let texts = [0, 1, 2].map(|count| counted(count, "body", "bodies"));
        assert_eq!(texts, ["0 bodies", "1 body", "2 bodies"]);
    }

    #[test]
    fn no_number_looks_like_zero_unless_it_is() {
        let numbers = [
            1e-4,
            0.1,
            1.0 / 3.0,
            1e-300,
            -0.0,
            123_456_789.123_456_79,
            5e-324,
            999_999.9,
        ];
        let texts = numbers.map(|number| short(number, 4));
        let expected = [
            "0.0001",
            "0.1",
            "0.3333",
            "1e-300",
            "0",
            "1.235e8",
            "4.941e-324",
            "1e6",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn integers_keep_their_zeros() {
        assert_eq!(
            (short(100.0, 4), short(-2500.0, 2)),
            ("100".to_owned(), "-2500".to_owned())
        );
    }
}
