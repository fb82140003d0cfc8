//! The segment map as a JSON file.

use crate::map::{FORMAT, SegmentMap, VERSION};
use std::fmt;
use std::path::Path;

/// Why a segment map could not be read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MapError {
    /// The file cannot be read or written: path and the system's reason.
    File(String, String),
    /// It is not a segment map or is damaged: path and why.
    Malformed(String, String),
    /// It was written in another version of the format: path and that version.
    Version(String, u32),
}

impl fmt::Display for MapError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MapError::File(path, why) => write!(out, "{path}: {why}"),
            MapError::Malformed(path, why) => write!(out, "{path}: not a segment map: {why}"),
            MapError::Version(path, version) => write!(
                out,
                "{path}: segment map of version {version}, this is version {VERSION}; segment again"
            ),
        }
    }
}

impl std::error::Error for MapError {}

#[derive(serde::Deserialize)]
struct Header {
    format: String,
    version: u32,
}

impl SegmentMap {
    /// The text of the file.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// From the text of a file; `path` is for messages.
    ///
    /// # Errors
    /// If it is not a segment map of this version.
    pub fn from_json(path: &str, text: &str) -> Result<Self, MapError> {
        let malformed = |why: String| MapError::Malformed(path.to_string(), why);
        let header: Header =
            serde_json::from_str(text).map_err(|why| malformed(why.to_string()))?;
        if header.format != FORMAT {
            return Err(malformed(format!("it says it is `{}`", header.format)));
        }
        if header.version != VERSION {
            return Err(MapError::Version(path.to_string(), header.version));
        }
        let map: SegmentMap =
            serde_json::from_str(text).map_err(|why| malformed(why.to_string()))?;
        let numbered = map
            .sites
            .iter()
            .enumerate()
            .all(|(at, site)| site.id.index() == at);
        let in_range = map.contexts.iter().all(|context| {
            !context.chain.is_empty()
                && context
                    .chain
                    .iter()
                    .all(|site| site.index() < map.sites.len())
                && context.group.is_none_or(|group| group.0 < map.groups)
        });
        if !numbered || !in_range {
            return Err(malformed("a site or group is not there".to_string()));
        }
        // A group has contexts. Otherwise the number alone would decide how much memory is taken.
        if map.groups as usize > map.contexts.len() {
            let (groups, contexts) = (map.groups, map.contexts.len());
            return Err(malformed(format!(
                "it has {groups} groups for {contexts} contexts"
            )));
        }
        Ok(map)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), MapError> {
        std::fs::write(path, self.to_json())
            .map_err(|why| MapError::File(path.display().to_string(), why.to_string()))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is not a segment map of this version.
    pub fn read(path: &Path) -> Result<Self, MapError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|why| MapError::File(name.clone(), why.to_string()))?;
        Self::from_json(&name, &text)
    }
}

#[cfg(test)]
mod tests {
    use crate::map::SegmentMap;

    #[test]
    fn groups_without_contexts_are_refused() {
        let text = r#"{"format": "plat segments", "version": 1, "program": "p", "fingerprint": "",
            "unify": "all", "sites": [], "contexts": [], "groups": 4000000000}"#;
        let why = SegmentMap::from_json("a.json", text).expect_err("no group has a context");
        assert_eq!(
            why.to_string(),
            "a.json: not a segment map: it has 4000000000 groups for 0 contexts"
        );
    }
}
