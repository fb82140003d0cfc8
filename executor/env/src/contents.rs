//! The bytes of a file: a shared concrete base, and copies of the pages that the path has written.
//!
//! A host file is never copied: its base is one allocation for the whole run. A page is copied on
//! the first write to it. Symbolic bytes are stored separately, so a concrete page has no overhead.
//! A clone copies two `Arc`s; the first write after a fork copies the page table and one page.

use plat_expr::{Byte, ExprId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of a page.
const PAGE: u64 = 4096;

/// The largest size that a file may have, host file or written.
pub const MAX_SIZE: u64 = 100 << 20;

/// A page that differs from the base.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Page {
    /// The concrete bytes; 0 where `symbolic` has an entry.
    bytes: Box<[u8]>,
    /// The symbolic bytes by their position in the page.
    symbolic: BTreeMap<u16, ExprId>,
}

/// The contents of a file. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    base: Arc<[u8]>,
    /// How many bytes of the base are still visible: after truncating and extending, the rest reads
    /// as zeros.
    base_size: u64,
    size: u64,
    pages: Arc<BTreeMap<u64, Arc<Page>>>,
}

plat_expr::holder!(Page { symbolic } plain { bytes });
plat_expr::holder!(Contents { pages } plain { base, base_size, size });

impl Default for Contents {
    fn default() -> Self {
        Self::shared(Arc::from([]))
    }
}

impl Contents {
    /// A file with the bytes of `base`, which is not copied.
    pub fn shared(base: Arc<[u8]>) -> Self {
        let size = base.len() as u64;
        Self {
            base,
            base_size: size,
            size,
            pages: Arc::default(),
        }
    }

    /// A file with these bytes.
    pub fn from_bytes(bytes: &[Byte]) -> Self {
        let mut contents = Self::default();
        contents.write(0, bytes);
        contents
    }

