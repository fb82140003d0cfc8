//! Conditions as straight-line code, to be evaluated under many assignments.
//!
//! [`Pool::eval`] finds its way through the nodes and notes their values in a map, which is right
//! for one assignment. When thousands are tried, the nodes are put in order once: each step reads
//! the values of earlier steps by position. Both arms of a choice are computed.
//!
//! When the bytes get their values one after the other, the code has a *stage* for each: what
//! depends only on the bytes of earlier stages is computed there, and a condition is looked at as
//! soon as its bytes have values.

mod ahead;

use rustc_hash::FxHashMap;

use ahead::Ahead;

use crate::float::{self, FloatFormat, FloatOp};
use crate::fold::{self, mask};
use crate::ids::{ExprId, SymbolId, TableId};
use crate::node::{BinaryOp, CompareOp, Node};
use crate::pool::Pool;

/// One operation; operands are positions of earlier steps.
#[derive(Clone, Copy, Debug)]
enum Op {
    Const(u64),
    /// An input byte, by its position.
    Byte(u32),
    Binary(BinaryOp, u32, u32),
    /// With the width of the operands.
    Compare(CompareOp, u32, u32, u32),
    Not(u32),
    Ite(u32, u32, u32),
    Extract(u32, u32),
    /// With the width of the lower operand.
    Concat(u32, u32, u32),
    ZExt(u32),
    /// With the width of the operand.
    SExt(u32, u32),
    /// A table by its position.
    Read(u32, u32),
    /// A [`FloatStep`] by its position.
    Float(u32),
}

impl Op {
    /// The same operation when steps have new positions.
    fn moved(self, to: impl Fn(u32) -> u32) -> Self {
        match self {
            Self::Const(_) | Self::Byte(_) | Self::Float(_) => self,
            Self::Binary(op, a, b) => Self::Binary(op, to(a), to(b)),
            Self::Compare(op, of, a, b) => Self::Compare(op, of, to(a), to(b)),
            Self::Not(a) => Self::Not(to(a)),
            Self::Ite(c, a, b) => Self::Ite(to(c), to(a), to(b)),
            Self::Extract(value, low) => Self::Extract(to(value), low),
            Self::Concat(of, high, low) => Self::Concat(of, to(high), to(low)),
            Self::ZExt(a) => Self::ZExt(to(a)),
            Self::SExt(of, a) => Self::SExt(of, to(a)),
            Self::Read(table, index) => Self::Read(table, to(index)),
        }
    }
}

/// An operation on floats, with the width of its first operand.
#[derive(Clone, Copy, Debug)]
struct FloatStep {
    op: FloatOp,
    format: FloatFormat,
    from: u32,
    operands: [u32; 3],
}

/// Conditions in executable form.
#[derive(Debug)]
pub struct Straight {
    /// Operations with the width of their result.
    steps: Vec<(Op, u32)>,
    /// For each condition the number of steps up to it, and its position; by stages.
    conditions: Vec<(usize, u32)>,
    /// For each stage the number of conditions and of steps up to its end.
    stages: Vec<(usize, usize)>,
    /// For each stage what it may tell about later ones.
    ahead: Vec<Ahead>,
    /// How often that was asked for, and when each step was known last.
    look: u64,
    known_in: Vec<u64>,
    /// How many steps were computed so far.
    computed: u64,
    tables: Vec<Vec<u64>>,
    elements: usize,
    floats: Vec<FloatStep>,
    values: Vec<u64>,
}

/// A translation under way.
struct Translation<'a> {
    pool: &'a Pool,
    bytes: &'a [(SymbolId, u32)],
    /// In which stage each of them gets its value.
    stage_of: &'a [u32],
    positions: FxHashMap<ExprId, u32>,
    /// For each step the stage that it belongs to, and whether no condition of it needs it.
    belongs: Vec<(u32, bool)>,
    table_positions: FxHashMap<TableId, u32>,
    /// A term whose value is given, so that nothing below it is computed.
    given: Option<ExprId>,
    straight: Straight,
}

