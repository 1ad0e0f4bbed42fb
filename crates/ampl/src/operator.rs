//! The operators of expressions: their numbers in .nl files, values and derivatives.
//!
//! Truth values are 0 and 1. A NaN goes through everything that depends on it: `min` of 1 and NaN is NaN, and so is a
//! comparison with NaN, so that a point outside of the domain of F is found out. As in AMPL, `and` and `or` do not look at
//! their second argument where the first decides.

/// What a step of the tape does with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    /// By a constant, the second argument.
    Scale,
    Div,
    Rem,
    Pow,
    /// To the power of a small integer, which is the second argument itself, shifted by [`SHIFT`].
    PowInteger,
    /// To the power of a constant, the second argument.
    PowConstant,
    SignPow,
    /// a − b where that is positive, else 0.
    Less,
    IntDiv,
    Atan2,
    Or,
    And,
    Lt,
    Le,
    Eq,
    Ge,
    Gt,
    Ne,
    Iff,
    Floor,
    Ceil,
    Abs,
    Neg,
    Not,
    Tanh,
    Tan,
    Sqrt,
    Sinh,
    Sin,
    Log10,
    Log,
    Exp,
    Cosh,
    Cos,
    Atanh,
    Atan,
    Asinh,
    Asin,
    Acosh,
    Acos,
    Square,
    Logistic,
    // With a list of arguments.
    Sum,
    Min,
    Max,
    All,
    Any,
    If,
    /// A sum of multiples.
    Linear,
    /// A piecewise-linear function of one argument.
    Piecewise,
}

/// How many arguments follow an operator in a .nl file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arity {
    One,
    Two,
    Three,
    /// A count, then the arguments.
    List,
    /// A count of slopes, slopes and breakpoints by turns, then the argument.
    Piecewise,
}

/// What the second argument of [`Op::PowInteger`] is above the exponent.
pub(crate) const SHIFT: i32 = 64;

/// The operator of this number in a .nl file.
pub(crate) fn by_number(number: i64) -> Option<(Op, Arity)> {
    use Arity::{List, One, Three, Two};
    Some(match number {
        0 => (Op::Add, Two),
        1 => (Op::Sub, Two),
        2 => (Op::Mul, Two),
        3 => (Op::Div, Two),
        4 => (Op::Rem, Two),
        // With a constant exponent and with a constant base; AMPL's own programs write the general one.
        5 | 76 | 78 => (Op::Pow, Two),
        6 => (Op::Less, Two),
        11 => (Op::Min, List),
        12 => (Op::Max, List),
        13 => (Op::Floor, One),
        14 => (Op::Ceil, One),
        15 => (Op::Abs, One),
        16 => (Op::Neg, One),
        20 => (Op::Or, Two),
        21 => (Op::And, Two),
        22 => (Op::Lt, Two),
        23 => (Op::Le, Two),
        24 => (Op::Eq, Two),
        28 => (Op::Ge, Two),
        29 => (Op::Gt, Two),
        30 => (Op::Ne, Two),
        34 => (Op::Not, One),
        // `if c then a else b`, and the implication `c ==> a else b`.
        35 | 72 => (Op::If, Three),
        37 => (Op::Tanh, One),
        38 => (Op::Tan, One),
        39 => (Op::Sqrt, One),
        40 => (Op::Sinh, One),
        41 => (Op::Sin, One),
        42 => (Op::Log10, One),
        43 => (Op::Log, One),
        44 => (Op::Exp, One),
        45 => (Op::Cosh, One),
        46 => (Op::Cos, One),
        47 => (Op::Atanh, One),
        48 => (Op::Atan2, Two),
        49 => (Op::Atan, One),
        50 => (Op::Asinh, One),
        51 => (Op::Asin, One),
        52 => (Op::Acosh, One),
        53 => (Op::Acos, One),
        54 => (Op::Sum, List),
        55 => (Op::IntDiv, Two),
        64 => (Op::Piecewise, Arity::Piecewise),
        70 => (Op::All, List),
        71 => (Op::Any, List),
        73 => (Op::Iff, Two),
        77 => (Op::Square, One),
        79 => (Op::Logistic, One),
        80 => (Op::SignPow, Two),
        _ => return None,
    })
}

