//! The `.pts` file: a [`PointsTo`] as JSON.

use crate::report::points_to::{FORMAT, PointsTo, VERSION};
use std::fmt;
use std::path::Path;

/// Why a points-to file could not be read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileError {
    /// The file cannot be read or written: path and the system's reason.
    File(String, String),
    /// It is no points-to file or is damaged: path and why.
    Malformed(String, String),
    /// It was written in another version of the format: path and that version.
    Version(String, u32),
    /// It was made for another program: path and the program that it names.
    Stale(String, String),
}

impl fmt::Display for FileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::File(path, why) => write!(out, "{path}: {why}"),
            FileError::Malformed(path, why) => write!(out, "{path}: not a points-to file: {why}"),
            FileError::Version(path, version) => write!(
                out,
                "{path}: points-to file of version {version}, this is version {VERSION}; analyze again"
            ),
            FileError::Stale(path, program) => {
                write!(
                    out,
                    "{path}: made for another program ({program}); analyze again"
                )
            }
        }
    }
}

impl std::error::Error for FileError {}

#[derive(serde::Deserialize)]
struct Header {
    format: String,
    version: u32,
}

impl PointsTo {
    /// As it is written to a file.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// From the text of a file; `path` is for messages.
    ///
    /// # Errors
    /// If it is not a points-to file of this version.
    pub fn from_json(path: &str, text: &str) -> Result<Self, FileError> {
        let malformed = |why: String| FileError::Malformed(path.to_string(), why);
        let header: Header =
            serde_json::from_str(text).map_err(|why| malformed(why.to_string()))?;
        if header.format != FORMAT {
            return Err(malformed(format!("it says it is `{}`", header.format)));
        }
        if header.version != VERSION {
            return Err(FileError::Version(path.to_string(), header.version));
        }
        let result: PointsTo =
            serde_json::from_str(text).map_err(|why| malformed(why.to_string()))?;
        result.verify().map_err(malformed)?;
        Ok(result)
    }

    /// Checks that all positions lie in their tables.
    fn verify(&self) -> Result<(), String> {
        let (sets, objects) = (self.sets.len(), self.objects.len());
        if self
            .sets
            .iter()
            .flatten()
            .any(|&object| object as usize >= objects)
        {
            return Err("a set names an object that is not there".to_string());
        }
        let mut calls = self.objects.iter().flat_map(|object| object.call_string());
        if calls.any(|&site| site as usize >= self.sites.len()) {
            return Err("an object names a call that is not there".to_string());
        }
        let used = self.registers.values().flatten().map(|&(_, set)| set);
        let used = used.chain(self.dereferences.iter().map(|&(_, set)| set));
        let mut used = used.chain(
            self.pointer_sets
                .iter()
                .chain(&self.dereferenced_sets)
                .copied()
                .chain(self.heap_dereferences.iter().map(|&(_, set)| set))
                .chain(self.symbolic.iter().flatten().map(|&(_, set)| set)),
        );
        if used.any(|set| set as usize >= sets) {
            return Err("a pointer names a set that is not there".to_string());
        }
        let mut called = self.calls.iter().map(|&(_, callees)| callees as usize);
        if called.any(|callees| callees >= self.callees.len()) {
            return Err("a call names a set of functions that is not there".to_string());
        }
        Ok(())
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        std::fs::write(path, self.to_json())
            .map_err(|why| FileError::File(path.display().to_string(), why.to_string()))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is not a points-to file of this version.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|why| FileError::File(name.clone(), why.to_string()))?;
        Self::from_json(&name, &text)
    }

    /// Whether it was made for this program.
    ///
    /// # Errors
    /// [`FileError::Stale`] if not; `path` is for the message.
    pub fn matches(&self, program: &plat_program::Program, path: &str) -> Result<(), FileError> {
        if self.fingerprint == crate::report::fingerprint::fingerprint(program) {
            return Ok(());
        }
        Err(FileError::Stale(path.to_string(), self.program.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_versions_and_damaged_ones_are_refused() {
        let whole = serde_json::json!({
            "format": FORMAT, "version": VERSION, "program": "p", "fingerprint": "",
            "sites": [], "objects": [], "sets": [[]], "registers": {}, "dereferences": [],
            "pointer_sets": [], "dereferenced_sets": [], "heap_dereferences": [], "symbolic": null,
            "calls": [[7, 0]], "callees": [[1, 2]], "cloned": [], "summarised": [], "unknown": [],
            "statistics": crate::report::statistics::Statistics::default(),
        });
        let read = |changed: &serde_json::Value| PointsTo::from_json("f", &changed.to_string());
        assert_eq!(
            read(&whole).unwrap().targets(plat_program::InstId(7)).len(),
            2
        );
        let mut damaged = whole.clone();
        damaged["calls"] = serde_json::json!([[7, 1]]);
        assert!(matches!(read(&damaged), Err(FileError::Malformed(..))));
        let mut damaged = whole.clone();
        damaged["objects"] = serde_json::json!([{"kind": "heap", "chain": [0]}]);
        assert!(matches!(read(&damaged), Err(FileError::Malformed(..))));
        // What the version before wrote.
        let mut old = whole;
        old["version"] = 2.into();
        old["calls"] = serde_json::json!([[7, [1, 2]]]);
        let said = read(&old).unwrap_err().to_string();
        assert!(
            said.contains("of version 2") && said.ends_with("analyze again"),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1);
    }
}
