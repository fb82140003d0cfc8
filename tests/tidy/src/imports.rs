//! Which modules of a crate use which: imports and qualified names, followed through re-exports to
//! the module that defines what is named.
//!
//! A module's use of its own parts counts as none: the list of a family in its `mod.rs` names the
//! members, and each member names the trait. What parts use of their whole counts.

use crate::scan::Scan;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The modules of a crate that have a file, by their paths: the root's is empty.
pub struct Modules<'s> {
    scans: BTreeMap<Vec<String>, &'s Scan>,
    /// What names have led to; nothing while it is looked for, which ends circles of re-exports.
    found: RefCell<HashMap<Name, Option<Found>>>,
}

/// A module, and a name in it.
type Name = (Vec<String>, String);

/// What a name leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Found {
    Module(Vec<String>),
    /// Something that this module defines.
    Defined(Vec<String>),
}

impl<'s> Modules<'s> {
    /// From files, with their paths relative to the folder of the crate's root file. Modules for
    /// unit tests are left out.
    pub fn new(files: impl IntoIterator<Item = (&'s Path, &'s Scan)>) -> Self {
        let mut scans: BTreeMap<Vec<String>, &Scan> = files
            .into_iter()
            .map(|(path, scan)| (module_of(path), scan))
            .collect();
        let for_tests: Vec<Vec<String>> = scans
            .iter()
            .flat_map(|(module, scan)| {
                let child =
                    |name: &String| [module.as_slice(), std::slice::from_ref(name)].concat();
                scan.test_modules.iter().map(child)
            })
            .collect();
        scans.retain(|module, _| !for_tests.iter().any(|test| module.starts_with(test)));
        Modules {
            scans,
            found: RefCell::default(),
        }
    }

    /// Groups of modules that use each other, directly or through others, with more than one member.
    pub fn cycles(&self) -> Vec<Vec<String>> {
        let modules: Vec<&Vec<String>> = self.scans.keys().collect();
        let number = |module: &[String]| modules.binary_search_by(|m| m.as_slice().cmp(module));
        let mut graph = DiGraphMap::<usize, ()>::new();
        for (user, module) in modules.iter().enumerate() {
            for used in self.uses(module) {
                graph.add_edge(user, number(&used).expect("a module"), ());
            }
        }
        let groups = tarjan_scc(&graph)
            .into_iter()
            .filter(|group| group.len() > 1);
        let mut cycles: Vec<Vec<String>> = groups
            .map(|group| {
                let mut names: Vec<String> = group
                    .into_iter()
                    .map(|module| modules[module].join("::"))
                    .collect();
                names.sort();
                names
            })
            .collect();
        cycles.sort_by_key(|cycle| std::cmp::Reverse(cycle.len()));
        cycles
    }

    /// The modules that a module uses.
    pub fn uses(&self, module: &[String]) -> Vec<Vec<String>> {
        let scan = self.scans[module];
        // What is exported and not used here is no use; what is not exported is used.
        let imports = scan.imports.iter().filter(|import| !import.is_exported);
        let imported = imports
            .filter(|import| import.name.is_some())
            .map(|import| &import.path);
        let named = scan.named.iter().map(|named| &named.path);
        let mut used: Vec<Vec<String>> = imported
            .chain(named)
            .filter_map(|path| match self.resolve(module, path)? {
                Found::Defined(other) if !other.starts_with(module) => Some(other),
                _ => None,
            })
            .collect();
        used.sort();
        used.dedup();
        used
    }

    fn resolve(&self, module: &[String], path: &[String]) -> Option<Found> {
        let mut path = path;
        let mut at = match path.first()?.as_str() {
            "crate" => {
                path = &path[1..];
                Vec::new()
            }
            "self" => {
                path = &path[1..];
                module.to_vec()
            }
            _ => module.to_vec(),
        };
        while path.first().is_some_and(|step| step == "super") {
            at.pop();
            path = &path[1..];
        }
        for step in path {
            match self.find(&at, step)? {
                Found::Module(next) => at = next,
                defined => return Some(defined),
            }
        }
        Some(Found::Module(at))
    }

    /// What a name means in a module.
    fn find(&self, module: &[String], name: &str) -> Option<Found> {
        let key = (module.to_vec(), name.to_string());
        if let Some(found) = self.found.borrow().get(&key) {
            return found.clone();
        }
        self.found.borrow_mut().insert(key.clone(), None);
        let found = self.look_up(module, name);
        self.found.borrow_mut().insert(key, found.clone());
        found
    }

