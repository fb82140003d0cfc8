//! Choices and reads of tables. A choice between truth values is and/or; nested choices on one
//! condition collapse; a read whose index moves in strides is a read of the elements it reaches.

use crate::flags::{IS_CHOICE, IS_CONSTANT, IS_NOT};
use crate::ids::{ExprId, TableId};
use crate::node::Node;
use crate::pool::{FALSE, Pool, TRUE};
use crate::simplify::slices::LONG_TABLE;
use crate::table::Derivation;

impl Pool {
    /// `a` if the condition `c` (1 bit) holds, else `b`.
    pub fn ite(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        debug_assert!(
            self.width(c) == 1 && self.width(a) == self.width(b),
            "operands of ite"
        );
        if c == TRUE || a == b {
            return a;
        }
        if c == FALSE {
            return b;
        }
        let width = self.width(a);
        let arms = (self.flags(a) | self.flags(b)) & (IS_CONSTANT | IS_CHOICE);
        if arms == 0 && self.flags(c) & IS_NOT == 0 && width > 1 {
            return self.intern(Node::Ite(c, a, b), width);
        }
        let (c, mut a, mut b) = match self.node(c) {
            Node::Not(c) => (c, b, a),
            _ => (c, a, b),
        };
        if let Node::Ite(d, x, _) = self.node(a)
            && d == c
        {
            a = x;
        }
        if let Node::Ite(d, _, y) = self.node(b)
            && d == c
        {
            b = y;
        }
        if a == b {
            return a;
        }
        if width == 1 {
            return self.ite_bool(c, a, b);
        }
        if self.is_zero(b) && self.log2(a) == Some(0) {
            return self.zext(c, width);
        }
        if self.is_zero(a) && self.log2(b) == Some(0) {
            let c = self.not(c);
            return self.zext(c, width);
        }
        if self.is_zero(b) && self.is_all_ones(a) {
            return self.sext(c, width);
        }
        if self.is_zero(a) && self.is_all_ones(b) {
            let c = self.not(c);
            return self.sext(c, width);
        }
        match (self.node(a), self.node(b)) {
            (Node::Ite(d, x, y), _) if y == b => {
                let both = self.and(c, d);
                self.ite(both, x, b)
            }
            (_, Node::Ite(d, x, y)) if x == a => {
                let either = self.or(c, d);
                self.ite(either, a, y)
            }
            _ => self.intern(Node::Ite(c, a, b), width),
        }
    }

    fn ite_bool(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        if a == TRUE || a == c {
            return self.or(c, b);
        }
        if b == FALSE || b == c {
            return self.and(c, a);
        }
        if a == FALSE {
            let c = self.not(c);
            return self.and(c, b);
        }
        if b == TRUE {
            let c = self.not(c);
            return self.or(c, a);
        }
        if self.node(a) == Node::Not(b) || self.node(b) == Node::Not(a) {
            return self.xor(c, b);
        }
        self.intern(Node::Ite(c, a, b), 1)
    }

    /// Element number `index` (64 bits) of the table; the last one if the table is shorter.
    pub fn read(&mut self, table: TableId, index: ExprId) -> ExprId {
        debug_assert_eq!(self.width(index), 64, "an index has 64 bits");
        let width = self.table_width(table);
        let len = self.table_elements(table).len();
        if len == 0 {
            return self.zero(width);
        }
        if self.tables.all[table.index()].uniform {
            return self.table_elements(table)[0];
        }
        let index = self.number(index);
        let element =
            |pool: &Self, at: u64| pool.table_elements(table)[at.min(len as u64 - 1) as usize];
        if let Some(at) = self.as_u64(index) {
            return element(self, at);
        }
        if let Some((c, i, j)) = self.constant_arms(index)
            && let (Some(i), Some(j)) = (self.as_u64(i), self.as_u64(j))
        {
            return self.ite(c, element(self, i), element(self, j));
        }
        if let Some(composed) = self.compose(table, index) {
            return composed;
        }
        let (_, hi) = self.range(index);
        if hi < len as u64 - 1 {
            let keep = hi as usize + 1;
            let prefix = Derivation::Prefix {
                of: table,
                len: keep as u32,
            };
            let prefix = self.derived(prefix, |pool| {
                Some(pool.table_elements(table)[..keep].to_vec())
            });
            if let Some(prefix) = prefix {
                return self.read(prefix, index);
            }
        }
        if let Some((strided, index)) = self.stride(table, index) {
            return self.read(strided, index);
        }
        if len == 2 && hi <= 1 {
            let (first, second) = (element(self, 0), element(self, 1));
            let bit = self.extract(index, 0, 1);
            return self.ite(bit, second, first);
        }
        if width == 1
            && self.table_is_constant(table)
            && let Some(holds) = self.table_predicate(table, index, |value| value == 1)
        {
            return holds;
        }
        self.intern(Node::Read(table, index), width)
    }

    /// When the low bits of the index are known: the elements it can reach, and the index
    /// without those bits.
    fn stride(&mut self, table: TableId, index: ExprId) -> Option<(TableId, ExprId)> {
        let len = self.table_elements(table).len();
        let bits = self.known_bits(index);
        let shift = (bits.zeros | bits.ones).trailing_ones();
        if shift == 0 || shift >= 32 || !(3..=LONG_TABLE * 8).contains(&len) {
            return None;
        }
        let first = (bits.ones & crate::fold::mask(shift)) as u32;
        let strided = self.derived(
            Derivation::Stride {
                of: table,
                shift,
                first,
            },
            |pool| {
                let elements = pool.table_elements(table);
                let reached = elements.iter().skip(first as usize).step_by(1 << shift);
                let mut reached: Vec<ExprId> = reached.copied().collect();
                let last = *elements.last()?;
                if reached.last() != Some(&last) {
                    reached.push(last);
                }
                Some(reached)
            },
        )?;
        let cut = self.extract(index, shift, 64 - shift);
        Some((strided, self.zext(cut, 64)))
    }

    /// Whether the element at `index` of a table of constants satisfies `holds`, as a few
    /// comparisons of the index; `None` when that takes too many.
    pub(crate) fn table_predicate(
        &mut self,
        table: TableId,
        index: ExprId,
        holds: impl Fn(u64) -> bool,
    ) -> Option<ExprId> {
        const MANY_RUNS: usize = 4;
        let elements = self.shared_elements(table);
        if elements.len() > LONG_TABLE || !self.table_is_constant(table) {
            return None;
        }
        let (lo, hi) = self.range(index);
        let last = elements.len() as u64 - 1;
        let (from, to) = (lo.min(last), hi.min(last));
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for at in from..=to {
            if !holds(self.as_u64(elements[at as usize])?) {
                continue;
            }
            let count = runs.len();
            match runs.last_mut() {
                Some((_, end)) if *end + 1 == at => *end = at,
                _ if count == MANY_RUNS => return None,
                _ => runs.push((at, at)),
            }
        }
        let mut any = FALSE;
        for (start, end) in runs {
            // The ends of the feasible range need no comparison.
            let after = if start == from {
                TRUE
            } else {
                self.at_least(index, start)
            };
            let before = if end == to {
                TRUE
            } else {
                let reaches = self.at_least(index, end + 1);
                self.not(reaches)
            };
            let inside = if start == end && start != from && end != to {
                let at = self.constant(64, start);
                self.eq(index, at)
            } else {
                self.and(after, before)
            };
            any = self.or(any, inside);
        }
        Some(any)
    }

    fn at_least(&mut self, index: ExprId, bound: u64) -> ExprId {
        let bound = self.constant(64, bound);
        self.ule(bound, index)
    }
}
