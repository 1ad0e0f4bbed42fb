//! The segments of a .nl file.

mod expression;

use crate::error::{Fault, NlError};
use crate::graph::{Graph, Ref, small};
use crate::header::Header;
use crate::source::Source;

use self::expression::Names;

/// What the file says of a row: l ≤ body ≤ u, or that it complements a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Range {
    Between(f64, f64),
    Complements(usize),
}

/// A row: its linear entries by variable, and the rest.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Variable and coefficient; all that the expression uses are among them, with the coefficient 0 if need be.
    pub(crate) linear: Vec<(u32, f64)>,
    pub(crate) nonlinear: Option<Ref>,
    pub(crate) range: Range,
}

/// A run of nodes that belongs to one row or to one defined variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) owner: Owner,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Defined,
    Row(usize),
}

/// A .nl file, read and checked against its own counts.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) header: Header,
    pub(crate) graph: Graph,
    pub(crate) blocks: Vec<Block>,
    pub(crate) rows: Vec<Row>,
    pub(crate) bounds: Vec<(f64, f64)>,
    pub(crate) start: Vec<f64>,
}

/// A segment half read: what came, and what is still to come.
struct Reader<'a> {
    source: Source<'a>,
    header: Header,
    names: Names,
    graph: Graph,
    blocks: Vec<Block>,
    rows: Vec<Partial>,
    bounds: Option<Vec<(f64, f64)>>,
    start: Option<Vec<f64>>,
    duals: bool,
    ranges: bool,
    columns: Option<Vec<usize>>,
    objectives: Vec<(bool, bool)>,
    gradient_entries: usize,
    /// The last row or objective whose list named a variable.
    seen: Vec<usize>,
    list: usize,
}

#[derive(Clone, Default)]
struct Partial {
    linear: Option<Vec<(u32, f64)>>,
    nonlinear: Option<Ref>,
    range: Option<Range>,
}

impl File {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, NlError> {
        let mut source = Source::new(bytes);
        let header = Header::read(&mut source)?;
        let mut reader = Reader {
            source,
            names: Names {
                variables: header.variables,
                defined: vec![None; header.defined],
                functions: vec![String::new(); header.functions],
            },
            graph: Graph::default(),
            blocks: Vec::new(),
            rows: vec![Partial::default(); header.rows],
            bounds: None,
            start: None,
            duals: false,
            ranges: false,
            columns: None,
            objectives: vec![(false, false); header.objectives],
            gradient_entries: 0,
            seen: vec![0; header.variables],
            list: 0,
            header,
        };
        while let Some(letter) = reader.source.letter() {
            reader.segment(letter)?;
        }
        reader.finish()
    }
}