    fn look_up(&self, module: &[String], name: &str) -> Option<Found> {
        let scan = self.scans.get(module)?;
        let child = [module, &[name.to_string()]].concat();
        if self.scans.contains_key(&child) {
            return Some(Found::Module(child));
        }
        if scan.defines.contains(name) {
            return Some(Found::Defined(module.to_vec()));
        }
        let mut imports = scan.imports.iter();
        if let Some(import) = imports.find(|import| import.name.as_deref() == Some(name)) {
            return self.resolve(module, &import.path);
        }
        let all = scan.imports.iter().filter(|import| import.name.is_none());
        all.filter_map(|import| self.resolve(module, &import.path))
            .find_map(|from| match from {
                Found::Module(other) => self.find(&other, name),
                Found::Defined(_) => None,
            })
    }
}

/// `a/b.rs` and `a/b/mod.rs` are `a::b`; the root file has no name.
fn module_of(path: &Path) -> Vec<String> {
    let part = |part: std::path::Component<'_>| part.as_os_str().to_string_lossy().into_owned();
    let mut module: Vec<String> = path.with_extension("").components().map(part).collect();
    let last = module.last().map(String::as_str);
    if matches!(last, Some("mod")) || module.len() == 1 && matches!(last, Some("lib" | "main")) {
        module.pop();
    }
    module
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::scan;

    fn cycles(files: &[(&str, &str)]) -> Vec<String> {
        let scans: Vec<(&Path, Scan)> = files
            .iter()
            .map(|(path, text)| (Path::new(*path), scan(text).expect("Rust")))
            .collect();
        let modules = Modules::new(scans.iter().map(|(path, scan)| (*path, scan)));
        modules
            .cycles()
            .iter()
            .map(|cycle| cycle.join(" "))
            .collect()
    }

    #[test]
    fn a_cycle_is_found_through_imports_and_qualified_names() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::B; pub struct A(B);"),
            ("b.rs", "pub struct B; fn f() { crate::c::g() }"),
            ("c.rs", "pub fn g() { let _: super::a::A; }"),
        ];
        assert_eq!(cycles(&files), ["a b c"]);
    }

    #[test]
    fn re_exports_lead_to_what_defines() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use a::A;"),
            ("a/mod.rs", "mod inner; pub use inner::*;"),
            ("a/inner.rs", "use crate::b::B; pub struct A(B);"),
            ("b.rs", "pub struct B; impl B { fn f(_: crate::A) {} }"),
        ];
        assert_eq!(cycles(&files), ["a::inner b"]);
    }

    #[test]
    fn what_is_only_re_exported_is_not_used() {
        let a = ("a.rs", "use crate::b::B; pub struct A(B);");
        let root = ("lib.rs", "mod a; mod b;");
        let files = [root, a, ("b.rs", "pub use crate::a::A; pub struct B;")];
        assert_eq!(cycles(&files), [""; 0]);
        let used = "pub use crate::a::A; pub struct B; fn f(_: A) {}";
        assert_eq!(cycles(&[root, a, ("b.rs", used)]), ["a b"]);
    }

    #[test]
    fn a_list_of_parts_is_no_cycle_and_parts_that_use_each_other_are() {
        let root = (
            "lib.rs",
            "mod a; mod b; pub struct Entry; const ALL: &[Entry] = &[a::E, b::E];",
        );
        let a = ("a.rs", "use crate::Entry; pub const E: Entry = Entry;");
        let b = ("b.rs", "use crate::Entry; pub const E: Entry = Entry;");
        assert_eq!(cycles(&[root, a, b]), [""; 0]);
        let a = (
            "a.rs",
            "use crate::Entry; pub const E: Entry = crate::b::E;",
        );
        let b = (
            "b.rs",
            "use crate::Entry; pub const E: Entry = super::a::E;",
        );
        assert_eq!(cycles(&[root, a, b]), ["a b"]);
    }

    #[test]
    fn names_from_the_parent_are_those_of_the_parent_s_imports() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            (
                "a/mod.rs",
                "use crate::b::B; mod child; fn f(_: B) { child::g() }",
            ),
            ("a/child.rs", "use super::*; pub fn g() { let _: B; }"),
            ("b.rs", "pub struct B; fn f() { crate::a::child::g() }"),
        ];
        assert_eq!(cycles(&files), ["a::child b"]);
    }

    #[test]
    fn unit_tests_make_no_cycle() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub struct A; #[cfg(test)] mod tests;"),
            ("a/tests.rs", "use crate::b::B; use super::A;"),
            (
                "b.rs",
                "use crate::a::A; pub struct B(A); #[cfg(test)] mod tests { use crate::a::A; }",
            ),
        ];
        assert_eq!(cycles(&files), [""; 0]);
    }
}
