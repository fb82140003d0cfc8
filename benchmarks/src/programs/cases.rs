//! What the real programs are run on: the lines of `concrete.cases` and `symbolic.cases`.

use std::path::{Path, PathBuf};

use super::folder;

/// One line: a program, its standard input and its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The program's name.
    pub program: String,
    /// A file of `inputs/` for standard input.
    pub input: Option<PathBuf>,
    /// The arguments, in which a `~` was a space.
    pub arguments: Vec<String>,
}

impl Case {
    /// The arguments as a line, for a table.
    pub fn shown(&self) -> String {
        self.arguments.join(" ")
    }
}

/// The cases of a file of the benchmark programs, those of `only` if it names any.
///
/// # Errors
/// When the file cannot be read or a line has no three parts, or a name is not in the file.
pub fn read(file: &str, only: &[String]) -> Result<Vec<Case>, String> {
    let path = folder().join(file);
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut cases = parse(&text).map_err(|line| format!("{file}: what is `{line}`?"))?;
    if let Some(name) = only
        .iter()
        .find(|&name| cases.iter().all(|case| case.program != *name))
    {
        return Err(format!("{file} has no {name}"));
    }
    cases.retain(|case| only.is_empty() || only.contains(&case.program));
    Ok(cases)
}

fn parse(text: &str) -> Result<Vec<Case>, String> {
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| case(line).ok_or_else(|| line.to_owned()))
        .collect()
}

/// `program | input | arguments`: an argument may have a `|`.
fn case(line: &str) -> Option<Case> {
    let mut parts = line.splitn(3, '|');
    let (program, input, arguments) = (parts.next()?, parts.next()?, parts.next()?);
    let input = match input.trim() {
        "-" => None,
        name => Some(folder().join("inputs").join(name)),
    };
    Some(Case {
        program: program.trim().to_owned(),
        input,
        arguments: arguments
            .split_whitespace()
            .map(|word| word.replace('~', " "))
            .collect(),
    })
}

/// Where a program has been built.
pub struct Built {
    /// Its bitcode.
    pub bitcode: PathBuf,
    /// Its native executable.
    pub native: PathBuf,
}

/// The program in the folder of what has been built: by itself, or one of the coreutils.
///
/// # Errors
/// When it is not there.
pub fn built(build: &Path, program: &str) -> Result<Built, String> {
    for folder in [build.to_path_buf(), build.join("coreutils")] {
        let file = |extension| folder.join(format!("{program}.{extension}"));
        if file("bc").is_file() && file("native").is_file() {
            return Ok(Built {
                bitcode: file("bc"),
                native: file("native"),
            });
        }
    }
    Err(format!(
        "{program} is not in {}: `make -C benchmarks/programs everything` builds it",
        build.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_cases_can_be_read() {
        for (file, least) in [
            ("concrete.cases", 25),
            ("symbolic.cases", 25),
            ("tables.cases", 5),
        ] {
            let cases = read(file, &[]).unwrap();
            assert!(cases.len() > least);
            for case in cases {
                assert!(case.input.is_none_or(|input| input.is_file()));
            }
        }
        assert!(read("concrete.cases", &["nothing".into()]).is_err());
    }

    #[test]
    fn a_line_has_three_parts() {
        let cases = parse("# nothing\n\nprintf | - | %s|%d a~b\n").unwrap();
        assert_eq!(cases[0].program, "printf");
        assert_eq!(cases[0].input, None);
        assert_eq!(cases[0].arguments, ["%s|%d", "a b"]);
        assert!(parse("printf | -").is_err());
    }
}
