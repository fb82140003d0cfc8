//! Points-to sets: sorted vectors of 64-bit chunks.
//!
//! Sets are small against the universe (tens to hundreds of tens of thousands of locations) and
//! locations of one object get neighbouring numbers, so a sorted vector of (chunk number, bits)
//! is compact, and union and difference are one merge. Plain bit vectors
//! (fixedbitset) are the reference in the tests, and what `set_speed` compares with
//! (`cargo test -p plat-pointers --release -- --ignored --nocapture set_speed`).

use std::hash::{Hash, Hasher};

/// A set of `u32`, sparse.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Set {
    chunks: Vec<(u32, u64)>,
}

impl Hash for Set {
    /// A sum, whose parts do not wait for each other.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let part = |&(chunk, bits): &(u32, u64)| {
            let mixed = (bits ^ u64::from(chunk) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (mixed ^ mixed >> 32 ^ u64::from(chunk)).wrapping_mul(0xd6e8_feb8_6659_fd93)
        };
        state.write_u64(self.chunks.iter().map(part).fold(0, u64::wrapping_add));
    }
}

impl Set {
    /// The empty set.
    pub const fn new() -> Self {
        Self { chunks: Vec::new() }
    }

    /// The set of the ones of a bit vector that starts at word `first`, which is zero afterwards.
    pub fn drained(bits: &mut [u64], first: u32) -> Self {
        let chunks = (first..).zip(bits.iter_mut());
        let full = chunks.filter(|(_, bits)| **bits != 0);
        Self {
            chunks: full
                .map(|(chunk, bits)| (chunk, std::mem::take(bits)))
                .collect(),
        }
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.chunks
            .iter()
            .map(|&(_, bits)| bits.count_ones() as usize)
            .sum()
    }

    /// How many words it takes.
    pub fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// Sets the bits of the elements that a bit vector has room for; whether there are any.
    pub fn write_to(&self, bits: &mut [u64]) -> bool {
        let mut any = false;
        for &(chunk, word) in &self.chunks {
            let Some(bits) = bits.get_mut(chunk as usize) else {
                break;
            };
            *bits |= word;
            any = true;
        }
        any
    }

    /// Removes the elements that do not satisfy `keep`.
    pub fn retain(&mut self, keep: impl Fn(u32) -> bool) {
        self.retain_from(0, keep);
    }

    /// The same for those from word `first` on; the others stay.
    pub fn retain_from(&mut self, first: u32, keep: impl Fn(u32) -> bool) {
        self.chunks.retain_mut(|(chunk, bits)| {
            if *chunk < first {
                return true;
            }
            for bit in Bits(*bits) {
                if !keep(*chunk * 64 + bit) {
                    *bits &= !(1 << bit);
                }
            }
            *bits != 0
        });
    }

    /// Its words with their numbers.
    pub(crate) fn entries(&self) -> &[(u32, u64)] {
        &self.chunks
    }

