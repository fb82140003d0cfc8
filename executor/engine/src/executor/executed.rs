//! How often each instruction was executed, counted by stretches of code.
//!
//! Straight code is counted where a path comes into it, as if it went on to the end of the block;
//! a path that leaves the block earlier takes back what is behind. So a block costs one addition,
//! and how often an instruction was executed is the sum of what stands at it and before it in its
//! block. Beside the number stands what was executed at all, so that new code is noticed.

/// The instruction and all behind it in its block have been executed.
const REST: u64 = 1;
/// The instruction has been executed.
const ONCE: u64 = 2;
/// A block begins here.
const FIRST: u64 = 4;
/// One execution of the instruction and of all behind it in its block.
const UNIT: u64 = 8;

/// A number for each instruction, and one behind the last.
#[derive(Clone, Debug)]
pub struct Executed {
    words: Vec<u64>,
    /// The first instructions of blocks that the fast paths do not run through.
    watched: Vec<usize>,
}

impl Executed {
    /// Nothing has been executed of a program of `len` instructions whose blocks begin at `blocks`.
    pub fn new(len: usize, blocks: impl Iterator<Item = usize>) -> Self {
        let mut words = vec![0; len + 1];
        for first in blocks.chain([len]) {
            words[first] = FIRST;
        }
        Self {
            words,
            watched: Vec::new(),
        }
    }

    /// Number of instructions.
    pub fn len(&self) -> usize {
        self.words.len() - 1
    }

    /// Whether the program has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How often an instruction was executed.
    pub fn count(&self, inst: usize) -> u64 {
        let mut sum = 0u64;
        for at in (0..=inst).rev() {
            let Some(&word) = self.words.get(at) else {
                return 0;
            };
            sum = sum.wrapping_add(word & !(UNIT - 1));
            if word & FIRST != 0 {
                break;
            }
        }
        sum / UNIT
    }

    /// How often each instruction was executed.
    pub fn counts(&self) -> Vec<u64> {
        let mut sum = 0u64;
        let all = self.words[..self.len()].iter().map(|&word| {
            let before = if word & FIRST != 0 { 0 } else { sum };
            sum = before.wrapping_add(word & !(UNIT - 1));
            sum / UNIT
        });
        all.collect()
    }

    /// Whether an instruction was executed.
    pub fn once(&self, inst: usize) -> bool {
        self.words[inst] & ONCE != 0
    }

    /// Counts an instruction as executed so many more times; whether it is for the first time.
    #[inline(always)]
    pub fn add(&mut self, inst: usize, times: u64) -> bool {
        let units = times.wrapping_mul(UNIT);
        self.words[inst] = self.words[inst].wrapping_add(units);
        let next = &mut self.words[inst + 1];
        if *next & FIRST == 0 {
            *next = next.wrapping_sub(units);
        }
        let first = self.words[inst] & ONCE == 0;
        if first {
            self.note(inst);
        }
        first
    }

    /// Has the fast paths leave where they come to the block that begins at `first`.
    pub fn watch(&mut self, first: usize) {
        self.words[first] &= !REST;
        self.watched.push(first);
    }

    /// Takes back one [`Executed::watch`].
    pub fn unwatch(&mut self, first: usize) {
        if let Some(at) = self.watched.iter().position(|&watched| watched == first) {
            self.watched.swap_remove(at);
        }
        if !self.watched.contains(&first) && self.is_whole(first) {
            self.words[first] |= REST;
        }
    }

    /// Whether all of the block that begins at `first` has been executed.
    fn is_whole(&self, first: usize) -> bool {
        let behind = self.words[first + 1..].iter();
        let mut rest = behind.take_while(|word| **word & FIRST == 0);
        self.once(first) && rest.all(|word| word & ONCE != 0)
    }

    /// Notes that an instruction was executed. What stands before it in its block has been: whoever
    /// comes to the end of a block has come from its beginning.
    #[cold]
    #[inline(never)]
    fn note(&mut self, inst: usize) {
        self.words[inst] |= ONCE;
        if self.words[inst + 1] & FIRST == 0 {
            return;
        }
        let block = self.words[..=inst].iter_mut().rev();
        for word in block {
            if *word & ONCE == 0 {
                break;
            }
            *word |= REST;
            if *word & FIRST != 0 {
                break;
            }
        }
        for &first in &self.watched {
            self.words[first] &= !REST;
        }
    }

    /// Counts an instruction and all behind it in its block, if none of them is new; says whether it
    /// has.
    #[inline(always)]
    pub fn come(&mut self, inst: usize) -> bool {
        let word = &mut self.words[inst];
        if *word & REST == 0 {
            return false;
        }
        *word = word.wrapping_add(UNIT);
        true
    }

    /// Takes back an instruction and all behind it in its block.
    #[inline(always)]
    pub fn leave(&mut self, inst: usize) {
        self.words[inst] = self.words[inst].wrapping_sub(UNIT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks over blocks, with stops at any place, against numbers by instruction.
    #[test]
    fn stretches_count_what_single_instructions_would() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut firsts = vec![0];
        while firsts.len() < 40 {
            firsts.push(firsts[firsts.len() - 1] + 1 + random.usize(..6));
        }
        let len = firsts.pop().unwrap();
        let mut executed = Executed::new(len, firsts.iter().copied());
        let (mut plain, mut new, mut alone, mut together) = (vec![0u64; len], 0, 0, 0);
        for _ in 0..5_000 {
            let block = random.usize(..firsts.len());
            let end = firsts.get(block + 1).copied().unwrap_or(len);
            let mut at = firsts[block];
            while at < end {
                let whole = executed.come(at);
                assert_eq!(whole, plain[at..end].iter().all(|&count| count > 0));
                let mut stop = end;
                if whole {
                    stop = at + random.usize(..end - at + 1);
                    plain[at..stop].iter_mut().for_each(|count| *count += 1);
                    if stop < end {
                        executed.leave(stop);
                    }
                    (at, together) = (stop, together + 1);
                }
                if stop < end || !whole {
                    plain[at] += 1;
                    new += u64::from(plain[at] == 1);
                    alone += 1;
                    assert_eq!(executed.add(at, 1), plain[at] == 1);
                    at += 1;
                }
            }
            assert_eq!(executed.count(block), plain[block]);
        }
        assert_eq!(executed.counts(), plain);
        assert_eq!(new, (0..len).filter(|&at| executed.once(at)).count() as u64);
        assert!(alone > 100 && together > 100);
    }

    /// A block that is executed for the first time while it is watched is watched all the same.
    #[test]
    fn fast_paths_leave_at_watched_blocks() {
        let mut executed = Executed::new(4, [0, 2].into_iter());
        executed.watch(2);
        executed.watch(2);
        (0..4).for_each(|at| assert!(executed.add(at, 1)));
        let comes = |executed: &mut Executed| executed.come(2);
        assert!(executed.come(0));
        assert!(!comes(&mut executed));
        executed.unwatch(2);
        assert!(!comes(&mut executed));
        executed.unwatch(2);
        assert!(comes(&mut executed));
        executed.watch(2);
        assert!(!comes(&mut executed));
    }
}
