//! Expressions in Polish prefix form, of any depth.

use crate::error::{Fault, NlError};
use crate::graph::{Graph, Ref};
use crate::operator::{Arity, Op, Piecewise, by_number};
use crate::source::Source;

/// What the names in expressions stand for.
#[derive(Debug)]
pub(super) struct Names {
    /// Variables come first in the numbering, defined variables after them.
    pub(super) variables: usize,
    /// What a defined variable is, once its segment is read.
    pub(super) defined: Vec<Option<Ref>>,
    /// Imported functions.
    pub(super) functions: Vec<String>,
}

/// An operator that waits for arguments.
struct Frame {
    op: Op,
    missing: usize,
    /// Where its arguments begin on the stack.
    base: usize,
    function: Option<Piecewise>,
}

/// Reads one expression and adds its nodes.
pub(super) fn read(
    source: &mut Source<'_>,
    names: &Names,
    graph: &mut Graph,
) -> Result<Ref, NlError> {
    // Stacks of its own: a file may nest deeper than the program's stack.
    let mut frames: Vec<Frame> = Vec::new();
    let mut stack: Vec<Ref> = Vec::new();
    loop {
        match source.need_letter("an expression")? {
            b'n' => {
                let number = source.finite("a number")?;
                stack.push(graph.constant(number));
            }
            letter @ (b's' | b'l') => {
                let number = if letter == b's' {
                    source.short("an integer")?
                } else {
                    source.integer("an integer")?
                };
                stack.push(graph.constant(number as f64));
            }
            b'v' => stack.push(reference(source, names)?),
            b'o' => {
                frames.push(operator(source, stack.len())?);
                continue;
            }
            b'f' => {
                let function = source.index("an imported function", names.functions.len())?;
                let name = names.functions[function].clone();
                return Err(source.fault(Fault::Imported { name }));
            }
            _ => return Err(source.wrong_letter("an expression")),
        }
        source.end_of_line()?;
        // An argument is complete, and with it perhaps the operators that waited for it.
        while let Some(frame) = frames.last_mut() {
            frame.missing -= 1;
            if frame.missing > 0 {
                break;
            }
            let frame = frames.pop().expect("it was there");
            let node = reduce(frame.op, frame.function, &stack[frame.base..], graph);
            stack.truncate(frame.base);
            stack.push(node);
        }
        if frames.is_empty() {
            return Ok(stack.pop().expect("one node is left"));
        }
    }
}

fn reference(source: &mut Source<'_>, names: &Names) -> Result<Ref, NlError> {
    let place = source.place();
    let index = source.index("a variable", names.variables + names.defined.len())?;
    if index < names.variables {
        return Ok(Ref::Variable(crate::graph::small(index)));
    }
    names.defined[index - names.variables].ok_or({
        let fault = Fault::Undefined { index };
        NlError::Fault { place, fault }
    })
}

/// What stands behind the letter `o`.
fn operator(source: &mut Source<'_>, base: usize) -> Result<Frame, NlError> {
    let place = source.place();
    let number = source.integer("the number of an operator")?;
    let Some((op, arity)) = by_number(number) else {
        let fault = Fault::Operator { number };
        return Err(NlError::Fault { place, fault });
    };
    source.end_of_line()?;
    let mut function = None;
    let missing = match arity {
        Arity::One | Arity::Piecewise => 1,
        Arity::Two => 2,
        Arity::Three => 3,
        Arity::List => {
            let end = source.left().saturating_add(1);
            let count = source.between("the number of arguments", 1, end)?;
            source.end_of_line()?;
            count
        }
    };
    if arity == Arity::Piecewise {
        function = Some(piecewise(source)?);
    }
    Ok(Frame {
        op,
        missing,
        base,
        function,
    })
}

/// Slopes and breakpoints by turns.
fn piecewise(source: &mut Source<'_>) -> Result<Piecewise, NlError> {
    let end = source.left().saturating_add(1);
    let count = source.between("the number of slopes", 1, end)?;
    source.end_of_line()?;
    let (mut slopes, mut breakpoints) = (Vec::new(), Vec::new());
    for i in 0..2 * count - 1 {
        let number = match source.need_letter("a number")? {
            b'n' => source.finite("a number")?,
            b's' => source.short("an integer")? as f64,
            b'l' => source.integer("an integer")? as f64,
            _ => return Err(source.wrong_letter("a number")),
        };
        source.end_of_line()?;
        if i % 2 == 0 {
            slopes.push(number);
        } else {
            breakpoints.push(number);
        }
    }
    Piecewise::new(slopes, breakpoints).ok_or_else(|| source.fault(Fault::Breakpoints))
}

fn reduce(op: Op, function: Option<Piecewise>, arguments: &[Ref], graph: &mut Graph) -> Ref {
    match (op, function, arguments) {
        (_, Some(function), [a]) => graph.piecewise(function, *a),
        (Op::If | Op::Sum | Op::Min | Op::Max | Op::All | Op::Any, ..) => graph.list(op, arguments),
        (_, _, [a]) => graph.unary(op, *a),
        (_, _, [a, b]) => graph.binary(op, *a, *b),
        _ => unreachable!("no operator has {} arguments", arguments.len()),
    }
}
