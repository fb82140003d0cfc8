//! The choice of an allocator: one of plat's own or one from outside.

use crate::{Allocator, AllocatorConfig, DEFAULT, Entry};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

type Make = Arc<dyn Fn(&AllocatorConfig) -> Box<dyn Allocator> + Send + Sync>;

/// Which allocator a run uses.
#[derive(Clone)]
pub struct AllocatorChoice {
    name: Cow<'static, str>,
    make: Make,
}

impl AllocatorChoice {
    /// One of plat's own, by name.
    pub fn named(name: &str) -> Option<Self> {
        crate::named(name).map(Self::from)
    }

    /// One from outside: its name in reports, and its constructor for the initial state, called
    /// with a configuration that [`AllocatorConfig::check`] accepts.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        make: impl Fn(&AllocatorConfig) -> Box<dyn Allocator> + Send + Sync + 'static,
    ) -> Self {
        AllocatorChoice {
            name: name.into(),
            make: Arc::new(make),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes the allocator for the initial state.
    pub fn make(&self, config: &AllocatorConfig) -> Box<dyn Allocator> {
        (self.make)(config)
    }
}

impl From<&'static Entry> for AllocatorChoice {
    fn from(entry: &'static Entry) -> Self {
        AllocatorChoice {
            name: entry.name.into(),
            make: Arc::new(entry.make),
        }
    }
}

impl Default for AllocatorChoice {
    /// [`DEFAULT`].
    fn default() -> Self {
        AllocatorChoice::named(DEFAULT).unwrap_or_else(|| AllocatorChoice::from(&crate::ALL[0]))
    }
}

impl fmt::Debug for AllocatorChoice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("AllocatorChoice")
            .field(&self.name)
            .finish()
    }
}
