//! The expressions of a file as one list of nodes in the order of their evaluation.

use crate::operator::{self, Op, Piecewise, SHIFT};

/// What a node works on: a variable, a constant or an earlier node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ref {
    Variable(u32),
    Constant(u32),
    Node(u32),
}

/// The arguments of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arguments {
    Two(Ref, Ref),
    /// Part of [`Graph::terms`].
    List {
        start: u32,
        end: u32,
    },
    /// An argument and a number in [`Graph::piecewise`].
    Piecewise(Ref, u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) op: Op,
    pub(crate) arguments: Arguments,
}

/// Nodes, constants, and the arguments of sums and other lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) constants: Vec<f64>,
    /// Arguments and their factors; the factors matter to [`Op::Linear`] alone.
    pub(crate) terms: Vec<(Ref, f64)>,
    pub(crate) piecewise: Vec<Piecewise>,
    /// First node of the expression at hand.
    begin: usize,
}

/// A file has fewer bytes, and everything that is counted takes one.
pub(crate) fn small(count: usize) -> u32 {
    u32::try_from(count).expect("less than the bytes of the file")
}

impl Graph {
    /// Begins an expression: nodes of others stay as they are.
    pub(crate) fn begin(&mut self) -> usize {
        self.begin = self.nodes.len();
        self.begin
    }

    pub(crate) fn constant(&mut self, value: f64) -> Ref {
        self.constants.push(value);
        Ref::Constant(small(self.constants.len() - 1))
    }

    fn value(&self, argument: Ref) -> Option<f64> {
        match argument {
            Ref::Constant(index) => Some(self.constants[index as usize]),
            _ => None,
        }
    }

    fn push(&mut self, op: Op, arguments: Arguments) -> Ref {
        self.nodes.push(Node { op, arguments });
        Ref::Node(small(self.nodes.len() - 1))
    }

    /// An operator of one argument.
    pub(crate) fn unary(&mut self, op: Op, a: Ref) -> Ref {
        match self.value(a) {
            Some(a) => self.constant(operator::value(op, a, 0.0)),
            None => self.push(op, Arguments::Two(a, a)),
        }
    }

    /// An operator of two arguments.
    pub(crate) fn binary(&mut self, op: Op, a: Ref, b: Ref) -> Ref {
        match (op, self.value(a), self.value(b)) {
            (_, Some(a), Some(b)) => self.constant(operator::value(op, a, b)),
            (Op::Mul, _, Some(_)) => self.push(Op::Scale, Arguments::Two(a, b)),
            (Op::Mul, Some(_), _) => self.push(Op::Scale, Arguments::Two(b, a)),
            (Op::Pow, _, Some(exponent)) => self.power(a, b, exponent),
            _ => self.push(op, Arguments::Two(a, b)),
        }
    }

    /// a to a constant power. Small integers need no logarithm.
    fn power(&mut self, a: Ref, b: Ref, exponent: f64) -> Ref {
        if exponent == 1.0 {
            return a;
        }
        if exponent == 2.0 {
            return self.push(Op::Square, Arguments::Two(a, a));
        }
        let whole = (-8..=8).find(|k| f64::from(*k) == exponent);
        match whole.and_then(|k| u32::try_from(k + SHIFT).ok()) {
            Some(shifted) => self.push(Op::PowInteger, Arguments::Piecewise(a, shifted)),
            None => self.push(Op::PowConstant, Arguments::Two(a, b)),
        }
    }

    /// An operator of a list of arguments, one at least.
    pub(crate) fn list(&mut self, op: Op, arguments: &[Ref]) -> Ref {
        if op == Op::Sum {
            let ones = arguments.iter().map(|argument| (*argument, 1.0)).collect();
            return self.linear(ones);
        }
        let start = small(self.terms.len());
        let terms = arguments.iter().map(|argument| (*argument, 1.0));
        self.terms.extend(terms);
        let end = small(self.terms.len());
        self.push(op, Arguments::List { start, end })
    }

    /// Σ factor · argument. Multiples that the expression at hand has as nodes are taken apart.
    pub(crate) fn linear(&mut self, mut terms: Vec<(Ref, f64)>) -> Ref {
        let mut constant = 0.0;
        for (argument, factor) in &mut terms {
            while let Ref::Node(index) = *argument
                && index as usize >= self.begin
            {
                let node = self.nodes[index as usize];
                let Arguments::Two(a, b) = node.arguments else {
                    break;
                };
                match node.op {
                    Op::Scale => *factor *= self.value(b).expect("made by `binary`"),
                    Op::Neg => *factor = -*factor,
                    _ => break,
                }
                *argument = a;
            }
            if let Some(value) = self.value(*argument) {
                constant += value * *factor;
            }
        }
        terms.retain(|(argument, _)| self.value(*argument).is_none());
        if terms.is_empty() {
            return self.constant(constant);
        }
        if constant != 0.0 || terms.len() == 1 {
            // The constant 1 times its value; a NaN stays one.
            let one = self.constant(1.0);
            terms.push((one, constant));
        }
        let start = small(self.terms.len());
        self.terms.extend(terms);
        let end = small(self.terms.len());
        self.push(Op::Linear, Arguments::List { start, end })
    }

    /// A piecewise-linear function of a.
    pub(crate) fn piecewise(&mut self, function: Piecewise, a: Ref) -> Ref {
        self.piecewise.push(function);
        let index = small(self.piecewise.len() - 1);
        self.push(Op::Piecewise, Arguments::Piecewise(a, index))
    }

    /// Calls `each` with the arguments of a node that are not constant.
    pub(crate) fn each_argument(&self, node: &Node, mut each: impl FnMut(Ref)) {
        let mut look = |argument: Ref| {
            if !matches!(argument, Ref::Constant(_)) {
                each(argument);
            }
        };
        match node.arguments {
            Arguments::Two(a, b) => {
                look(a);
                if b != a {
                    look(b);
                }
            }
            Arguments::List { start, end } => {
                for (argument, _) in &self.terms[start as usize..end as usize] {
                    look(*argument);
                }
            }
            Arguments::Piecewise(a, _) => look(a),
        }
    }
}
