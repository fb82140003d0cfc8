//! The architecture's rules that a machine can check.

use plat_tests::root;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// For each crate, the crates of this workspace that it may depend on.
const EDGES: &[(&str, &[&str])] = &[
    ("plat-program", &[]),
    ("plat-pointers", &["plat-program"]),
    ("plat-taint", &["plat-program", "plat-pointers"]),
    ("plat-segments", &["plat-program", "plat-pointers"]),
    ("plat-transform", &["plat-program", "plat-segments"]),
    ("plat-expr", &[]),
    ("plat-solver", &["plat-expr"]),
    ("plat-allocator", &[]),
    (
        "plat-memory",
        &["plat-expr", "plat-solver", "plat-allocator", "plat-program"],
    ),
    ("plat-env", &["plat-expr", "plat-program"]),
    ("plat-external", &[]),
    (
        "plat-engine",
        &[
            "plat-program",
            "plat-expr",
            "plat-solver",
            "plat-allocator",
            "plat-memory",
            "plat-env",
            "plat-external",
        ],
    ),
];

/// Longest file, not counting its tests.
const LONGEST: usize = 600;

fn manifests() -> Vec<(PathBuf, String)> {
    let folders = [
        "analysis/program",
        "analysis/pointers",
        "analysis/taint",
        "analysis/segments",
        "transform",
        "executor/expr",
        "executor/solver",
        "executor/allocator",
        "executor/memory",
        "executor/env",
        "executor/external",
        "executor/engine",
    ];
    let read = |folder: &str| {
        let path = root().join(folder).join("Cargo.toml");
        let text = std::fs::read_to_string(&path).expect("a manifest");
        (path, text)
    };
    folders.into_iter().map(read).collect()
}

/// Names of this workspace's crates in a table of a manifest.
fn own_dependencies(manifest: &str, table: &str) -> Vec<String> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.trim() == table;
        } else if inside && line.starts_with("plat") {
            let end = line.find(['.', ' ', '=']).unwrap_or(line.len());
            names.push(line[..end].to_string());
        }
    }
    names
}

#[test]
fn crates_depend_only_on_what_the_architecture_allows() {
    let allowed: BTreeMap<&str, &[&str]> = EDGES.iter().copied().collect();
    for (path, manifest) in manifests() {
        let name = manifest
            .lines()
            .find_map(|line| line.strip_prefix("name = \""))
            .map(|rest| rest.trim_end_matches('"'))
            .expect("a name");
        for dependency in own_dependencies(&manifest, "[dependencies]") {
            assert!(
                allowed[name].contains(&dependency.as_str()),
                "{}: {name} may not depend on {dependency}",
                path.display()
            );
        }
    }
}

/// All Rust files of the workspace.
fn sources() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for folder in [
        "analysis",
        "transform",
        "executor",
        "driver",
        "tests",
        "benchmarks",
    ] {
        walk(&root().join(folder), &mut files);
    }
    files.sort();
    assert!(files.len() > 50, "the sources are elsewhere");
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a source file");
        (path, text)
    };
    files.into_iter().map(read).collect()
}

fn walk(directory: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("target") && !path.ends_with("build") {
            walk(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn every_file_opens_with_what_it_is() {
    for (path, text) in sources() {
        let first = text.lines().next().unwrap_or_default();
        assert!(
            first.starts_with("//! ") && !first.contains("(module head to come)"),
            "{}: no module head",
            path.display()
        );
    }
}

#[test]
fn no_file_is_too_long() {
    let mut long = Vec::new();
    for (path, text) in sources() {
        let lines = text
            .lines()
            .take_while(|line| *line != "#[cfg(test)]")
            .count();
        if lines > LONGEST {
            long.push(format!("{}: {lines} lines", path.display()));
        }
    }
    assert!(
        long.is_empty(),
        "longer than {LONGEST} lines:\n{}",
        long.join("\n")
    );
}

#[test]
fn only_the_reader_and_the_transform_name_llvm() {
    for (path, text) in sources() {
        let relative = path
            .strip_prefix(root())
            .expect("below the root")
            .to_path_buf();
        let may = relative.starts_with("transform")
            || relative.starts_with("analysis/program/src/reader")
            || relative.starts_with("analysis/program/src/reader.rs")
            || relative.starts_with("tests/suite/tidy.rs");
        let names = ["inkwell", "llvm_sys"]
            .iter()
            .any(|name| text.contains(name));
        assert!(may || !names, "{}: names LLVM", path.display());
    }
}

#[test]
fn nothing_is_left_for_later() {
    // In two halves, so that this file does not name what it looks for.
    let marks = [
        ["TO", "DO"],
        ["FIX", "ME"],
        ["unimpl", "emented!"],
        ["to", "do!("],
    ];
    for (path, text) in sources() {
        for [left, right] in marks {
            let mark = format!("{left}{right}");
            assert!(!text.contains(&mark), "{}: {mark}", path.display());
        }
    }
}

/// All Markdown files of the repository.
fn documents() -> Vec<(PathBuf, String)> {
    let mut pending = vec![root()];
    let mut files = Vec::new();
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let made = name.starts_with('.') || name == "target" || name == "build";
            if path.is_dir() && !made {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 40, "the documents are elsewhere");
    files.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a document");
        (path, text)
    };
    files.into_iter().map(read).collect()
}

/// The lines of a document outside of code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence && !line.starts_with("    ")
    })
}

