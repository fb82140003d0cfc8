//! The order in which the slots of a bin are visited (KDAlloc, sections 4.4 and 5.4).
//!
//! A slot has a *position*, its distance from the start of the bin, and an *index*, the number of
//! slots that are visited before it. The slots are the nodes of an implicit binary tree: the root
//! is in the middle of the bin, and each node halves an interval between its ancestors. The tree is
//! visited level by level, each level from the outside to the inside: lowest, highest, second
//! lowest, second highest and so on. So the first `n` slots are as far apart as `n` slots can be,
//! up to a factor of two, and indices are small numbers without gaps.

/// The position of the slot with the given index, in a bin of `1 << bin_bits` bytes.
#[inline]
pub fn position(bin_bits: u32, index: u64) -> u64 {
    let level = (index + 1).ilog2();
    let turn = index + 1 - (1 << level);
    let inwards = turn / 2;
    let node = if turn.is_multiple_of(2) {
        inwards
    } else {
        (1 << level) - 1 - inwards
    };
    (2 * node + 1) << (bin_bits - level - 1)
}

/// The index of the slot at a position other than 0, the inverse of [`position`].
#[inline]
pub fn index(bin_bits: u32, position: u64) -> u64 {
    let zeros = position.trailing_zeros();
    let level = bin_bits - zeros - 1;
    let node = position >> zeros >> 1;
    let opposite = (1 << level) - 1 - node;
    let turn = if node <= opposite {
        2 * node
    } else {
        2 * opposite + 1
    };
    (1 << level) - 1 + turn
}

/// The number of slots of `1 << slot_bits` bytes in a bin such that neighbours are at least a
/// slot's size apart.
pub fn capacity(bin_bits: u32, slot_bits: u32) -> u64 {
    match bin_bits.checked_sub(slot_bits + 1) {
        Some(levels) => (1 << levels) - 1,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree as in the paper: halve the free intervals, level by level.
    fn by_halves(bin_bits: u32, levels: u32) -> Vec<u64> {
        let mut order = Vec::new();
        let mut parts = vec![(0u64, 1u64 << bin_bits)];
        for _ in 0..levels {
            let middles: Vec<u64> = parts.iter().map(|(low, high)| (low + high) / 2).collect();
            let cut = |(low, high): (u64, u64)| {
                let middle = (low + high) / 2;
                [(low, middle), (middle, high)]
            };
            parts = parts.into_iter().flat_map(cut).collect();
            let (mut low, mut high) = (0, middles.len());
            while low < high {
                order.push(middles[low]);
                low += 1;
                if low < high {
                    high -= 1;
                    order.push(middles[high]);
                }
            }
        }
        order
    }

    #[test]
    fn the_papers_figure() {
        // Figure 3: 16 slots, 7 allocations.
        let order: Vec<u64> = (0..7).map(|at| position(4, at)).collect();
        assert_eq!(order, [8, 4, 12, 2, 14, 6, 10]);
    }

    #[test]
    fn agrees_with_cutting_in_halves_and_inverts() {
        for bin_bits in [10, 16, 30] {
            let order = by_halves(bin_bits, 10);
            for (at, &expected) in order.iter().enumerate() {
                assert_eq!(position(bin_bits, at as u64), expected);
                assert_eq!(index(bin_bits, expected), at as u64);
            }
        }
    }

    #[test]
    fn the_distance_guarantee() {
        // Section 5.4: with n slots taken, the distance between any two, and to the ends of the
        // bin, is at least size / 2^ceil(log2(n + 1)) - slot size, and more than 0.
        let (bin_bits, slot_bits) = (20, 6);
        let size = 1u64 << bin_bits;
        let slot = 1u64 << slot_bits;
        let capacity = capacity(bin_bits, slot_bits);
        let mut taken = std::collections::BTreeSet::new();
        let mut closest = size;
        for n in 1..=capacity {
            let new = position(bin_bits, n - 1);
            let before = taken
                .range(..new)
                .next_back()
                .map_or(0, |&at: &u64| at + slot);
            let behind = taken.range(new..).next().copied().unwrap_or(size);
            // The distance to the start of the bin has no slot in it.
            closest = closest.min(new - before).min(behind - new - slot);
            taken.insert(new);
            let power = (n + 1).next_power_of_two();
            assert!(closest >= size / power - slot, "{n}: {closest}");
            assert!(closest >= slot);
        }
        // One more level would leave no gap between neighbours.
        assert_eq!(position(bin_bits, capacity).trailing_zeros(), slot_bits);
    }
}
