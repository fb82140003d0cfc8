//! Debug locations, interned. An inlined instruction keeps the innermost location: the line that
//! the programmer wrote for it.

use super::llvm::{Metadata, Value};
use crate::function::Location;
use crate::ids::LocId;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Interns locations; entry 0 is "unknown".
pub struct LocationReader<'m> {
    list: Vec<Location>,
    ids: FxHashMap<Location, LocId>,
    nodes: FxHashMap<Metadata<'m>, LocId>,
    files: FxHashMap<Metadata<'m>, Arc<str>>,
}

impl<'m> LocationReader<'m> {
    pub fn new() -> Self {
        let unknown = Location::default();
        Self {
            ids: FxHashMap::from_iter([(unknown.clone(), LocId(0))]),
            list: vec![unknown],
            nodes: FxHashMap::default(),
            files: FxHashMap::default(),
        }
    }

    /// The location of an instruction.
    pub fn of_instruction(&mut self, inst: Value<'m>) -> LocId {
        let Some(node) = inst.debug_location() else {
            return LocId(0);
        };
        if let Some(&id) = self.nodes.get(&node) {
            return id;
        }
        let file = node
            .file()
            .map_or_else(|| Arc::from(""), |file| self.file(file));
        let id = self.intern(Location {
            file: file.to_string(),
            line: node.line(),
            column: node.column(),
        });
        self.nodes.insert(node, id);
        id
    }

    /// The location where a function or global variable is defined.
    pub fn of_definition(&mut self, global: Value<'m>) -> LocId {
        let (file, directory, line) = global.definition();
        if file.is_empty() {
            return LocId(0);
        }
        self.intern(Location {
            file: join(&directory, &file),
            line,
            column: 0,
        })
    }

    /// The table of locations.
    pub fn into_list(self) -> Vec<Location> {
        self.list
    }

    fn file(&mut self, file: Metadata<'m>) -> Arc<str> {
        let entry = self.files.entry(file);
        entry
            .or_insert_with(|| join(&file.directory(), &file.file_name()).into())
            .clone()
    }

    fn intern(&mut self, location: Location) -> LocId {
        if let Some(&id) = self.ids.get(&location) {
            return id;
        }
        let id = LocId::new(self.list.len());
        self.list.push(location.clone());
        self.ids.insert(location, id);
        id
    }
}

fn join(directory: &str, file: &str) -> String {
    if directory.is_empty() || file.starts_with('/') || file.is_empty() {
        file.to_owned()
    } else {
        format!("{}/{file}", directory.trim_end_matches('/'))
    }
}