fn truth(a: f64) -> f64 {
    if a.is_nan() { a } else { f64::from(a != 0.0) }
}

fn compare(a: f64, b: f64, holds: bool) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else {
        f64::from(holds)
    }
}

/// `a and b`.
pub(crate) fn both(a: f64, b: f64) -> f64 {
    if a == 0.0 || a.is_nan() { a } else { truth(b) }
}

/// `a or b`.
pub(crate) fn either(a: f64, b: f64) -> f64 {
    if a == 0.0 { truth(b) } else { truth(a) }
}

/// The value of an operator of one or two arguments.
#[inline]
pub(crate) fn value(op: Op, a: f64, b: f64) -> f64 {
    match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul | Op::Scale => a * b,
        Op::Div => a / b,
        Op::Rem => a % b,
        Op::Pow | Op::PowConstant => a.powf(b),
        Op::SignPow => a.abs().powf(b).copysign(a),
        Op::Less if a.is_nan() || b.is_nan() => f64::NAN,
        Op::Less => (a - b).max(0.0),
        Op::IntDiv => (a / b).trunc(),
        Op::Atan2 => a.atan2(b),
        Op::Or => either(a, b),
        Op::And => both(a, b),
        Op::Lt => compare(a, b, a < b),
        Op::Le => compare(a, b, a <= b),
        Op::Eq => compare(a, b, a == b),
        Op::Ge => compare(a, b, a >= b),
        Op::Gt => compare(a, b, a > b),
        Op::Ne => compare(a, b, a != b),
        Op::Iff => compare(a, b, (a != 0.0) == (b != 0.0)),
        Op::Floor => a.floor(),
        Op::Ceil => a.ceil(),
        Op::Abs => a.abs(),
        Op::Neg => -a,
        Op::Not if a.is_nan() => a,
        Op::Not => f64::from(a == 0.0),
        Op::Tanh => a.tanh(),
        Op::Tan => a.tan(),
        Op::Sqrt => a.sqrt(),
        Op::Sinh => a.sinh(),
        Op::Sin => a.sin(),
        Op::Log10 => a.log10(),
        Op::Log => a.ln(),
        Op::Exp => a.exp(),
        Op::Cosh => a.cosh(),
        Op::Cos => a.cos(),
        Op::Atanh => a.atanh(),
        Op::Atan => a.atan(),
        Op::Asinh => a.asinh(),
        Op::Asin => a.asin(),
        Op::Acosh => a.acosh(),
        Op::Acos => a.acos(),
        Op::Square => a * a,
        Op::Logistic => 1.0 / (1.0 + (-a).exp()),
        Op::PowInteger
        | Op::Sum
        | Op::Min
        | Op::Max
        | Op::All
        | Op::Any
        | Op::If
        | Op::Linear
        | Op::Piecewise => unreachable!("no operator of one or two values"),
    }
}

