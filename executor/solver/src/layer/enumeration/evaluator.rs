//! The constraints of a query in executable form.

use plat_expr::{Assignment, EvalMemo, ExprId, Node, Pool, Straight, SymbolId};
use rustc_hash::FxHashSet;

use super::search::Word;

/// The most nodes of the constraints, and the most if there are at most [`FEW_INPUTS`] assignments.
const NODES: usize = 4096;
const MANY_NODES: usize = 1 << 16;
/// The number of assignments up to which many nodes may be evaluated for each.
pub const FEW_INPUTS: u64 = 256;
/// The cost of evaluating a node without straight-line code, in operations.
pub const NODE_COST: u64 = 16;

/// Evaluates the constraints of a query for values of the input bytes.
pub enum Evaluator<'a> {
    /// Straight-line code in stages, one for each word.
    Code(Straight),
    /// Node by node, where there is no straight-line code.
    Nodes {
        pool: &'a Pool,
        constraints: &'a [ExprId],
        bytes: &'a [(SymbolId, u32)],
        /// The cost of one evaluation.
        cost: u64,
        /// The cost of all evaluations so far.
        work: u64,
        /// Nodes evaluated so far.
        evaluated: u64,
    },
}

/// The size of the constraints of a query.
pub struct Size {
    /// Operations for one assignment.
    pub cost: u64,
    pub nodes: u64,
    /// Elements in constant tables.
    pub elements: u64,
    /// Operations on floats.
    pub floats: u64,
}

impl<'a> Evaluator<'a> {
    /// An evaluator for words that get their values in this order. `None` if there are too many nodes;
    /// the limit is higher if there are few assignments (`inputs`).
    pub fn new(
        pool: &'a Pool,
        constraints: &'a [ExprId],
        bytes: &'a [(SymbolId, u32)],
        words: &[Word],
        inputs: Option<u64>,
    ) -> Option<(Self, Size)> {
        let most = match inputs {
            Some(..=FEW_INPUTS) => MANY_NODES,
            _ => NODES,
        };
        let mut stages = vec![0; bytes.len()];
        for (stage, word) in words.iter().enumerate() {
            word.bytes.iter().for_each(|&at| stages[at] = stage as u32);
        }
        if let Some(code) = pool.straight_in_stages(constraints, bytes, &stages, most) {
            let size = Size {
                cost: code.len() as u64,
                nodes: code.len() as u64,
                elements: code.table_elements() as u64,
                floats: code.floats() as u64,
            };
            return Some((Self::Code(code), size));
        }
        let (nodes, floats) = nodes(pool, constraints, most)?;
        let cost = NODE_COST * nodes as u64;
        let size = Size {
            cost,
            nodes: nodes as u64,
            elements: 0,
            floats: floats as u64,
        };
        let evaluator = Self::Nodes {
            pool,
            constraints,
            bytes,
            cost,
            work: 0,
            evaluated: 0,
        };
        Some((evaluator, size))
    }

    /// Whether all constraints hold when the bytes have these values.
    pub fn holds(&mut self, values: &[u8]) -> bool {
        match self {
            Self::Code(code) => code.holds(values),
            Self::Nodes { .. } => self.evaluate_nodes(values),
        }
    }

    /// Whether a constraint is evaluated as soon as its words have values.
    pub fn is_word_by_word(&self) -> bool {
        matches!(self, Self::Code(_))
    }

    /// Whether the constraints hold that are complete with this word's value; `words` is the number
    /// of words.
    pub fn holds_at(&mut self, word: usize, words: usize, values: &[u8]) -> bool {
        match self {
            Self::Code(code) => code.stage_holds(word, values),
            Self::Nodes { .. } => word + 1 < words || self.evaluate_nodes(values),
        }
    }

    fn evaluate_nodes(&mut self, values: &[u8]) -> bool {
        let Self::Nodes {
            pool,
            constraints,
            bytes,
            cost,
            work,
            evaluated,
        } = self
        else {
            return false;
        };
        *work += *cost;
        let (model, mut memo) = (assignment(bytes, values), EvalMemo::new());
        let mut newest_first = constraints.iter().rev();
        let hold = newest_first.all(|&c| pool.holds(c, &model, &mut memo));
        *evaluated += memo.len() as u64;
        hold
    }

    /// Nodes that were evaluated one by one so far: those of untaken choices and of table elements
    /// that are not read are not among them, unlike in [`Evaluator::work`].
    pub fn nodes(&self) -> u64 {
        match self {
            Self::Code(_) => 0,
            Self::Nodes { evaluated, .. } => *evaluated,
        }
    }

    /// Operations so far.
    pub fn work(&self) -> u64 {
        match self {
            Self::Code(code) => code.computed(),
            Self::Nodes { work, .. } => *work,
        }
    }
}

/// The input bytes of a query, ascending.
pub fn bytes_of(pool: &Pool, constraints: &[ExprId]) -> Vec<(SymbolId, u32)> {
    let of_each = constraints.iter().map(|&c| pool.symbols(c));
    let mut bytes: Vec<(SymbolId, u32)> = of_each.flat_map(|bytes| bytes.iter()).collect();
    bytes.sort_unstable();
    bytes.dedup();
    bytes
}

/// Bytes with their values.
pub fn assignment(bytes: &[(SymbolId, u32)], values: &[u8]) -> Assignment {
    let mut assignment = Assignment::new();
    for (&(symbol, index), &value) in bytes.iter().zip(values) {
        assignment.set_byte(symbol, index, value);
    }
    assignment
}

/// The number of nodes, and of operations on floats among them; `None` if there are too many nodes.
fn nodes(pool: &Pool, constraints: &[ExprId], most: usize) -> Option<(usize, usize)> {
    let (mut seen, mut stack, mut floats) = (FxHashSet::default(), constraints.to_vec(), 0);
    while let Some(e) = stack.pop() {
        if !pool.has_symbol(e) || !seen.insert(e) {
            continue;
        }
        if seen.len() + stack.len() > most {
            return None;
        }
        floats += usize::from(matches!(pool.node(e), Node::Float(..)));
        pool.node(e).for_each_operand(|operand| stack.push(operand));
        if let Node::Read(table, _) = pool.node(e)
            && !pool.table_is_constant(table)
        {
            stack.extend(pool.table_elements(table));
        }
    }
    Some((seen.len(), floats))
}
