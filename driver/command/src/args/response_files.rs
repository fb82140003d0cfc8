//! Response files: a word `@FILE` of a command line stands for the words in FILE, as in KLEE and
//! other tools of LLVM. Words are separated by white space and quoted as in a shell; a file may name
//! others. What belongs to the program under test is left as it is.

use super::klee::{long_option, takes_values};
use super::klee_options::{Fate, fate};
use clap::Command;
use plat::Error;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;

/// The most response files of one command line: more are a circle.
const MOST: usize = 1000;

/// A command line with the words of its response files.
///
/// # Errors
/// When a file cannot be read, or its quotes are not closed.
pub fn expand(cli: &Command, line: &[OsString]) -> Result<Vec<OsString>, Error> {
    let mut words: VecDeque<OsString> = line.iter().cloned().collect();
    let mut expanded = Vec::with_capacity(line.len());
    expanded.extend(words.pop_front());
    let mut command: Option<&Command> = None;
    let mut files = 0;
    while let Some(word) = words.pop_front() {
        let text = word.to_str().unwrap_or_default();
        if let Some(file) = text.strip_prefix('@').filter(|file| !file.is_empty()) {
            files += 1;
            if files > MOST {
                return Err(Error::input(format!(
                    "@{file}: response files name each other"
                )));
            }
            for inside in read(file)?.into_iter().rev() {
                words.push_front(inside.into());
            }
            continue;
        }
        let ends = text == "--" || command.is_some_and(|command| is_program(command, text));
        let values = command.map_or(0, |command| values(command, text));
        command = command.or_else(|| cli.find_subcommand(text));
        expanded.push(word);
        if ends {
            break;
        }
        let count = values.min(words.len());
        expanded.extend(words.drain(..count));
    }
    expanded.extend(words);
    Ok(expanded)
}

/// Whether a word is the program of a command that gives it the words behind.
fn is_program(command: &Command, word: &str) -> bool {
    let gives = |arg: &clap::Arg| arg.is_trailing_var_arg_set();
    !word.starts_with('-') && command.get_arguments().any(gives)
}

/// How many words behind an option are its values.
fn values(command: &Command, word: &str) -> usize {
    match long_option(word) {
        Some((_, Some(_))) => 0,
        Some((name, None)) => match takes_values(command, &format!("--{name}")) {
            Some(count) => count,
            None => usize::from(matches!(fate(name), Some(Fate::DroppedValue(_)))),
        },
        None if word.len() == 2 && word.starts_with('-') => {
            takes_values(command, word).unwrap_or(0)
        }
        None => 0,
    }
}

fn read(file: &str) -> Result<Vec<String>, Error> {
    let wrong = |why: String| Error::input(format!("the response file {file} (@{file}): {why}"));
    let text = fs::read_to_string(file).map_err(|why| wrong(why.to_string()))?;
    shlex::split(&text).ok_or_else(|| wrong("a quote is not closed".into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    fn expanded(line: &str) -> Result<String, String> {
        let mut cli = crate::args::Cli::command();
        cli.build();
        let line: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let words = expand(&cli, &line).map_err(|why| why.to_string())?;
        let words = words.iter().map(|word| word.to_str().unwrap().to_string());
        Ok(words.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn words_come_from_files_up_to_the_program() {
        let room = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = room.path().join(name);
            fs::write(&path, text).unwrap();
            format!("@{}", path.display())
        };
        let inner = file("inner", "--max-time 10s\n\t-search=dfs");
        let outer = file("outer", &format!("--env 'A=b c' {inner} --max-tests=3"));
        let got = expanded(&format!("plat explore {outer} p.bc {inner}"));
        let words = "--env A=b c --max-time 10s -search=dfs --max-tests=3";
        assert_eq!(got.unwrap(), format!("plat explore {words} p.bc {inner}"));
        // The values of options are what they are, and so is the program's end of the line.
        let line = format!("plat explore --output-dir {inner} -- {inner}");
        assert_eq!(expanded(&line).unwrap(), line);
        let all = file("all", "explore p.bc --sym-arg 1");
        assert_eq!(
            expanded(&format!("plat {all}")).unwrap(),
            "plat explore p.bc --sym-arg 1"
        );
        let names = file("names", "a.ktest b.ktest");
        assert_eq!(
            expanded(&format!("plat ktest {names} c.ktest")).unwrap(),
            "plat ktest a.ktest b.ktest c.ktest"
        );
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let room = tempfile::tempdir().unwrap();
        let circle = format!("@{}", room.path().join("circle").display());
        fs::write(room.path().join("circle"), &circle).unwrap();
        fs::write(room.path().join("open"), "'x").unwrap();
        let open = format!("@{}", room.path().join("open").display());
        let told = |line: &str| expanded(line).unwrap_err();
        assert!(told(&format!("plat explore {circle}")).contains("name each other"));
        assert!(told(&format!("plat explore {open}")).contains("not closed"));
        assert!(told("plat explore @no/such/file p.bc").contains("no/such/file (@"));
    }
}
