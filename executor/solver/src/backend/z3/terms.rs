//! From expressions to Z3 terms, each translated once per context. Expressions of 1 bit become
//! truth values, all others bit-vectors.
//!
//! A table becomes a tree of choices over the bits of the index when it is short, else an array
//! variable whose elements are asserted one by one (never a constant array under stores, which
//! Z3 is far slower with). The index has only as many bits as the table needs. A division by a
//! constant becomes two variables, quotient and remainder, and the equation that defines them: a
//! multiplication by a constant is a few additions, a divider many.

use plat_expr::{BinaryOp, CompareOp, ExprId, FloatFormat, FloatOp, Node, Pool, SymbolId, TableId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::context::{Context, Failure, Made, Term};
use super::divisions;
use crate::backend::size::{gates, table_bits};
use crate::deadline::Deadline;

/// How often the clock is read: once in so many terms.
const TERMS: usize = 1 << 10;

/// A variable that stands for a part of an expression, with constraints that say which. They
/// must be asserted wherever the variable occurs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Definition {
    /// The elements of an array.
    Array(TableId),
    /// Quotient and remainder of an expression and a constant, perhaps signed.
    Division {
        of: ExprId,
        by: ExprId,
        signed: bool,
    },
}

/// The terms of a context, by expression.
pub(super) struct Terms {
    terms: FxHashMap<ExprId, Term>,
    /// Expressions read as floats.
    pub(super) floats: FxHashMap<(ExprId, FloatFormat), Term>,
    bytes: FxHashMap<(SymbolId, u32), Term>,
    arrays: FxHashMap<TableId, Term>,
    /// Quotient and remainder.
    divisions: FxHashMap<Definition, (Term, Term)>,
    definitions: FxHashMap<Definition, Vec<Term>>,
    /// The longest tables that become trees of choices: of constants, and others.
    limits: (usize, usize),
}

/// What a constraint is made of, as far as it matters for choosing a solver.
pub(super) struct Below {
    /// Whether there are any tables.
    pub reads: bool,
    /// Whether there is any floating-point operation.
    pub floats: bool,
    /// What must be asserted with it, in the order in which it was found.
    pub definitions: Vec<Definition>,
    /// Roughly how many gates its circuit has.
    pub gates: u64,
}

impl Below {
    /// Whether some table is an array.
    pub fn has_array(&self) -> bool {
        let is_array = |definition: &Definition| matches!(definition, Definition::Array(_));
        self.definitions.iter().any(is_array)
    }
}

impl Terms {
    pub fn new(constant_mux_limit: usize, mux_limit: usize) -> Self {
        Self {
            terms: FxHashMap::default(),
            floats: FxHashMap::default(),
            bytes: FxHashMap::default(),
            arrays: FxHashMap::default(),
            divisions: FxHashMap::default(),
            definitions: FxHashMap::default(),
            limits: (constant_mux_limit, mux_limit),
        }
    }

    /// The variable of an input byte.
    pub fn byte(&mut self, context: &mut Context, byte: (SymbolId, u32)) -> Made<Term> {
        if let Some(&term) = self.bytes.get(&byte) {
            return Ok(term);
        }
        let term = context.variable(8)?;
        self.bytes.insert(byte, term);
        Ok(term)
    }

    /// Whether a table becomes an array.
    pub fn is_array(&self, pool: &Pool, table: TableId) -> bool {
        let constant = pool.table_is_constant(table);
        let limit = if constant {
            self.limits.0
        } else {
            self.limits.1
        };
        pool.table_elements(table).len() > limit
    }

    /// The constraints of a definition.
    pub fn definition(&self, definition: Definition) -> &[Term] {
        self.definitions.get(&definition).map_or(&[], |terms| terms)
    }

    /// What is below an expression.
    pub fn below(&self, pool: &Pool, e: ExprId) -> Below {
        let mut below = Below {
            reads: false,
            floats: false,
            definitions: Vec::new(),
            gates: 0,
        };
        let (mut seen, mut stack) = (FxHashSet::default(), vec![e]);
        while let Some(e) = stack.pop() {
            if !seen.insert(e) {
                continue;
            }
            below.gates += gates(pool, e);
            pool.node(e).for_each_operand(|operand| stack.push(operand));
            let mut definition = None;
            match pool.node(e) {
                Node::Read(table, _) => {
                    below.reads = true;
                    if self.is_array(pool, table) {
                        definition = Some(Definition::Array(table));
                    } else {
                        below.gates += table_bits(pool, table);
                    }
                    if !pool.table_is_constant(table) {
                        stack.extend(pool.table_elements(table));
                    }
                }
                Node::Float(..) => below.floats = true,
                Node::Binary(op, a, b) => definition = divisions::definition(pool, op, a, b),
                _ => {}
            }
            if let Some(definition) = definition
                && !below.definitions.contains(&definition)
            {
                if let Definition::Array(table) = definition {
                    below.gates += table_bits(pool, table);
                }
                below.definitions.push(definition);
            }
        }
        below
    }

