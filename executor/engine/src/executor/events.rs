//! The observer of a run, and the warnings that it was given.

use super::guarded_observer::GuardedObserver;
use crate::api::observe::Observer;
use std::collections::BTreeSet;

/// The observer, and warnings that it was given.
pub struct Events<'a> {
    /// The observer.
    pub observer: GuardedObserver<'a>,
    /// Warnings given, in order.
    pub warnings: Vec<String>,
    /// Texts and names that warnings were given about.
    warned: BTreeSet<String>,
}

impl<'a> Events<'a> {
    /// No warning has been given.
    pub(crate) fn new(observer: &'a mut dyn Observer) -> Self {
        Events {
            observer: GuardedObserver::new(observer),
            warnings: Vec::new(),
            warned: BTreeSet::new(),
        }
    }

    /// Gives a warning.
    pub(crate) fn warn(&mut self, text: String) {
        self.observer.warning(&text, false);
        self.warnings.push(text);
    }

    /// Gives a warning once.
    pub fn warn_once(&mut self, text: impl Into<String>) {
        let text = text.into();
        if self.warned.insert(text.clone()) {
            self.observer.warning(&text, true);
            self.warnings.push(text);
        }
    }

    /// Whether a warning about this was given.
    pub(crate) fn has_warned(&self, what: &str) -> bool {
        self.warned.contains(what)
    }

    /// Warns of something unsupported, the first time that it occurs.
    pub(crate) fn warn_first(&mut self, what: String, text: String) {
        if self.warned.insert(what.clone()) {
            self.observer.unsupported(&what, &text);
            self.warnings.push(text);
        }
    }
}
