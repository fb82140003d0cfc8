//! A searcher of a run, as a value: one of plat's own or one from outside.

use super::{DEFAULT, Entry, Searcher, UnknownSearcher, find};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

type Make = Arc<dyn Fn(u64) -> Box<dyn Searcher> + Send + Sync>;

/// Which searcher a run uses, alone or in turns with others.
#[derive(Clone)]
pub struct SearcherChoice {
    name: Cow<'static, str>,
    needs: Needs,
    make: Make,
}

/// What must be kept of states for a searcher; none of it is free.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Needs {
    /// [`Summary::distance`](super::Summary::distance).
    pub distance: bool,
    /// [`Summary::call_path_count`](super::Summary::call_path_count).
    pub call_paths: bool,
    /// [`Summary::place`](super::Summary::place).
    pub places: bool,
    /// [`Summary::target`](super::Summary::target).
    pub targets: bool,
    /// Paths that are in the state of another one where the sides of a fork meet wait until nothing else
    /// is left, if [the run does that](crate::api::config::SearchConfig::subsume).
    pub subsumption: bool,
}

impl Needs {
    /// Nothing.
    pub const NOTHING: Needs = Needs {
        distance: false,
        call_paths: false,
        places: false,
        targets: false,
        subsumption: false,
    };
    /// The distance to uncovered code.
    pub const DISTANCE: Needs = Needs {
        distance: true,
        ..Needs::NOTHING
    };
    /// Instructions by call stack.
    pub const CALL_PATHS: Needs = Needs {
        call_paths: true,
        ..Needs::NOTHING
    };

    /// Where paths stand.
    pub const PLACES: Needs = Needs {
        places: true,
        ..Needs::NOTHING
    };

    /// The distance to the run's targets.
    pub const TARGETS: Needs = Needs {
        targets: true,
        ..Needs::NOTHING
    };

    /// Paths that differ in their conditions only are put last.
    pub const SUBSUMPTION: Needs = Needs {
        subsumption: true,
        ..Needs::NOTHING
    };

    /// What either of two searchers needs.
    #[must_use]
    pub fn and(self, other: Needs) -> Needs {
        Needs {
            distance: self.distance || other.distance,
            call_paths: self.call_paths || other.call_paths,
            places: self.places || other.places,
            targets: self.targets || other.targets,
            subsumption: self.subsumption || other.subsumption,
        }
    }
}

impl SearcherChoice {
    /// The one of plat's own that has a name.
    ///
    /// # Errors
    /// If no searcher has that name.
    pub fn named(name: &str) -> Result<Self, UnknownSearcher> {
        find(name).map(Self::from)
    }

    /// One from outside: its name in reports, and what makes it from a seed.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        make: impl Fn(u64) -> Box<dyn Searcher> + Send + Sync + 'static,
    ) -> Self {
        SearcherChoice {
            name: name.into(),
            needs: Needs::default(),
            make: Arc::new(make),
        }
    }

    /// The same for a searcher that needs more to be kept of states.
    #[must_use]
    pub fn needing(self, needs: Needs) -> Self {
        SearcherChoice { needs, ..self }
    }

    /// The searchers of a run that asks for none, which take turns.
    pub fn default_choice() -> Vec<Self> {
        let entries = DEFAULT.iter().filter_map(|name| find(name).ok());
        entries.map(Self::from).collect()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it needs to be kept of states.
    pub fn needs(&self) -> Needs {
        self.needs
    }

    /// Makes the searcher from a seed.
    pub fn make(&self, seed: u64) -> Box<dyn Searcher> {
        (self.make)(seed)
    }
}

impl From<&'static Entry> for SearcherChoice {
    fn from(entry: &'static Entry) -> Self {
        SearcherChoice::from(*entry)
    }
}

impl From<Entry> for SearcherChoice {
    fn from(entry: Entry) -> Self {
        SearcherChoice {
            name: entry.name.into(),
            needs: entry.needs,
            make: Arc::new(entry.make),
        }
    }
}

impl fmt::Debug for SearcherChoice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("SearcherChoice").field(&self.name).finish()
    }
}