    /// The size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The symbolic bytes, in file order.
    pub fn symbolic(&self) -> impl Iterator<Item = ExprId> + '_ {
        let within = |page: u64, at: u16| page * PAGE + u64::from(at) < self.size;
        self.pages.iter().flat_map(move |(&number, page)| {
            let bytes = page.symbolic.iter();
            bytes.filter_map(move |(&at, &expr)| within(number, at).then_some(expr))
        })
    }

    /// The bytes, symbolic ones replaced by `value`.
    pub fn evaluate(&self, mut value: impl FnMut(ExprId) -> u8) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.size as usize);
        for offset in (0..self.size).step_by(PAGE as usize) {
            match self.read_concrete(offset, PAGE) {
                Some(part) => bytes.extend_from_slice(&part),
                None => bytes.extend(self.read(offset, PAGE).into_iter().map(|byte| match byte {
                    Byte::Concrete(byte) => byte,
                    Byte::Symbolic(expr) => value(expr),
                })),
            }
        }
        bytes
    }

    /// The bytes from `offset`, at most `count`, fewer at the end of the file.
    pub fn read(&self, offset: u64, count: u64) -> Vec<Byte> {
        let end = offset.saturating_add(count).min(self.size);
        let mut bytes = Vec::with_capacity(end.saturating_sub(offset) as usize);
        self.runs(offset, end, |from, to, page| match page {
            None => {
                bytes.extend(
                    self.base_range(from, to)
                        .iter()
                        .map(|&byte| Byte::Concrete(byte)),
                );
                bytes.resize((to - offset) as usize, Byte::Concrete(0));
            }
            Some(page) => {
                let first = (from % PAGE) as usize;
                let last = first + (to - from) as usize;
                let start = bytes.len();
                bytes.extend(
                    page.bytes[first..last]
                        .iter()
                        .map(|&byte| Byte::Concrete(byte)),
                );
                for (&at, &expr) in page.symbolic.range(first as u16..last as u16) {
                    bytes[start + at as usize - first] = Byte::Symbolic(expr);
                }
            }
        });
        bytes
    }

    /// As [`Contents::read`], if none of these bytes is symbolic.
    pub fn read_concrete(&self, offset: u64, count: u64) -> Option<Vec<u8>> {
        let end = offset.saturating_add(count).min(self.size);
        let mut bytes = Vec::with_capacity(end.saturating_sub(offset) as usize);
        let mut concrete = true;
        self.runs(offset, end, |from, to, page| match page {
            None => {
                bytes.extend_from_slice(self.base_range(from, to));
                bytes.resize((to - offset) as usize, 0);
            }
            Some(page) => {
                let first = (from % PAGE) as usize;
                let last = first + (to - from) as usize;
                bytes.extend_from_slice(&page.bytes[first..last]);
                concrete &= page
                    .symbolic
                    .range(first as u16..last as u16)
                    .next()
                    .is_none();
            }
        });
        concrete.then_some(bytes)
    }

    /// Overwrite the bytes from `offset`; the file grows as needed, a gap is zeros.
    pub fn write(&mut self, offset: u64, bytes: &[Byte]) {
        let mut done = 0;
        while done < bytes.len() {
            let at = offset + done as u64;
            let first = (at % PAGE) as usize;
            let count = (PAGE as usize - first).min(bytes.len() - done);
            let page = self.page_mut(at / PAGE);
            for (position, &byte) in (first..).zip(&bytes[done..done + count]) {
                match byte {
                    Byte::Concrete(byte) => {
                        page.bytes[position] = byte;
                        page.symbolic.remove(&(position as u16));
                    }
                    Byte::Symbolic(expr) => {
                        page.bytes[position] = 0;
                        page.symbolic.insert(position as u16, expr);
                    }
                }
            }
            done += count;
        }
        if !bytes.is_empty() {
            self.size = self.size.max(offset + bytes.len() as u64);
        }
    }

    /// Cut the file to `size`, or extend it with zeros.
    pub fn resize(&mut self, size: u64) {
        if size < self.size {
            self.base_size = self.base_size.min(size);
            let pages = Arc::make_mut(&mut self.pages);
            pages.split_off(&size.div_ceil(PAGE));
            if let Some(page) = pages.get_mut(&(size / PAGE)) {
                let page = Arc::make_mut(page);
                let first = (size % PAGE) as usize;
                page.bytes[first..].fill(0);
                page.symbolic.split_off(&(first as u16));
            }
        }
        self.size = size;
    }

    /// The bytes of the base in `from..to`; shorter if the base ends, as the rest is zeros.
    fn base_range(&self, from: u64, to: u64) -> &[u8] {
        let to = to.min(self.base_size);
        if from < to {
            &self.base[from as usize..to as usize]
        } else {
            &[]
        }
    }

    /// Splits `from..to` at page boundaries and calls `f` with the bounds of each piece and the
    /// copied page, if there is one.
    fn runs(&self, from: u64, to: u64, mut f: impl FnMut(u64, u64, Option<&Page>)) {
        let mut at = from;
        while at < to {
            let end = ((at / PAGE + 1) * PAGE).min(to);
            f(at, end, self.pages.get(&(at / PAGE)).map(|page| &**page));
            at = end;
        }
    }

    fn page_mut(&mut self, index: u64) -> &mut Page {
        let Contents {
            base,
            base_size,
            pages,
            ..
        } = self;
        let page = Arc::make_mut(pages).entry(index).or_insert_with(|| {
            let mut bytes = vec![0; PAGE as usize].into_boxed_slice();
            let (from, to) = (index * PAGE, ((index + 1) * PAGE).min(*base_size));
            if from < to {
                let count = (to - from) as usize;
                bytes[..count].copy_from_slice(&base[from as usize..to as usize]);
            }
            Arc::new(Page {
                bytes,
                symbolic: BTreeMap::new(),
            })
        });
        Arc::make_mut(page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plat_expr::Pool;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Change {
        Write(u64, usize, bool),
        Resize(u64),
        Fork,
    }

    fn change() -> impl Strategy<Value = Change> {
        prop_oneof![
            (0..20_000u64, 0..9000usize, any::<bool>())
                .prop_map(|(at, size, symbolic)| Change::Write(at, size, symbolic)),
            (0..20_000u64).prop_map(Change::Resize),
            Just(Change::Fork),
        ]
    }

    proptest! {
        /// Against a vector of bytes; earlier forks keep their contents.
        #[test]
        fn is_a_file(base in 0..10_000usize, changes in prop::collection::vec(change(), 0..12)) {
            let mut pool = Pool::new();
            let symbol = pool.symbol("s", 0, 9000);
            let bytes: Vec<u8> = (0..base).map(|at| (at % 251) as u8).collect();
            let mut naive: Vec<Byte> = bytes.iter().map(|&byte| Byte::Concrete(byte)).collect();
            let mut contents = Contents::shared(bytes.into());
            let mut forks = Vec::new();
            for change in changes {
                match change {
                    Change::Write(at, size, symbolic) => {
                        let byte = |index| match symbolic {
                            true => Byte::Symbolic(pool.symbol_byte(symbol, index as u32)),
                            false => Byte::Concrete(index as u8),
                        };
                        let data: Vec<Byte> = (0..size).map(byte).collect();
                        contents.write(at, &data);
                        let end = at as usize + size;
                        if size > 0 && end > naive.len() {
                            naive.resize(end, Byte::Concrete(0));
                        }
                        if size > 0 {
                            naive[at as usize..end].copy_from_slice(&data);
                        }
                    }
                    Change::Resize(size) => {
                        contents.resize(size);
                        naive.resize(size as usize, Byte::Concrete(0));
                    }
                    Change::Fork => forks.push((contents.clone(), naive.clone())),
                }
                forks.push((contents.clone(), naive.clone()));
                forks.truncate(3);
            }
            forks.push((contents, naive));
            for (contents, naive) in &forks {
                prop_assert_eq!(contents.size(), naive.len() as u64);
                for (from, count) in [(0, 30_000), (4090, 10), (100, 5000), (8192, 4096)] {
                    let end = naive.len().min(from + count);
                    let expected = naive.get(from..end).unwrap_or_default();
                    let read = contents.read(from as u64, count as u64);
                    prop_assert_eq!(&read, expected);
                    let concrete = contents.read_concrete(from as u64, count as u64);
                    let symbolic = expected.iter().any(|byte| matches!(byte, Byte::Symbolic(_)));
                    prop_assert_eq!(concrete.is_none(), symbolic);
                    let concrete = concrete.unwrap_or_default();
                    let matching = concrete.iter().zip(expected);
                    prop_assert!(matching.into_iter().all(|(&a, &b)| Byte::Concrete(a) == b));
                }
            }
        }
    }
}
