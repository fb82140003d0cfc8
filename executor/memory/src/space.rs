//! The free space of one segment (segmented memory model, section 3, "memory segment
//! implementation").
//!
//! An allocation takes the smallest gap that fits, else extends the segment. A released block
//! is joined with the gaps on both of its sides; space that reaches the end shrinks the segment
//! again. There are no headers: sizes are kept with the objects.

/// Blocks start and end at multiples of this, so that no two objects share a word.
const GRAIN: u64 = 8;

/// Free bytes between blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Gap {
    offset: u64,
    size: u64,
}

impl Gap {
    /// Where a block of `size` bytes would start in this gap, if it fits.
    fn fits(self, size: u64, align: u64) -> Option<u64> {
        let start = self.offset.next_multiple_of(align);
        (start - self.offset + size <= self.size).then_some(start)
    }
}

/// The blocks of a segment, seen as what is between them.
#[derive(Clone, Default, Debug)]
pub struct Space {
    extent: u64,
    live: u64,
    gaps: Vec<Gap>,
}

impl Space {
    /// No blocks.
    pub fn new() -> Self {
        Self::default()
    }

    /// The first position behind the last block.
    pub fn extent(&self) -> u64 {
        self.extent
    }

    /// Bytes in live blocks, as they were asked for.
    pub fn live(&self) -> u64 {
        self.live
    }

    /// Number of gaps.
    pub fn gaps(&self) -> usize {
        self.gaps.len()
    }

    /// The position of a fresh block of `size` bytes, a multiple of `align` (a power of two).
    pub fn allocate(&mut self, size: u64, align: u64) -> u64 {
        let align = align.max(GRAIN);
        self.live += size;
        let size = size.next_multiple_of(GRAIN);
        let best = self
            .gaps
            .iter()
            .enumerate()
            .filter(|(_, gap)| gap.size >= size)
            .filter_map(|(at, gap)| Some((gap.size, at, gap.fits(size, align)?)))
            .min();
        if let Some((_, at, start)) = best {
            self.take(at, start, size);
            return start;
        }
        let start = self.extent.next_multiple_of(align);
        if start > self.extent {
            let (offset, size) = (self.extent, start - self.extent);
            self.gaps.push(Gap { offset, size });
        }
        self.extent = start + size;
        start
    }

    /// Cuts `start .. start + size` out of a gap.
    fn take(&mut self, at: usize, start: u64, size: u64) {
        let gap = self.gaps[at];
        let before = Gap {
            offset: gap.offset,
            size: start - gap.offset,
        };
        let after = Gap {
            offset: start + size,
            size: gap.offset + gap.size - (start + size),
        };
        let rest = [before, after].into_iter().filter(|gap| gap.size > 0);
        self.gaps.splice(at..=at, rest);
    }

    /// Gives back a block: the result and the `size` of an earlier [`Space::allocate`].
    pub fn release(&mut self, offset: u64, size: u64) {
        self.live -= size;
        let mut freed = Gap {
            offset,
            size: size.next_multiple_of(GRAIN),
        };
        if freed.size == 0 {
            return;
        }
        let mut at = self.gaps.partition_point(|gap| gap.offset < offset);
        if let Some(next) = self.gaps.get(at)
            && next.offset == freed.offset + freed.size
        {
            freed.size += next.size;
            self.gaps.remove(at);
        }
        if at > 0 && self.gaps[at - 1].offset + self.gaps[at - 1].size == freed.offset {
            at -= 1;
            let before = self.gaps.remove(at);
            freed.offset = before.offset;
            freed.size += before.size;
        }
        if freed.offset + freed.size == self.extent {
            self.extent = freed.offset;
        } else {
            self.gaps.insert(at, freed);
        }
    }

    /// Takes in all blocks of another space, which lies in `size` bytes, as they lie there: the
    /// position of its start, a multiple of `align`.
    pub fn absorb(&mut self, other: &Self, size: u64, align: u64) -> u64 {
        let live = self.live + other.live;
        let size = size.next_multiple_of(GRAIN).max(other.extent);
        let start = self.allocate(size, align);
        for gap in &other.gaps {
            self.release(start + gap.offset, gap.size);
        }
        self.release(start + other.extent, size - other.extent);
        self.live = live;
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use plat_allocator::reference::Reference;

    /// The gaps that a map of blocks leaves below its end.
    fn gaps_of(blocks: &Reference<u64>) -> (Vec<Gap>, u64) {
        let (mut gaps, mut end) = (Vec::new(), 0);
        for block in blocks.entries() {
            if block.start > end {
                let (offset, size) = (end, block.start - end);
                gaps.push(Gap { offset, size });
            }
            end = block.start + block.size;
        }
        (gaps, end)
    }

    #[test]
    fn agrees_with_a_reference_interval_map() {
        for seed in 0..20 {
            let mut random = Rng::with_seed(seed);
            let (mut space, mut blocks, mut live) = (Space::new(), Reference::default(), 0);
            for _ in 0..1_500 {
                let held = blocks.entries();
                if !held.is_empty() && random.u64(..100) < 48 {
                    let block = held[random.usize(..held.len())];
                    blocks.remove(block.start);
                    space.release(block.start, block.value);
                    live -= block.value;
                } else {
                    let (size, align) = (1 + random.u64(..90), 1 << random.u64(..7));
                    let grains = size.next_multiple_of(GRAIN);
                    let (gaps, end) = gaps_of(&blocks);
                    let fitting = gaps
                        .iter()
                        .filter(|gap| gap.fits(grains, align.max(GRAIN)).is_some());
                    let best = fitting.map(|gap| gap.size).min();
                    let at = space.allocate(size, align);
                    assert_eq!(at % align, 0);
                    assert!(!blocks.overlaps(at, grains));
                    match best {
                        Some(size) => assert!(gaps.iter().any(|gap| {
                            gap.size == size && gap.offset <= at && at < gap.offset + size
                        })),
                        None => assert_eq!(at, end.next_multiple_of(align.max(GRAIN))),
                    }
                    blocks.insert(at, grains, size);
                    live += size;
                }
                // Gaps are exactly what is between blocks: coalesced on both sides.
                assert_eq!((space.gaps.clone(), space.extent), gaps_of(&blocks));
                assert_eq!(space.live, live);
            }
        }
    }
}
