//! KLEE's spellings, made plat's before clap sees them: single dashes before long names, names
//! that differ, and options for which plat has no switch.
//!
//! Only the part of a command line before the bitcode file is touched; what follows belongs to the
//! program under test.

use super::klee_options::{Fate, fate};
use clap::Command;
use std::ffi::OsString;

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
    let mut options = args.iter().filter_map(|arg| long_option(arg.to_str()?));
    let has_logs = options.any(|(name, _)| matches!(name, "log-queries" | "use-query-log"));
    let mut rest = args.iter();
    let mut program = false;
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
            program = true;
            // The program, after an explicit or a supplied end of options: what follows is its own.
            if arg != "--" {
                spelled.args.push("--".into());
            }
            spelled.args.push(arg.clone());
            break;
        };
        if let Some(solver) = absent_solver(name, value, &rest) {
            let why = format!("{solver} is not there, --solver names what is");
            spelled.notes.push(format!("--{name} is left out: {why}"));
            if value.is_none() {
                rest.next();
            }
            continue;
        }
        if !has_logs && matches!(name, "compress-query-log" | "compress-log") {
            let why = "no queries are logged (--log-queries)";
            spelled.notes.push(format!("--{name} is left out: {why}"));
            continue;
        }
        if name == "libc"
            && value.or_else(|| behind(&rest)) == Some("uclibc")
            && takes_values(command, "--stats-code").is_some()
        {
            // Its code counts, then, unless another word says otherwise: the last one holds.
            spelled.args.insert(0, "--stats-code=all".into());
        }
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
        let dropped = |why| format!("--{name} is left out: {why}");
        match fate(name) {
            Some(Fate::Dropped(why)) => spelled.notes.push(dropped(why)),
            Some(Fate::DroppedValue(why)) => {
                spelled.notes.push(dropped(why));
                if value.is_none() {
                    rest.next();
                }
            }
            // Left as it is here.
            Some(Fate::Refused(_)) if matches!(value, Some("false" | "0")) => {
                spelled.notes.push(dropped("it is off, always"));
            }
            Some(Fate::Refused(why)) => {
                return Err(format!("--{name} is not an option of plat: {why}"));
            }
            Some(Fate::Becomes(others)) => {
                let others = others(value).map_err(|why| format!("--{name}: {why}"))?;
                spelled.args.extend(others.into_iter().map(OsString::from));
            }
            // Unknown to both: clap's message names similar options.
            None => spelled.args.push(format!("--{name}").into()),
        }
    }
    spelled.args.extend(rest.cloned());
    if !program && args.first().is_some_and(|first| first == "--klee-names") {
        // `klee < p.bc`
        spelled.args.extend(["--", "-"].map(OsString::from));
    }
    Ok(spelled)
}

/// The solver of KLEE's that an option asks for and plat has not, where the one that plat has answers the
/// same questions.
fn absent_solver(
    name: &str,
    value: Option<&str>,
    rest: &std::slice::Iter<'_, OsString>,
) -> Option<&'static str> {
    let asked = (name == "solver-backend").then(|| value.or_else(|| behind(rest)));
    ["stp", "metasmt"]
        .into_iter()
        .find(|&solver| asked == Some(Some(solver)))
}

/// The word that comes next.
fn behind<'a>(rest: &std::slice::Iter<'a, OsString>) -> Option<&'a str> {
    rest.as_slice().first()?.to_str()
}

