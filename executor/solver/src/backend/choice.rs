//! The choice of a back end: one of plat's own or one from outside.

use super::{BACKENDS, BackEndEntry};
use crate::answer::Solver;
use crate::config::SolverConfig;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

type Make = Arc<dyn Fn(&SolverConfig) -> Box<dyn Solver> + Send + Sync>;

/// Which back end decides the queries that no layer has answered.
#[derive(Clone)]
pub struct BackEndChoice {
    name: Cow<'static, str>,
    make: Make,
}

impl BackEndChoice {
    /// One of plat's own, by name.
    pub fn named(name: &str) -> Option<Self> {
        let entry = BACKENDS.iter().find(|entry| entry.name == name);
        entry.map(Self::from)
    }

    /// One from outside: its name in reports and its constructor.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        make: impl Fn(&SolverConfig) -> Box<dyn Solver> + Send + Sync + 'static,
    ) -> Self {
        BackEndChoice {
            name: name.into(),
            make: Arc::new(make),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes the back end.
    pub fn make(&self, config: &SolverConfig) -> Box<dyn Solver> {
        (self.make)(config)
    }
}

impl From<&'static BackEndEntry> for BackEndChoice {
    fn from(entry: &'static BackEndEntry) -> Self {
        BackEndChoice::from(*entry)
    }
}

impl From<BackEndEntry> for BackEndChoice {
    fn from(entry: BackEndEntry) -> Self {
        BackEndChoice {
            name: entry.name.into(),
            make: Arc::new(entry.make),
        }
    }
}

impl Default for BackEndChoice {
    /// `bits`.
    fn default() -> Self {
        BackEndChoice::from(super::BITS)
    }
}

impl fmt::Debug for BackEndChoice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("BackEndChoice").field(&self.name).finish()
    }
}
