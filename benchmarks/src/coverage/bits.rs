//! A set of small numbers, and the least number of sets that have all that some sets have.

/// A set of numbers, as words of bits.
#[derive(Clone, Default, Debug)]
pub struct Bits(Vec<u64>);

impl PartialEq for Bits {
    fn eq(&self, other: &Self) -> bool {
        let longest = self.0.len().max(other.0.len());
        (0..longest).all(|at| self.word(at) == other.word(at))
    }
}

impl Eq for Bits {}

impl Bits {
    /// Adds a number.
    pub fn set(&mut self, at: usize) {
        if self.0.len() <= at / 64 {
            self.0.resize(at / 64 + 1, 0);
        }
        self.0[at / 64] |= 1 << (at % 64);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Those in both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let words = self.0.iter().enumerate();
        Self(words.map(|(at, word)| word & other.word(at)).collect())
    }

    /// Adds all of `other`.
    pub fn add(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }

    /// How many of `other` are not here.
    fn lacks(&self, other: &Self) -> usize {
        let words = other.0.iter().enumerate();
        words
            .map(|(at, word)| (word & !self.word(at)).count_ones() as usize)
            .sum()
    }

    fn word(&self, at: usize) -> u64 {
        self.0.get(at).copied().unwrap_or(0)
    }

    /// As text, to be kept in a file.
    pub fn to_text(&self) -> String {
        let words = self.0.iter().map(|word| format!("{word:016x}"));
        words.collect::<Vec<_>>().join("")
    }

    /// From such a text.
    pub fn from_text(text: &str) -> Option<Self> {
        let word = |chunk: &[u8]| u64::from_str_radix(std::str::from_utf8(chunk).ok()?, 16).ok();
        let words = text.as_bytes().chunks(16).map(word);
        words.collect::<Option<_>>().map(Self)
    }
}

/// Which of the sets to keep so that their union stays: again and again the one that adds most, the
/// first of those.
pub fn needed(sets: &[Bits]) -> Vec<usize> {
    let mut kept = Vec::new();
    let mut have = Bits::default();
    loop {
        let gains = sets.iter().map(|set| have.lacks(set)).enumerate();
        let best = gains.max_by_key(|&(at, gain)| (gain, std::cmp::Reverse(at)));
        let Some((at, 1..)) = best else {
            return kept;
        };
        have.add(&sets[at]);
        kept.push(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[usize]) -> Bits {
        let mut bits = Bits::default();
        numbers.iter().for_each(|&at| bits.set(at));
        bits
    }

    fn union<'a>(sets: impl IntoIterator<Item = &'a Bits>) -> Bits {
        let mut all = Bits::default();
        sets.into_iter().for_each(|set| all.add(set));
        all
    }

    #[test]
    fn needed_sets_have_all_and_each_has_its_own() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..200 {
            let sets: Vec<Bits> = (0..random.usize(0..12))
                .map(|_| {
                    set(&(0..random.usize(0..9))
                        .map(|_| random.usize(0..150))
                        .collect::<Vec<_>>())
                })
                .collect();
            let kept = needed(&sets);
            assert_eq!(union(kept.iter().map(|&at| &sets[at])), union(&sets));
            // What was kept added something to what was kept before it.
            for last in 0..kept.len() {
                let before = union(kept[..last].iter().map(|&at| &sets[at]));
                assert!(before.lacks(&sets[kept[last]]) > 0);
            }
        }
        let three = [set(&[1, 2]), set(&[1, 2, 3, 70]), set(&[4])];
        assert_eq!(needed(&three), [1, 2]);
    }

    #[test]
    fn a_set_as_text_and_back() {
        let bits = set(&[0, 63, 64, 200]);
        assert_eq!(Bits::from_text(&bits.to_text()), Some(bits.clone()));
        assert_eq!(bits.count(), 4);
        assert_eq!(bits.and(&set(&[63, 65, 200])), set(&[63, 200]));
        assert_eq!(Bits::from_text("not hexadecimal!"), None);
    }
}