/// The anchors that a reader of Markdown makes of a document's headings.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        });
        kept.collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_in_documents_lead_somewhere() {
    let mut broken = Vec::new();
    for (path, text) in documents() {
        for line in prose(&text) {
            for link in line.split("](").skip(1) {
                let link = link.split(')').next().unwrap_or_default();
                if link.contains("://") {
                    continue;
                }
                let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
                let target = match file {
                    "" => path.clone(),
                    _ => path.parent().expect("a directory").join(file),
                };
                let found = match std::fs::read_to_string(&target) {
                    Ok(text) => anchor.is_empty() || anchors(&text).iter().any(|a| a == anchor),
                    Err(_) => anchor.is_empty() && target.exists(),
                };
                if !found {
                    broken.push(format!("{}: {link}", path.display()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

/// Folders at the root. What begins with one of them, in code quotes, is taken for a path.
const FOLDERS: &[&str] = &[
    ".ci",
    "analysis",
    "benchmarks",
    "docs",
    "driver",
    "executor",
    "scripts",
    "tests",
    "transform",
];

#[test]
fn paths_in_documents_exist() {
    let mut missing = Vec::new();
    let mut seen = 0;
    for (path, text) in documents() {
        for line in prose(&text) {
            for quoted in line.split('`').skip(1).step_by(2) {
                let named = quoted.split(['#', ':']).next().unwrap_or_default();
                let folder = named.split('/').next().unwrap_or_default();
                let is_path = named.contains('/')
                    && FOLDERS.contains(&folder)
                    && !named.contains(['*', ' ', '<', '{', '$']);
                // What a build leaves is not in the repository.
                let made = named
                    .split('/')
                    .any(|part| part == "target" || part == "build");
                if is_path && !made {
                    seen += 1;
                    if !root().join(named).exists() {
                        missing.push(format!("{}: {named}", path.display()));
                    }
                }
            }
        }
    }
    assert!(seen > 100, "only {seen} paths were recognised");
    assert!(missing.is_empty(), "no such file:\n{}", missing.join("\n"));
}

#[test]
fn every_decision_is_in_the_index() {
    let folder = root().join("docs/decisions");
    let index = std::fs::read_to_string(folder.join("README.md")).expect("the index");
    for entry in std::fs::read_dir(&folder).expect("the decisions") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_string_lossy();
        if name != "README.md" {
            assert!(
                index.contains(&format!("]({name})")),
                "{name} is not in the index"
            );
        }
    }
}

/// Files that may name the standard streams: what all output goes through, the ends of pipes
/// between processes of plat, and what writes the result of a stage (`-o -`).
const STREAMS: &[&str] = &[
    "driver/src/say.rs",
    "driver/src/llvm/mod.rs",
    "driver/src/llvm/serve.rs",
    "transform/src/file.rs",
    "executor/solver/src/backend/apart/server.rs",
    "executor/external/src/helper.rs",
];

#[test]
fn all_output_goes_through_one_place_that_can_fail() {
    for (path, text) in sources() {
        let relative = path.strip_prefix(root()).expect("below the root");
        let of_the_command = relative.components().any(|part| part.as_os_str() == "src")
            && !relative.starts_with("tests")
            && !relative.starts_with("benchmarks");
        if !of_the_command || STREAMS.iter().any(|may| relative == Path::new(may)) {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            for name in ["print!(", "println!(", "dbg!(", "stdout()", "stderr()"] {
                assert!(
                    !line.contains(name),
                    "{}: output of the command goes through driver/src/say.rs: {line}",
                    relative.display()
                );
            }
        }
    }
}
