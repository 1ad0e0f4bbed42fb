//! From the nodes of a file to the steps of a tape: what no row needs is left out, and defined variables go to the rows
//! that use them.

use crate::error::NlError;
use crate::graph::{Arguments, Graph, Ref, small};
use crate::read::{Block, File, Owner};
use crate::tape::{Step, Tape, Unit};

/// The tape, and for each row of the file how its nonlinear part is swept.
pub(crate) struct Compiled {
    pub(crate) tape: Tape,
    /// `None` for a linear row.
    pub(crate) rows: Vec<Option<Unit>>,
    /// Value of the nonlinear part of a row that is constant.
    pub(crate) constants: Vec<f64>,
}

/// What is known of the blocks.
struct Blocks<'a> {
    all: &'a [Block],
    /// Block of each node.
    of_node: Vec<u32>,
    /// Variables and blocks that each block uses directly.
    variables: Vec<Vec<u32>>,
    uses: Vec<Vec<u32>>,
    /// The node by which others use it.
    root: Vec<u32>,
    /// Its run of steps.
    run: Vec<(u32, u32)>,
}

/// Entries of shared gradients that are always allowed.
const FEW: usize = 1 << 16;

/// Compiles a file to a tape over so many variables, those of the file first.
pub(crate) fn compile(file: &File, variables: usize) -> Result<Compiled, NlError> {
    let live = live_nodes(file);
    let (mut tape, slots, runs) = emit(file, &live, variables);
    let blocks = Blocks::new(file, &live, runs);
    blocks.check(file)?;
    let units = blocks.units(file);
    let mut members = vec![Vec::new(); file.blocks.len()];
    for (block, unit) in units.iter().enumerate() {
        if let Some(unit) = unit {
            members[*unit as usize].push(small(block));
        }
    }
    // Defined variables of several rows.
    let defined = |block: &u32| file.blocks[*block as usize].owner == Owner::Defined;
    let heads =
        (0..small(file.blocks.len())).filter(|block| units[*block as usize] == Some(*block));
    let shared: Vec<u32> = heads.filter(defined).collect();
    let unit = |head: u32, root: u32| blocks.unit(&members[head as usize], &shared, root);
    tape.shared = shared
        .iter()
        .map(|head| unit(*head, slots[blocks.root[*head as usize] as usize]))
        .collect();
    // Few bytes can ask for many entries; then rows sweep over all that is defined instead.
    let entries: usize = file.rows.iter().map(|row| row.linear.len()).sum();
    let budget = FEW.max(8 * (entries + tape.steps.len()));
    let patterns = blocks.patterns(&members, &shared, &tape.shared, variables, budget);
    let mut compiled = Compiled {
        rows: vec![None; file.rows.len()],
        constants: vec![0.0; file.rows.len()],
        tape,
    };
    for (index, row) in file.rows.iter().enumerate() {
        compiled.rows[index] = match row.nonlinear {
            None => None,
            Some(Ref::Constant(constant)) => {
                compiled.constants[index] = file.graph.constants[constant as usize];
                None
            }
            Some(Ref::Variable(root)) => Some(Unit {
                root,
                ..Unit::default()
            }),
            Some(Ref::Node(node)) => {
                let (head, root) = (blocks.of_node[node as usize], slots[node as usize]);
                Some(match shared.binary_search(&head) {
                    Ok(used) => Unit {
                        root,
                        uses: vec![small(used)],
                        ..Unit::default()
                    },
                    Err(_) => unit(head, root),
                })
            }
        };
    }
    if let Some((patterns, cuts)) = patterns {
        (compiled.tape.patterns, compiled.tape.cuts) = (patterns, cuts);
    } else {
        compiled.tape.shared.clear();
        compiled.tape.walk = blocks.runs((0..small(file.blocks.len())).filter(defined));
    }
    Ok(compiled)
}

