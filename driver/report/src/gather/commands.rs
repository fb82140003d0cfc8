//! Commands with which a fault is seen again.

use crate::model::{About, Command};
use std::path::Path;

/// Options of a run that are no use for one path, with how many words follow each.
const LEFT_OUT: [&str; 4] = ["--output-dir", "--search", "--workers", "-o"];

/// How to see the path of a test again. `file` is where the test is, or would be.
pub(super) fn commands(about: &About, number: u32, file: &Path) -> Vec<Command> {
    let directory = about.directory.display().to_string();
    let file = file.display().to_string();
    let number = number.to_string();
    let command = |does: &str, words: &[&str]| {
        Some(Command {
            does: does.to_string(),
            line: shlex::try_join(words.iter().copied()).ok()?,
        })
    };
    let mut all = Vec::new();
    all.extend(again(about, &file));
    all.extend(command(
        "Run the test on a native build of the program",
        &["plat", "replay", &file, "--", "./PROGRAM"],
    ));
    all.extend(command(
        "Show the test whole",
        &["plat", "tests", "show", &directory, &number],
    ));
    all
}

/// The run once more, along this test only.
fn again(about: &About, file: &str) -> Option<Command> {
    let mut words = about.command_line.iter().skip(1).peekable();
    let what = words.next()?;
    if !matches!(what.as_str(), "explore" | "run") {
        return None;
    }
    let mut line = vec!["plat", what, "--only-replay-seeds", "--seed-file", file];
    while let Some(word) = words.next() {
        if LEFT_OUT.contains(&word.as_str()) {
            words.next();
        } else if !LEFT_OUT.iter().any(|out| is_with_value(word, out)) {
            line.push(word);
        }
    }
    let line = shlex::try_join(line).ok()?;
    let line = match about.working_directory.as_str() {
        "" => line,
        directory => format!("cd {} && {line}", shlex::try_quote(directory).ok()?),
    };
    Some(Command {
        does: "Execute the path of this test again".to_string(),
        line,
    })
}

fn is_with_value(word: &str, option: &str) -> bool {
    let rest = word.strip_prefix(option);
    option.starts_with("--") && rest.is_some_and(|rest| rest.starts_with('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_repeated_along_one_test() {
        let words = "/bin/plat explore --output-dir out --search=dfs --sym-stdin 4 p.bc -o";
        let about = About {
            directory: "/w/a b".into(),
            working_directory: "/w".into(),
            command_line: words.split(' ').map(str::to_string).collect(),
            ..About::default()
        };
        let commands = commands(&about, 7, Path::new("/w/a b/test000007.ktest"));
        let lines: Vec<&str> = commands.iter().map(|it| it.line.as_str()).collect();
        assert_eq!(
            lines,
            [
                "cd /w && plat explore --only-replay-seeds --seed-file '/w/a b/test000007.ktest' --sym-stdin 4 p.bc",
                "plat replay '/w/a b/test000007.ktest' -- ./PROGRAM",
                "plat tests show '/w/a b' 7"
            ]
        );
        let about = About {
            command_line: vec!["my-fuzzer".into()],
            ..about
        };
        assert_eq!(super::commands(&about, 7, Path::new("t")).len(), 2);
    }
}
