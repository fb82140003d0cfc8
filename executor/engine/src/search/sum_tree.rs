//! Weighted choice: a complete binary tree of partial sums over numbered slots.
//!
//! Setting a weight recomputes the sums above it from their two children, so rounding errors do
//! not pile up as they would by adding differences, and equal contents give equal choices.

/// Weights by slot, with their sums.
#[derive(Clone, Debug)]
pub(super) struct SumTree {
    /// `sums[1]` is the total; the children of node `i` are `2i` and `2i + 1`; the leaves are the
    /// upper half.
    sums: Vec<f64>,
}

impl SumTree {
    pub(super) fn new() -> Self {
        SumTree { sums: vec![0.0; 2] }
    }

    fn slots(&self) -> usize {
        self.sums.len() / 2
    }

    pub(super) fn total(&self) -> f64 {
        self.sums[1]
    }

    /// Sets the weight (finite, not negative) of a slot, making room for it.
    pub(super) fn set(&mut self, slot: usize, weight: f64) {
        debug_assert!(weight.is_finite() && weight >= 0.0);
        if slot >= self.slots() {
            self.grow(slot + 1);
        }
        let mut node = self.slots() + slot;
        self.sums[node] = weight;
        while node > 1 {
            node /= 2;
            self.sums[node] = self.sums[2 * node] + self.sums[2 * node + 1];
        }
    }

    fn grow(&mut self, slots: usize) {
        let (old, new) = (self.slots(), slots.next_power_of_two());
        let mut sums = vec![0.0; 2 * new];
        sums[new..new + old].copy_from_slice(&self.sums[old..]);
        for node in (1..new).rev() {
            sums[node] = sums[2 * node] + sums[2 * node + 1];
        }
        self.sums = sums;
    }

    /// The slot at `point` (in `[0, 1)`) of the total weight, which is not 0. Its weight is not 0.
    pub(super) fn slot_at(&self, point: f64) -> usize {
        let mut rest = point * self.total();
        let mut node = 1;
        while node < self.slots() {
            let (left, right) = (2 * node, 2 * node + 1);
            // Rounding may lead past the last weight: never descend into an empty half.
            if rest < self.sums[left] || self.sums[right] == 0.0 {
                node = left;
            } else {
                rest -= self.sums[left];
                node = right;
            }
        }
        node - self.slots()
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    /// Against the definition: walk along the weights until the point is passed.
    fn walk(weights: &[f64], point: f64) -> usize {
        let mut rest = point * weights.iter().sum::<f64>();
        for (slot, &weight) in weights.iter().enumerate() {
            if rest < weight {
                return slot;
            }
            rest -= weight;
        }
        unreachable!("the point lies below the total")
    }

    #[test]
    fn agrees_with_walking_along_the_weights() {
        let mut random = Random::new(3);
        let mut tree = SumTree::new();
        let mut weights = vec![0.0; 37];
        for round in 0..2000 {
            let slot = random.below(weights.len());
            // Small integers: sums are exact in any order, so the two must agree exactly.
            weights[slot] = random.below(4) as f64;
            tree.set(slot, weights[slot]);
            let total: f64 = weights.iter().sum();
            assert_eq!(tree.total(), total);
            if total > 0.0 && round > 100 {
                let point = (random.below(64) as f64) / 64.0;
                let slot = tree.slot_at(point);
                assert_eq!(slot, walk(&weights, point));
                assert!(weights[slot] > 0.0);
            }
        }
    }
}
