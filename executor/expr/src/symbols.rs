//! Sets of symbolic bytes: which input bytes an expression depends on.
//!
//! A set is a sorted list of 64-byte chunks of one symbol, shared behind an `Arc`. The pool
//! interns sets and memoises unions, so that a node stores one `u32` and most unions are free.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ids::SymbolId;

/// 64 consecutive bytes of one symbol; bit `i` stands for byte `64 * chunk + i`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Chunk {
    symbol: SymbolId,
    chunk: u32,
    bits: u64,
}

impl Chunk {
    const fn key(&self) -> (u32, u32) {
        (self.symbol.0, self.chunk)
    }
}

/// A set of symbolic bytes. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SymbolSet(Arc<[Chunk]>);

impl SymbolSet {
    /// The set of one byte.
    pub fn single(symbol: SymbolId, byte: u32) -> Self {
        Self(Arc::new([Chunk {
            symbol,
            chunk: byte / 64,
            bits: 1 << (byte % 64),
        }]))
    }

    /// Whether there is no byte in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many bytes are in it.
    pub fn len(&self) -> usize {
        self.0
            .iter()
            .map(|chunk| chunk.bits.count_ones() as usize)
            .sum()
    }

    /// Whether one byte is in it.
    pub fn contains(&self, symbol: SymbolId, byte: u32) -> bool {
        self.0
            .binary_search_by_key(&(symbol.0, byte / 64), Chunk::key)
            .is_ok_and(|at| self.0[at].bits >> (byte % 64) & 1 == 1)
    }

    /// The bytes, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (SymbolId, u32)> + '_ {
        self.0.iter().flat_map(|chunk| {
            let (symbol, first) = (chunk.symbol, chunk.chunk * 64);
            let mut bits = chunk.bits;
            std::iter::from_fn(move || {
                let at = (bits != 0).then(|| bits.trailing_zeros())?;
                bits &= bits - 1;
                Some((symbol, first + at))
            })
        })
    }

    /// Whether the two sets share a byte.
    pub fn intersects(&self, other: &Self) -> bool {
        let (mut a, mut b) = (&self.0[..], &other.0[..]);
        while let ([x, a_rest @ ..], [y, b_rest @ ..]) = (a, b) {
            match x.key().cmp(&y.key()) {
                std::cmp::Ordering::Less => a = a_rest,
                std::cmp::Ordering::Greater => b = b_rest,
                std::cmp::Ordering::Equal if x.bits & y.bits != 0 => return true,
                std::cmp::Ordering::Equal => (a, b) = (a_rest, b_rest),
            }
        }
        false
    }

    /// The bytes of either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        if self.is_empty() {
            return other.clone();
        }
        let (mut a, mut b) = (&self.0[..], &other.0[..]);
        let mut merged = Vec::with_capacity(a.len().max(b.len()));
        while let ([x, a_rest @ ..], [y, b_rest @ ..]) = (a, b) {
            match x.key().cmp(&y.key()) {
                std::cmp::Ordering::Less => {
                    merged.push(*x);
                    a = a_rest;
                }
                std::cmp::Ordering::Greater => {
                    merged.push(*y);
                    b = b_rest;
                }
                std::cmp::Ordering::Equal => {
                    merged.push(Chunk {
                        bits: x.bits | y.bits,
                        ..*x
                    });
                    (a, b) = (a_rest, b_rest);
                }
            }
        }
        merged.extend_from_slice(a);
        merged.extend_from_slice(b);
        Self(merged.into())
    }
}

impl FromIterator<(SymbolId, u32)> for SymbolSet {
    fn from_iter<I: IntoIterator<Item = (SymbolId, u32)>>(bytes: I) -> Self {
        let mut chunks: Vec<Chunk> = bytes
            .into_iter()
            .map(|(symbol, byte)| Chunk {
                symbol,
                chunk: byte / 64,
                bits: 1 << (byte % 64),
            })
            .collect();
        chunks.sort_unstable_by_key(Chunk::key);
        chunks.dedup_by(|next, kept| {
            let same = next.key() == kept.key();
            if same {
                kept.bits |= next.bits;
            }
            same
        });
        Self(chunks.into())
    }
}

