//! What a command line means: options checked against the lists of what there is, defaults filled
//! in, input described. Nothing is written yet; whatever is wrong is found here.

mod config;
mod input;

use crate::args::execution::OutputArgs;
use crate::args::files::{FileArgs, PrintedInstructions, StatsCode};
use crate::args::queries::{LoggedQueries, QueryLogArgs};
use crate::args::{ExploreArgs, RunArgs};
use crate::helpers;
use crate::progress::Display;
use crate::stdin;
pub use config::is_directed;
use config::{add_allocation, add_targets, check_subsumption, config, external, with_segments};
use input::input;
use plat::corpus::Raw;
use plat::names::Names;
use plat::output::files::{CountedCode, Files, KeepTrie, Statistics, Suite, TestParts};
use plat::output::queries::{Asked, QueryLogs};
use plat::{Error, Explorer, Fuzzer, Output, Processes};
use plat_engine::Config;
use plat_env::InputSpec;
use plat_program::Program;
use plat_solver::QueryLanguage;
use std::path::PathBuf;

/// A run, as meant.
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// The bitcode that the user named.
    pub program: PathBuf,
    /// What the engine is told.
    pub config: Config,
    /// What the program gets as input; templates are read.
    pub input: InputSpec,
    /// Inputs of fuzzers, to be followed first.
    pub raw_seeds: Vec<Raw>,
    /// The fuzzers beside the run.
    pub fuzzer: Option<Fuzzer>,
    /// The segment map to use.
    pub segments: Option<PathBuf>,
    /// Whether pointers are checked, and against which file; without one, against an analysis.
    pub check_points_to: Option<Option<PathBuf>>,
    /// What is shown, and where the files go.
    pub output: OutputArgs,
    /// What is written beside the tests.
    pub files: Files,
    /// What is printed of executed instructions.
    pub instructions: Option<PrintedInstructions>,
    /// How helper processes are started.
    pub processes: Processes,
}

/// Works out what `plat run` or the last stage of `plat explore` is to do.
///
/// # Errors
/// When a name is unknown, a file cannot be read, or options contradict each other.
pub fn run(args: &RunArgs) -> Result<RunPlan, Error> {
    let how = &args.how;
    let own_input = args.program.as_os_str() != stdin::PROGRAM;
    let processes = helpers::processes()?;
    let mut config = config(&how.execution, &how.limits, &args.output)?;
    add_targets(&mut config, &how.targets)?;
    check_subsumption(&config.search)?;
    add_allocation(&mut config, &how.allocation)?;
    config.start.fuzz_max_len = how.input.fuzz_max_len;
    config.external = external(&how.external)?;
    config.tests.kquery = args.files.write_kqueries;
    config.tests.smt2 = args.files.write_smt2s;
    config.tests.branches = args.files.write_paths;
    // What is live at the end of a piece of work is work for others.
    config.tests.of_live_states = args.files.dump_states_on_halt && args.output.work.is_none();
    config.tests.most_of_live_states = args.files.most_halt_tests(args.output.klee_names);
    // KLEE writes none.
    config.tests.of_merged = !args.output.klee_names;
    let (seeds, raw_seeds) = crate::seeds::read(&args.seeds)?;
    config.search.seeds = seeds;
    if let Some(file) = &args.seeds.replay_path {
        config.search.directions = crate::seeds::directions(file)?.into();
    }
    Ok(RunPlan {
        program: args.program.clone(),
        input: input(
            &how.input,
            &args.program_args,
            (own_input, args.output.klee_names),
        )?,
        raw_seeds,
        fuzzer: crate::seeds::fuzzer(&args.seeds),
        segments: how.execution.segments.clone(),
        check_points_to: how.execution.check_points_to.clone(),
        config,
        files: files(&args.files, &args.output),
        output: args.output.clone(),
        instructions: args.files.statistics.debug_print_instructions,
        processes,
    })
}

/// Works out what `plat explore` is to do.
///
/// # Errors
/// As [`run`].
pub fn explore(args: &ExploreArgs) -> Result<RunPlan, Error> {
    if args.run.pieces_from_stdin {
        return Err(Error::input(
            "--pieces-from-stdin is an option of `plat run`: pieces are of a program that is through the stages",
        ));
    }
    let mut plan = run(&args.run)?;
    if args.unify.is_some() {
        let model = &mut plan.config.memory.model;
        *model = Some(with_segments("--unify", model.take())?);
    }
    plan.files.stages = args.save_temps;
    Ok(plan)
}

