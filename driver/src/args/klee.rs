//! KLEE's spellings, made plat's before clap sees them: single dashes before long names, names
//! that differ, and options for which plat has no switch.
//!
//! Only the part of a command line before the bitcode file is touched; what follows belongs to the
//! program under test.

use clap::Command;
use std::ffi::OsString;

/// What becomes of an option of KLEE's that plat does not have under that name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// plat does this always, or needs no such switch: dropped, with a note.
    Dropped(&'static str),
    /// Not available: an error that says what to use.
    Refused(&'static str),
}

use Fate::{Dropped, Refused};

const ALWAYS: &str = "plat always does this";
const OWN_LAYERS: &str = "plat's solver layers are always on";
const REGIONS: &str = "use --region NAME=SIZE@BASE";
const EXTERNAL: &str = "summary.json names functions that are missing";
const LIBC: &str = "plat always links its own C library";

/// Options of KLEE by name, sorted.
const OPTIONS: &[(&str, Fate)] = &[
    (
        "allocate-determ",
        Dropped("plat's addresses are always deterministic"),
    ),
    ("check-div-zero", Dropped(ALWAYS)),
    ("check-overshift", Dropped(ALWAYS)),
    ("disable-verify", Dropped("plat always verifies its input")),
    (
        "entry-point",
        Refused("plat starts at main; rename the function"),
    ),
    ("equality-substitution", Dropped(OWN_LAYERS)),
    ("external-call-warnings", Dropped(EXTERNAL)),
    ("kdalloc", Dropped("it is the default; see --allocator")),
    ("kdalloc-constants-size", Refused(REGIONS)),
    ("kdalloc-constants-start-address", Refused(REGIONS)),
    ("kdalloc-globals-size", Refused(REGIONS)),
    ("kdalloc-globals-start-address", Refused(REGIONS)),
    ("kdalloc-heap-size", Refused(REGIONS)),
    ("kdalloc-heap-start-address", Refused(REGIONS)),
    ("kdalloc-stack-size", Refused(REGIONS)),
    ("kdalloc-stack-start-address", Refused(REGIONS)),
    ("libc", Dropped(LIBC)),
    (
        "libcxx",
        Refused("link the C++ library's bitcode into the program"),
    ),
    (
        "link-llvm-lib",
        Refused("link the library's bitcode into the program with llvm-link"),
    ),
    (
        "max-memory-inhibit",
        Dropped("plat ends paths at the memory limit"),
    ),
    (
        "max-static-fork-pct",
        Refused("use --max-forks or --max-depth"),
    ),
    ("only-replay-seeds", Refused("plat has no seeding")),
    ("only-seed", Refused("plat has no seeding")),
    (
        "optimize",
        Dropped("compile the program with the optimisation you want"),
    ),
    ("optimize-array", Dropped(OWN_LAYERS)),
    (
        "posix-runtime",
        Dropped("plat always models the system calls"),
    ),
    ("replay-ktest-dir", Refused("use plat replay")),
    ("replay-ktest-file", Refused("use plat replay")),
    ("replay-path", Refused("use plat replay")),
    ("run-in-dir", Refused("start plat in that directory")),
    (
        "seed-dir",
        Refused("--stdin-template makes part of an input symbolic"),
    ),
    (
        "seed-file",
        Refused("--stdin-template makes part of an input symbolic"),
    ),
    ("simplify-sym-indices", Dropped(OWN_LAYERS)),
    (
        "single-object-resolution",
        Refused("use --memory-model single"),
    ),
    ("switch-type", Dropped("plat executes switches directly")),
    (
        "use-batching-search",
        Dropped("plat always batches; see --batch-instructions"),
    ),
    ("use-branch-cache", Dropped(OWN_LAYERS)),
    ("use-cex-cache", Dropped(OWN_LAYERS)),
    (
        "use-forked-solver",
        Dropped("plat's solver runs in its own process"),
    ),
    ("use-independent-solver", Dropped(OWN_LAYERS)),
    (
        "use-merge",
        Refused("plat does not merge states; --memory-model merging merges accesses"),
    ),
    ("use-query-log", Refused("use --log-queries all,solver")),
    ("warn-all-external-symbols", Dropped(EXTERNAL)),
    ("watchdog", Dropped("plat stops at --max-time by itself")),
];

/// A command line in plat's spelling.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spelled {
    /// What clap shall parse.
    pub args: Vec<OsString>,
    /// Notes about options that were dropped.
    pub notes: Vec<String>,
}

