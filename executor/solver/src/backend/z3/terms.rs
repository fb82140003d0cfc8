//! Translates expressions to Z3 terms, each once. Expressions of 1 bit become Booleans, all others
//! bit-vectors.
//!
//! A short table becomes a tree of multiplexers over the bits of the index, a longer one an array
//! variable whose elements are asserted one by one (Z3 is far slower with a constant array under
//! stores). The index has only as many bits as the table needs. A division by a constant becomes
//! two variables, quotient and remainder, with their defining equation: a product with a constant
//! is a few additions, a divider many.

use ::z3::Sort;
use ::z3::ast::{Array, BV, Bool, Float};
use plat_expr::{BinaryOp, ExprId, FloatFormat, FloatOp, Node, Pool, SymbolId, TableId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::conversions::Conversions;
use super::divisions;
use super::operators::{binary, compare, constant, extract, is_set, logical};
use crate::backend::size::{gates, table_bits};
use crate::deadline::Deadline;

/// Terms between two clock reads.
const TERMS_PER_CLOCK_READ: usize = 1 << 10;

/// Why there is no term.
#[derive(Clone, Debug)]
pub(super) struct Failure(pub String);

pub(super) type Made<T> = Result<T, Failure>;

/// The term of an expression.
#[derive(Clone)]
enum Term {
    /// Of an expression of 1 bit.
    Truth(Bool),
    /// Of a wider one.
    Bits(BV),
}

/// Numbers for new variables.
#[derive(Default)]
pub(super) struct Names(u32);

impl Names {
    fn next(&mut self) -> u32 {
        self.0 += 1;
        self.0
    }

    /// A new variable of `width` bits.
    pub fn vector(&mut self, width: u32) -> BV {
        BV::new_const(self.next(), width)
    }

    /// A new array variable.
    fn array(&mut self, index_width: u32, width: u32) -> Array {
        let (domain, range) = (Sort::bitvector(index_width), Sort::bitvector(width));
        Array::new_const(self.next(), &domain, &range)
    }
}

/// Variables that stand for a part of an expression. Their defining constraints must be asserted
/// wherever they occur.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Definition {
    /// The elements of an array.
    Array(TableId),
    /// Quotient and remainder of an expression divided by a constant.
    Division {
        of: ExprId,
        by: ExprId,
        signed: bool,
    },
}

/// Terms by expression.
pub(super) struct Terms {
    terms: FxHashMap<ExprId, Term>,
    /// Expressions read as floats.
    pub(super) floats: FxHashMap<(ExprId, FloatFormat), Float>,
    bytes: FxHashMap<(SymbolId, u32), BV>,
    arrays: FxHashMap<TableId, Array>,
    /// Quotient and remainder.
    divisions: FxHashMap<Definition, (BV, BV)>,
    definitions: FxHashMap<Definition, Vec<Bool>>,
    names: Names,
    /// The number of terms made: those of expressions and those inside tables.
    made: usize,
    pub(super) conversions: Conversions,
    /// The longest tables that become trees of multiplexers: of constants, and others.
    mux_limits: (usize, usize),
}

/// The features of a constraint that decide which solver gets it and what is asserted with it.
pub(super) struct Features {
    /// Whether it reads tables.
    pub reads: bool,
    /// Whether it has floating-point operations.
    pub floats: bool,
    /// The definitions that must be asserted with it.
    pub definitions: Vec<Definition>,
    /// An estimate of the gates of its circuit.
    pub gates: u64,
}

