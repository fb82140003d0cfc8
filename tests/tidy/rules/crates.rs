//! Which crate may use which, who has LLVM, who may be unsafe; dependencies that nothing uses.

use plat_tidy::scan::Scan;
use plat_tidy::workspace::{Kind, Package, Source, none, packages, sources, sources_of};
use std::collections::BTreeMap;
use std::path::Path;

/// For each crate, the crates of this workspace that it may depend on.
const EDGES: &[(&str, &[&str])] = &[
    ("plat-basics", &[]),
    ("plat-program", &["plat-basics"]),
    ("plat-bitcode", &["plat-basics", "plat-program"]),
    ("plat-pointers", &["plat-basics", "plat-program"]),
    ("plat-taint", &["plat-program", "plat-pointers"]),
    ("plat-segments", &["plat-program", "plat-pointers"]),
    (
        "plat-transform",
        &["plat-bitcode", "plat-program", "plat-segments"],
    ),
    ("plat-protocol", &[]),
    ("plat-store", &["plat-protocol"]),
    ("plat-expr", &["plat-basics"]),
    ("plat-solver", &["plat-protocol", "plat-expr"]),
    ("plat-allocator", &[]),
    (
        "plat-memory",
        &[
            "plat-basics",
            "plat-expr",
            "plat-solver",
            "plat-allocator",
            "plat-program",
        ],
    ),
    ("plat-env", &["plat-basics", "plat-expr", "plat-program"]),
    ("plat-sandbox", &[]),
    ("plat-external", &["plat-protocol", "plat-sandbox"]),
    (
        "plat-engine",
        &[
            "plat-basics",
            "plat-program",
            "plat-protocol",
            "plat-expr",
            "plat-solver",
            "plat-allocator",
            "plat-memory",
            "plat-env",
            "plat-external",
        ],
    ),
];

/// The libraries below `plat`.
fn parts() -> Vec<&'static str> {
    EDGES.iter().map(|(name, _)| *name).collect()
}

/// What a package may use beside its row of [`EDGES`].
fn allowed(package: &str) -> Vec<&'static str> {
    let edges: BTreeMap<&str, &[&str]> = EDGES.iter().copied().collect();
    let with = |further: &[&'static str]| [&parts(), further].concat();
    match package {
        "plat" | "plat-compiled-tests" => parts(),
        "plat-report" => vec!["plat"],
        "plat-command" => with(&["plat", "plat-report"]),
        "plat-tests" => with(&["plat", "plat-command"]),
        "plat-benchmarks" => with(&["plat", "plat-report"]),
        "plat-tidy" => Vec::new(),
        _ => edges
            .get(package)
            .unwrap_or_else(|| panic!("{package} has no row in EDGES"))
            .to_vec(),
    }
}

fn wrong_edges(packages: &[Package]) -> Vec<String> {
    let mut wrong = Vec::new();
    for package in packages {
        let allowed = allowed(&package.name);
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            let ours = name == "plat" || name.starts_with("plat-");
            if ours && dependency.kind != Kind::Dev && !allowed.contains(&name) {
                wrong.push(format!("{} may not use {name}", package.name));
            }
        }
    }
    wrong
}

#[test]
fn crates_depend_only_on_what_the_architecture_allows() {
    none(&wrong_edges(packages()), "crate edges (see EDGES)");
}

/// Crates that have LLVM: the reader of bitcode and what rewrites it. No other library needs it,
/// nor do the tests of one.
const WITH_LLVM: &[&str] = &["plat-bitcode", "plat-transform"];

fn needs_llvm(packages: &[Package]) -> Vec<String> {
    let mut wrong = Vec::new();
    for package in packages {
        if !parts().contains(&package.name.as_str()) || WITH_LLVM.contains(&package.name.as_str()) {
            continue;
        }
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            if ["inkwell", "llvm-sys"].contains(&name) || WITH_LLVM.contains(&name) {
                wrong.push(format!("{} needs {name}", package.name));
            }
        }
    }
    wrong
}

#[test]
fn other_crates_and_their_tests_build_without_llvm() {
    none(&needs_llvm(packages()), "crates that need LLVM");
}

#[test]
fn only_the_reader_of_bitcode_and_the_transform_name_llvm() {
    let mut wrong = Vec::new();
    for source in sources() {
        let may =
            source.path.starts_with("transform") || source.path.starts_with("analysis/bitcode");
        let identifiers = source.scan.iter().flat_map(|scan| &scan.identifiers);
        let names = identifiers.filter(|name| ["inkwell", "llvm_sys"].contains(&name.as_str()));
        if !may && names.count() > 0 {
            wrong.push(source.path.display().to_string());
        }
    }
    none(&wrong, "LLVM is named in");
}

/// Dependencies that are not named in the code that has them.
fn unused(
    package: &Package,
    code: impl Fn(&str) -> bool,
    tests: impl Fn(&str) -> bool,
) -> Vec<String> {
    let is_unused = |name: &str, kind: Kind| match kind {
        Kind::Normal => !code(name),
        Kind::Dev => !tests(name),
        Kind::Build => false,
    };
    package
        .dependencies
        .iter()
        .filter(|dependency| is_unused(&dependency.identifier(), dependency.kind))
        .map(|dependency| format!("{}: {}", package.name, dependency.name))
        .collect()
}

