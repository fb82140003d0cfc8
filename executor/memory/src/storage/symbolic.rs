//! Reading and writing at a symbolic position.
//!
//! The index is known to lie in `low ..= high` (it has been bounded by the resolution), and its
//! lowest bits are often known from its form: `base + 8 * k` is a multiple of 8 when `base` is.
//! The positions that remain are `low`, `low + stride`, ... up to `high`.
//!
//! - A read makes a table of what is at those positions and reads it at
//!   `(index - low) >> log2(stride)`. Elements keep their form: where the cells are pointers the
//!   table is a table of pointers, and a pointer loaded from it can be resolved by looking at it.
//!   When the positions overlap (`stride < n`), the elements are overlapping windows of `n` bytes:
//!   one read of wide constants is easier for a solver than `n` reads of bytes.
//! - A write turns what is at each position into `ite(index = position, value, old)`.
//!
//! Tables are kept until one of their bytes is written.

use super::{Storage, Value};
use plat_expr::{ExprId, Pool, TableId};
use std::sync::{Mutex, PoisonError};

/// The positions that a symbolic index can take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Positions {
    /// The first.
    pub low: u64,
    /// The last.
    pub high: u64,
    /// log2 of the distance between two of them.
    pub shift: u32,
}

impl Positions {
    /// The positions in `low ..= high` that the known low bits of `index` allow; `None` if there
    /// is none.
    pub fn of(pool: &mut Pool, index: ExprId, low: u64, high: u64) -> Option<Self> {
        let known = pool.known_bits(index);
        let shift = (known.zeros | known.ones).trailing_ones().min(30);
        let stride = 1u64 << shift;
        let residue = known.ones & (stride - 1);
        let first = low.checked_add(residue.wrapping_sub(low) & (stride - 1))?;
        (first <= high).then(|| Self {
            low: first,
            high: first + (high - first) / stride * stride,
            shift,
        })
    }

    /// How many there are.
    pub fn count(self) -> u64 {
        ((self.high - self.low) >> self.shift) + 1
    }

    /// All of them, in order.
    fn iter(self) -> impl Iterator<Item = u64> {
        (0..self.count()).map(move |k| self.low + (k << self.shift))
    }
}

/// A table that was made from some bytes of a storage.
#[derive(Clone, Debug)]
struct Cached {
    positions: Positions,
    n: u32,
    table: TableId,
}

/// The tables that are still true. States that share a storage share them.
#[derive(Default, Debug)]
pub struct Tables {
    list: Mutex<Vec<Cached>>,
}

impl Clone for Tables {
    fn clone(&self) -> Self {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        Self {
            list: Mutex::new(list.clone()),
        }
    }
}

impl Tables {
    /// Forgets the tables that any of the bytes `at .. at + n` is in.
    #[inline]
    pub fn forget(&mut self, at: u64, n: u64) {
        let list = self.list.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !list.is_empty() {
            list.retain(|cached| {
                let end = cached.positions.high + u64::from(cached.n);
                end <= at || at + n <= cached.positions.low
            });
        }
    }

    fn find(&self, positions: Positions, n: u32) -> Option<TableId> {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.iter()
            .find(|cached| cached.positions == positions && cached.n == n)
            .map(|cached| cached.table)
    }

    fn add(&self, positions: Positions, n: u32, table: TableId) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.push(Cached {
            positions,
            n,
            table,
        });
    }
}

impl Storage {
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
        let table = self.table(pool, positions, n);
        let first = pool.constant(64, positions.low);
        let distance = pool.sub(index, first);
        let shift = pool.constant(64, u64::from(positions.shift));
        let element = pool.lshr(distance, shift);
        pool.read(table, element)
    }

    /// What is at each of the positions, as a table.
    fn table(&self, pool: &mut Pool, positions: Positions, n: u32) -> TableId {
        if let Some(table) = self.tables.find(positions, n) {
            return table;
        }
        let elements: Vec<ExprId> = positions.iter().map(|at| self.expr(pool, at, n)).collect();
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
        if positions.count() == 1 {
            return self.write_guarded(pool, positions.low, value, n, guard);
        }
        if u64::from(n) <= 1 << positions.shift {
            for at in positions.iter() {
                let here = is_at(pool, index, at, guard);
                self.write_guarded(pool, at, value, n, Some(here));
            }
            return;
        }
        // Positions overlap: each byte may be hit by several.
        for at in positions.low..positions.high + u64::from(n) {
            let mut byte = self.expr(pool, at, 1);
            for part in 0..u64::from(n) {
                let Some(start) = at.checked_sub(part) else {
                    break;
                };
                let aligned = start.wrapping_sub(positions.low) & ((1 << positions.shift) - 1) == 0;
                if aligned && (positions.low..=positions.high).contains(&start) {
                    let here = is_at(pool, index, start, guard);
                    let new = pool.extract(value, 8 * part as u32, 8);
                    byte = pool.ite(here, new, byte);
                }
            }
            self.store_expr(pool, at, byte, 1);
        }
    }

    /// Writes `n` bytes at a known position, if `guard` holds.
    fn write_guarded(
        &mut self,
        pool: &mut Pool,
        at: u64,
        value: ExprId,
        n: u32,
        guard: Option<ExprId>,
    ) {
        let new = match guard {
            None => value,
            Some(guard) => {
                let old = self.expr(pool, at, n);
                pool.ite(guard, value, old)
            }
        };
        match Value::from_expr(pool, new) {
            known @ (Value::Int(_) | Value::Pointer(..)) => self.store(pool, at, known, 8 * n),
            _ => self.store_expr(pool, at, new, n),
        }
    }
}

/// `guard` and `index = at`.
fn is_at(pool: &mut Pool, index: ExprId, at: u64, guard: Option<ExprId>) -> ExprId {
    let position = pool.constant(64, at);
    let here = pool.eq(index, position);
    match guard {
        Some(guard) => pool.and_bool(guard, here),
        None => here,
    }
}