impl Reader<'_> {
    fn segment(&mut self, letter: u8) -> Result<(), NlError> {
        match letter {
            b'F' => self.function(),
            b'S' => self.suffix(),
            b'V' => self.defined(),
            b'C' => self.body(),
            b'O' => self.objective(),
            b'r' => self.ranges(),
            b'b' => self.variable_bounds(),
            b'k' | b'K' => self.columns(letter == b'k'),
            b'J' => self.jacobian(),
            b'G' => self.gradient(),
            b'x' => self.start(),
            b'd' => self.duals(),
            _ => Err(self.source.wrong_letter("the letter of a segment")),
        }
    }

    fn once(&self, first: bool, segment: char, index: usize) -> Result<(), NlError> {
        if first {
            return Ok(());
        }
        Err(self.source.fault(Fault::Repeated { segment, index }))
    }

    fn function(&mut self) -> Result<(), NlError> {
        let source = &mut self.source;
        let index = source.index("an imported function", self.header.functions)?;
        source.index("the kind of a function", 2)?;
        source.integer("the number of arguments")?;
        self.names.functions[index] = source.name()?;
        source.end_of_line()
    }

    /// Suffixes say nothing about complementarity; they are stepped over.
    fn suffix(&mut self) -> Result<(), NlError> {
        let source = &mut self.source;
        let kind = source.index("the kind of a suffix", 8)?;
        let count = source.count("values of a suffix")?;
        source.name()?;
        source.end_of_line()?;
        let items = [
            self.header.variables,
            self.header.rows,
            self.header.objectives,
            1,
        ];
        for _ in 0..count {
            source.index("an item with a suffix", items[kind % 4])?;
            if kind >= 4 {
                source.number("the value of a suffix")?;
            } else {
                source.integer("the value of a suffix")?;
            }
            source.end_of_line()?;
        }
        Ok(())
    }

    fn defined(&mut self) -> Result<(), NlError> {
        let n = self.header.variables;
        let source = &mut self.source;
        let index = source.between("a defined variable", n, n + self.header.defined)?;
        let count = source.index("the number of terms", n + 1)?;
        source.integer("the use of a defined variable")?;
        self.once(self.names.defined[index - n].is_none(), 'V', index)?;
        self.source.end_of_line()?;
        let mut terms = self.terms(count)?;
        let start = self.graph.begin();
        let rest = expression::read(&mut self.source, &self.names, &mut self.graph)?;
        let mut value = rest;
        if !terms.is_empty() {
            let linear = terms.drain(..).map(|(j, c)| (Ref::Variable(j), c));
            let all = linear.chain([(rest, 1.0)]).collect();
            value = self.graph.linear(all);
        }
        self.names.defined[index - n] = Some(value);
        self.end_block(start, Owner::Defined);
        Ok(())
    }

    fn end_block(&mut self, start: usize, owner: Owner) {
        let end = self.graph.nodes.len();
        if start < end {
            self.blocks.push(Block { start, end, owner });
        }
    }

    fn body(&mut self) -> Result<(), NlError> {
        let row = self.source.index("a row", self.header.rows)?;
        self.once(self.rows[row].nonlinear.is_none(), 'C', row)?;
        self.source.end_of_line()?;
        let start = self.graph.begin();
        let body = expression::read(&mut self.source, &self.names, &mut self.graph)?;
        self.rows[row].nonlinear = Some(body);
        self.end_block(start, Owner::Row(row));
        Ok(())
    }

    /// Objectives are read, and must be constant.
    fn objective(&mut self) -> Result<(), NlError> {
        let objective = self.source.index("an objective", self.header.objectives)?;
        self.source.integer("the sense of an objective")?;
        self.once(!self.objectives[objective].0, 'O', objective)?;
        self.objectives[objective].0 = true;
        self.source.end_of_line()?;
        let start = self.graph.begin();
        let value = expression::read(&mut self.source, &self.names, &mut self.graph)?;
        self.graph.nodes.truncate(start);
        if matches!(value, Ref::Constant(_)) {
            return Ok(());
        }
        Err(NlError::Objective { objective })
    }

    fn gradient(&mut self) -> Result<(), NlError> {
        let objective = self.source.index("an objective", self.header.objectives)?;
        let end = self.header.variables + 1;
        let count = self.source.index("the number of entries", end)?;
        self.once(!self.objectives[objective].1, 'G', objective)?;
        self.objectives[objective].1 = true;
        self.source.end_of_line()?;
        self.gradient_entries += count;
        let terms = self.terms(count)?;
        if terms.iter().any(|(_, c)| *c != 0.0) {
            return Err(NlError::Objective { objective });
        }
        Ok(())
    }

    fn jacobian(&mut self) -> Result<(), NlError> {
        let row = self.source.index("a row", self.header.rows)?;
        let end = self.header.variables + 1;
        let count = self.source.index("the number of entries", end)?;
        self.once(self.rows[row].linear.is_none(), 'J', row)?;
        self.source.end_of_line()?;
        self.rows[row].linear = Some(self.terms(count)?);
        Ok(())
    }

    /// Lines of a variable and its coefficient.
    fn terms(&mut self, count: usize) -> Result<Vec<(u32, f64)>, NlError> {
        let source = &mut self.source;
        self.list += 1;
        let mut terms = Vec::new();
        for _ in 0..count {
            let variable = source.index("a variable", self.header.variables)?;
            if std::mem::replace(&mut self.seen[variable], self.list) == self.list {
                return Err(source.fault(Fault::Duplicate { variable }));
            }
            terms.push((small(variable), source.finite("a coefficient")?));
            source.end_of_line()?;
        }
        Ok(terms)
    }

    fn ranges(&mut self) -> Result<(), NlError> {
        self.once(!self.ranges, 'r', 0)?;
        self.ranges = true;
        self.source.end_of_line()?;
        for row in 0..self.header.rows {
            let range = match self.source.need_letter("the range of a row")? {
                b'5' => {
                    self.source.index("the bounds of a condition", 4)?;
                    let end = self.header.variables + 1;
                    let variable = self.source.between("a variable, counted from 1,", 1, end)?;
                    Range::Complements(variable - 1)
                }
                kind => {
                    let (lower, upper) = interval(&mut self.source, kind)?;
                    check_interval("row", row, lower, upper)?;
                    Range::Between(lower, upper)
                }
            };
            self.source.end_of_line()?;
            self.rows[row].range = Some(range);
        }
        Ok(())
    }

    fn variable_bounds(&mut self) -> Result<(), NlError> {
        self.once(self.bounds.is_none(), 'b', 0)?;
        self.source.end_of_line()?;
        let mut bounds = Vec::new();
        for variable in 0..self.header.variables {
            let kind = self.source.need_letter("the bounds of a variable")?;
            let (lower, upper) = interval(&mut self.source, kind)?;
            check_interval("variable", variable, lower, upper)?;
            bounds.push((lower, upper));
            self.source.end_of_line()?;
        }
        self.bounds = Some(bounds);
        Ok(())
    }

    /// Entries of the Jacobian in each column but the last, or up to it.
    fn columns(&mut self, cumulative: bool) -> Result<(), NlError> {
        self.once(self.columns.is_none(), 'k', 0)?;
        let columns = self.header.variables.saturating_sub(1);
        self.source
            .between("the number of columns", columns, columns + 1)?;
        self.source.end_of_line()?;
        let mut counts = Vec::new();
        let mut before = 0;
        for _ in 0..columns {
            let end = self.header.nonzeros + 1;
            let least = if cumulative { before } else { 0 };
            let count = self.source.between("entries of a column", least, end)?;
            before = if cumulative { count } else { before + count };
            counts.push(before);
            self.source.end_of_line()?;
        }
        self.columns = Some(counts);
        Ok(())
    }

    fn start(&mut self) -> Result<(), NlError> {
        self.once(self.start.is_none(), 'x', 0)?;
        self.start = Some(self.guess(self.header.variables, "a variable")?);
        Ok(())
    }

    /// Guesses of multipliers say nothing that the solvers here would use.
    fn duals(&mut self) -> Result<(), NlError> {
        self.once(!self.duals, 'd', 0)?;
        self.duals = true;
        self.guess(self.header.rows, "a row").map(drop)
    }

    fn guess(&mut self, items: usize, what: &'static str) -> Result<Vec<f64>, NlError> {
        let source = &mut self.source;
        let count = source.index("the number of guesses", items + 1)?;
        source.end_of_line()?;
        let mut guess = vec![0.0; items];
        for _ in 0..count {
            let item = source.index(what, items)?;
            guess[item] = source.finite("a guess")?;
            source.end_of_line()?;
        }
        Ok(guess)
    }

    /// Holds the segments against the header and against each other.
    fn finish(self) -> Result<File, NlError> {
        let n = self.header.variables;
        let missing = |segment, what| NlError::Missing { segment, what };
        let bounds = match self.bounds {
            None if n > 0 => return Err(missing('b', "the bounds of the variables")),
            bounds => bounds.unwrap_or_default(),
        };
        if !self.ranges && !self.rows.is_empty() {
            return Err(missing('r', "the ranges of the rows"));
        }
        let row = |row: Partial| {
            Some(Row {
                linear: row.linear.unwrap_or_default(),
                nonlinear: row.nonlinear,
                range: row.range?,
            })
        };
        let rows: Option<Vec<Row>> = self.rows.into_iter().map(row).collect();
        let rows = rows.expect("segment r tells of every row");
        let range = |row: &Row| row.range;
        let entries = rows.iter().map(|row| row.linear.len()).sum();
        let count = |holds: fn(&Range) -> bool| rows.iter().map(range).filter(holds).count();
        let conditions = count(|range| matches!(range, Range::Complements(_)));
        let equations = count(|range| matches!(range, Range::Between(l, u) if l == u));
        let header = &self.header;
        for (what, announced, found) in [
            ("entries of the Jacobian", header.nonzeros, entries),
            (
                "entries of gradients",
                header.gradient_nonzeros,
                self.gradient_entries,
            ),
            ("complementarity conditions", header.conditions, conditions),
            ("equations", header.equations, equations),
        ] {
            if announced != found {
                return Err(NlError::Count {
                    what,
                    announced,
                    found,
                });
            }
        }
        if let Some(columns) = &self.columns {
            check_columns(columns, &rows, n)?;
        }
        Ok(File {
            graph: self.graph,
            blocks: self.blocks,
            rows,
            bounds,
            start: self.start.unwrap_or_else(|| vec![0.0; n]),
            header: self.header,
        })
    }
}

