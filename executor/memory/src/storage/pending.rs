//! Writes at symbolic positions that have not been spread over the positions.
//!
//! Such a write could turn what is at each position into `ite(index = position, value, old)`. A
//! later read at another symbolic index would then be a table of all those choices, while
//! `ite(index = index', value, what was there)` says the same in one comparison. So writes are
//! kept in order, and reads are made from what is in the pages and then passed through them.
//!
//! - A read at a known position gets a choice for each write that can hit it.
//! - A read at a symbolic index gets one for each write if all their positions are the same
//!   places or apart, which is the rule: elements of one array.
//! - A later write to known positions goes to the pages; the positions are noted as covered.
//! - Where that does not work out, the writes are spread over the pages after all.

use super::contents::Contents;
use super::positions::Positions;
use plat_expr::{ExprId, Pool, Value};

/// With more writes than this, they are spread.
const MAX_WRITES: usize = 64;

/// A write with more separate stretches of covered positions than this is spread.
const MAX_STRETCHES: usize = 8;

/// One write.
#[derive(Clone, Debug)]
struct Write {
    index: ExprId,
    positions: Positions,
    value: ExprId,
    n: u32,
    guard: Option<ExprId>,
    /// Numbers of positions that were overwritten since: first and last of each stretch, sorted.
    covered: Vec<(u64, u64)>,
}

plat_expr::holder!(Write { index, positions, value, guard } plain { n, covered });
plat_expr::holder!(Pending { writes });

impl Write {
    /// The numbers of the first and the last position whose bytes touch `at .. at + n`.
    fn touched(&self, at: u64, n: u64) -> Option<(u64, u64)> {
        let Positions {
            low, high, stride, ..
        } = self.positions;
        let first = (at + 1).saturating_sub(u64::from(self.n)).max(low);
        let first = (first - low).div_ceil(stride);
        let last = (at + n - 1).min(high).checked_sub(low)? / stride;
        (first <= last).then_some((first, last))
    }

    fn is_covered(&self, number: u64) -> bool {
        let mut stretches = self.covered.iter();
        stretches.any(|&(first, last)| first <= number && number <= last)
    }

    fn position(&self, number: u64) -> u64 {
        self.positions.low + number * self.positions.stride
    }

    /// Whether the bytes at `at .. at + n` are those of one position, or of none that counts.
    fn is_whole(&self, at: u64, n: u32) -> bool {
        let Some((first, last)) = self.touched(at, u64::from(n)) else {
            return true;
        };
        (first..=last).all(|number| self.is_covered(number))
            || first == last && self.n == n && self.position(first) == at
    }

    /// Whether each position of a read is one of this write's or apart from all of them.
    fn is_in_step(&self, read: Positions, n: u32) -> bool {
        let step = gcd(self.positions.stride, read.stride);
        self.n == n
            && step >= u64::from(n)
            && self.positions.low.abs_diff(read.low).is_multiple_of(step)
    }

    /// When the write hits the position with a number.
    fn hits(&self, pool: &mut Pool, number: u64) -> ExprId {
        let here = self.positions.is_at(pool, self.position(number));
        match self.guard {
            Some(guard) => pool.and_bool(guard, here),
            None => here,
        }
    }

    /// When the write is what is found at `index`.
    fn is_found_at(&self, pool: &mut Pool, index: ExprId) -> ExprId {
        let mut found = pool.eq(index, self.index);
        if let Some(guard) = self.guard {
            found = pool.and_bool(guard, found);
        }
        for &(first, last) in &self.covered {
            let (start, end) = (self.position(first), self.position(last));
            let (start, span) = (pool.constant(64, start), pool.constant(64, end - start));
            let distance = pool.sub(index, start);
            let visible = pool.ult(span, distance);
            found = pool.and_bool(found, visible);
        }
        found
    }