impl Features {
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
            names: Names::default(),
            made: 0,
            conversions: Conversions::default(),
            mux_limits: (constant_mux_limit, mux_limit),
        }
    }

    /// Roughly how many terms there are.
    pub fn count(&self) -> usize {
        self.made
    }

    /// The variable of an input byte.
    pub fn byte(&mut self, byte: (SymbolId, u32)) -> &BV {
        let names = &mut self.names;
        self.bytes.entry(byte).or_insert_with(|| names.vector(8))
    }

    /// Whether a table becomes an array.
    pub fn is_array(&self, pool: &Pool, table: TableId) -> bool {
        let constant = pool.table_is_constant(table);
        let limit = if constant {
            self.mux_limits.0
        } else {
            self.mux_limits.1
        };
        pool.table_elements(table).len() > limit
    }

    /// The constraints of a definition.
    pub fn definition(&self, definition: Definition) -> &[Bool] {
        self.definitions.get(&definition).map_or(&[], |terms| terms)
    }

    /// The features of an expression.
    pub fn features(&self, pool: &Pool, e: ExprId) -> Features {
        let mut features = Features {
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
            features.gates += gates(pool, e);
            pool.node(e).for_each_operand(|operand| stack.push(operand));
            let mut definition = None;
            match pool.node(e) {
                Node::Read(table, _) => {
                    features.reads = true;
                    if self.is_array(pool, table) {
                        definition = Some(Definition::Array(table));
                    } else {
                        features.gates += table_bits(pool, table);
                    }
                    if !pool.table_is_constant(table) {
                        stack.extend(pool.table_elements(table));
                    }
                }
                Node::Float(..) => features.floats = true,
                Node::Binary(op, a, b) => definition = divisions::definition(pool, op, a, b),
                _ => {}
            }
            if let Some(definition) = definition
                && !features.definitions.contains(&definition)
            {
                if let Definition::Array(table) = definition {
                    features.gates += table_bits(pool, table);
                }
                features.definitions.push(definition);
            }
        }
        features
    }

    /// The term of a constraint without bases; none if the deadline passes first.
    pub fn constraint(
        &mut self,
        pool: &Pool,
        constraint: ExprId,
        deadline: Deadline,
    ) -> Made<Option<&Bool>> {
        let mut stack = vec![(constraint, false)];
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
            let term = match pool.width(e) {
                1 => Term::Truth(self.translate_truth(pool, e)?),
                _ => Term::Bits(self.translate_bits(pool, e)?),
            };
            self.terms.insert(e, term);
            self.made += 1;
            if self.terms.len().is_multiple_of(TERMS_PER_CLOCK_READ) && deadline.is_over() {
                return Ok(None);
            }
        }
        self.truth(constraint).map(Some)
    }

    /// The Boolean term of an operand of 1 bit.
    pub(super) fn truth(&self, e: ExprId) -> Made<&Bool> {
        match self.terms.get(&e) {
            Some(Term::Truth(term)) => Ok(term),
            _ => Err(Failure("an operand has no truth value".to_owned())),
        }
    }

    /// The term of a wider operand.
    fn bits(&self, e: ExprId) -> Made<&BV> {
        match self.terms.get(&e) {
            Some(Term::Bits(term)) => Ok(term),
            _ => Err(Failure("an operand has no bits".to_owned())),
        }
    }

    /// The term of an operand as a bit-vector, also if it has 1 bit.
    pub(super) fn vector(&self, pool: &Pool, e: ExprId) -> Made<BV> {
        if pool.width(e) > 1 {
            return self.bits(e).cloned();
        }
        let (one, zero) = (BV::from_u64(1, 1), BV::from_u64(0, 1));
        Ok(self.truth(e)?.ite(&one, &zero))
    }

    /// Translates a node of 1 bit whose operands have terms.
    fn translate_truth(&mut self, pool: &Pool, e: ExprId) -> Made<Bool> {
        match pool.node(e) {
            Node::Const(value) => Ok(Bool::from_bool(value == 1)),
            Node::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor), a, b) => {
                logical(op, self.truth(a)?, self.truth(b)?)
                    .ok_or_else(|| Failure("no logical operation".to_owned()))
            }
            Node::Compare(op, a, b) => {
                Ok(compare(op, &self.vector(pool, a)?, &self.vector(pool, b)?))
            }
            Node::Not(a) => Ok(self.truth(a)?.not()),
            Node::Ite(c, a, b) => Ok(self.truth(c)?.ite(self.truth(a)?, self.truth(b)?)),
            Node::Float(op @ (FloatOp::Eq | FloatOp::Lt | FloatOp::Le), format, list) => {
                self.float_comparison(pool, op, format, &list[..op.operands()])
            }
            _ => Ok(is_set(&self.translate_bits(pool, e)?, 0)),
        }
    }

    /// Translates another node whose operands have terms.
    fn translate_bits(&mut self, pool: &Pool, e: ExprId) -> Made<BV> {
        let width = pool.width(e);
        Ok(match pool.node(e) {
            Node::Const(value) => BV::from_u64(value, width),
            Node::Wide(_) => constant(width, &pool.as_limbs(e).unwrap_or_default())
                .ok_or_else(|| Failure("a constant of no width".to_owned()))?,
            Node::Symbol(symbol, index) => self.byte((symbol, index)).clone(),
            Node::Base(object) => BV::from_u64(pool.object_number(object), width),
            Node::Binary(op, a, b) if divisions::definition(pool, op, a, b).is_some() => {
                let (quotient, remainder) = self.division(pool, op, a, b)?;
                match op {
                    BinaryOp::URem | BinaryOp::SRem => remainder.clone(),
                    _ => quotient.clone(),
                }
            }
            Node::Binary(op, a, b) => binary(op, &self.vector(pool, a)?, &self.vector(pool, b)?),
            Node::Not(a) => self.bits(a)?.bvnot(),
            Node::Ite(c, a, b) => self.truth(c)?.ite(self.bits(a)?, self.bits(b)?),
            Node::Extract { value, low } => extract(self.bits(value)?, low, width),
            Node::Concat(high, low) => self.vector(pool, high)?.concat(self.vector(pool, low)?),
            Node::ZExt(a) => self.vector(pool, a)?.zero_ext(width - pool.width(a)),
            Node::SExt(a) => self.vector(pool, a)?.sign_ext(width - pool.width(a)),
            Node::Read(table, index) => self.read(pool, table, index)?,
            Node::Float(op, format, list) => {
                self.float(pool, e, op, format, &list[..op.operands()])?
            }
            Node::Compare(..) => return Err(Failure("a comparison with bits".to_owned())),
        })
    }

    fn read(&mut self, pool: &Pool, table: TableId, index: ExprId) -> Made<BV> {
        let len = pool.table_elements(table).len() as u64;
        let last = len.saturating_sub(1);
        let bits = (64 - last.leading_zeros()).max(1);
        let full = self.bits(index)?;
        let mut cut = extract(full, 0, bits);
        if pool.range(index).1 > plat_expr::mask(bits) {
            // Beyond the end, the last element is read.
            let inside = full.bvult(BV::from_u64(last, 64));
            cut = inside.ite(&cut, &BV::from_u64(last, bits));
        }
        if !self.is_array(pool, table) {
            self.made += 1 << bits;
            return self.mux(pool, table, &cut, bits);
        }
        if !self.arrays.contains_key(&table) {
            self.make_array(pool, table, bits)?;
        }
        let element = self.arrays.get(&table).map(|array| array.select(&cut));
        element
            .and_then(|element| element.as_bv())
            .ok_or_else(|| Failure("an array without elements".to_owned()))
    }

    /// A tree of multiplexers, the highest bit of the index at the root; equal halves are merged.
    /// Positions beyond the end hold the last element.
    fn mux(&self, pool: &Pool, table: TableId, index: &BV, bits: u32) -> Made<BV> {
        let elements = pool.table_elements(table);
        let at = |position: usize| elements[position.min(elements.len() - 1)];
        let positions = 0..1usize << bits;
        let level = positions.map(|position| self.vector(pool, at(position)));
        let mut level = level.collect::<Made<Vec<BV>>>()?;
        for bit in 0..bits {
            let set = is_set(index, bit);
            let choose = |pair: &[BV]| match pair {
                [low, high] if low != high => set.ite(high, low),
                _ => pair[0].clone(),
            };
            level = level.chunks(2).map(choose).collect();
        }
        level
            .pop()
            .ok_or_else(|| Failure("an empty table".to_owned()))
    }

    fn make_array(&mut self, pool: &Pool, table: TableId, bits: u32) -> Made<()> {
        let elements = pool.table_elements(table);
        self.made += 2 << bits;
        let array = self.names.array(bits, pool.table_width(table));
        let mut definitions = Vec::with_capacity(1 << bits);
        for position in 0..1usize << bits {
            let element = elements[position.min(elements.len() - 1)];
            let index = BV::from_u64(position as u64, bits);
            let selected = array.select(&index).as_bv();
            let selected = selected.ok_or_else(|| Failure("an array of no bits".to_owned()))?;
            definitions.push(selected.eq(self.vector(pool, element)?));
        }
        self.arrays.insert(table, array);
        self.definitions
            .insert(Definition::Array(table), definitions);
        Ok(())
    }

    /// Quotient and remainder of a division that has a definition.
    fn division(&mut self, pool: &Pool, op: BinaryOp, a: ExprId, b: ExprId) -> Made<&(BV, BV)> {
        let missing = || Failure("a division without a definition".to_owned());
        let definition = divisions::definition(pool, op, a, b).ok_or_else(missing)?;
        if !self.divisions.contains_key(&definition) {
            let dividend = self.bits(a)?.clone();
            let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
            let made = divisions::translate(pool, &mut self.names, &dividend, (a, b), signed);
            self.definitions.insert(definition, vec![made.definition]);
            self.divisions
                .insert(definition, (made.quotient, made.remainder));
        }
        self.divisions.get(&definition).ok_or_else(missing)
    }
}
