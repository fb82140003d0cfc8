//! Debug locations, interned. An inlined instruction has the innermost location, the line that the
//! programmer wrote for it, and from there the chain of calls that were replaced.

use crate::llvm::{Metadata, Value};
use plat_program::LocId;
use plat_program::Location;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// The number of a file's name.
type FileId = usize;

/// Interns locations; entry 0 is "unknown".
pub struct LocationReader<'m> {
    list: Vec<Location>,
    ids: FxHashMap<(FileId, u32, u32, Option<LocId>), LocId>,
    nodes: FxHashMap<Metadata<'m>, LocId>,
    files: FxHashMap<Metadata<'m>, FileId>,
    names: Vec<String>,
    named: FxHashMap<String, FileId>,
}

impl<'m> LocationReader<'m> {
    pub fn new() -> Self {
        let mut reader = Self {
            list: Vec::new(),
            ids: FxHashMap::default(),
            nodes: FxHashMap::default(),
            files: FxHashMap::default(),
            names: Vec::new(),
            named: FxHashMap::default(),
        };
        let unknown = reader.name(String::new());
        reader.intern(unknown, 0, 0, None);
        reader
    }

    /// The location of an instruction.
    pub fn of_instruction(&mut self, inst: Value<'m>) -> LocId {
        inst.debug_location()
            .map_or(LocId(0), |node| self.of_node(node))
    }

    fn of_node(&mut self, node: Metadata<'m>) -> LocId {
        if let Some(&id) = self.nodes.get(&node) {
            return id;
        }
        let file = match node.file() {
            Some(file) => self.file(file),
            None => self.name(String::new()),
        };
        // The depth of inlining bounds the recursion.
        let caller = node.inlined_at();
        let inlined_at = caller.map(|node| self.of_node(node));
        let id = self.intern(file, node.line(), node.column(), inlined_at);
        self.nodes.insert(node, id);
        id
    }

    /// The location where a function or global variable is defined.
    pub fn of_definition(&mut self, global: Value<'m>) -> LocId {
        let (file, directory, line) = global.definition();
        if file.is_empty() {
            return LocId(0);
        }
        let file = self.name(join(&directory, &file));
        self.intern(file, line, 0, None)
    }

    /// The table of locations.
    pub fn into_list(self) -> Vec<Location> {
        self.list
    }

    fn file(&mut self, file: Metadata<'m>) -> FileId {
        if let Some(&known) = self.files.get(&file) {
            return known;
        }
        let id = self.name(join(&file.directory(), &file.file_name()));
        self.files.insert(file, id);
        id
    }

    fn name(&mut self, name: String) -> FileId {
        if let Some(&known) = self.named.get(&name) {
            return known;
        }
        let id = self.names.len();
        self.names.push(name.clone());
        self.named.insert(name, id);
        id
    }

    fn intern(&mut self, file: FileId, line: u32, column: u32, inlined_at: Option<LocId>) -> LocId {
        let id = LocId::new(self.list.len());
        match self.ids.entry((file, line, column, inlined_at)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                let file = self.names[file].clone();
                self.list.push(Location {
                    file,
                    line,
                    column,
                    inlined_at,
                });
                *place.insert(id)
            }
        }
    }
}

fn join(directory: &str, file: &str) -> String {
    if directory.is_empty() || file.starts_with('/') || file.is_empty() {
        file.to_owned()
    } else {
        format!("{}/{file}", directory.trim_end_matches('/'))
    }
}
