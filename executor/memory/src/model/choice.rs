//! The memory model of a run, as a value: one of plat's own or one from outside.

use super::{Entry, MemoryModel, ModelConfig};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

type Make = Arc<dyn Fn(&ModelConfig) -> Box<dyn MemoryModel> + Send + Sync>;

/// Which memory model a run uses. Models from outside are made by the same trait as plat's own:
///
/// ```
/// use plat_memory::ModelConfig;
/// use plat_memory::model::{ModelChoice, forking::Forking};
///
/// let own = ModelChoice::new("mine", |_: &ModelConfig| Box::new(Forking));
/// assert_eq!(own.name(), "mine");
/// assert!(ModelChoice::named("segmented").is_some_and(|one| one.wants_groups()));
/// ```
#[derive(Clone)]
pub struct ModelChoice {
    name: Cow<'static, str>,
    wants_groups: bool,
    make: Make,
}

impl ModelChoice {
    /// The one of plat's own that has a name.
    pub fn named(name: &str) -> Option<Self> {
        super::named(name).map(Self::from)
    }

    /// One from outside: its name in reports, and what makes it for the initial state.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        make: impl Fn(&ModelConfig) -> Box<dyn MemoryModel> + Send + Sync + 'static,
    ) -> Self {
        ModelChoice {
            name: name.into(),
            wants_groups: false,
            make: Arc::new(make),
        }
    }

    /// The same for a model that asks which group an object belongs to.
    #[must_use]
    pub fn with_groups(self) -> Self {
        ModelChoice {
            wants_groups: true,
            ..self
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it asks which group an object belongs to: only then does a program need a segment
    /// map.
    pub fn wants_groups(&self) -> bool {
        self.wants_groups
    }

    /// The model where none is named: `segmented` for a program that comes with segments, as somebody has
    /// drawn them for this; `auto` for others.
    pub fn default_for(has_segments: bool) -> Self {
        ModelChoice::from(match has_segments {
            true => super::segmented::ENTRY,
            false => super::auto::ENTRY,
        })
    }

    /// Makes the model for the initial state.
    pub fn make(&self, config: &ModelConfig) -> Box<dyn MemoryModel> {
        (self.make)(config)
    }
}

impl From<&'static Entry> for ModelChoice {
    fn from(entry: &'static Entry) -> Self {
        ModelChoice::from(*entry)
    }
}

impl From<Entry> for ModelChoice {
    fn from(entry: Entry) -> Self {
        ModelChoice {
            name: entry.name.into(),
            wants_groups: entry.wants_groups,
            make: Arc::new(entry.make),
        }
    }
}

impl fmt::Debug for ModelChoice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("ModelChoice").field(&self.name).finish()
    }
}
