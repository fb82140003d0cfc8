//! Seeds, as a run is given them.

/// A test case: its objects in order, with their names.
pub type Seed = Vec<(String, Vec<u8>)>;

/// What is followed, and how.
#[derive(Clone, Default, Debug)]
pub struct Seeds {
    /// The test cases. Default none.
    pub all: Vec<Seed>,
    /// End the run when no state follows a seed any more. Default false.
    pub only_seed: bool,
    /// Give up what no seed takes. Default false.
    pub only_replay: bool,
    /// An object may be longer than the seed's: the rest is zero. Default false.
    pub allow_extension: bool,
    /// An object may be shorter than the seed's. Default false.
    pub allow_truncation: bool,
    /// Objects are matched by their names and not by their order. Default false.
    pub by_name: bool,
}