/// A condition as straight-line code, to be evaluated for many values of one of its terms.
#[derive(Debug)]
pub struct StraightOfTerm {
    code: Straight,
    /// The step that is the term.
    term: usize,
}

impl Pool {
    /// Conditions (1 bit each) over these input bytes, if they have at most `most` nodes, none of
    /// them wider than 64 bits, and read constant tables only.
    pub fn straight(
        &self,
        conditions: &[ExprId],
        bytes: &[(SymbolId, u32)],
        most: usize,
    ) -> Option<Straight> {
        self.straight_in_stages(conditions, bytes, &vec![0; bytes.len()], most)
    }

    /// The same, when each byte gets its value in a stage of its own or with others.
    pub fn straight_in_stages(
        &self,
        conditions: &[ExprId],
        bytes: &[(SymbolId, u32)],
        stage_of: &[u32],
        most: usize,
    ) -> Option<Straight> {
        let mut translation = Translation::new(self, bytes, stage_of);
        let mut by_stage: Vec<(u32, ExprId)> = Vec::with_capacity(conditions.len());
        for &condition in conditions {
            let mut stage = 0;
            for byte in self.symbols(condition).iter() {
                let at = bytes.iter().position(|&known| known == byte)?;
                stage = stage.max(stage_of[at]);
            }
            by_stage.push((stage, condition));
        }
        by_stage.sort_by_key(|&(stage, _)| stage);
        for &(stage, condition) in &by_stage {
            translation.add(condition, stage, most)?;
        }
        let stages = stage_of.iter().max().map_or(1, |&last| last + 1);
        Some(translation.finish(&by_stage, stages))
    }

    /// A condition that depends on the input only through `term`, if it has at most `most` nodes above
    /// that, none of them wider than 64 bits, and reads constant tables only.
    pub fn straight_of_term(
        &self,
        condition: ExprId,
        term: ExprId,
        most: usize,
    ) -> Option<StraightOfTerm> {
        let mut translation = Translation::new(self, &[], &[]);
        translation.given = Some(term);
        translation.add(condition, 0, most)?;
        let term = *translation.positions.get(&term)? as usize;
        // With one stage every step keeps its position.
        let code = translation.finish(&[(0, condition)], 1);
        Some(StraightOfTerm { code, term })
    }
}

impl StraightOfTerm {
    /// Whether the condition holds when the term has this value.
    pub fn holds(&mut self, value: u64) -> bool {
        let code = &mut self.code;
        for step in 0..code.steps.len() {
            code.values[step] = if step == self.term {
                value
            } else {
                code.compute(step, &[])
            };
        }
        code.value_of(0) == 1
    }
}

impl<'a> Translation<'a> {
    fn new(pool: &'a Pool, bytes: &'a [(SymbolId, u32)], stage_of: &'a [u32]) -> Self {
        Self {
            pool,
            bytes,
            stage_of,
            belongs: Vec::new(),
            positions: FxHashMap::default(),
            table_positions: FxHashMap::default(),
            given: None,
            straight: Straight {
                steps: Vec::new(),
                conditions: Vec::new(),
                stages: Vec::new(),
                ahead: Vec::new(),
                look: 0,
                known_in: Vec::new(),
                computed: 0,
                tables: Vec::new(),
                elements: 0,
                floats: Vec::new(),
                values: Vec::new(),
            },
        }
    }

    fn add(&mut self, condition: ExprId, stage: u32, most: usize) -> Option<()> {
        let mut stack = vec![(condition, false)];
        while let Some((e, ready)) = stack.pop() {
            if self.positions.contains_key(&e) {
                continue;
            }
            if !ready {
                if stack.len() + self.straight.steps.len() > most {
                    return None;
                }
                stack.push((e, true));
                if self.given != Some(e) {
                    let node = self.pool.node(e);
                    node.for_each_operand(|operand| stack.push((operand, false)));
                }
                continue;
            }
            let step = match self.given {
                Some(given) if given == e => Op::Const(0),
                _ => self.op(e)?,
            };
            let step = (step, self.pool.width(e));
            let its = self.stage(e);
            self.positions.insert(e, self.straight.steps.len() as u32);
            self.straight.steps.push(step);
            self.belongs.push((its, its < stage));
        }
        Some(())
    }

