//! A digest of a program: whether two runs execute the same one.
//!
//! It comes from the values in memory. To encode them first takes ten times as many instructions.

use crate::annotations::Annotations;
use crate::program::Program;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};
use std::hash::{BuildHasher as _, Hash, Hasher};

impl Program {
    /// A digest of everything that the program has. It is the same in all processes of one build of
    /// plat.
    pub fn digest(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

impl Hash for Program {
    fn hash<H: Hasher>(&self, to: &mut H) {
        let Program {
            name,
            types,
            constants,
            globals,
            functions,
            locations,
            constructors,
            destructors,
            function_names,
            global_names,
            annotations,
        } = self;
        (name, types, constants, globals, functions, locations).hash(to);
        (constructors, destructors, annotations).hash(to);
        unordered(function_names, to);
        unordered(global_names, to);
    }
}

impl Hash for Annotations {
    fn hash<H: Hasher>(&self, to: &mut H) {
        let Annotations {
            sites,
            contexts,
            transformed,
        } = self;
        (contexts, transformed).hash(to);
        unordered(sites, to);
    }
}

/// Hashes a map whose order depends on how it was made: by a sum over its entries.
fn unordered<K: Hash, V: Hash>(map: &FxHashMap<K, V>, to: &mut impl Hasher) {
    let entries = map.iter().map(|entry| FxBuildHasher.hash_one(entry));
    (map.len(), entries.fold(0, u64::wrapping_add)).hash(to);
}