#[test]
fn every_dependency_is_used() {
    let mut wrong = Vec::new();
    for (number, package) in packages().iter().enumerate() {
        // Packages of tests and measurements have them everywhere.
        let is_shipped =
            !package.folder.starts_with("tests") && package.folder != Path::new("benchmarks");
        let scans = |shipped: bool| {
            let sources = sources_of(number).filter(move |source| !shipped || source.is_shipped());
            sources.filter_map(|source| source.scan.as_ref())
        };
        let in_code = |name: &str| scans(is_shipped).any(|scan| names(scan, name, !is_shipped));
        let anywhere = |name: &str| scans(false).any(|scan| names(scan, name, true));
        wrong.extend(unused(package, in_code, anywhere));
    }
    none(&wrong, "dependencies that nothing uses");
}

/// Whether code names a crate.
fn names(scan: &Scan, name: &str, in_unit_tests: bool) -> bool {
    let paths = scan.named.iter().map(|named| &named.path);
    let mut paths = paths.chain(scan.imports.iter().map(|import| &import.path));
    paths.any(|path| path[0] == name)
        || scan.in_attributes.contains(name)
        || in_unit_tests && scan.identifiers.contains(name)
}

/// Files that may be unsafe: edges to LLVM, to the operating system and to machine code.
const UNSAFE: &[&str] = &[
    "analysis/bitcode/src",
    "transform/src",
    "executor/external/src",
    "executor/sandbox/src",
    "executor/engine/src/workers/process.rs",
    "executor/protocol/src/fork.rs",
    "executor/env/tests/environment",
    "driver/command/src/main.rs",
    "driver/command/src/allocator.rs",
    "benchmarks/src",
];

fn is_unsafe_allowed(path: &Path) -> bool {
    UNSAFE.iter().any(|may| path.starts_with(may))
}

#[test]
fn only_edges_are_unsafe() {
    let mut wrong = Vec::new();
    for source in sources() {
        for line in source.scan.iter().flat_map(|scan| &scan.unsafe_lines) {
            if !is_unsafe_allowed(&source.path) {
                wrong.push(format!("{}:{line}", source.path.display()));
            }
        }
    }
    for may in UNSAFE {
        let mut files = sources()
            .iter()
            .filter(|source| source.path.starts_with(may));
        let is_used =
            |source: &Source| source.scan.iter().any(|scan| !scan.unsafe_lines.is_empty());
        if !files.any(is_used) {
            wrong.push(format!("{may} needs no permission any more"));
        }
    }
    none(&wrong, "unsafe code (see UNSAFE)");
}

#[test]
fn crates_without_unsafe_code_forbid_it() {
    let mut wrong = Vec::new();
    for package in packages() {
        let may = UNSAFE.iter().any(|may| {
            let may = Path::new(may);
            may.starts_with(package.folder.join("src"))
        });
        let root = package.folder.join("src/lib.rs");
        let scan = sources().iter().find(|source| source.path == root);
        let forbids = scan
            .and_then(|source| source.scan.as_ref())
            .map(|scan| scan.forbids_unsafe);
        if !may && forbids == Some(false) {
            wrong.push(root.display().to_string());
        }
    }
    none(&wrong, "these begin without #![forbid(unsafe_code)]");
}

mod bad_examples {
    use super::*;
    use plat_tidy::workspace::Dependency;

    fn package(name: &str, dependencies: &[(&str, Kind)]) -> Package {
        let dependency = |&(name, kind): &(&str, Kind)| Dependency {
            name: name.to_string(),
            kind,
        };
        Package {
            name: name.to_string(),
            folder: "executor/memory".into(),
            dependencies: dependencies.iter().map(dependency).collect(),
        }
    }

    #[test]
    fn an_edge_upwards_is_refused() {
        let memory = package(
            "plat-memory",
            &[
                ("plat-engine", Kind::Normal),
                ("plat-expr", Kind::Normal),
                ("plat-bitcode", Kind::Dev),
            ],
        );
        let packages = [memory, package("plat-engine", &[("plat", Kind::Build)])];
        assert_eq!(
            wrong_edges(&packages),
            [
                "plat-memory may not use plat-engine",
                "plat-engine may not use plat"
            ]
        );
        assert_eq!(needs_llvm(&packages), ["plat-memory needs plat-bitcode"]);
    }

    #[test]
    fn an_unused_dependency_is_found() {
        let memory = package(
            "plat-memory",
            &[
                ("plat-expr", Kind::Normal),
                ("serde_json", Kind::Normal),
                ("proptest", Kind::Dev),
            ],
        );
        let text = "use plat_expr::Pool; #[cfg(test)] mod tests { use serde_json::Value; use proptest::x; }";
        let scan = plat_tidy::scan::scan(text).expect("Rust");
        let found = unused(
            &memory,
            |name| names(&scan, name, false),
            |name| scan.identifiers.contains(name),
        );
        assert_eq!(found, ["plat-memory: serde_json"]);
    }

    #[test]
    fn unsafe_code_is_found_and_its_word_in_a_text_is_not() {
        let text = "#![forbid(unsafe_code)]\n// unsafe\nfn f() { \"unsafe\"; unsafe { g() } }\n#[unsafe(no_mangle)]\nfn h() {}";
        let scan = plat_tidy::scan::scan(text).expect("Rust");
        assert_eq!(scan.unsafe_lines, [3, 4]);
        assert!(scan.forbids_unsafe);
        assert!(!is_unsafe_allowed("executor/memory/src/state.rs".as_ref()));
    }
}
