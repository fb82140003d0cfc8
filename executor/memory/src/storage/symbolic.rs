//! Reading and writing at a symbolic position.
//!
//! The index has been bounded by the resolution; see [`Positions`] for where it can be.
//!
//! - A read makes a table of what is at those positions and reads it at the number of the
//!   position. Elements keep their form: where the cells are pointers the table is a table of
//!   pointers, and a pointer loaded from it can be resolved by looking at it. When the positions
//!   overlap (`stride < n`), the elements are overlapping windows of `n` bytes if all bytes are
//!   known, else the bytes are read one by one: with Z3 and 1,000 positions, one read of wide
//!   constants is some hundred times faster than four of bytes, but for symbolic contents the
//!   bytes are up to four times faster.
//! - A write is noted, see [`super::pending`].
//!
//! Tables are kept until one of their bytes is written.

use super::contents::Contents;
use super::page::Cell;
use super::positions::Positions;
use plat_expr::{ExprId, Pool, TableId, Value};
use std::cell::RefCell;

/// A table that was made from some bytes of a storage.
#[derive(Clone, Debug)]
struct Cached {
    low: u64,
    high: u64,
    stride: u64,
    n: u32,
    table: TableId,
}

plat_expr::holder!(Cached { table } plain { low, high, stride, n });
plat_expr::holder!(Tables { list });

impl Cached {
    fn is(&self, positions: Positions, n: u32) -> bool {
        (self.low, self.high) == (positions.low, positions.high)
            && (self.stride, self.n) == (positions.stride, n)
    }
}

/// The tables that are still true. States that share a storage share them.
#[derive(Clone, Default, Debug)]
pub struct Tables {
    list: RefCell<Vec<Cached>>,
}

impl Tables {
    /// Whether no table is kept.
    #[inline]
    pub fn none(&mut self) -> bool {
        self.list.get_mut().is_empty()
    }

    /// Forgets the tables that any of the bytes `at .. at + n` is in.
    #[inline]
    pub fn forget(&mut self, at: u64, n: u64) {
        let list = self.list.get_mut();
        if !list.is_empty() {
            list.retain(|cached| {
                let end = cached.high + u64::from(cached.n);
                end <= at || at + n <= cached.low
            });
        }
    }

    fn find(&self, positions: Positions, n: u32) -> Option<TableId> {
        let list = self.list.borrow();
        list.iter()
            .find(|cached| cached.is(positions, n))
            .map(|cached| cached.table)
    }

    fn add(&self, positions: Positions, n: u32, table: TableId) {
        self.list.borrow_mut().push(Cached {
            low: positions.low,
            high: positions.high,
            stride: positions.stride,
            n,
            table,
        });
    }
}

impl Contents {
    /// Reads `n` bytes at `index`, which lies in `low ..= high`.
    pub fn read_at(&self, pool: &mut Pool, index: ExprId, low: u64, high: u64, n: u32) -> ExprId {
        if let Some(at) = pool.as_u64(index) {
            return self.expr(pool, at, n);
        }
        let Some(positions) = Positions::of(pool, index, low, high) else {
            // The path condition contradicts itself: any value is right.
            return pool.constant_limbs(8 * n, &[0]);
        };
        if positions.count() == 1 {
            return self.expr(pool, positions.low, n);
        }
        let end = positions.high + u64::from(n);
        if !self.pending.touches(positions.low, end - positions.low) {
            return self.page_read(pool, positions, n);
        }
        let in_pages = |pool: &mut Pool| self.page_read(pool, positions, n);
        if let Some(found) = self.pending_read(pool, index, positions, n, &in_pages) {
            return found;
        }
        let elements: Vec<ExprId> = positions.iter().map(|at| self.expr(pool, at, n)).collect();
        let table = pool.table(&elements);
        let element = positions.number(pool);
        pool.read(table, element)
    }

    /// What the pages have at the positions, read at their number.
    fn page_read(&self, pool: &mut Pool, positions: Positions, n: u32) -> ExprId {
        let element = positions.number(pool);
        let end = positions.high + u64::from(n);
        if positions.stride < u64::from(n) && !self.is_plain(positions.low, end) {
            return self.read_bytes_at(pool, positions, element, n);
        }
        let table = self.table(pool, positions, n);
        pool.read(table, element)
    }

    /// Whether nothing in `from .. to` is symbolic.
    fn is_plain(&self, from: u64, to: u64) -> bool {
        (from..to).all(|at| !matches!(self.cell(at), Cell::Part { .. }))
    }

    /// Reads `n` bytes at overlapping positions one by one, all from one table of bytes.
    fn read_bytes_at(
        &self,
        pool: &mut Pool,
        positions: Positions,
        element: ExprId,
        n: u32,
    ) -> ExprId {
        let bytes = positions.bytes(n);
        let table = self.table(pool, bytes, 1);
        let stride = pool.constant(64, positions.stride);
        let first = pool.mul(element, stride);
        let mut result: Option<ExprId> = None;
        for part in 0..u64::from(n) {
            let part = pool.constant(64, part);
            let at = pool.add(first, part);
            let byte = pool.read(table, at);
            result = Some(match result {
                Some(low) => pool.concat(byte, low),
                None => byte,
            });
        }
        result.unwrap_or(first)
    }

    /// What the pages have at each of the positions, as a table.
    fn table(&self, pool: &mut Pool, positions: Positions, n: u32) -> TableId {
        if let Some(table) = self.tables.find(positions, n) {
            return table;
        }
        let elements: Vec<ExprId> = positions
            .iter()
            .map(|at| self.page_expr(pool, at, n))
            .collect();
        let table = pool.table(&elements);
        self.tables.add(positions, n, table);
        table
    }

    /// Writes `n` bytes at `index`, which lies in `low ..= high`, if `guard` holds.
    #[allow(clippy::too_many_arguments, reason = "an access has this many parts")]
    pub fn write_at(
        &mut self,
        pool: &mut Pool,
        index: ExprId,
        (low, high): (u64, u64),
        value: ExprId,
        n: u32,
        guard: Option<ExprId>,
    ) {
        let Some(positions) = Positions::of(pool, index, low, high) else {
            return;
        };
        if positions.count() > 1 {
            return self.push_pending(pool, index, positions, (value, n), guard);
        }
        let at = positions.low;
        let new = match guard {
            None => value,
            Some(guard) => {
                let old = self.expr(pool, at, n);
                pool.ite(guard, value, old)
            }
        };
        let new = Value::from_expr(pool, new);
        self.store(pool, at, new, 8 * n);
    }
}
