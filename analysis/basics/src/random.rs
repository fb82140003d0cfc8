//! SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): what searchers and the random bytes of a program
//! under test are drawn from.
//!
//! Ten lines of our own and not a crate: the sequence of a seed is part of what plat promises (same
//! seed, same output directory), and crates reserve the right to change the algorithm behind their
//! generators. What is drawn needs speed and spread, not secrecy. Tests, of which the sequences may
//! change, use `fastrand`.

/// A seeded generator of 64-bit numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        SplitMix64 { state: seed }
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference sequence of seed 1234567, as published with the algorithm's C code.
    #[test]
    fn matches_the_published_sequence() {
        let mut random = SplitMix64::new(1_234_567);
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
}