/// Rewrites the arguments of a sub-command up to its first positional argument.
///
/// # Errors
/// With one line about an option of KLEE's that plat has no counterpart for.
pub fn respell(command: &Command, args: &[OsString]) -> Result<Spelled, String> {
    let mut spelled = Spelled {
        args: Vec::with_capacity(args.len()),
        notes: Vec::new(),
    };
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let Some((name, value)) = arg.to_str().and_then(long_option) else {
            if is_short(arg) {
                spelled.args.push(arg.clone());
                let count = takes_values(command, arg.to_str().unwrap_or_default());
                spelled
                    .args
                    .extend(rest.by_ref().take(count.unwrap_or(0)).cloned());
                continue;
            }
            // The program, after an explicit or a supplied end of options: what follows is its own.
            if arg != "--" {
                spelled.args.push("--".into());
            }
            spelled.args.push(arg.clone());
            break;
        };
        if let Some(count) = takes_values(command, &format!("--{name}")) {
            spelled.args.push(match value {
                Some(value) => format!("--{name}={value}").into(),
                None => format!("--{name}").into(),
            });
            if value.is_none() {
                spelled.args.extend(rest.by_ref().take(count).cloned());
            }
            continue;
        }
        match OPTIONS.binary_search_by_key(&name, |(name, _)| name) {
            Ok(at) => match OPTIONS[at].1 {
                Dropped(why) => spelled.notes.push(format!("--{name} is not needed: {why}")),
                Refused(why) => return Err(format!("--{name} is not an option of plat: {why}")),
            },
            // Unknown to both: clap's message names similar options.
            Err(_) => spelled.args.push(format!("--{name}").into()),
        }
    }
    spelled.args.extend(rest.cloned());
    Ok(spelled)
}

/// Splits `--name`, `-name`, `--name=value`; `None` for anything else.
fn long_option(text: &str) -> Option<(&str, Option<&str>)> {
    let body = text.strip_prefix("--").or_else(|| {
        // One letter is a short option; a digit begins a negative number.
        text.strip_prefix('-')
            .filter(|body| body.len() > 1 && !is_short_with_value(body))
    })?;
    if !body.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    match body.split_once('=') {
        Some((name, value)) => Some((name, Some(value))),
        None => Some((body, None)),
    }
}

fn is_short_with_value(body: &str) -> bool {
    body.as_bytes()[1] == b'='
}

fn is_short(arg: &OsString) -> bool {
    arg.to_str()
        .is_some_and(|text| text.len() == 2 && text.starts_with('-') && text != "--")
}

/// How many separate values follow the option; `None` if the command has no such option.
fn takes_values(command: &Command, option: &str) -> Option<usize> {
    let found = command
        .get_arguments()
        .find(|arg| match option.strip_prefix("--") {
            Some(long) => {
                arg.get_long() == Some(long)
                    || arg
                        .get_all_aliases()
                        .is_some_and(|names| names.contains(&long))
            }
            None => option
                .chars()
                .nth(1)
                .is_some_and(|short| arg.get_short() == Some(short)),
        });
    let builtin = matches!(option, "--help" | "--version" | "-h" | "-V");
    match found {
        Some(arg) if !arg.get_action().takes_values() || arg.is_require_equals_set() => Some(0),
        Some(arg) => Some(arg.get_num_args().map_or(1, |range| range.max_values())),
        None if builtin => Some(0),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    fn explore(line: &str) -> Result<Spelled, String> {
        let mut cli = crate::args::Cli::command();
        cli.build();
        let command = cli.find_subcommand("explore").unwrap();
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        respell(command, &args)
    }

    fn text(spelled: &Spelled) -> String {
        let args: Vec<&str> = spelled
            .args
            .iter()
            .map(|arg| arg.to_str().unwrap())
            .collect();
        args.join(" ")
    }

    #[test]
    fn the_table_is_sorted_and_names_no_option_of_plat() {
        assert!(OPTIONS.is_sorted_by_key(|(name, _)| name));
        let mut cli = crate::args::Cli::command();
        cli.build();
        let command = cli.find_subcommand("explore").unwrap();
        for (name, _) in OPTIONS {
            assert_eq!(takes_values(command, &format!("--{name}")), None, "{name}");
        }
    }

    #[test]
    fn single_dashes_and_klees_names_become_plats() {
        let got = explore("-search=dfs -max-time 10min --max-memory=2000 p.bc -x --search=bfs");
        assert_eq!(
            text(&got.unwrap()),
            "--search=dfs --max-time 10min --max-memory=2000 -- p.bc -x --search=bfs"
        );
        let got =
            explore("--libc=uclibc --posix-runtime -only-output-states-covering-new p.bc").unwrap();
        assert_eq!(text(&got), "--only-output-states-covering-new -- p.bc");
        assert_eq!(got.notes.len(), 2);
        assert_eq!(
            text(&explore("-sym-args 0 2 3 p.bc 1").unwrap()),
            "--sym-args 0 2 3 -- p.bc 1"
        );
        assert_eq!(
            text(&explore("-q -- -p.bc -max-time").unwrap()),
            "-q -- -p.bc -max-time"
        );
    }

    #[test]
    fn what_is_not_there_is_refused_with_advice() {
        let why = explore("--replay-path=x p.bc").unwrap_err();
        assert_eq!(
            why,
            "--replay-path is not an option of plat: use plat replay"
        );
        // Unknown to KLEE too: left to clap.
        assert_eq!(
            text(&explore("-nonsense p.bc").unwrap()),
            "--nonsense -- p.bc"
        );
    }
}
