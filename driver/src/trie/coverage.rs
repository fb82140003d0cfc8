//! What runs have covered, as a file: so that pieces of work that are explored at the same time learn of
//! each other's coverage, and none goes after what another one has reached.

use super::Trie;
use crate::Error;
use crate::input::{self, Kind};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Instructions and branches of one program that were covered.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Coverage {
    /// The hash of the program, as the header of its tries has it.
    pub program: String,
    /// Instructions, by number.
    pub instructions: Vec<u32>,
    /// Directions of branches, by number, each bit one.
    pub branches: Vec<(u32, u8)>,
}

impl Trie {
    /// What the run has covered, each instruction and branch once.
    pub fn coverage(&self) -> Coverage {
        let mut instructions = self.covered.clone();
        instructions.sort_unstable();
        instructions.dedup();
        let mut branches = self.branches.clone();
        branches.sort_unstable();
        branches.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 |= next.1;
            }
            same
        });
        Coverage {
            program: self.header.program.clone(),
            instructions,
            branches,
        }
    }
}

impl Coverage {
    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a file that has it.
    ///
    /// # Errors
    /// When it cannot be read, or is none.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = input::read_text(path, Kind::Result)?;
        serde_json::from_str(&text).map_err(|why| {
            Error::input(format!(
                "{}: not what `plat trie coverage` prints: {why}",
                path.display()
            ))
        })
    }

    /// Reads a file that is to have it of this program.
    ///
    /// # Errors
    /// When it cannot be read, or is of another program.
    pub fn of_program(path: &Path, program: &str) -> Result<Self, Error> {
        let coverage = Self::read(path)?;
        match coverage.program == program {
            true => Ok(coverage),
            false => Err(Error::input(format!(
                "{}: is the coverage of another program",
                path.display()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_branch_is_there_once_with_all_its_directions() {
        let trie = Trie {
            covered: vec![7, 3, 7],
            branches: vec![(4, 1), (2, 2), (4, 2)],
            ..Trie::default()
        };
        let coverage = trie.coverage();
        assert_eq!(coverage.instructions, [3, 7]);
        assert_eq!(coverage.branches, [(2, 2), (4, 3)]);
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("coverage.json");
        std::fs::write(&file, coverage.to_json()).expect("written");
        assert_eq!(Coverage::of_program(&file, "").expect("read"), coverage);
        let other = Coverage::of_program(&file, "another").expect_err("another program");
        assert!(other.to_string().contains("of another program"), "{other}");
        std::fs::write(&file, "{").expect("written");
        Coverage::read(&file).expect_err("cut off");
    }
}