/// Nodes that a row needs.
fn live_nodes(file: &File) -> Vec<bool> {
    let graph = &file.graph;
    let mut live = vec![false; graph.nodes.len()];
    for row in &file.rows {
        if let Some(Ref::Node(node)) = row.nonlinear {
            live[node as usize] = true;
        }
    }
    for (index, node) in graph.nodes.iter().enumerate().rev() {
        if live[index] {
            graph.each_argument(node, |argument| {
                if let Ref::Node(node) = argument {
                    live[node as usize] = true;
                }
            });
        }
    }
    live
}

/// The steps of the live nodes, the slot of each node, and the run of steps of each block.
fn emit(file: &File, live: &[bool], variables: usize) -> (Tape, Vec<u32>, Vec<(u32, u32)>) {
    let graph = &file.graph;
    let first = small(variables + graph.constants.len());
    let mut tape = Tape {
        variables,
        constants: graph.constants.clone(),
        piecewise: graph.piecewise.clone(),
        cuts: vec![0],
        ..Tape::default()
    };
    let mut slots = vec![u32::MAX; graph.nodes.len()];
    let mut runs = Vec::new();
    for block in &file.blocks {
        let start = small(tape.steps.len());
        for index in block.start..block.end {
            if live[index] {
                slots[index] = first + small(tape.steps.len());
                let step = step(graph, index, &slots, &mut tape.terms, small(variables));
                tape.steps.push(step);
            }
        }
        runs.push((start, small(tape.steps.len())));
    }
    (tape, slots, runs)
}

fn step(
    graph: &Graph,
    index: usize,
    slots: &[u32],
    terms: &mut Vec<(u32, f64)>,
    variables: u32,
) -> Step {
    let slot = |argument: Ref| match argument {
        Ref::Variable(variable) => variable,
        Ref::Constant(constant) => variables + constant,
        Ref::Node(node) => slots[node as usize],
    };
    let node = graph.nodes[index];
    let (a, b) = match node.arguments {
        Arguments::Two(a, b) => (slot(a), slot(b)),
        Arguments::Piecewise(a, number) => (slot(a), number),
        Arguments::List { start, end } => {
            let begin = small(terms.len());
            let list = &graph.terms[start as usize..end as usize];
            terms.extend(
                list.iter()
                    .map(|(argument, factor)| (slot(*argument), *factor)),
            );
            (begin, small(terms.len()))
        }
    };
    Step { op: node.op, a, b }
}

impl<'a> Blocks<'a> {
    fn new(file: &'a File, live: &[bool], run: Vec<(u32, u32)>) -> Self {
        let count = file.blocks.len();
        let mut of_node = vec![0; file.graph.nodes.len()];
        for (index, block) in file.blocks.iter().enumerate() {
            of_node[block.start..block.end].fill(small(index));
        }
        let mut blocks = Self {
            all: &file.blocks,
            of_node,
            variables: vec![Vec::new(); count],
            uses: vec![Vec::new(); count],
            root: vec![0; count],
            run,
        };
        for (index, block) in file.blocks.iter().enumerate() {
            let (mut variables, mut uses) = (Vec::new(), Vec::new());
            for node in (block.start..block.end).filter(|node| live[*node]) {
                file.graph
                    .each_argument(&file.graph.nodes[node], |argument| match argument {
                        Ref::Variable(variable) => variables.push(variable),
                        Ref::Node(node) if (node as usize) < block.start => {
                            let other = blocks.of_node[node as usize];
                            blocks.root[other as usize] = node;
                            uses.push(other);
                        }
                        _ => {}
                    });
            }
            for list in [&mut variables, &mut uses] {
                list.sort_unstable();
                list.dedup();
            }
            (blocks.variables[index], blocks.uses[index]) = (variables, uses);
        }
        for row in &file.rows {
            if let Some(Ref::Node(node)) = row.nonlinear {
                blocks.root[blocks.of_node[node as usize] as usize] = node;
            }
        }
        blocks
    }

