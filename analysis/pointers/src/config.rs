//! What the user can choose about the analysis.

/// Which solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Algorithm {
    /// Wave propagation: the fast one.
    #[default]
    Wave,
    /// The rules in loops, word for word. Small programs only.
    Naive,
    /// The rules as Datalog. Small programs only.
    Datalog,
    /// All of them, compared; the result is that of wave propagation. Small programs only.
    Compare,
}

impl Algorithm {
    /// All of them with their names, sorted.
    pub const ALL: [(&'static str, Algorithm); 4] = [
        ("compare", Algorithm::Compare),
        ("datalog", Algorithm::Datalog),
        ("naive", Algorithm::Naive),
        ("wave", Algorithm::Wave),
    ];

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Algorithm> {
        let known = Self::ALL.into_iter().find(|(known, _)| *known == name);
        known.map(|(_, algorithm)| algorithm)
    }
}

/// The budget that is not asked for: less than half a minute on a machine of today, nearly twice
/// what GNU as takes, and ten times what SQLite takes.
pub const DEFAULT_BUDGET: u64 = 6_000;

/// Options of the analysis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PointsToConfig {
    /// The solver.
    pub algorithm: Algorithm,
    /// Greatest number of calls in the call string of a helper; 0 turns cloning of functions off.
    pub clone_depth: usize,
    /// Greatest number of calls in the call string of an allocation wrapper.
    pub wrapper_depth: usize,
    /// Number of instructions that clones may add to any program; to a large one, half of its own.
    pub clone_budget: u64,
    /// Functions without calls are cloned up to this number of instructions.
    pub helper_size: usize,
    /// Other functions are cloned up to this number of instructions.
    pub small_size: usize,
    /// Greatest number of rounds, each of which knows the targets of calls through pointers that
    /// the round before has found.
    pub rounds: usize,
    /// Calls through pointers with at most this many targets are analysed like direct calls.
    pub known_targets: usize,
    /// Offsets beyond this many bytes are not told apart one by one.
    pub window: i64,
    /// Functions without body that do nothing to pointers, besides those in the table.
    pub harmless: Vec<String>,
    /// Work of the solver, in millions of operations on words of sets, beyond which the program is
    /// analysed with less precision; 0 if it may work for ever.
    pub budget: u64,
    /// Whether the checker verifies the result before it is handed over.
    pub check: bool,
}

impl PointsToConfig {
    /// Greatest number of instructions that clones may add to a program with so many.
    pub fn clone_budget(&self, instructions: u64) -> u64 {
        self.clone_budget.max(instructions / 2)
    }
}

impl Default for PointsToConfig {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::Wave,
            clone_depth: 3,
            wrapper_depth: 6,
            clone_budget: 100_000,
            helper_size: 60,
            small_size: 30,
            rounds: 1,
            known_targets: 6,
            window: 4096,
            harmless: Vec::new(),
            budget: DEFAULT_BUDGET,
            check: false,
        }
    }
}
