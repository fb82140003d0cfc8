//! The seeds that a state follows.

use crate::api::seeds::Seeds;
use plat_env::is_status;
use plat_expr::Assignment;
use std::sync::Arc;

/// A seed as a state follows it.
#[derive(Clone, Debug)]
pub struct Followed {
    /// Its position in [`Seeds::all`].
    pub seed: usize,
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
    /// The bytes for the next object of this name and size.
    pub fn take(&mut self, seeds: &Seeds, name: &str, size: usize) -> Result<Vec<u8>, Mismatch> {
        let objects = &seeds.all[self.seed];
        let free = |at: &usize| !self.used[*at];
        let named = |at: &usize| objects[*at].0 == name;
        let mut positions = 0..objects.len();
        let at = if seeds.by_name {
            positions.find(|at| free(at) && named(at))
        } else {
            // Objects of file status, which other executors have, are passed over.
            positions.find(|at| free(at) && (named(at) || !is_status(&objects[*at].0)))
        };
        let at = at.ok_or_else(|| Mismatch::None(name.to_string()))?;
        let used = Arc::make_mut(&mut self.used);
        used[at] = true;
        if !seeds.by_name {
            used[..at].fill(true);
        }
        let mut bytes = objects[at].1.clone();
        let fits = bytes.len() == size
            || (bytes.len() < size && seeds.allow_extension)
            || (bytes.len() > size && seeds.allow_truncation);
        if !fits {
            return Err(Mismatch::Size(name.to_string(), size, bytes.len()));
        }
        bytes.resize(size, 0);
        Ok(bytes)
    }
}