    /// The stage in which the operands of `e` are known.
    fn stage(&self, e: ExprId) -> u32 {
        let mut stage = 0;
        if self.given.is_some() {
            return stage;
        }
        match self.pool.node(e) {
            Node::Symbol(symbol, index) => {
                let byte = (symbol, index);
                let at = self.bytes.iter().position(|&known| known == byte);
                stage = at.map_or(0, |at| self.stage_of[at]);
            }
            node => node.for_each_operand(|operand| {
                stage = stage.max(self.belongs[self.positions[&operand] as usize].0);
            }),
        }
        stage
    }

    /// The steps in the order of their stages: what conditions of a stage need comes before what is
    /// computed there for later ones. Operands stay before what uses them.
    fn finish(self, conditions: &[(u32, ExprId)], stages: u32) -> Straight {
        let mut straight = self.straight;
        let mut order: Vec<u32> = (0..straight.steps.len() as u32).collect();
        order.sort_by_key(|&at| self.belongs[at as usize]);
        let mut moved = vec![0; order.len()];
        for (to, &from) in order.iter().enumerate() {
            moved[from as usize] = to as u32;
        }
        let to = |at: u32| moved[at as usize];
        for float in &mut straight.floats {
            float.operands = float.operands.map(to);
        }
        straight.steps = (order.iter())
            .map(|&from| {
                let (op, width) = straight.steps[from as usize];
                (op.moved(to), width)
            })
            .collect();
        for stage in 0..stages {
            let of_stage = conditions.iter().filter(|(its, _)| *its == stage);
            straight.conditions.extend(of_stage.map(|(_, condition)| {
                let at = to(self.positions[condition]);
                (at as usize + 1, at)
            }));
            let steps = order.partition_point(|&from| self.belongs[from as usize].0 <= stage);
            straight.stages.push((straight.conditions.len(), steps));
        }
        straight.values = vec![0; straight.steps.len()];
        straight.prepare_ahead();
        straight
    }

    fn op(&mut self, e: ExprId) -> Option<Op> {
        let width = |e| self.pool.width(e);
        let at = |e: ExprId| self.positions[&e];
        if width(e) > 64 {
            return None;
        }
        Some(match self.pool.node(e) {
            Node::Const(value) => Op::Const(value),
            Node::Symbol(symbol, index) => {
                let byte = (symbol, index);
                Op::Byte(self.bytes.iter().position(|&known| known == byte)? as u32)
            }
            Node::Base(object) => Op::Const(self.pool.object_number(object)),
            Node::Binary(op, a, b) => Op::Binary(op, at(a), at(b)),
            Node::Compare(op, a, b) if width(a) <= 64 => Op::Compare(op, width(a), at(a), at(b)),
            Node::Not(a) => Op::Not(at(a)),
            Node::Ite(c, a, b) => Op::Ite(at(c), at(a), at(b)),
            Node::Extract { value, low } if width(value) <= 64 => Op::Extract(at(value), low),
            Node::Concat(high, low) => Op::Concat(width(low), at(high), at(low)),
            Node::ZExt(a) => Op::ZExt(at(a)),
            Node::SExt(a) => Op::SExt(width(a), at(a)),
            Node::Read(table, index) => {
                let index = at(index);
                Op::Read(self.table(table)?, index)
            }
            Node::Float(op, format, of) => {
                let mut operands = [0; 3];
                for (operand, &e) in operands.iter_mut().zip(&of[..op.operands()]) {
                    *operand = (width(e) <= 64).then(|| at(e))?;
                }
                let from = width(of[0]);
                self.straight.floats.push(FloatStep {
                    op,
                    format,
                    from,
                    operands,
                });
                Op::Float(self.straight.floats.len() as u32 - 1)
            }
            Node::Compare(..) | Node::Extract { .. } | Node::Wide(_) => return None,
        })
    }

