//! The one source of randomness of searchers: the sequence of a seed is part of what plat promises
//! (same seed, same output directory).

use plat_basics::SplitMix64;

/// A seeded generator of 64-bit numbers.
#[derive(Clone, Debug)]
pub struct Random {
    numbers: SplitMix64,
}

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        let numbers = SplitMix64::new(seed);
        Random { numbers }
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.numbers.next_u64()
    }

    /// A number below `bound`, which is not 0. (The bias of multiply-and-shift is below
    /// `bound / 2^64`.)
    pub fn below(&mut self, bound: usize) -> usize {
        let wide = u128::from(self.next_u64()) * bound as u128;
        (wide >> 64) as usize
    }

    /// A number in `[0, 1)`, of 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_in_bounds() {
        let mut random = Random::new(7);
        for _ in 0..1000 {
            assert!(random.below(3) < 3);
            let x = random.unit();
            assert!((0.0..1.0).contains(&x));
        }
    }
}