    /// The term of an expression without bases; none if the time is over before it is made.
    pub fn term(
        &mut self,
        pool: &Pool,
        context: &mut Context,
        e: ExprId,
        deadline: Deadline,
    ) -> Made<Option<Term>> {
        let mut stack = vec![(e, false)];
        while let Some((e, ready)) = stack.pop() {
            if self.terms.contains_key(&e) {
                continue;
            }
            if !ready {
                stack.push((e, true));
                pool.node(e)
                    .for_each_operand(|operand| stack.push((operand, false)));
                if let Node::Read(table, _) = pool.node(e) {
                    stack.extend(pool.table_elements(table).iter().map(|&e| (e, false)));
                }
                continue;
            }
            let term = self.translate(pool, context, e)?;
            self.terms.insert(e, term);
            if self.terms.len().is_multiple_of(TERMS) && deadline.is_over() {
                return Ok(None);
            }
        }
        self.get(e).map(Some)
    }

    pub(super) fn get(&self, e: ExprId) -> Made<Term> {
        self.terms
            .get(&e)
            .copied()
            .ok_or_else(|| Failure("an operand has no term".to_owned()))
    }

    /// The term of an operand as a bit-vector, also if it has 1 bit.
    pub(super) fn vector(&self, pool: &Pool, context: &mut Context, e: ExprId) -> Made<Term> {
        let term = self.get(e)?;
        if pool.width(e) > 1 {
            return Ok(term);
        }
        let (one, zero) = (context.constant(1, &[1])?, context.constant(1, &[0])?);
        context.ite(term, one, zero)
    }