    /// Notes that `at .. at + n` is overwritten. Whether that could be noted: positions that are
    /// overwritten by halves cannot, and too many stretches are not worth it.
    fn cover(&mut self, at: u64, n: u64) -> bool {
        let Some((first, last)) = self.touched(at, n) else {
            return true;
        };
        let end = self.position(last) + u64::from(self.n);
        if self.position(first) < at || at + n < end {
            return false;
        }
        let mut stretch = (first, last);
        self.covered.retain(|&(first, last)| {
            let apart = last + 1 < stretch.0 || stretch.1 + 1 < first;
            if !apart {
                stretch = (stretch.0.min(first), stretch.1.max(last));
            }
            apart
        });
        let at = self.covered.partition_point(|other| other.0 < stretch.0);
        self.covered.insert(at, stretch);
        self.covered.len() <= MAX_STRETCHES
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The writes, oldest first.
#[derive(Clone, Default, Debug)]
pub struct Pending {
    writes: Vec<Write>,
}

impl Pending {
    /// Whether what is at `at .. at + n` may not be what the pages say.
    #[inline]
    pub fn touches(&self, at: u64, n: u64) -> bool {
        !self.writes.is_empty() && self.find(at, n)
    }

    /// Whether there is no such write.
    #[inline]
    pub fn none(&self) -> bool {
        self.writes.is_empty()
    }

    #[cold]
    #[inline(never)]
    fn find(&self, at: u64, n: u64) -> bool {
        n > 0
            && self
                .writes
                .iter()
                .any(|write| write.touched(at, n).is_some())
    }
}

impl Contents {
    /// Notes a write of `n` bytes at a symbolic index.
    pub(super) fn push_pending(
        &mut self,
        pool: &mut Pool,
        index: ExprId,
        positions: Positions,
        (value, n): (ExprId, u32),
        guard: Option<ExprId>,
    ) {
        if let Some(last) = self.pending.writes.last_mut()
            && (last.index, last.positions, last.n) == (index, positions, n)
            && last.guard == guard
        {
            last.value = value;
            last.covered.clear();
            return;
        }
        if self.pending.writes.len() >= MAX_WRITES {
            self.flush(pool);
        }
        self.pending.writes.push(Write {
            index,
            positions,
            value,
            n,
            guard,
            covered: Vec::new(),
        });
    }

    /// Adds the writes that are pending elsewhere, with all positions `by` higher.
    pub(super) fn append_pending(&mut self, pool: &mut Pool, other: &Pending, by: u64) {
        let distance = pool.constant(64, by);
        for write in &other.writes {
            if self.pending.writes.len() >= MAX_WRITES {
                self.flush(pool);
            }
            let index = pool.add(write.index, distance);
            self.pending.writes.push(Write {
                index,
                positions: write.positions.moved(index, by),
                ..write.clone()
            });
        }
    }

    /// Prepares for a write to `at .. at + n` in the pages.
    pub(super) fn cover_pending(&mut self, pool: &mut Pool, at: u64, n: u64) {
        let mut noted = true;
        self.pending.writes.retain_mut(|write| {
            let end = write.positions.high + u64::from(write.n);
            let gone = at <= write.positions.low && end <= at + n;
            noted &= gone || write.cover(at, n);
            !gone
        });
        if !noted {
            self.flush(pool);
        }
    }

    /// What is at `at .. at + n`, pending writes included.
    pub(super) fn pending_expr(&self, pool: &mut Pool, at: u64, n: u32) -> ExprId {
        let writes = &self.pending.writes;
        if writes.iter().all(|write| write.is_whole(at, n)) {
            let mut value = self.page_expr(pool, at, n);
            for write in writes {
                if let Some((number, _)) = write.touched(at, u64::from(n))
                    && !write.is_covered(number)
                {
                    let hit = write.hits(pool, number);
                    value = pool.ite(hit, write.value, value);
                }
            }
            return value;
        }
        let mut result: Option<ExprId> = None;
        for at in at..at + u64::from(n) {
            let byte = self.pending_byte(pool, at);
            result = Some(match result {
                Some(low) => pool.concat(byte, low),
                None => byte,
            });
        }
        result.expect("an access has at least one byte")
    }

    fn pending_byte(&self, pool: &mut Pool, at: u64) -> ExprId {
        let mut byte = self.page_expr(pool, at, 1);
        for write in &self.pending.writes {
            let Some((first, last)) = write.touched(at, 1) else {
                continue;
            };
            for number in (first..=last).filter(|&number| !write.is_covered(number)) {
                let part = (at - write.position(number)) as u32;
                let hit = write.hits(pool, number);
                let new = pool.extract(write.value, 8 * part, 8);
                byte = pool.ite(hit, new, byte);
            }
        }
        byte
    }

    /// What is at `index`, given what the pages have there; `None` if the positions of some
    /// write are out of step with those of the read.
    pub(super) fn pending_read(
        &self,
        pool: &mut Pool,
        index: ExprId,
        positions: Positions,
        n: u32,
        in_pages: &dyn Fn(&mut Pool) -> ExprId,
    ) -> Option<ExprId> {
        let length = positions.high + u64::from(n) - positions.low;
        let writes = || {
            let writes = self.pending.writes.iter();
            writes.filter(|write| write.touched(positions.low, length).is_some())
        };
        if !writes().all(|write| write.is_in_step(positions, n)) {
            return None;
        }
        let mut value = in_pages(pool);
        for write in writes() {
            let found = write.is_found_at(pool, index);
            value = pool.ite(found, write.value, value);
        }
        Some(value)
    }

    /// Spreads all pending writes over the pages.
    pub(super) fn flush(&mut self, pool: &mut Pool) {
        for write in std::mem::take(&mut self.pending.writes) {
            let count = write.positions.count();
            let visible = (0..count).filter(|&number| !write.is_covered(number));
            if u64::from(write.n) <= write.positions.stride {
                for number in visible {
                    let (at, n) = (write.position(number), write.n);
                    let hit = write.hits(pool, number);
                    let old = self.page_expr(pool, at, n);
                    let new = pool.ite(hit, write.value, old);
                    let new = Value::from_expr(pool, new);
                    self.store(pool, at, new, 8 * n);
                }
                continue;
            }
            // Positions overlap: each byte may be hit by several.
            let alone = Pending {
                writes: vec![write.clone()],
            };
            for at in write.positions.low..write.positions.high + u64::from(write.n) {
                self.pending = alone.clone();
                let byte = self.pending_byte(pool, at);
                self.pending = Pending::default();
                self.store_expr(pool, at, byte, 1);
            }
        }
    }
}