/// Splits `--name`, `-name`, `--name=value`; `None` for anything else.
pub(super) fn long_option(text: &str) -> Option<(&str, Option<&str>)> {
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
pub(super) fn takes_values(command: &Command, option: &str) -> Option<usize> {
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
    use crate::args::klee_options::{KLEE_3_2, OPTIONS};
    use clap::{CommandFactory as _, Parser as _};

    fn explore(line: &str) -> Result<Spelled, String> {
        let mut cli = crate::args::Cli::command();
        cli.build();
        let command = cli.find_subcommand("explore").unwrap();
        let args: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
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
        assert!(OPTIONS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let mut cli = crate::args::Cli::command();
        cli.build();
        let command = cli.find_subcommand("explore").unwrap();
        for (name, _) in OPTIONS {
            assert_eq!(takes_values(command, &format!("--{name}")), None, "{name}");
        }
    }

    #[test]
    fn every_option_of_klee_is_known() {
        for name in KLEE_3_2 {
            for form in [
                format!("--{name}"),
                format!("-{name}=true"),
                format!("--{name}=1"),
            ] {
                let line = ["plat", "explore", &form, "p.bc"].map(OsString::from);
                if let Err(why) = crate::args::parse(&line) {
                    assert!(!why.to_string().contains("unexpected argument"), "{why}");
                }
            }
        }
        // The test above would see it.
        let line = ["plat", "explore", "--write-nothing", "p.bc"].map(OsString::from);
        let why = crate::args::parse(&line).unwrap_err().to_string();
        assert!(why.contains("unexpected argument"), "{why}");
    }

    #[test]
    fn what_is_refused_may_be_off() {
        let got = explore("--return-null-on-zero-malloc=false p.bc").unwrap();
        assert_eq!((text(&got), got.notes.len()), ("-- p.bc".to_string(), 1));
        assert!(explore("--return-null-on-zero-malloc p.bc").is_err());
        assert_eq!(
            text(&explore("--write-ktests=false p.bc").unwrap()),
            "--write-no-tests -- p.bc"
        );
        assert_eq!(text(&explore("--write-ktests p.bc").unwrap()), "-- p.bc");
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
        assert_eq!(
            text(&got),
            "--stats-code=all --only-output-states-covering-new -- p.bc"
        );
        assert_eq!(got.notes.len(), 2);
        let got = explore("--libc uclibc --use-query-log=all:smt2 p.bc").unwrap();
        assert_eq!(
            text(&got),
            "--stats-code=all --log-queries=all:smt2 -- p.bc"
        );
        assert_eq!(text(&explore("--libc none p.bc").unwrap()), "-- p.bc");
        // What is said of it holds, wherever it stands.
        let got = explore("--stats-code=own --libc=uclibc p.bc").unwrap();
        assert_eq!(text(&got), "--stats-code=all --stats-code=own -- p.bc");
        // KLEE takes it where nothing is logged.
        let got = explore("--compress-query-log --output-stats p.bc").unwrap();
        assert_eq!(text(&got), "--output-stats -- p.bc");
        assert_eq!(got.notes.len(), 1);
        let got = explore("--compress-log --use-query-log=solver:kquery p.bc").unwrap();
        let both = "--compress-query-log --log-queries=solver:kquery -- p.bc";
        assert_eq!(text(&got), both);
        // The command line that KLEE's users copy from its coreutils experiments.
        let line = "--simplify-sym-indices --write-cvcs --write-cov --output-module \
            --max-memory=1000 --disable-inlining --optimize --use-forked-solver --use-cex-cache \
            --libc=uclibc --posix-runtime --external-calls=all --only-output-states-covering-new \
            --env-file=test.env --run-in-dir=/tmp/sandbox --max-sym-array-size=4096 \
            --max-solver-time=30s --max-time=60min --watchdog --max-memory-inhibit=false \
            --max-static-fork-pct=1 --max-static-solve-pct=1 --max-static-cpfork-pct=1 \
            --switch-type=internal --search=random-path --search=nurs:covnew \
            --use-batching-search --batch-instructions=10000 ./paste.bc --sym-args 0 1 10";
        assert_eq!(
            text(&explore(line).unwrap()),
            "--stats-code=all --write-smt2s --write-cov --output-module --max-memory=1000 \
             --optimize --external-calls=all --only-output-states-covering-new \
             --env-file=test.env --run-in-dir=/tmp/sandbox --max-solver-time=30s --max-time=60min \
             --max-static-fork-pct=1 --max-static-cpfork-pct=1 \
             --search=random-path --search=nurs:covnew --batch-instructions=10000 \
             -- ./paste.bc --sym-args 0 1 10"
        );
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
    fn under_klees_names_the_program_may_come_from_standard_input() {
        let of = |line: &str| text(&explore(line).unwrap());
        assert_eq!(
            of("--klee-names --max-time 3"),
            "--klee-names --max-time 3 -- -"
        );
        assert_eq!(of("--klee-names - x"), "--klee-names -- - x");
        assert_eq!(of("--max-time 3"), "--max-time 3");
    }

    #[test]
    fn what_is_not_there_is_refused_with_advice() {
        let why = explore("--make-concrete-symbolic=2 p.bc").unwrap_err();
        assert_eq!(
            why,
            "--make-concrete-symbolic is not an option of plat: concrete values are never made symbolic at random"
        );
        // A solver of KLEE's that plat has not; others are refused by name.
        for line in ["--solver-backend=stp p.bc", "-solver-backend stp p.bc"] {
            let got = explore(line).unwrap();
            assert_eq!((text(&got), got.notes.len()), ("-- p.bc".to_string(), 1));
        }
        assert_eq!(
            text(&explore("--solver-backend=z3 p.bc").unwrap()),
            "--solver-backend=z3 -- p.bc"
        );
        // Two names of one option, both given.
        let line = ["plat", "explore", "--write-smt2s", "--write-smt2s", "p.bc"];
        assert!(crate::args::Cli::try_parse_from(line).is_ok());
        // Unknown to KLEE too: left to clap.
        assert_eq!(
            text(&explore("-nonsense p.bc").unwrap()),
            "--nonsense -- p.bc"
        );
    }
}