    fn table(&mut self, table: TableId) -> Option<u32> {
        if let Some(&at) = self.table_positions.get(&table) {
            return Some(at);
        }
        if !self.pool.table_is_constant(table) {
            return None;
        }
        let elements = self.pool.table_elements(table).iter();
        let values: Vec<u64> = elements
            .map(|&e| self.pool.as_u64(e))
            .collect::<Option<_>>()?;
        if values.is_empty() {
            return None;
        }
        let at = self.straight.tables.len() as u32;
        self.straight.elements += values.len();
        self.straight.tables.push(values);
        self.table_positions.insert(table, at);
        Some(at)
    }
}

impl Straight {
    /// Number of operations.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is nothing to compute.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Number of elements in the tables that are read.
    pub fn table_elements(&self) -> usize {
        self.elements
    }

    /// Number of operations on floats.
    pub fn floats(&self) -> usize {
        self.floats.len()
    }

    /// How many operations were computed so far.
    pub fn computed(&self) -> u64 {
        self.computed
    }

    /// Whether all conditions hold when the input bytes have these values. Stops at the first that
    /// does not.
    pub fn holds(&mut self, bytes: &[u8]) -> bool {
        (0..self.stages.len()).all(|stage| self.stage_holds(stage, bytes))
    }

    /// Whether the conditions of a stage hold when the bytes of it and of earlier ones have these
    /// values, as far as they decide it also those of later stages. Conditions of earlier stages held
    /// for the same values last time they were asked for.
    pub fn stage_holds(&mut self, stage: usize, bytes: &[u8]) -> bool {
        let (first, start) = match stage {
            0 => (0, 0),
            _ => self.stages[stage - 1],
        };
        let (last, end) = self.stages[stage];
        let mut done = start;
        for condition in first..last {
            let (steps, at) = self.conditions[condition];
            while done < steps {
                self.values[done] = self.compute(done, bytes);
                done += 1;
            }
            if self.values[at as usize] == 0 {
                self.computed += (done - start) as u64;
                return false;
            }
        }
        while done < end {
            self.values[done] = self.compute(done, bytes);
            done += 1;
        }
        self.computed += (end - start) as u64;
        self.ahead[stage].is_empty() || self.may_hold_later(stage)
    }

    /// Computes what belongs to a stage, whatever conditions hold.
    pub(crate) fn run_stage(&mut self, stage: usize, bytes: &[u8]) {
        let start = if stage == 0 {
            0
        } else {
            self.stages[stage - 1].1
        };
        for step in start..self.stages[stage].1 {
            self.values[step] = self.compute(step, bytes);
        }
    }

    /// The value that a condition had last. (It may be a term of any width.)
    pub(crate) fn value_of(&self, condition: usize) -> u64 {
        self.values[self.conditions[condition].1 as usize]
    }

    #[inline(always)]
    fn compute(&self, step: usize, bytes: &[u8]) -> u64 {
        let (op, width) = self.steps[step];
        let get = |at: u32| self.values[at as usize];
        match op {
            Op::Const(value) => value,
            Op::Byte(at) => u64::from(bytes[at as usize]),
            Op::Binary(op, a, b) => fold::binary(op, width, get(a), get(b)),
            Op::Compare(op, of, a, b) => u64::from(fold::compare(op, of, get(a), get(b))),
            Op::Not(a) => !get(a) & mask(width),
            Op::Ite(c, a, b) => get(if get(c) == 1 { a } else { b }),
            Op::Extract(value, low) => get(value) >> low & mask(width),
            Op::Concat(of, high, low) => get(high) << of | get(low),
            Op::ZExt(a) => get(a),
            Op::SExt(of, a) => fold::sign_extend(get(a), of, width),
            Op::Read(table, index) => {
                let table = &self.tables[table as usize];
                let last = table.len() as u64 - 1;
                table[get(index).min(last) as usize]
            }
            Op::Float(at) => {
                let FloatStep {
                    op,
                    format,
                    from,
                    operands,
                } = self.floats[at as usize];
                let operands = operands.map(|at| u128::from(get(at)));
                float::fold(op, format, from, width, operands) as u64
            }
        }
    }
}
