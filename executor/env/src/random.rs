//! Random bytes that are the same in every run: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).

/// The source of random bytes of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The next `count` bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count + 7);
        while bytes.len() < count {
            bytes.extend_from_slice(&self.next().to_le_bytes());
        }
        bytes.truncate(count);
        bytes
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}