impl RunPlan {
    /// Gives a run the options of this one.
    pub fn options_of<'a>(&self, explorer: Explorer<'a>) -> Explorer<'a> {
        let mut explorer = self.inputs_of(explorer).with_config(self.config.clone());
        if let Some(name) = &self.output.told_name {
            explorer = explorer.program_name(name);
        }
        if let Some(segments) = &self.segments {
            explorer = explorer.segments(segments);
        }
        if let Some(fuzzer) = &self.fuzzer {
            explorer = explorer.beside_fuzzer(fuzzer.clone());
        }
        match &self.check_points_to {
            Some(file) => explorer.check_points_to(file.clone()),
            None => explorer,
        }
    }

    /// Gives a run the inputs and processes of this one.
    pub fn inputs_of<'a>(&self, explorer: Explorer<'a>) -> Explorer<'a> {
        explorer
            .input(self.input.clone())
            .raw_seeds(self.raw_seeds.clone())
            .processes(self.processes.clone())
    }

    /// The directory that the run fills; its messages are shown, too.
    pub fn directory(&self, command_line: &[String], display: &Display) -> Output {
        let display = display.clone();
        let output = match (&self.output.output_dir, &self.output.work) {
            (Some(directory), _) if self.output.goes_on => Output::resume(directory),
            (Some(directory), Some(work)) => Output::work(directory, work),
            (Some(directory), None) => Output::at(directory),
            (None, _) => Output::beside_program(),
        };
        output
            .covered(self.output.covered.clone())
            .files(self.files.clone())
            .command_line(command_line)
            .show(move |line| display.line(line))
    }

    /// Whether a program has the function that it is to start in.
    ///
    /// # Errors
    /// If not.
    pub fn check_entry(&self, program: &Program) -> Result<(), Error> {
        plat::check_entry(program, &self.config, &self.program)
    }
}

/// The files that are asked for.
fn files(files: &FileArgs, output: &OutputArgs) -> Files {
    let statistics = &files.statistics;
    Files {
        stats: statistics.output_stats.then_some(Statistics {
            interval: statistics.stats_write_interval,
            code: counted_code(statistics.stats_code, output.klee_names),
        }),
        istats: statistics
            .output_istats
            .then_some(statistics.istats_write_interval),
        exec_tree: files.write_exec_tree.then_some(files.exec_tree_batch_size),
        trie: match files.write_trie {
            None => KeepTrie::WherePossible,
            Some(true) => KeepTrie::Always,
            Some(false) => KeepTrie::Never,
        },
        source: files.output_source,
        lcov: files.output_lcov,
        stages: false,
        module: files.output_module,
        suite: files.write_xml_tests.then(|| Suite {
            program_file: files.xml_metadata_programfile.clone(),
            program_hash: files.xml_metadata_programhash.clone(),
        }),
        lines: files.output_test_lines,
        tests: TestParts {
            none: files.write_no_tests,
            own: files.own_files(output.klee_names),
            covered: files.write_cov,
            branches: files.write_paths,
            forks: files.write_sym_paths,
            info: files.write_test_info,
        },
        queries: query_logs(&output.queries),
        quiet_warnings: files.warnings_only_to_file,
        all_errors: output.emit_all_errors,
        names: Names::of(output.klee_names),
    }
}

/// Whose code counts as covered or not: KLEE counts what it has linked, by default no library.
fn counted_code(asked: Option<StatsCode>, klee_names: bool) -> CountedCode {
    match asked {
        Some(StatsCode::Own) => CountedCode::Own,
        None if klee_names => CountedCode::Own,
        None | Some(StatsCode::All) => CountedCode::All,
    }
}