/// The derivatives of an operator of one or two arguments whose value is v.
///
/// Where there are two of one side each the right one is taken, and 0 where the function jumps.
#[inline]
pub(crate) fn partials(op: Op, a: f64, b: f64, v: f64) -> (f64, f64) {
    let one = |da| (da, 0.0);
    match op {
        Op::Add => (1.0, 1.0),
        Op::Sub => (1.0, -1.0),
        Op::Mul => (b, a),
        Op::Scale => one(b),
        Op::Div => (1.0 / b, -v / b),
        Op::Rem => (1.0, -(a / b).trunc()),
        Op::Pow => (power_in_base(a, b, v), power_in_exponent(a, b, v)),
        Op::PowConstant => one(power_in_base(a, b, v)),
        Op::SignPow => {
            let (size, v) = (a.abs(), v.abs());
            let in_exponent = a.signum() * power_in_exponent(size, b, v);
            (power_in_base(size, b, v), in_exponent)
        }
        Op::Less if a >= b => (1.0, -1.0),
        Op::Atan2 => angle(a, b),
        Op::Abs => one(if a < 0.0 { -1.0 } else { 1.0 }),
        Op::Neg => one(-1.0),
        Op::Tanh => one(a.cosh().powi(-2)),
        Op::Tan => one(1.0 + v * v),
        Op::Sqrt => one(0.5 / v),
        Op::Sinh => one(a.cosh()),
        Op::Sin => one(a.cos()),
        Op::Log10 => one(std::f64::consts::LOG10_E / a),
        Op::Log => one(1.0 / a),
        Op::Exp => one(v),
        Op::Cosh => one(a.sinh()),
        Op::Cos => one(-a.sin()),
        Op::Atanh => one(1.0 / ((1.0 - a) * (1.0 + a))),
        Op::Atan => one(1.0 / (1.0 + a * a)),
        Op::Asinh => one(1.0 / a.hypot(1.0)),
        Op::Asin => one(1.0 / ((1.0 - a) * (1.0 + a)).sqrt()),
        Op::Acosh => one(1.0 / ((a - 1.0).sqrt() * (a + 1.0).sqrt())),
        Op::Acos => one(-1.0 / ((1.0 - a) * (1.0 + a)).sqrt()),
        Op::Square => one(2.0 * a),
        // v (1 − v) without the cancellation at large a.
        Op::Logistic => one(v / (1.0 + a.exp())),
        Op::Less
        | Op::IntDiv
        | Op::Or
        | Op::And
        | Op::Lt
        | Op::Le
        | Op::Eq
        | Op::Ge
        | Op::Gt
        | Op::Ne
        | Op::Iff
        | Op::Floor
        | Op::Ceil
        | Op::Not => (0.0, 0.0),
        Op::PowInteger
        | Op::Sum
        | Op::Min
        | Op::Max
        | Op::All
        | Op::Any
        | Op::If
        | Op::Linear
        | Op::Piecewise => unreachable!("no operator of one or two values"),
    }
}

/// ∂(aᵇ)/∂a with v = aᵇ.
fn power_in_base(a: f64, b: f64, v: f64) -> f64 {
    if b == 0.0 {
        0.0
    } else if a != 0.0 && v != 0.0 && v.is_finite() {
        b * v / a
    } else {
        b * a.powf(b - 1.0)
    }
}

/// ∂(aᵇ)/∂b with v = aᵇ.
fn power_in_exponent(a: f64, b: f64, v: f64) -> f64 {
    if a == 0.0 && b > 0.0 { 0.0 } else { v * a.ln() }
}

/// Derivatives of the angle of the point (b, a), without overflow.
fn angle(a: f64, b: f64) -> (f64, f64) {
    if b.abs() >= a.abs() {
        let r = a / b;
        let d = b * (1.0 + r * r);
        (1.0 / d, -r / d)
    } else {
        let r = b / a;
        let d = a * (1.0 + r * r);
        (r / d, -1.0 / d)
    }
}

/// A piecewise-linear function through the origin: k breakpoints and k + 1 slopes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Piecewise {
    slopes: Vec<f64>,
    breakpoints: Vec<f64>,
    /// Value at each breakpoint.
    values: Vec<f64>,
}

impl Piecewise {
    /// `None` if the breakpoints do not rise. There is one slope more than there are breakpoints.
    pub(crate) fn new(slopes: Vec<f64>, breakpoints: Vec<f64>) -> Option<Self> {
        // Not so if one is NaN.
        if !breakpoints.windows(2).all(|pair| pair[0] < pair[1]) {
            return None;
        }
        let mut function = Self {
            values: vec![0.0; breakpoints.len()],
            slopes,
            breakpoints,
        };
        // From the origin outwards: pieces 0..=k, piece i ends at breakpoint i.
        let home = function.piece(0.0);
        let (mut at, mut value) = (0.0, 0.0);
        for i in home..function.breakpoints.len() {
            value += function.slopes[i] * (function.breakpoints[i] - at);
            at = function.breakpoints[i];
            function.values[i] = value;
        }
        let (mut at, mut value) = (0.0, 0.0);
        for i in (0..home).rev() {
            value += function.slopes[i + 1] * (function.breakpoints[i] - at);
            at = function.breakpoints[i];
            function.values[i] = value;
        }
        Some(function)
    }

    /// The piece right of x.
    fn piece(&self, x: f64) -> usize {
        self.breakpoints.partition_point(|b| *b <= x)
    }

