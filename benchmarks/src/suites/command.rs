//! A step of a row as a command of plat.

use crate::Common;
use crate::programs::folder;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where programs run: apart from what the steps leave, whose names they could find.
const EMPTY: &str = "empty";

/// The words of a step with those that say where its results go.
pub struct Prepared {
    pub words: Vec<String>,
    /// Whether it explores, and so prints a summary.
    pub explores: bool,
    /// The directory of its run, if it is a new one or goes on with one.
    pub out: Option<PathBuf>,
}

impl Prepared {
    /// A step that explores writes its directory as `ROOM/NAME`, unless it says itself where.
    pub fn new(name: &str, words: &[String], room: &Path) -> Self {
        let explores = matches!(words[0].as_str(), "explore" | "run" | "resume" | "regress");
        let elsewhere = words.iter().any(|word| word.starts_with("--results"));
        let mut prepared = Self {
            words: words.to_vec(),
            explores,
            out: None,
        };
        if words[0] == "resume" {
            prepared.out = words.last().map(PathBuf::from);
        } else if explores && !elsewhere {
            let own = room.join(name);
            prepared
                .words
                .insert(1, format!("--output-dir={}", own.display()));
            prepared.out = Some(own);
        }
        prepared
    }

    /// Gives the words to a command that runs plat.
    pub fn give(&self, command: &mut Command, common: &Common, room: &Path) {
        command.arg(&self.words[0]);
        if self.explores {
            command.args(["--json", "--quiet"]);
        }
        command.args(&self.words[1..]);
        let empty = room.join(EMPTY);
        // What hinders it hinders the command's start, which is told.
        let _ = std::fs::create_dir_all(&empty);
        command.current_dir(empty).stdin(Stdio::null());
        if let Some(libc) = &common.libc {
            command.env("PLAT_LIBC", libc);
        }
    }
}

/// The command for a shell.
pub fn plain(words: &[String]) -> String {
    let words = words.iter().map(|word| match needs_quotes(word) {
        true => shlex::try_quote(word).map_or_else(|_| "?".into(), |quoted| quoted.into_owned()),
        false => word.clone(),
    });
    let words: Vec<String> = std::iter::once("plat".to_owned()).chain(words).collect();
    words.join(" ")
}

/// Whether a shell would take the word apart. (shlex quotes options with a value, too.)
fn needs_quotes(word: &str) -> bool {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || b"-_=./,:+%@{}".contains(&it);
    word.is_empty() || !word.bytes().all(is_plain)
}

/// Where a program is, or will be.
pub fn program_path(name: &str, build: Option<&Path>) -> PathBuf {
    let build = build.map_or_else(|| folder().join("build"), Path::to_owned);
    build.join(format!("{name}.bc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_for_a_shell() {
        let words = ["explore", "--search=dfs", "p.bc", "a b", "it's", ""].map(str::to_owned);
        assert_eq!(
            plain(&words),
            "plat explore --search=dfs p.bc 'a b' \"it's\" ''"
        );
    }

    #[test]
    fn a_run_has_a_directory_of_its_own() {
        let prepared = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            Prepared::new("first", &words, Path::new("/room"))
        };
        let explored = prepared(&["explore", "p.bc"]);
        assert_eq!(
            explored.words,
            ["explore", "--output-dir=/room/first", "p.bc"]
        );
        assert_eq!(
            prepared(&["resume", "/room/first"]).out,
            Some("/room/first".into())
        );
        assert!(!prepared(&["trie", "compress", "/room/first"]).explores);
        let work = prepared(&["run", "--work=w", "--results=r", "p.bc"]);
        assert!(work.explores && work.out.is_none() && work.words.len() == 4);
    }
}
