//! Searchers: which state runs next.
//!
//! A searcher never sees a state. It gets [`Summary`] values (identity, depth, counts, distance to
//! uncovered code), keeps what it needs of them, and answers [`Searcher::select`] with an id. So a
//! search strategy is one file and one line in [`ALL`], and it can only change the *order* in which
//! paths are explored. All randomness comes from one seeded generator ([`random::Random`]); nothing
//! depends on time or addresses, so a run is repeated by repeating its seed.
//!
//! The strategies and their names are those of KLEE (Cadar et al., OSDI 2008, section 3.4).

mod batching;
mod bfs;
mod choice;
mod covnew_path;
mod deepest;
mod dfs;
mod directed;
pub(crate) mod distance;
mod fork_tree;
mod fresh;
mod interleaved;
mod nurs;
mod places;
pub mod random;
mod random_path;
mod random_state;
mod seeding;
mod shares;
mod subpath;
mod sum_tree;
#[cfg(test)]
mod tests;
pub(crate) mod toward;

pub use batching::Batching;
pub use choice::{Needs, SearcherChoice};
pub use deepest::Deepest;
pub use interleaved::Interleaved;
pub use seeding::Seeding;

pub use crate::api::id::StateId;

use std::fmt;

/// What a searcher may know of a state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Summary {
    /// Which state.
    pub id: StateId,
    /// Forks on its path.
    pub depth: u32,
    /// Instructions on its path.
    pub instructions: u64,
    /// Instructions since the path last covered an instruction that no path had covered before;
    /// `None` if it never has.
    pub since_new: Option<u64>,
    /// Least number of instructions from here to an uncovered one, over calls and returns; `None`
    /// if none can be reached. Kept only when a searcher [needs](Needs::distance) it.
    pub distance: Option<u32>,
    /// Least number of instructions from here to a target of the run, over calls and returns; `None` if
    /// no way is known. Kept only when a searcher [needs](Needs::targets) it.
    pub target: Option<u32>,
    /// How often the instruction to be executed next has been executed, over all paths.
    pub location_count: u64,
    /// Instructions executed under the current call stack, over all paths; 0 unless a searcher
    /// [needs](Needs::call_paths) it.
    pub call_path_count: u64,
    /// Queries that the path has cost the solver's back end. A count and not a time, unlike
    /// KLEE's: the order of exploration must not depend on the clock.
    pub queries: u64,
    /// Hashes of the last decisions at forks, by place and side: as many as [`SUBPATHS`] says.
    pub subpaths: [u64; SUBPATHS.len()],
    /// A hash of the place of the last fork, and of the running activation: of states that have not run
    /// since a fork, those of one loop have the same.
    pub fork: u64,
    /// The last discovery that led to it, by number: code of the program itself (not of libraries)
    /// executed, or a side of a branch taken there, for the first time.
    pub discovery: u32,
    /// A hash of where it stands in the program's own code: the position, and the calls that led
    /// there; 0 unless a searcher [needs](Needs::places) it.
    pub place: u64,
    /// Whether it follows a seed.
    pub seeded: bool,
}

/// The lengths of the subpaths that a searcher may know. The paper's lengths are 1, 2, 4 and 8.
pub const SUBPATHS: [usize; 3] = [1, 4, 8];

impl Summary {
    /// The summary of a state that has done nothing yet.
    pub fn new(id: StateId) -> Self {
        Summary {
            id,
            depth: 0,
            instructions: 0,
            since_new: None,
            distance: None,
            target: None,
            location_count: 0,
            call_path_count: 0,
            queries: 0,
            subpaths: [0; SUBPATHS.len()],
            fork: 0,
            discovery: 0,
            place: 0,
            seeded: false,
        }
    }
}

/// Chooses the order of exploration.
///
/// The engine keeps these promises: a state is added once and removed at most once; `parent`, if
/// given, is alive at that moment; `select` is called only while a state is alive.
pub trait Searcher {
    /// The state to run next. It stays in the set; the run decides how long it runs.
    ///
    /// # Panics
    /// If no state is alive.
    fn select(&mut self) -> StateId;

    /// `states` came into being: the first of the run (`parent` is `None`), or at one fork of
    /// `parent`, which lives on as one more branch of that fork.
    fn added(&mut self, parent: Option<StateId>, states: &[Summary]);

