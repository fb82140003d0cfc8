//! The programs: the lines of `coverage.cases`.

use std::path::{Path, PathBuf};

use crate::programs::{cases::built, folder};

/// A program that is explored and whose tests are counted.
pub struct Program {
    /// Its name.
    pub name: String,
    /// Its bitcode.
    pub bitcode: PathBuf,
    /// Its build that counts what runs.
    pub counted: PathBuf,
    /// The `.gcno` files of that.
    pub notes: PathBuf,
    /// Endings of the paths of its own sources.
    pub own: Vec<String>,
    /// Its arguments, with those of symbolic input.
    pub arguments: Vec<String>,
}

/// The names of the programs that are measured if none are given.
pub const FEW: [&str; 7] = ["echo", "sort", "wc", "od", "seq", "cat", "uniq"];

/// The programs of these names, or the [`FEW`], or all with `all`.
///
/// # Errors
/// When `coverage.cases` has no such name or cannot be read, or a program is not built.
pub fn programs(build: &Path, only: &[String], all: bool) -> Result<Vec<Program>, String> {
    let path = folder().join("coverage.cases");
    let text =
        std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    let cases = parse(&text)?;
    let few: Vec<String> = FEW.iter().map(|&name| name.to_owned()).collect();
    let names: Vec<String> = match (only, all) {
        (_, true) => cases.iter().map(|case| case.name.clone()).collect(),
        ([], false) => few,
        (only, false) => only.to_vec(),
    };
    let found = |name: &String| {
        let case = cases.iter().find(|case| case.name == *name);
        let case = case.ok_or_else(|| format!("coverage.cases has no {name}"))?;
        case.built(build)
    };
    names.iter().map(found).collect()
}

/// One line: a program, the ends of the paths of its own sources, and its arguments.
struct Case {
    name: String,
    own: Vec<String>,
    arguments: Vec<String>,
}

fn parse(text: &str) -> Result<Vec<Case>, String> {
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let case = |line: &str| {
        let mut parts = line.splitn(3, '|');
        let mut words = || {
            Some(
                parts
                    .next()?
                    .split_whitespace()
                    .map(str::to_owned)
                    .collect(),
            )
        };
        let (name, own, arguments): (Vec<String>, Vec<String>, Vec<String>) =
            (words()?, words()?, words()?);
        let [name] = <[String; 1]>::try_from(name).ok()?;
        Some(Case {
            name,
            own,
            arguments,
        })
    };
    lines
        .map(|line| case(line).ok_or_else(|| format!("coverage.cases: what is `{line}`?")))
        .collect()
}

impl Case {
    fn built(&self, build: &Path) -> Result<Program, String> {
        let bitcode = built(build, &self.name)?.bitcode;
        let counted = build.join("coverage").join(&self.name);
        if !counted.is_file() {
            return Err(format!(
                "{} is not there: `make -C benchmarks/programs coverage` builds it",
                counted.display()
            ));
        }
        let absolute = |path: &Path| {
            std::path::absolute(path).map_err(|why| format!("{}: {why}", path.display()))
        };
        Ok(Program {
            name: self.name.clone(),
            bitcode: absolute(&bitcode)?,
            notes: absolute(&counted.with_extension("notes"))?,
            counted: absolute(&counted)?,
            own: self.own.clone(),
            arguments: self.arguments.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_cases_can_be_read() {
        let text = std::fs::read_to_string(folder().join("coverage.cases")).unwrap();
        let cases = parse(&text).unwrap();
        for name in FEW {
            assert!(cases.iter().any(|case| case.name == name), "{name}");
        }
        assert!(cases.iter().all(|case| !case.own.is_empty()));
        assert!(parse("echo src/echo.c").is_err());
    }
}
