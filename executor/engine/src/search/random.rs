//! The one source of randomness: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
//!
//! Ten lines of our own and not the `rand` crate: the sequence of a seed is part of what plat
//! promises (same seed, same output directory), and `rand` reserves the right to change the
//! algorithm behind its standard generator. Search needs speed and spread, not secrecy.

/// A seeded generator of 64-bit numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
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

    /// The reference sequence of seed 1234567, as published with the algorithm's C code.
    #[test]
    fn matches_the_published_sequence() {
        let mut random = Random::new(1_234_567);
        let got: Vec<u64> = (0..3).map(|_| random.next_u64()).collect();
        assert_eq!(
            got,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

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
