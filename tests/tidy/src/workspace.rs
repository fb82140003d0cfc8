//! What the checks look at: the packages of the workspace, and their sources, scanned once.

use crate::scan::{Scan, scan};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The root of the repository.
pub fn root() -> PathBuf {
    let tidy = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = tidy.ancestors().nth(2);
    root.expect("tests/tidy lies in the root").into()
}

/// A dependency that a manifest declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependency {
    /// As the manifest names it.
    pub name: String,
    /// Who sees it.
    pub kind: Kind,
}

/// Who sees a dependency.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The code.
    Normal,
    /// Its tests, examples and benchmarks.
    Dev,
    /// The build script.
    Build,
}

impl Dependency {
    /// As code names it.
    pub fn identifier(&self) -> String {
        self.name.replace('-', "_")
    }
}

/// A package of the workspace.
#[derive(Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its folder, relative to the root of the repository.
    pub folder: PathBuf,
    /// What it depends on.
    pub dependencies: Vec<Dependency>,
}

/// A Rust file.
#[derive(Debug)]
pub struct Source {
    /// Relative to the root of the repository.
    pub path: PathBuf,
    /// The package that it belongs to; none for programs under test and for the fuzz targets.
    pub package: Option<usize>,
    /// All of it.
    pub text: String,
    /// What is in it; none for programs under test.
    pub scan: Option<Scan>,
}

impl Source {
    /// Whether it is part of a library or a command, and no test, example or benchmark.
    pub fn is_shipped(&self) -> bool {
        let has = |name: &str| self.path.components().any(|part| part.as_os_str() == name);
        // Unit tests that have files of their own.
        let of_unit_tests = has("tests") || has("tests.rs");
        has("src") && !of_unit_tests && !self.path.starts_with("benchmarks")
    }
}

/// The packages, as cargo understands their manifests.
pub fn packages() -> &'static [Package] {
    static PACKAGES: OnceLock<Vec<Package>> = OnceLock::new();
    PACKAGES.get_or_init(|| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut metadata = Command::new(cargo);
        metadata.current_dir(root()).args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version=1",
        ]);
        let output = metadata.output().expect("cargo runs");
        assert!(output.status.success(), "{metadata:?}: {}", output.status);
        let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
        let packages = metadata["packages"].as_array().expect("packages");
        packages.iter().map(package).collect()
    })
}

fn package(value: &Value) -> Package {
    let text = |value: &Value| value.as_str().expect("a string").to_string();
    let manifest = PathBuf::from(text(&value["manifest_path"]));
    let folder = manifest.parent().expect("a folder");
    let dependency = |value: &Value| Dependency {
        name: text(match &value["rename"] {
            Value::Null => &value["name"],
            rename => rename,
        }),
        kind: match value["kind"].as_str() {
            None => Kind::Normal,
            Some("dev") => Kind::Dev,
            Some(_) => Kind::Build,
        },
    };
    let dependencies = value["dependencies"].as_array().expect("dependencies");
    Package {
        name: text(&value["name"]),
        folder: folder.strip_prefix(root()).expect("below the root").into(),
        dependencies: dependencies.iter().map(dependency).collect(),
    }
}

/// All Rust files of the repository.
pub fn sources() -> &'static [Source] {
    static SOURCES: OnceLock<Vec<Source>> = OnceLock::new();
    SOURCES.get_or_init(|| {
        let mut paths = Vec::new();
        for folder in [
            "analysis",
            "transform",
            "executor",
            "driver",
            "tests",
            "benchmarks",
        ] {
            walk(&root().join(folder), &mut paths);
        }
        paths.sort();
        assert!(paths.len() > 50, "the sources are elsewhere");
        paths.iter().map(|path| source(path)).collect()
    })
}

fn walk(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("target") && !path.ends_with("build") {
            walk(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn source(path: &Path) -> Source {
    let text = std::fs::read_to_string(path).expect("a source file");
    let path = path.strip_prefix(root()).expect("below the root");
    let under_test = path.starts_with("tests/programs");
    let scan = (!under_test)
        .then(|| scan(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display())));
    // The innermost package, unless the file belongs to none.
    let package = match under_test || path.starts_with("tests/fuzz") {
        true => None,
        false => packages()
            .iter()
            .enumerate()
            .filter(|(_, package)| path.starts_with(&package.folder))
            .max_by_key(|(_, package)| package.folder.components().count())
            .map(|(number, _)| number),
    };
    Source {
        path: path.into(),
        package,
        text,
        scan,
    }
}

/// The sources of a package.
pub fn sources_of(package: usize) -> impl Iterator<Item = &'static Source> {
    sources()
        .iter()
        .filter(move |source| source.package == Some(package))
}

/// Fails with the list, if there is something in it.
#[track_caller]
pub fn none(wrong: &[String], what: &str) {
    assert!(wrong.is_empty(), "{what}:\n  {}", wrong.join("\n  "));
}
