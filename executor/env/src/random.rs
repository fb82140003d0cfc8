//! Random bytes that are the same in every run.

use plat_basics::SplitMix64;

/// The source of random bytes of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Random {
    numbers: SplitMix64,
}

impl Random {
    /// The next `count` bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count + 7);
        while bytes.len() < count {
            bytes.extend_from_slice(&self.numbers.next_u64().to_le_bytes());
        }
        bytes.truncate(count);
        bytes
    }
}