/// The logs of queries that are asked for.
fn query_logs(asked: &QueryLogArgs) -> QueryLogs {
    let which = asked.log_queries.iter().map(|which| match which {
        LoggedQueries::All => (Asked::All, QueryLanguage::SmtLib),
        LoggedQueries::AllKquery => (Asked::All, QueryLanguage::KQuery),
        LoggedQueries::Solver => (Asked::Solver, QueryLanguage::SmtLib),
        LoggedQueries::SolverKquery => (Asked::Solver, QueryLanguage::KQuery),
    });
    let mut logs = QueryLogs {
        which: Vec::new(),
        compressed: asked.compress_query_log,
    };
    // Each file once.
    for log in which {
        if !logs.which.contains(&log) {
            logs.which.push(log);
        }
    }
    logs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Asked, Command, parse};
    use std::ffi::OsString;

    fn plan(line: &str) -> Result<RunPlan, Error> {
        let line: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        match parse(&line)? {
            Asked::Command(parsed) => match parsed.command {
                Command::Run(args) => run(&args),
                other => panic!("{other:?}"),
            },
            Asked::Text(text) => panic!("{text}"),
        }
    }

    #[test]
    fn unknown_names_and_unreadable_files_are_bad_input() {
        for line in [
            "plat run --memory-model magic p.bc",
            "plat run --search magic p.bc",
            "plat run --solver magic p.bc",
            "plat run --stdin-template /nonexistent p.bc",
            "plat run --file-template A=/nonexistent p.bc",
            "plat run --env-file /nonexistent p.bc",
            "plat run --allocator magic p.bc",
            "plat run --external-allow getpid p.bc",
            "plat run --quarantine -2 p.bc",
            "plat run --region heap=1K p.bc",
            "plat run --region heap=1G@0x40000000000 p.bc",
            "plat run p.bc --sym-arg",
            "plat run p.bc --sym-files 0 1",
        ] {
            let failure = plan(line).expect_err(line);
            assert_eq!(crate::exit::code(&failure), 2, "{line}");
            assert!(!failure.message.contains('\n'), "{line}: {failure}");
        }
    }

    #[test]
    fn without_options_the_command_does_what_the_library_does() {
        let plan = plan("plat run p.bc").unwrap();
        assert_eq!(plan.files, Files::default());
        // What the tests' own standard input is does not matter.
        let text = |explorer: Explorer<'_>| format!("{:#?}", explorer.input(InputSpec::default()));
        assert_eq!(
            text(plan.options_of(Explorer::transformed("p.bc"))),
            text(Explorer::transformed("p.bc"))
        );
        let line = ["plat", "explore", "p.bc"].map(OsString::from);
        let Ok(Asked::Command(parsed)) = parse(&line) else {
            panic!("not parsed");
        };
        let Command::Explore(args) = parsed.command else {
            panic!("another command");
        };
        let plan = explore(&args).unwrap();
        assert_eq!(plan.files, Files::default());
        assert_eq!(
            text(crate::command::explorer(&plan, &args)),
            text(Explorer::bitcode("p.bc"))
        );
    }

    #[test]
    fn input_options_stand_on_either_side_of_the_program() {
        let before = plan("plat run --sym-arg 2 --sym-stdin 4 p.bc x").unwrap();
        let after = plan("plat run p.bc --sym-stdin 4 --sym-arg 2 x").unwrap();
        assert_eq!(before.input, after.input);
        let search = plat::output::summarise::searchers(&before.config);
        assert_eq!(search, plat_engine::search::DEFAULT);
    }

    #[test]
    fn the_clock_starts_where_it_is_told() {
        let clock = |words| plan(words).unwrap().config.start.clock;
        assert_eq!(clock("plat run p.bc").now().seconds, 1_704_067_200);
        assert_eq!(
            clock("plat run --start-time 86400 p.bc").now().seconds,
            86_400
        );
        assert!(clock("plat run --start-time now p.bc").now().seconds > 1_704_067_200);
        for wrong in ["-1", "noon", "99999999999999", "9223372036854775807"] {
            plan(&format!("plat run --start-time={wrong} p.bc")).unwrap_err();
        }
    }

    #[test]
    fn zero_is_no_limit_and_later_variables_replace_earlier_ones() {
        let plan = plan("plat run --max-time 0 --max-memory 0 --env LC_ALL=de p.bc").unwrap();
        assert_eq!(plan.config.limits.time, None);
        assert_eq!(plan.config.limits.memory, None);
        let locale = plan
            .config
            .start
            .environment
            .iter()
            .filter(|entry| entry.starts_with(b"LC_ALL="));
        assert_eq!(locale.collect::<Vec<_>>(), [b"LC_ALL=de"]);
    }
}
