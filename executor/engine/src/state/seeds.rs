//! The seeds that a state follows.

use crate::api::seeds::{Seed, Seeds};
use plat_env::is_status;
use plat_expr::Assignment;
use std::sync::Arc;

/// A seed as a state follows it.
#[derive(Clone, Debug)]
pub struct Followed {
    /// Its number, from 1, for messages.
    pub number: usize,
    /// The test case.
    pub seed: Arc<Seed>,
    /// Which of its objects were given out.
    pub used: Arc<Vec<bool>>,
    /// Its bytes by symbol; satisfies the path condition.
    pub assignment: Assignment,
}

/// Why an object of the program has no bytes in a seed.
pub enum Mismatch {
    None(String),
    Size(String, usize, usize),
}

impl Followed {
    /// The seed before any of its objects is given out.
    pub fn new(number: usize, seed: Arc<Seed>) -> Self {
        Followed {
            number,
            used: Arc::new(vec![false; seed.objects.len()]),
            seed,
            assignment: Assignment::new(),
        }
    }

    /// The bytes for the next object of this name and size.
    pub fn take(&mut self, seeds: &Seeds, name: &str, size: usize) -> Result<Vec<u8>, Mismatch> {
        let objects = &self.seed.objects;
        let partial = self.seed.partial;
        let free = |at: &usize| !self.used[*at];
        let named = |at: &usize| objects[*at].0 == name;
        let mut positions = 0..objects.len();
        let at = if seeds.by_name || partial {
            positions.find(|at| free(at) && named(at))
        } else {
            // Objects of file status, which other executors have, are passed over.
            positions.find(|at| free(at) && (named(at) || !is_status(&objects[*at].0)))
        };
        let at = match at {
            None if partial => return Ok(vec![0; size]),
            // Test cases have no objects without bytes.
            None if size == 0 => return Ok(Vec::new()),
            Some(at) if size == 0 && !objects[at].1.is_empty() => return Ok(Vec::new()),
            None => return Err(Mismatch::None(name.to_string())),
            Some(at) => at,
        };
        let used = Arc::make_mut(&mut self.used);
        used[at] = true;
        if !seeds.by_name && !partial {
            used[..at].fill(true);
        }
        let mut bytes = objects[at].1.clone();
        let fits = partial
            || bytes.len() == size
            || (bytes.len() < size && seeds.allow_extension)
            || (bytes.len() > size && seeds.allow_truncation);
        if !fits {
            return Err(Mismatch::Size(name.to_string(), size, bytes.len()));
        }
        bytes.resize(size, 0);
        Ok(bytes)
    }
}