    /// Translates one node whose operands have terms.
    fn translate(&mut self, pool: &Pool, context: &mut Context, e: ExprId) -> Made<Term> {
        let width = pool.width(e);
        let vector = match pool.node(e) {
            Node::Const(value) if width == 1 => return context.boolean(value == 1),
            Node::Const(value) => return context.constant(width, &[value]),
            Node::Wide(_) => {
                let limbs = pool.as_limbs(e).unwrap_or_default();
                return context.constant(width, &limbs);
            }
            Node::Symbol(symbol, index) => return self.byte(context, (symbol, index)),
            Node::Base(object) => return context.constant(width, &[pool.object_number(object)]),
            Node::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor), a, b)
                if width == 1 =>
            {
                let (a, b) = (self.get(a)?, self.get(b)?);
                return context.logical(op, a, b);
            }
            Node::Binary(op, a, b) if divisions::definition(pool, op, a, b).is_some() => {
                let (quotient, remainder) = self.division(pool, context, op, a, b)?;
                let remains = matches!(op, BinaryOp::URem | BinaryOp::SRem);
                return Ok(if remains { remainder } else { quotient });
            }
            Node::Binary(op, a, b) => {
                let (a, b) = (
                    self.vector(pool, context, a)?,
                    self.vector(pool, context, b)?,
                );
                context.binary(op, a, b)?
            }
            Node::Compare(op, a, b) => {
                let (a, b) = (
                    self.vector(pool, context, a)?,
                    self.vector(pool, context, b)?,
                );
                return context.compare(op, a, b);
            }
            Node::Not(a) if width == 1 => {
                let a = self.get(a)?;
                return context.not(a);
            }
            Node::Not(a) => {
                let a = self.get(a)?;
                return context.bvnot(a);
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.get(c)?, self.get(a)?, self.get(b)?);
                return context.ite(c, a, b);
            }
            Node::Extract { value, low } => {
                let value = self.get(value)?;
                context.extract(value, low, width)?
            }
            Node::Concat(high, low) => {
                let high = self.vector(pool, context, high)?;
                let low = self.vector(pool, context, low)?;
                context.concat(high, low)?
            }
            Node::ZExt(a) => {
                let term = self.vector(pool, context, a)?;
                context.zero_extend(term, width - pool.width(a))?
            }
            Node::SExt(a) => {
                let term = self.vector(pool, context, a)?;
                context.sign_extend(term, width - pool.width(a))?
            }
            Node::Read(table, index) => self.read(pool, context, table, index)?,
            Node::Float(op @ (FloatOp::Eq | FloatOp::Lt | FloatOp::Le), format, list) => {
                return self.float(pool, context, e, op, format, &list[..op.operands()]);
            }
            Node::Float(op, format, list) => {
                self.float(pool, context, e, op, format, &list[..op.operands()])?
            }
        };
        if width > 1 {
            return Ok(vector);
        }
        let one = context.constant(1, &[1])?;
        context.compare(CompareOp::Eq, vector, one)
    }

    fn read(
        &mut self,
        pool: &Pool,
        context: &mut Context,
        table: TableId,
        index: ExprId,
    ) -> Made<Term> {
        let len = pool.table_elements(table).len() as u64;
        let last = len.saturating_sub(1);
        let bits = (64 - last.leading_zeros()).max(1);
        let full = self.get(index)?;
        let mut cut = context.extract(full, 0, bits)?;
        if pool.range(index).1 > plat_expr::mask(bits) {
            // Beyond the table its last element is read.
            let (last, cut_last) = (
                context.constant(64, &[last])?,
                context.constant(bits, &[last])?,
            );
            let inside = context.compare(CompareOp::Ult, full, last)?;
            cut = context.ite(inside, cut, cut_last)?;
        }
        if !self.is_array(pool, table) {
            return self.mux(pool, context, table, cut, bits);
        }
        let array = match self.arrays.get(&table) {
            Some(&array) => array,
            None => self.array(pool, context, table, bits)?,
        };
        context.select(array, cut)
    }

    /// A tree of choices, the highest bit of the index at the root; equal halves are not chosen
    /// between. Positions beyond the table hold its last element.
    fn mux(
        &self,
        pool: &Pool,
        context: &mut Context,
        table: TableId,
        index: Term,
        bits: u32,
    ) -> Made<Term> {
        let elements = pool.table_elements(table);
        let at = |position: usize| elements[position.min(elements.len() - 1)];
        let mut level: Vec<Term> = Vec::with_capacity(1 << bits);
        for position in 0..1usize << bits {
            level.push(self.vector(pool, context, at(position))?);
        }
        for bit in 0..bits {
            let one = context.constant(1, &[1])?;
            let digit = context.extract(index, bit, 1)?;
            let set = context.compare(CompareOp::Eq, digit, one)?;
            let mut next = Vec::with_capacity(level.len() / 2);
            for pair in level.chunks(2) {
                let same = pair[0] == pair[1];
                next.push(if same {
                    pair[0]
                } else {
                    context.ite(set, pair[1], pair[0])?
                });
            }
            level = next;
        }
        level
            .first()
            .copied()
            .ok_or_else(|| Failure("an empty table".to_owned()))
    }

    fn array(
        &mut self,
        pool: &Pool,
        context: &mut Context,
        table: TableId,
        bits: u32,
    ) -> Made<Term> {
        let elements = pool.table_elements(table);
        let array = context.array(bits, pool.table_width(table))?;
        let mut definitions = Vec::with_capacity(1 << bits);
        for position in 0..1usize << bits {
            let element = elements[position.min(elements.len() - 1)];
            let value = self.vector(pool, context, element)?;
            let index = context.constant(bits, &[position as u64])?;
            let selected = context.select(array, index)?;
            definitions.push(context.compare(CompareOp::Eq, selected, value)?);
        }
        self.arrays.insert(table, array);
        self.definitions
            .insert(Definition::Array(table), definitions);
        Ok(array)
    }

    /// Quotient and remainder of a division that has a definition.
    fn division(
        &mut self,
        pool: &Pool,
        context: &mut Context,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> Made<(Term, Term)> {
        let missing = || Failure("a division without a definition".to_owned());
        let definition = divisions::definition(pool, op, a, b).ok_or_else(missing)?;
        if let Some(&known) = self.divisions.get(&definition) {
            return Ok(known);
        }
        let dividend = self.get(a)?;
        let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
        let made = divisions::translate(pool, context, dividend, (a, b), signed)?;
        self.definitions.insert(definition, vec![made.definition]);
        self.divisions
            .insert(definition, (made.quotient, made.remainder));
        Ok((made.quotient, made.remainder))
    }
}
