//! A system of linear equations over GF(2) with backtracking: Gaussian elimination row by row.

/// Linearly independent equations.
///
/// A row has a bit for each unknown, followed by the bit of the right side. Pivots of earlier rows
/// do not occur in later rows.
pub(super) struct System {
    unknowns: usize,
    words: usize,
    rows: Vec<u64>,
    pivots: Vec<usize>,
    /// Work so far: the number of words visited.
    pub work: u64,
}

impl System {
    pub fn new(unknowns: usize) -> Self {
        Self {
            unknowns,
            words: unknowns / 64 + 1,
            rows: Vec::new(),
            pivots: Vec::new(),
            work: 0,
        }
    }

    /// How many words a row has.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The number of unknowns, which is also the position of the right side.
    pub fn unknowns(&self) -> usize {
        self.unknowns
    }

    /// How many equations there are.
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// Removes all equations but the first `rank`.
    pub fn truncate(&mut self, rank: usize) {
        self.pivots.truncate(rank);
        self.rows.truncate(rank * self.words);
    }

    /// Adds an equation, unless it is redundant. False if it contradicts the others.
    pub fn add(&mut self, row: &[u64]) -> bool {
        let mut row = row.to_vec();
        for (known, &pivot) in self.rows.chunks_exact(self.words).zip(&self.pivots) {
            self.work += 1;
            if row[pivot / 64] >> (pivot % 64) & 1 == 1 {
                self.work += self.words as u64;
                row.iter_mut().zip(known).for_each(|(a, b)| *a ^= b);
            }
        }
        let lowest = row.iter().position(|&word| word != 0);
        let Some(at) = lowest else { return true };
        let pivot = at * 64 + row[at].trailing_zeros() as usize;
        if pivot == self.unknowns {
            return false;
        }
        self.pivots.push(pivot);
        self.rows.extend(row);
        true
    }

    /// How many unknowns can be chosen freely.
    pub fn free(&self) -> usize {
        self.unknowns - self.rank()
    }

    /// The solution with these values for the free unknowns, in order; a bit for each unknown.
    pub fn solution(&self, mut free: impl FnMut() -> bool) -> Vec<u64> {
        let mut solution = vec![0u64; self.words];
        let mut chosen = vec![true; self.unknowns];
        self.pivots.iter().for_each(|&pivot| chosen[pivot] = false);
        for at in (0..self.unknowns).filter(|&at| chosen[at]) {
            solution[at / 64] |= u64::from(free()) << (at % 64);
        }
        // Treat the right side as an unknown with value 1, so that each row sums to 0.
        solution[self.unknowns / 64] |= 1 << (self.unknowns % 64);
        let rows = self.rows.chunks_exact(self.words).zip(&self.pivots);
        for (row, &pivot) in rows.rev() {
            let known = row.iter().zip(&solution).map(|(a, b)| a & b);
            let sum = known.fold(0, |sum, word| sum ^ word).count_ones() & 1;
            solution[pivot / 64] |= u64::from(sum) << (pivot % 64);
        }
        solution
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random systems against all assignments, with backtracking.
    #[test]
    fn solutions_are_those_of_all_assignments() {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut solvable, mut contradictory) = (0, 0);
        for _ in 0..500 {
            let unknowns = 1 + random.usize(..7);
            let mut system = System::new(unknowns);
            let holds = |row: u64, values: u64| {
                let left = (row & values & ((1 << unknowns) - 1)).count_ones() & 1;
                u64::from(left) == row >> unknowns & 1
            };
            let mut rows: Vec<u64> = Vec::new();
            for _ in 0..random.u64(..9) {
                let row = random.u64(..) & ((2 << unknowns) - 1);
                let before = system.rank();
                let all = 0..1u64 << unknowns;
                let of_all = |rows: &[u64]| {
                    let kept = all.clone();
                    kept.filter(|&values| rows.iter().all(|&row| holds(row, values)))
                        .count()
                };
                rows.push(row);
                let expected = of_all(&rows);
                if system.add(&[row]) {
                    assert_eq!(expected, 1 << system.free());
                    let taken = system.solution(|| random.bool());
                    assert!(rows.iter().all(|&row| holds(row, taken[0])));
                    solvable += 1;
                } else {
                    assert_eq!(expected, 0);
                    assert_eq!(system.rank(), before);
                    rows.pop();
                    contradictory += 1;
                }
                if random.u64(..8) == 0 && system.rank() > before {
                    system.truncate(before);
                    rows.pop();
                }
            }
        }
        assert!(solvable > 500 && contradictory > 100);
    }
}
