//! What keeps several writers of one run honest: the first file that cannot be written stops the
//! run, and the command says which.

use crate::{Error, Interrupt};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Shared by the writers of a run.
#[derive(Clone, Debug)]
pub struct Trouble {
    first: Arc<Mutex<Option<Error>>>,
    stop: Interrupt,
}

impl Trouble {
    /// None yet; `stop` ends the run.
    pub fn new(stop: Interrupt) -> Self {
        Trouble {
            first: Arc::default(),
            stop,
        }
    }

    fn first(&self) -> MutexGuard<'_, Option<Error>> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something could not be written.
    pub fn report(&self, what: impl ToString) {
        self.first()
            .get_or_insert_with(|| Error::input(what.to_string()));
        self.stop.set();
    }

    /// Whether something could not be written.
    pub fn any(&self) -> bool {
        self.first().is_some()
    }

    /// Ends the writing.
    ///
    /// # Errors
    /// When something could not be written: the first such thing.
    pub fn check(&self) -> Result<(), Error> {
        match self.first().take() {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }
}