    pub(crate) fn value(&self, x: f64) -> f64 {
        if x.is_nan() {
            return x;
        }
        let piece = self.piece(x);
        let slope = self.slopes[piece];
        if piece == self.piece(0.0) {
            slope * x
        } else if x > 0.0 {
            self.values[piece - 1] + slope * (x - self.breakpoints[piece - 1])
        } else {
            self.values[piece] + slope * (x - self.breakpoints[piece])
        }
    }

    pub(crate) fn slope(&self, x: f64) -> f64 {
        self.slopes[self.piece(x)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_values() {
        let mut checked = 0;
        for number in 0..100 {
            let Some((op, Arity::One | Arity::Two)) = by_number(number) else {
                continue;
            };
            for (a, b) in [
                (0.7, 0.3),
                (-0.6, 1.7),
                (0.2, -2.3),
                (1.8, 2.6),
                (-2.5, 0.4),
                (3.2, 1.4),
            ] {
                let v = value(op, a, b);
                if !v.is_finite() {
                    continue;
                }
                let h = 1e-6;
                let da = (value(op, a + h, b) - value(op, a - h, b)) / (2.0 * h);
                let db = (value(op, a, b + h) - value(op, a, b - h)) / (2.0 * h);
                let (pa, pb) = partials(op, a, b, v);
                // Central differences: h² times third derivatives, rounding over h.
                let close = |x: f64, y: f64| y.is_nan() || (x - y).abs() <= 1e-7 * (1.0 + y.abs());
                assert!(
                    close(pa, da) && close(pb, db),
                    "{op:?} {a} {b}: {pa} {pb} {da} {db}"
                );
                checked += 1;
            }
        }
        assert!(checked > 150, "{checked}");
    }

    #[test]
    fn edges_of_the_domain() {
        for (op, a, b, v, da, db) in [
            (Op::Pow, 0.0, 2.0, 0.0, 0.0, 0.0),
            (Op::Pow, 0.0, 1.0, 0.0, 1.0, 0.0),
            (Op::Pow, 0.0, 0.5, 0.0, f64::INFINITY, 0.0),
            (Op::PowConstant, 0.0, 0.0, 1.0, 0.0, 0.0),
            (Op::PowConstant, 1e-200, 3.0, 0.0, 0.0, 0.0),
            (Op::Sqrt, 0.0, 0.0, 0.0, f64::INFINITY, 0.0),
            (Op::Tanh, 800.0, 0.0, 1.0, 0.0, 0.0),
            (Op::Logistic, 800.0, 0.0, 1.0, 0.0, 0.0),
            (Op::Less, 1.0, 3.0, 0.0, 0.0, 0.0),
            (Op::Atan2, 0.0, -1e300, std::f64::consts::PI, -1e-300, 0.0),
            (Op::And, 0.0, f64::NAN, 0.0, 0.0, 0.0),
            (Op::Or, 2.0, f64::NAN, 1.0, 0.0, 0.0),
        ] {
            assert_eq!(
                (value(op, a, b), partials(op, a, b, v)),
                (v, (da, db)),
                "{op:?} {a} {b}"
            );
        }
        for op in [Op::Lt, Op::Ge, Op::Ne, Op::Less, Op::Not, Op::And] {
            assert!(value(op, f64::NAN, 1.0).is_nan(), "{op:?}");
        }
    }

    #[test]
    fn a_piecewise_function_goes_through_the_origin() {
        let f = Piecewise::new(vec![-1.0, 2.0, 5.0], vec![1.0, 3.0]).unwrap();
        for (x, value, slope) in [
            (-2.0, 2.0, -1.0),
            (0.0, 0.0, -1.0),
            (1.0, -1.0, 2.0),
            (2.0, 1.0, 2.0),
            (4.0, 8.0, 5.0),
        ] {
            assert_eq!((f.value(x), f.slope(x)), (value, slope), "{x}");
        }
        let f = Piecewise::new(vec![-1.0, 2.0, 5.0], vec![-3.0, -1.0]).unwrap();
        assert_eq!(
            [f.value(-1.0), f.value(-2.0), f.value(-4.0)],
            [-5.0, -7.0, -8.0]
        );
        assert!(f.value(f64::NAN).is_nan());
        assert_eq!(Piecewise::new(vec![0.0; 3], vec![1.0, 1.0]), None);
    }
}
