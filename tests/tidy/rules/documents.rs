//! Links and paths in documents exist, the index of decisions is whole, and no text names a place
//! on somebody's machine.

use plat_tidy::workspace::none;
use plat_tidy::workspace::root;
use std::path::PathBuf;

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
    none(&broken, "broken links");
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
    none(&missing, "no such file");
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

/// Texts of the repository, beside sources and documents.
fn texts() -> Vec<(PathBuf, String)> {
    let output = std::process::Command::new("git")
        .current_dir(root())
        .args(["ls-files", "-z"])
        .output()
        .expect("git runs");
    let names = String::from_utf8(output.stdout).expect("names are text");
    // A file that is no text, or that has been removed, has no places in it.
    let read = |name: &str| {
        let text = std::fs::read_to_string(root().join(name)).ok()?;
        Some((PathBuf::from(name), text))
    };
    names.split('\0').filter_map(read).collect()
}

/// Folders of a machine that a text names: homes, but for that of the reader of the documents.
fn places(text: &str) -> Vec<usize> {
    // In pieces, so that this file does not name what it looks for.
    let folders = [["/wo", "rk/"], ["/ro", "ot/"], ["/ho", "me/"]].map(|folder| folder.concat());
    let is_place = |line: &str| {
        folders.iter().any(|folder| {
            line.match_indices(folder.as_str()).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                let is_absolute =
                    !before.is_some_and(|c| c.is_alphanumeric() || "._-}$".contains(c));
                let name = &line[at + folder.len()..];
                let reader = ["you", "me/"].iter().any(|reader| name.starts_with(reader));
                is_absolute && !reader
            })
        })
    };
    let lines = text.lines().enumerate().filter(|(_, line)| is_place(line));
    lines.map(|(number, _)| number + 1).collect()
}

#[test]
fn no_text_names_a_place_on_somebodys_machine() {
    let texts = texts();
    assert!(
        texts.is_empty() || texts.len() > 500,
        "the files are elsewhere"
    );
    let lines = texts.iter().flat_map(|(path, text)| {
        let path = path.display();
        places(text)
            .into_iter()
            .map(move |line| format!("{path}:{line}"))
    });
    none(&lines.collect::<Vec<_>>(), "absolute paths of a machine");
}

#[test]
fn bad_examples_are_refused() {
    let text = format!(
        "a\n{}{}main/x\n$HOME{}{}x\n{}{}you/x",
        "/wo", "rk/", "/wo", "rk/", "/ho", "me/"
    );
    assert_eq!(places(&text), [2]);
    assert_eq!(anchors("# A b, `c`-d\n```\n# e\n```\n"), ["a-b-c-d"]);
}