    /// Its words, each a set.
    pub fn words(&self) -> impl Iterator<Item = Set> + '_ {
        self.chunks.iter().map(|&chunk| Set {
            chunks: vec![chunk],
        })
    }

    /// Whether `element` is in it.
    pub fn contains(&self, element: u32) -> bool {
        self.chunks
            .binary_search_by_key(&(element / 64), |&(chunk, _)| chunk)
            .is_ok_and(|at| self.chunks[at].1 >> (element % 64) & 1 == 1)
    }

    /// Adds `element`; whether it is new.
    pub fn insert(&mut self, element: u32) -> bool {
        let bit = 1 << (element % 64);
        match self
            .chunks
            .binary_search_by_key(&(element / 64), |&(chunk, _)| chunk)
        {
            Ok(at) => {
                let new = self.chunks[at].1 & bit == 0;
                self.chunks[at].1 |= bit;
                new
            }
            Err(at) => {
                self.chunks.insert(at, (element / 64, bit));
                true
            }
        }
    }

    /// The elements in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.chunks
            .iter()
            .flat_map(|&(chunk, bits)| Bits(bits).map(move |bit| chunk * 64 + bit))
    }

    /// Adds all elements of `other` and puts those that are new into `fresh` too; whether any is.
    pub fn absorb(&mut self, other: &Set, fresh: &mut Set) -> bool {
        let added = other.minus(self);
        if added.is_empty() {
            return false;
        }
        self.union_with(&added);
        fresh.union_with(&added);
        true
    }

    /// The elements that `other` lacks.
    pub fn minus(&self, other: &Set) -> Set {
        let mut chunks = Vec::new();
        let mut at = 0;
        for &(chunk, bits) in &self.chunks {
            at = seek(&other.chunks, at, chunk);
            let taken = match other.chunks.get(at) {
                Some(&(number, bits)) if number == chunk => bits,
                _ => 0,
            };
            if bits & !taken != 0 {
                chunks.push((chunk, bits & !taken));
            }
        }
        Set { chunks }
    }

    /// The elements that both have.
    pub fn meet(&self, other: &Set) -> Set {
        self.minus(&self.minus(other))
    }

    /// Adds all elements of `other`.
    pub fn union_with(&mut self, other: &Set) {
        let (ours, theirs) = (self.chunks.len(), other.chunks.len());
        if self.chunks.last().map(|last| last.0) < other.chunks.first().map(|first| first.0) {
            self.chunks.extend_from_slice(&other.chunks);
            return;
        }
        // Words that both have are united in place; for the others room is made.
        let (mut at, mut missing) = (0, 0);
        for &(chunk, bits) in &other.chunks {
            at = seek(&self.chunks, at, chunk);
            match self.chunks.get_mut(at) {
                Some(here) if here.0 == chunk => here.1 |= bits,
                _ => missing += 1,
            }
        }
        self.chunks.resize(ours + missing, (0, 0));
        // Merged from the last word on, so that none is overwritten before it is moved.
        let (mut left, mut right) = (ours, theirs);
        while missing > 0 {
            let (chunk, bits) = other.chunks[right - 1];
            match left.checked_sub(1).map(|left| self.chunks[left].0) {
                Some(number) if number > chunk => {
                    self.chunks[left + missing - 1] = self.chunks[left - 1];
                    left -= 1;
                }
                Some(number) if number == chunk => right -= 1,
                _ => {
                    self.chunks[left + missing - 1] = (chunk, bits);
                    right -= 1;
                    missing -= 1;
                }
            }
        }
    }
}

/// The first position from `from` on of a word with at least that number. Looks near `from` first.
#[inline]
fn seek(chunks: &[(u32, u64)], from: usize, chunk: u32) -> usize {
    // Sets that differ little have the same words.
    match chunks.get(from) {
        Some(&(number, _)) if number < chunk => search(chunks, from + 1, chunk),
        _ => from,
    }
}

fn search(chunks: &[(u32, u64)], from: usize, chunk: u32) -> usize {
    let (mut first, mut reach) = (from, 1);
    while let Some(&(number, _)) = chunks.get(first + reach - 1)
        && number < chunk
    {
        first += reach;
        reach *= 2;
    }
    let past = chunks.len().min(first + reach - 1);
    first + chunks[first..past].partition_point(|&(number, _)| number < chunk)
}

impl FromIterator<u32> for Set {
    fn from_iter<I: IntoIterator<Item = u32>>(elements: I) -> Self {
        let mut sorted: Vec<u32> = elements.into_iter().collect();
        sorted.sort_unstable();
        let mut chunks: Vec<(u32, u64)> = Vec::new();
        for element in sorted {
            let bit = 1 << (element % 64);
            match chunks.last_mut() {
                Some(last) if last.0 == element / 64 => last.1 |= bit,
                _ => chunks.push((element / 64, bit)),
            }
        }
        Self { chunks }
    }
}

/// The positions of the ones of a word, lowest first.
pub(crate) struct Bits(pub u64);

impl Iterator for Bits {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use fixedbitset::FixedBitSet;
    use std::collections::BTreeSet;

    /// The same on a plain bit vector.
    #[derive(Clone, Default, Debug)]
    struct Dense {
        bits: FixedBitSet,
    }

    impl Dense {
        /// Adds all elements of `other` and puts those that are new into `fresh` too; whether any is.
        fn absorb(&mut self, other: &Dense, fresh: &mut Dense) -> bool {
            let mut added = other.bits.clone();
            added.difference_with(&self.bits);
            if added.is_clear() {
                return false;
            }
            self.bits.union_with(&added);
            fresh.bits.union_with(&added);
            true
        }