    /// The state has ended.
    fn removed(&mut self, state: StateId);

    /// The state's facts have changed: it has run, forked, or coverage moved on.
    fn updated(&mut self, _summary: &Summary) {}

    /// An earlier run, with which this one goes on, has gone a decision so many times. `subpath` is that of
    /// one decision ([`Summary::subpaths`]). Told before any state is added.
    fn gone(&mut self, _subpath: u64, _times: u64) {}
}

/// One of plat's own searchers.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What the user types.
    pub name: &'static str,
    /// One line for `--help`.
    pub help: &'static str,
    /// What must be kept of states for it.
    pub needs: Needs,
    /// Makes one from a seed.
    pub make: fn(seed: u64) -> Box<dyn Searcher>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Entry").field(&self.name).finish()
    }
}

/// All searchers, by name.
pub const ALL: &[Entry] = &[
    bfs::ENTRY,
    covnew_path::ENTRY,
    dfs::ENTRY,
    directed::ENTRY,
    fresh::ENTRY,
    nurs::COVNEW,
    nurs::CPICNT,
    nurs::DEPTH,
    nurs::ICNT,
    nurs::MD2U,
    nurs::QC,
    nurs::RP,
    places::ENTRY,
    random_path::ENTRY,
    random_state::ENTRY,
    subpath::ONE,
    subpath::FOUR,
    subpath::EIGHT,
];

/// The members of [`ALL`], each by a constant.
pub mod own {
    pub use super::bfs::ENTRY as BFS;
    pub use super::covnew_path::ENTRY as COVNEW_PATH;
    pub use super::dfs::ENTRY as DFS;
    pub use super::directed::ENTRY as DIRECTED;
    pub use super::fresh::ENTRY as FRESH;
    pub use super::nurs::{
        COVNEW as NURS_COVNEW, CPICNT as NURS_CPICNT, DEPTH as NURS_DEPTH, ICNT as NURS_ICNT,
        MD2U as NURS_MD2U, QC as NURS_QC, RP as NURS_RP,
    };
    pub use super::places::ENTRY as PLACES;
    pub use super::random_path::ENTRY as RANDOM_PATH;
    pub use super::random_state::ENTRY as RANDOM_STATE;
    pub use super::subpath::{EIGHT as SUBPATH_8, FOUR as SUBPATH_4, ONE as SUBPATH_1};
}

/// What runs when the user asks for nothing else, in turns. Measured in docs/measurements/coverage.md.
pub const DEFAULT: &[&str] = &["covnew-path", "nurs:covnew", "covnew-path", "fresh"];

/// A name that is not in [`ALL`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownSearcher(pub String);

impl fmt::Display for UnknownSearcher {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = ALL.iter().map(|entry| entry.name).collect();
        write!(
            out,
            "unknown searcher `{}`; known are {}",
            self.0,
            names.join(", ")
        )
    }
}

impl std::error::Error for UnknownSearcher {}

/// The entry of a name.
///
/// # Errors
/// If no searcher has that name.
pub fn find(name: &str) -> Result<&'static Entry, UnknownSearcher> {
    ALL.iter()
        .find(|entry| entry.name == name)
        .ok_or_else(|| UnknownSearcher(name.to_string()))
}

/// Makes the searcher of a run: one as it is, several interleaved, none the default. The second value
/// says what must be kept of states.
pub fn build(choices: &[SearcherChoice], seed: u64) -> (Box<dyn Searcher>, Needs) {
    let default;
    let choices = match choices {
        [] => {
            default = SearcherChoice::default_choice();
            &default
        }
        choices => choices,
    };
    let needs = choices.iter().map(SearcherChoice::needs);
    let needs = needs.fold(Needs::default(), Needs::and);
    // Each gets a seed of its own: two random walks over the same numbers would be one walk.
    let mut seeds = random::Random::new(seed);
    let mut made: Vec<Box<dyn Searcher>> = choices
        .iter()
        .map(|choice| choice.make(seeds.next_u64()))
        .collect();
    let searcher = if made.len() == 1 {
        made.remove(0)
    } else {
        Box::new(Interleaved::new(made))
    };
    (searcher, needs)
}
