//! What keeps several writers of one run honest: the first file that cannot be written stops the
//! run, and the command says which.

use crate::failure::Failure;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Shared by the writers of a run.
#[derive(Clone, Debug)]
pub struct Trouble {
    first: Arc<Mutex<Option<Failure>>>,
    stop: Arc<AtomicBool>,
}

impl Trouble {
    /// None yet; `stop` ends the run.
    pub fn new(stop: Arc<AtomicBool>) -> Self {
        Trouble {
            first: Arc::default(),
            stop,
        }
    }

    fn first(&self) -> MutexGuard<'_, Option<Failure>> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something could not be written.
    pub fn report(&self, what: impl ToString) {
        self.first()
            .get_or_insert_with(|| Failure::input(what.to_string()));
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether something could not be written.
    pub fn any(&self) -> bool {
        self.first().is_some()
    }

    /// Ends the writing.
    ///
    /// # Errors
    /// When something could not be written: the first such thing.
    pub fn check(&self) -> Result<(), Failure> {
        match self.first().take() {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }
}
