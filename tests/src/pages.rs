//! Pages with worked examples: their programs and commands are run in order, and what the commands
//! print is compared with the page.
//!
//! A block ```` ```c NAME ```` is a file, of whatever language. A block ```` ```console ```` has
//! commands behind `$ `, each followed by what it prints on standard output and standard error; a
//! command has to succeed. In the text `...` stands for anything within a line, and for any lines
//! where it stands alone. A page runs in a directory of its own, which it calls `/home/you`. Numbers
//! of instructions are not compared. Blocks of other kinds are not run.

use crate::{root, scratch};
use std::path::Path;
use std::process::{Command, Stdio};

/// A fenced block of a page.
pub struct Block {
    /// What stands behind the fence.
    pub kind: String,
    /// Its lines.
    pub lines: Vec<String>,
}

/// A command with the lines that it is to print.
struct Invocation {
    command: String,
    expected: Vec<String>,
}

/// The blocks of a page.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(kind), None) => {
                open = Some(Block {
                    kind: kind.trim().to_string(),
                    lines: Vec::new(),
                });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.lines.push(line.to_string()),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block without an end");
    blocks
}

fn steps(block: &Block) -> Vec<Invocation> {
    let mut steps: Vec<Invocation> = Vec::new();
    for line in &block.lines {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push(Invocation {
                command: command.to_string(),
                expected: Vec::new(),
            }),
            (None, Some(step)) => step.expected.push(line.clone()),
            (None, None) => panic!("output before the first command: {line}"),
        }
    }
    steps
}

/// Whether a line is as the page says, where `...` is anything.
fn line_fits(expected: &str, line: &str) -> bool {
    let expected = match expected.split_once("total instructions = ") {
        Some((before, _)) => format!("{before}total instructions = ..."),
        None => expected.to_string(),
    };
    let mut parts = expected.split("...");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Whether lines are as the page says, where `...` alone is any number of lines.
pub fn fits(expected: &[String], lines: &[&str]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((first, others)) if first == "..." => {
            (0..=lines.len()).any(|skipped| fits(others, &lines[skipped..]))
        }
        Some((first, others)) => lines
            .split_first()
            .is_some_and(|(line, rest)| line_fits(first, line) && fits(others, rest)),
    }
}

fn run(
    step: &Invocation,
    directory: &Path,
    tools: &Path,
    variables: &[(&str, String)],
    page: &str,
) {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut bash = Command::new("bash");
    // What `make test` tells the makes and cargos below it: a page begins without it.
    for variable in [
        "PLAT",
        "MAKEFLAGS",
        "MFLAGS",
        "MAKELEVEL",
        "CARGO_TARGET_DIR",
    ] {
        bash.env_remove(variable);
    }
    let output = bash
        .args(["-c", &format!("exec 2>&1\n{}", step.command)])
        .current_dir(directory)
        .stdin(Stdio::null())
        .env("PATH", format!("{}:{path}", tools.display()))
        .env("PLAT_ROOT", root())
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .output()
        .expect("bash");
    let said = String::from_utf8_lossy(&output.stdout);
    let said = said.replace(&directory.display().to_string(), "/home/you");
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        output.status.success() && fits(&step.expected, &lines),
        "{page}: $ {}\n{}\nthe page says:\n{}\nit printed:\n{said}",
        step.command,
        output.status,
        step.expected.join("\n"),
    );
}

/// Runs a page; says how many commands it has.
pub fn follow(page: &str) -> usize {
    follow_in(page, &[], |_| {})
}

/// Runs a page with further variables of the environment in a directory in which `prepare` has
/// worked; says how many commands it has.
pub fn follow_in(page: &str, variables: &[(&str, String)], prepare: impl FnOnce(&Path)) -> usize {
    let text = std::fs::read_to_string(root().join(page)).expect("the page");
    let name = page.replace('/', "-");
    let scratch = scratch(&format!("book-{name}"));
    let [directory, tools] = ["home", "bin"].map(|name| {
        let path = scratch.join(name);
        std::fs::create_dir(&path).expect("a directory for the page");
        path
    });
    prepare(&directory);
    std::os::unix::fs::symlink(crate::command(), tools.join("plat")).expect("a link");
    let mut commands = 0;
    for block in blocks(&text) {
        match block.kind.split_once(' ') {
            Some((_, file)) => {
                let contents = block.lines.join("\n") + "\n";
                let file = directory.join(file);
                let folder = file.parent().expect("a folder");
                std::fs::create_dir_all(folder).expect("a folder for a file of the page");
                std::fs::write(file, contents).expect("a file of the page");
            }
            None if block.kind == "console" => {
                for step in steps(&block) {
                    run(&step, &directory, &tools, variables, page);
                    commands += 1;
                }
            }
            None => {}
        }
    }
    commands
}