/// The interned sets of a pool; set 0 is empty.
pub(crate) struct SymbolSets {
    sets: Vec<SymbolSet>,
    /// How many bytes each of them has, at most 255.
    lens: Vec<u8>,
    ids: FxHashMap<SymbolSet, u32>,
    unions: FxHashMap<(u32, u32), u32>,
    /// The last unions, each where its operands lead: the two sets and their union.
    recent: Vec<(u32, u32, u32)>,
    /// How many chunks the sets have together.
    chunks: usize,
}

/// Where a set has moved to that is gone.
const GONE: u32 = u32::MAX;

/// Where sets have moved to.
pub(crate) struct SetMoves(Vec<u32>);

impl SetMoves {
    /// The new id of a set.
    pub(crate) fn to(&self, set: u32) -> u32 {
        self.0[set as usize]
    }
}

/// How many unions are remembered close at hand.
const RECENT: usize = 256;

impl SymbolSets {
    pub(crate) fn new() -> Self {
        let empty = SymbolSet::default();
        let ids = FxHashMap::from_iter([(empty.clone(), 0)]);
        Self {
            sets: vec![empty],
            lens: vec![0],
            ids,
            unions: FxHashMap::default(),
            recent: vec![(0, 0, 0); RECENT],
            chunks: 0,
        }
    }

    pub(crate) fn get(&self, id: u32) -> &SymbolSet {
        &self.sets[id as usize]
    }

    /// How many bytes are in a set, counted to 255.
    #[inline]
    pub(crate) fn len_of(&self, id: u32) -> usize {
        usize::from(self.lens[id as usize])
    }

    pub(crate) fn intern(&mut self, set: SymbolSet) -> u32 {
        if let Some(&id) = self.ids.get(&set) {
            return id;
        }
        let id = u32::try_from(self.sets.len()).expect("fewer than 2^32 sets");
        self.chunks += set.0.len();
        self.lens.push(set.len().min(255) as u8);
        self.sets.push(set.clone());
        self.ids.insert(set, id);
        id
    }

    /// Removes all sets but these.
    pub(crate) fn compact(&mut self, used: impl Iterator<Item = u32>) -> SetMoves {
        let mut kept = vec![false; self.sets.len()];
        kept[0] = true;
        used.for_each(|set| kept[set as usize] = true);
        let mut next = 0;
        let to = kept.iter().map(|&kept| {
            next += u32::from(kept);
            if kept { next - 1 } else { GONE }
        });
        let moves = SetMoves(to.collect());
        let mut at = 0;
        self.sets.retain(|_| {
            at += 1;
            kept[at - 1]
        });
        self.lens = (self.sets.iter())
            .map(|set| set.len().min(255) as u8)
            .collect();
        self.chunks = self.sets.iter().map(|set| set.0.len()).sum();
        let ids = self.sets.iter().cloned().zip(0..);
        self.ids = ids.collect();
        let unions = std::mem::take(&mut self.unions).into_iter();
        let unions = unions.map(|((a, b), union)| ((moves.to(a), moves.to(b)), moves.to(union)));
        self.unions = unions
            .filter(|&((a, b), union)| a != GONE && b != GONE && union != GONE)
            .collect();
        self.recent.fill((0, 0, 0));
        moves
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let chunks = self.chunks * size_of::<Chunk>();
        let unions = self.unions.capacity() * size_of::<((u32, u32), u32)>();
        self.sets.capacity() * 2 * size_of::<(SymbolSet, u32)>() + chunks + unions
    }

    #[inline]
    pub(crate) fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        let at = (a.wrapping_mul(31) ^ b) as usize % RECENT;
        let (x, y, union) = self.recent[at];
        if (x, y) == (a, b) {
            return union;
        }
        let union = self.union_of(a, b);
        self.recent[at] = (a, b, union);
        union
    }

    fn union_of(&mut self, a: u32, b: u32) -> u32 {
        let key = (a.min(b), a.max(b));
        if let Some(&id) = self.unions.get(&key) {
            return id;
        }
        let union = self.sets[a as usize].union(&self.sets[b as usize]);
        let id = self.intern(union);
        self.unions.insert(key, id);
        id
    }
}