/// Bounds that begin with this digit.
fn interval(source: &mut Source<'_>, kind: u8) -> Result<(f64, f64), NlError> {
    let mut number = || source.number("a bound");
    Ok(match kind {
        b'0' => (number()?, number()?),
        b'1' => (f64::NEG_INFINITY, number()?),
        b'2' => (number()?, f64::INFINITY),
        b'3' => (f64::NEG_INFINITY, f64::INFINITY),
        b'4' => {
            let value = number()?;
            (value, value)
        }
        _ => return Err(source.wrong_letter("the kind of bounds, 0 to 4,")),
    })
}

fn check_interval(what: &'static str, index: usize, lower: f64, upper: f64) -> Result<(), NlError> {
    // NaN fails the comparison as well.
    if lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY {
        return Ok(());
    }
    Err(NlError::Bounds {
        what,
        index,
        lower,
        upper,
    })
}

/// The counts by column that the file states against those of its rows.
fn check_columns(columns: &[usize], rows: &[Row], n: usize) -> Result<(), NlError> {
    let mut found = vec![0; n];
    for (variable, _) in rows.iter().flat_map(|row| &row.linear) {
        found[*variable as usize] += 1;
    }
    let mut sum = 0;
    for (variable, counted) in columns.iter().enumerate() {
        sum += found[variable];
        if sum != *counted {
            return Err(NlError::Columns {
                variable,
                counted: *counted,
                found: sum,
            });
        }
    }
    Ok(())
}
