//! The form of files: a head, few lines, small structures, short import cycles, nothing left for
//! later.

use plat_tidy::imports::Modules;
use plat_tidy::scan::{Scan, Struct};
use plat_tidy::workspace::{none, packages, sources, sources_of};
use std::path::Path;

/// Longest file, not counting its tests.
const LINES: usize = 600;

/// Most fields of a structure.
const FIELDS: usize = 15;

/// Most modules of which each uses, directly or through others, each other one.
const CYCLE: usize = 5;

#[test]
fn every_file_opens_with_what_it_is() {
    let headless = sources().iter().filter(|source| !has_head(&source.text));
    let headless: Vec<String> = headless
        .map(|source| source.path.display().to_string())
        .collect();
    none(&headless, "files without a module head");
}

fn has_head(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.starts_with("//! ") && !first.contains("(module head to come)")
}

#[test]
fn no_file_is_too_long() {
    let mut long = Vec::new();
    for source in sources() {
        let lines = lines(&source.text);
        if lines > LINES {
            long.push(format!("{}: {lines} lines", source.path.display()));
        }
    }
    none(&long, "files that are too long");
}

fn lines(text: &str) -> usize {
    text.lines()
        .take_while(|line| *line != "#[cfg(test)]")
        .count()
}

/// Larger structures that are known, with their fields, by file and name; the list may only become
/// shorter. Options of the command line and rows of counters are lists in themselves.
const KNOWN_STRUCTURES: &[(&str, &str, usize)] = &[
    ("definition/datalog/facts.rs", "Facts", 16),
    ("definition/datalog/mod.rs", "Derived", 26),
    ("pointers/src/extract/mod.rs", "Extractor", 20),
    ("report/points_to.rs", "PointsTo", 19),
    ("program/src/function.rs", "Function", 24),
    ("args/execution.rs", "ExecutionArgs", 24),
    ("args/files.rs", "FileArgs", 22),
    ("output/summary.rs", "Summary", 27),
    ("api/outcome.rs", "TestRecord", 24),
    ("api/summary.rs", "Counts", 26),
    ("solver/src/stats.rs", "SolverStats", 17),
];

fn known_fields(path: &Path, name: &str) -> Option<usize> {
    let known = KNOWN_STRUCTURES.iter();
    let mut known = known.filter(|(file, structure, _)| path.ends_with(file) && *structure == name);
    known.next().map(|(_, _, fields)| *fields)
}

#[test]
fn no_structure_has_too_many_fields() {
    let mut wrong = Vec::new();
    let mut known = 0;
    for source in sources() {
        for found in source.scan.iter().flat_map(too_large) {
            let told = known_fields(&source.path, &found.name);
            known += usize::from(told.is_some());
            if told != Some(found.fields) {
                let path = source.path.display();
                wrong.push(format!(
                    "{path}:{}: {} has {} fields",
                    found.line, found.name, found.fields
                ));
            }
        }
    }
    none(
        &wrong,
        "structures that are too large, or not as large as listed",
    );
    assert_eq!(
        known,
        KNOWN_STRUCTURES.len(),
        "known structures that are gone"
    );
}

fn too_large(scan: &Scan) -> impl Iterator<Item = &Struct> {
    scan.structs.iter().filter(|found| found.fields > FIELDS)
}

#[test]
fn modules_do_not_all_use_each_other() {
    let mut wrong = Vec::new();
    for (number, package) in packages().iter().enumerate() {
        let folder = package.folder.join("src");
        let files = sources_of(number).filter_map(|source| {
            let path = source.path.strip_prefix(&folder).ok()?;
            Some((path, source.scan.as_ref()?))
        });
        let mut files: Vec<(&Path, &Scan)> = files.collect();
        // Beside a library, the root of a command is another crate.
        if files.iter().any(|(path, _)| path == &Path::new("lib.rs")) {
            files.retain(|(path, _)| path != &Path::new("main.rs"));
        }
        for cycle in Modules::new(files).cycles() {
            if cycle.len() > CYCLE {
                let (size, names) = (cycle.len(), cycle.join(", "));
                wrong.push(format!("{}: {size} modules: {names}", package.name));
            }
        }
    }
    none(&wrong, "import cycles");
}

// In pieces, so that this file does not name what it looks for.
const UNFINISHED: &[[&str; 2]] = &[
    ["TO", "DO"],
    ["FIX", "ME"],
    ["unimpl", "emented!"],
    ["to", "do!("],
];

#[test]
fn nothing_is_left_for_later() {
    let mut left = Vec::new();
    for source in sources() {
        for mark in unfinished(&source.text) {
            left.push(format!("{}: {mark}", source.path.display()));
        }
    }
    none(&left, "left for later");
}

fn unfinished(text: &str) -> impl Iterator<Item = String> {
    let marks = UNFINISHED.iter().map(|mark| mark.concat());
    marks.filter(move |mark| text.contains(mark))
}

#[test]
fn bad_examples_are_refused() {
    assert!(has_head("//! What it is.\nuse a;"));
    assert!(!has_head("use a;\n//! What it is."));
    assert_eq!(lines("a\nb\n#[cfg(test)]\nmod tests {}\n"), 2);
    let text = format!("// {}{}: later", "TO", "DO");
    assert_eq!(unfinished(&text).count(), 1);
    let fields: String = (0..16).map(|n| format!("pub f{n}: u8, ")).collect();
    let text = format!("struct Small {{ f: u8 }} struct Large {{ {fields} }}");
    let scan = plat_tidy::scan::scan(&text).expect("Rust");
    let large: Vec<&str> = too_large(&scan).map(|found| found.name.as_str()).collect();
    assert_eq!(large, ["Large"]);
}
