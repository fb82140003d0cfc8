//! Seeds, as a run is given them.

/// A test case to follow.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Seed {
    /// Its objects in order, with their names.
    pub objects: Vec<(String, Vec<u8>)>,
    /// These objects are all that is known, as of a file of a fuzzer's: they are matched by name,
    /// cut off or filled with zeros to the size of the program's, and other objects are zero. Default
    /// false.
    pub partial: bool,
}

impl From<Vec<(String, Vec<u8>)>> for Seed {
    fn from(objects: Vec<(String, Vec<u8>)>) -> Self {
        Seed {
            objects,
            partial: false,
        }
    }
}

/// Where a run gets further seeds from while it goes on.
pub trait SeedSource {
    /// The seeds that have come since it was asked last; it is asked at the beginning and then about
    /// every tenth of a second.
    fn poll(&mut self) -> Vec<Seed>;
}

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
    /// The most instructions of one test that is executed by itself ([`crate::Run::replay`]): it may
    /// never end, of another version of its program. Default no bound.
    pub longest: Option<u64>,
}