    /// For each block the block to whose unit it belongs: itself if it is a row or if several units use it, `None` if
    /// nothing does.
    fn units(&self, file: &File) -> Vec<Option<u32>> {
        let mut units: Vec<Option<u32>> = vec![None; self.all.len()];
        let mut own = vec![false; self.all.len()];
        for row in &file.rows {
            if let Some(Ref::Node(node)) = row.nonlinear {
                own[self.of_node[node as usize] as usize] = true;
            }
        }
        // What uses a block comes after it.
        for index in (0..self.all.len()).rev() {
            if own[index] {
                units[index] = Some(small(index));
            }
            let unit = units[index];
            for used in self.uses[index].iter().map(|used| *used as usize) {
                own[used] |= units[used].is_some() && units[used] != unit;
                units[used] = unit;
            }
        }
        units
    }

    /// The variables of each shared unit, unless they are more than `budget` in all.
    fn patterns(
        &self,
        members: &[Vec<u32>],
        shared: &[u32],
        units: &[Unit],
        variables: usize,
        budget: usize,
    ) -> Option<(Vec<u32>, Vec<usize>)> {
        let (mut patterns, mut cuts) = (Vec::new(), vec![0]);
        let mut seen = vec![0; variables];
        for (index, (head, unit)) in shared.iter().zip(units).enumerate() {
            let begin = patterns.len();
            let mut see = |variable: u32, patterns: &mut Vec<u32>| {
                if std::mem::replace(&mut seen[variable as usize], index + 1) != index + 1 {
                    patterns.push(variable);
                }
            };
            for block in &members[*head as usize] {
                for variable in &self.variables[*block as usize] {
                    see(*variable, &mut patterns);
                }
            }
            for used in unit.uses.iter().map(|used| *used as usize) {
                for at in cuts[used]..cuts[used + 1] {
                    let variable = patterns[at];
                    see(variable, &mut patterns);
                }
            }
            if patterns.len() > budget {
                return None;
            }
            patterns[begin..].sort_unstable();
            cuts.push(patterns.len());
        }
        Some((patterns, cuts))
    }

    /// The unit of these blocks.
    fn unit(&self, members: &[u32], shared: &[u32], root: u32) -> Unit {
        let used = members.iter().flat_map(|block| &self.uses[*block as usize]);
        let shared_ones = used.filter_map(|used| shared.binary_search(used).ok());
        let mut uses: Vec<u32> = shared_ones.map(small).collect();
        uses.sort_unstable();
        uses.dedup();
        let runs = self.runs(members.iter().copied());
        Unit { root, runs, uses }
    }

    /// The runs of steps of these blocks, joined where they touch.
    fn runs(&self, blocks: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for (start, end) in blocks.map(|block| self.run[block as usize]) {
            match runs.last_mut() {
                _ if start == end => {}
                Some(last) if last.1 == start => last.1 = end,
                _ => runs.push((start, end)),
            }
        }
        runs
    }

    /// What a row uses must be in its list of entries, or the Jacobian would be wrong.
    fn check(&self, file: &File) -> Result<(), NlError> {
        let mut listed = vec![0; file.header.variables];
        let mut visited = vec![0; self.all.len()];
        let mut stack: Vec<u32> = Vec::new();
        for (index, row) in file.rows.iter().enumerate() {
            let mark = index + 1;
            for (variable, _) in &row.linear {
                listed[*variable as usize] = mark;
            }
            let unlisted = |variable: &&u32| listed[**variable as usize] != mark;
            let left_out = |variable: &u32| NlError::LeftOut {
                row: index,
                variable: *variable as usize,
            };
            match &row.nonlinear {
                Some(Ref::Variable(variable)) if unlisted(&variable) => {
                    return Err(left_out(variable));
                }
                Some(Ref::Node(node)) => stack.push(self.of_node[*node as usize]),
                _ => {}
            }
            while let Some(block) = stack.pop() {
                let block = block as usize;
                if std::mem::replace(&mut visited[block], mark) == mark {
                    continue;
                }
                if let Some(variable) = self.variables[block].iter().find(unlisted) {
                    return Err(left_out(variable));
                }
                stack.extend(&self.uses[block]);
            }
        }
        Ok(())
    }
}