        /// The elements in increasing order.
        fn iter(&self) -> impl Iterator<Item = u32> + '_ {
            self.bits.ones().map(|bit| bit as u32)
        }
    }

    impl FromIterator<u32> for Dense {
        fn from_iter<I: IntoIterator<Item = u32>>(elements: I) -> Self {
            let mut bits = FixedBitSet::new();
            for element in elements {
                bits.grow_and_insert(element as usize);
            }
            Self { bits }
        }
    }

    fn random(random: &mut Rng, universe: u32, count: usize) -> Vec<u32> {
        (0..count).map(|_| random.u32(..universe)).collect()
    }

    #[test]
    fn sparse_and_dense_sets_agree_with_ordered_sets() {
        let mut source = Rng::with_seed(7);
        for round in 0..500 {
            let universe = [400, 6_000][round % 2];
            let (left, right) = (
                random(&mut source, universe, round % 90),
                random(&mut source, universe, 20),
            );
            let (a, b): (BTreeSet<u32>, BTreeSet<u32>) = (
                left.iter().copied().collect(),
                right.iter().copied().collect(),
            );
            let (mut x, y): (Set, Set) = (
                left.iter().copied().collect(),
                right.iter().copied().collect(),
            );
            let (mut p, q): (Dense, Dense) = (
                left.iter().copied().collect(),
                right.iter().copied().collect(),
            );
            assert_eq!(
                x.meet(&y).iter().collect::<Vec<_>>(),
                a.intersection(&b).copied().collect::<Vec<_>>()
            );
            let added: Vec<u32> = b.difference(&a).copied().collect();
            let (mut fresh, mut fresh_dense) = (Set::new(), Dense::default());
            assert_eq!(x.absorb(&y, &mut fresh), !added.is_empty());
            assert_eq!(p.absorb(&q, &mut fresh_dense), !added.is_empty());
            assert_eq!(fresh.iter().collect::<Vec<_>>(), added);
            assert_eq!(fresh_dense.iter().collect::<Vec<_>>(), added);
            let union: Vec<u32> = a.union(&b).copied().collect();
            assert_eq!(x.iter().collect::<Vec<_>>(), union);
            assert_eq!(p.iter().collect::<Vec<_>>(), union);
            assert_eq!(x.len(), union.len());
            assert!(
                union
                    .iter()
                    .all(|&element| x.contains(element) && !x.insert(element))
            );
        }
    }

    #[test]
    #[ignore = "a measurement, not a check"]
    fn set_speed() {
        let mut source = Rng::with_seed(3);
        for (universe, size) in [(2_000, 20), (20_000, 60), (20_000, 400), (60_000, 400)] {
            // Locations of one object are neighbours: draw runs of four.
            let sets: Vec<Vec<u32>> = (0..400)
                .map(|_| {
                    let starts = random(&mut source, universe - 4, size / 4);
                    starts.iter().flat_map(|&start| start..start + 4).collect()
                })
                .collect();
            let sparse: Vec<Set> = sets
                .iter()
                .map(|set| set.iter().copied().collect())
                .collect();
            let dense: Vec<Dense> = sets
                .iter()
                .map(|set| set.iter().copied().collect())
                .collect();
            let start = std::time::Instant::now();
            let mut elements = 0;
            for round in 0..50 {
                let (mut all, mut fresh) = (sparse[round].clone(), Set::new());
                for pair in sparse.windows(2) {
                    let mut one = pair[0].clone();
                    one.absorb(&pair[1], &mut fresh);
                    all.absorb(&one, &mut fresh);
                }
                elements += all.len();
            }
            let chunked = start.elapsed();
            let start = std::time::Instant::now();
            for round in 0..50 {
                let (mut all, mut fresh) = (dense[round].clone(), Dense::default());
                for pair in dense.windows(2) {
                    let mut one = pair[0].clone();
                    one.absorb(&pair[1], &mut fresh);
                    all.absorb(&one, &mut fresh);
                }
                elements -= all.iter().count();
            }
            assert_eq!(elements, 0);
            println!(
                "universe {universe}, size {size}: chunked {chunked:?}, dense {:?}",
                start.elapsed()
            );
        }
    }
}
