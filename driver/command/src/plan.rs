//! What a command line means: options checked against the lists of what there is, defaults filled
//! in, input described. Nothing is written yet; whatever is wrong is found here.

use crate::args::allocation::{AllocationArgs, SizePolicy};
use crate::args::execution::{
    ExecutionArgs, InputArgs, JoinPolicy, LimitArgs, LoggedQueries, OutputArgs, TargetArgs,
};
use crate::args::external::{ExternalArgs, ExternalCalls};
use crate::args::files::FileArgs;
use crate::args::{ExploreArgs, RunArgs};
use crate::helpers;
use crate::progress::Display;
use plat::corpus::Raw;
use plat::input::{self, Kind};
use plat::names::Names;
use plat::output::error_types;
use plat::output::files::{Files, KeepTrie, Suite, TestParts};
use plat::output::queries::Asked;
use plat::{Error, Explorer, Fuzzer, Output, Processes};
use plat_allocator::{AllocatorChoice, Quarantine};
use plat_engine::Target;
use plat_engine::config::{Checks, Errors, SearchConfig, WorkerConfig};
use plat_engine::search::{SearcherChoice, own};
use plat_engine::{Config, External, Limits, Merging, SymbolicSize};
use plat_env::{Clock, FileRules, InputSpec, Source, parse_posix_options};
use plat_memory::Join;
use plat_memory::model::ModelChoice;
use plat_memory::resolve::Splitting;
use plat_program::Program;
use plat_solver::BackEndChoice;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    /// How helper processes are started.
    pub processes: Processes,
}

/// Works out what `plat run` or the last stage of `plat explore` is to do.
///
/// # Errors
/// When a name is unknown, a file cannot be read, or options contradict each other.
pub fn run(args: &RunArgs) -> Result<RunPlan, Error> {
    let how = &args.how;
    let processes = helpers::processes()?;
    let mut config = config(&how.execution, &how.limits, &args.output)?;
    add_targets(&mut config, &how.targets)?;
    add_allocation(&mut config, &how.allocation)?;
    config.start.fuzz_max_len = how.input.fuzz_max_len;
    config.external = external(&how.external)?;
    config.tests.kquery = args.files.write_kqueries;
    config.tests.smt2 = args.files.write_smt2s;
    config.tests.branches = args.files.write_paths;
    // What is live at the end of a piece of work is work for others.
    config.tests.of_live_states = args.files.dump_states_on_halt && args.output.work.is_none();
    config.tests.most_of_live_states = args.files.most_halt_tests(args.output.klee_names);
    let (seeds, raw_seeds) = crate::seeds::read(&args.seeds)?;
    config.search.seeds = seeds;
    Ok(RunPlan {
        program: args.program.clone(),
        input: input(&how.input, &args.program_args)?,
        raw_seeds,
        fuzzer: crate::seeds::fuzzer(&args.seeds),
        segments: how.execution.segments.clone(),
        check_points_to: how.execution.check_points_to.clone(),
        config,
        files: files(&args.files, &args.output),
        output: args.output.clone(),
        processes,
    })
}

/// Works out what `plat explore` is to do.
///
/// # Errors
/// As [`run`].
pub fn explore(args: &ExploreArgs) -> Result<RunPlan, Error> {
    let mut plan = run(&args.run)?;
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
        stats: statistics
            .output_stats
            .then_some(statistics.stats_write_interval),
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
        queries: output
            .log_queries
            .iter()
            .map(|which| match which {
                LoggedQueries::All => Asked::All,
                LoggedQueries::Solver => Asked::Solver,
            })
            .collect(),
        quiet_warnings: files.warnings_only_to_file,
        all_errors: output.emit_all_errors,
        names: Names::of(output.klee_names),
    }
}

/// The searchers that are asked for; where paths merge and none is, KLEE's choice.
fn searchers(execution: &ExecutionArgs) -> Result<Vec<SearcherChoice>, Error> {
    let merging = ["nurs:covnew".to_string()];
    let names = match execution.use_merge && execution.search.is_empty() {
        true => &merging[..],
        false => &execution.search,
    };
    let searchers = names.iter().map(|name| SearcherChoice::named(name));
    searchers.collect::<Result<_, _>>().map_err(Error::input)
}

/// The places that are to be reached. Without a searcher it is one that goes there, in turns with another.
fn add_targets(config: &mut Config, args: &TargetArgs) -> Result<(), Error> {
    // A directed search says itself what it lacks, where it lacks something.
    if args.exit_on_target && args.target.is_empty() && !is_directed(&config.search) {
        let why = "--exit-on-target: name what is to be reached with --target";
        return Err(Error::input(why));
    }
    let search = &mut config.search;
    search.exit_on_targets = args.exit_on_target;
    for target in args.target.iter().map(|text| Target::named(text)) {
        if !search.targets.contains(&target) {
            search.targets.push(target);
        }
    }
    if !search.targets.is_empty() && search.searchers.is_empty() {
        search.searchers = vec![own::DIRECTED.into(), own::RANDOM_PATH.into()];
    }
    Ok(())
}

/// Whether a searcher goes to places that are to be reached.
pub fn is_directed(search: &SearchConfig) -> bool {
    search.searchers.iter().any(|one| one.needs().targets)
}

fn config(
    execution: &ExecutionArgs,
    limits: &LimitArgs,
    output: &OutputArgs,
) -> Result<Config, Error> {
    let name = &execution.memory_model;
    let memory_model = ModelChoice::named(name).ok_or_else(|| {
        let known = plat_memory::model::ALL.iter().map(|entry| entry.name);
        unknown("memory model", name, known)
    })?;
    let name = &execution.solver;
    let back_end = BackEndChoice::named(name).ok_or_else(|| {
        let known = plat_solver::BACKENDS.iter().map(|entry| entry.name);
        unknown("solver", name, known)
    })?;
    let mut config = Config {
        search: SearchConfig {
            searchers: searchers(execution)?,
            seed: execution.seed,
            batch_instructions: execution.batch_instructions.max(1),
            merging: match (execution.use_merge, execution.use_incomplete_merge) {
                (false, _) => Merging::Off,
                (true, false) => Merging::Complete,
                (true, true) => Merging::Incomplete,
            },
            log_merges: execution.debug_log_merge,
            preemptions: execution.checks.preemptions,
            ..SearchConfig::default()
        },
        limits: meant_limits(limits),
        checks: Checks {
            div_zero: execution.check_div_zero,
            overshift: execution.check_overshift,
            uninitialised: execution.checks.check_uninitialised,
            leaks: execution.checks.check_leaks,
            descriptors: execution.checks.check_descriptors,
            max_allocation: execution.checks.max_allocation,
            loops: execution.checks.detect_infinite_loops,
            races: execution.checks.detect_data_races,
            silent_assume: execution.silent_klee_assume,
        },
        errors: Errors {
            all: output.emit_all_errors,
            end_at_first: output.exit_on_error,
            end_at: error_types(&output.exit_on_error_type)?,
        },
        all_output: output.all_output.unwrap_or(output.klee_names),
        fast_paths: !execution.switches.no_fast_paths,
        workers: WorkerConfig {
            processes: usize::from(execution.workers),
            interval: execution.worker_interval,
        },
        ..Config::default()
    };
    config.tests.only_covering_new = output.only_output_states_covering_new;
    config.tests.readable = execution.readable_posix_inputs;
    config.memory.model = memory_model;
    config.memory.collect = execution.switches.collect.into();
    config.memory.options.threshold = execution.segment_threshold;
    config.memory.options.join = match execution.pointers.join {
        JoinPolicy::Allocation => Join::Allocation,
        JoinPolicy::Demand => Join::Demand,
    };
    config.memory.options.context_depth = execution.pointers.context_depth.0;
    config.memory.options.splitting =
        execution
            .pointers
            .split_threshold
            .map(|threshold| Splitting {
                threshold,
                piece: execution.pointers.partition_size,
            });
    config.memory.pins.clone_from(&execution.pointers.resolve);
    if !execution.pointers.resolve.is_empty() && config.memory.model.name() != "auto" {
        return Err(Error::input(
            "--resolve needs --memory-model auto: other models follow every pointer in one way",
        ));
    }
    config.solver.backend = back_end;
    if let Some(span) = execution.max_solver_time {
        config.solver.time_limit = Some(span).filter(|span| !span.is_zero());
    }
    config.start.entry_point.clone_from(&execution.entry_point);
    config
        .start
        .directory
        .clone_from(&execution.readable.run_in_dir);
    config.start.files = FileRules {
        access: execution.readable.files.into(),
        allowed: execution.readable.allow_file.clone(),
    };
    config.start.clock = execution
        .start_time
        .map(Clock::starting_at)
        .unwrap_or_default();
    add_environment(&mut config, execution)?;
    Ok(config)
}

/// The suffixes of the errors that end the run.
fn error_types(names: &[String]) -> Result<Vec<String>, Error> {
    let types = names.iter().map(|name| error_types::suffixes(name));
    let types: Vec<Vec<String>> = types.collect::<Result<_, _>>().map_err(Error::input)?;
    Ok(types.concat())
}

fn add_allocation(config: &mut Config, options: &AllocationArgs) -> Result<(), Error> {
    let name = &options.allocator;
    config.memory.allocator = AllocatorChoice::named(name).ok_or_else(|| {
        let known = plat_allocator::ALL.iter().map(|entry| entry.name);
        unknown("allocator", name, known)
    })?;
    config.memory.symbolic_size = match options.symbolic_size {
        SizePolicy::Bounded => SymbolicSize::Bounded,
        SizePolicy::Max => SymbolicSize::Max,
        SizePolicy::Fork => SymbolicSize::Fork,
        SizePolicy::Concretize => SymbolicSize::Concretize,
    };
    config.memory.size_capacity = options.size_capacity;
    let addresses = &mut config.memory.addresses;
    addresses.quarantine = Quarantine::from_number(options.quarantine)
        .ok_or_else(|| Error::input("--quarantine is at least -1".to_string()))?;
    for &(region, size, base) in &options.region {
        let bounds = &mut addresses.regions[region as usize];
        bounds.size = size;
        bounds.base = base.unwrap_or(bounds.base);
    }
    addresses.check().map_err(Error::input)
}

/// Longest time for an external call, unless the user says otherwise.
const EXTERNAL_TIME: Duration = Duration::from_secs(10);

fn external(options: &ExternalArgs) -> Result<Option<External>, Error> {
    if options.external_calls == ExternalCalls::Refuse {
        if !options.external_allow.is_empty() {
            let why = "--external-allow needs --external-calls concrete";
            return Err(Error::input(why));
        }
        return Ok(None);
    }
    for library in &options.external_library {
        input::check(Path::new(library), Kind::Library)?;
    }
    Ok(Some(External {
        allow: options.external_allow.clone(),
        libraries: options.external_library.clone(),
        longest: options.max_external_time.unwrap_or(EXTERNAL_TIME),
        helper: Vec::new(),
    }))
}

fn unknown<'a>(family: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let known: Vec<&str> = known.collect();
    Error::input(format!(
        "unknown {family} `{name}`; known are {}",
        known.join(", ")
    ))
}

/// 0 stands for no limit, as it does with KLEE.
fn meant_limits(limits: &LimitArgs) -> Limits {
    let defaults = Limits::default();
    Limits {
        time: limits.max_time.filter(|span| !span.is_zero()),
        memory: limits
            .max_memory
            .or(defaults.memory)
            .filter(|&bytes| bytes > 0),
        instructions: limits.max_instructions.filter(|&count| count > 0),
        forks: limits.max_forks.filter(|&count| count > 0),
        depth: limits.max_depth.filter(|&count| count > 0),
        tests: limits.max_tests.filter(|&count| count > 0),
        stack_frames: limits.max_stack_frames,
        stack: limits.stack_size.unwrap_or(defaults.stack),
    }
}

/// Variables of the file, then those of the command line; a later value replaces an earlier one.
fn add_environment(config: &mut Config, execution: &ExecutionArgs) -> Result<(), Error> {
    let mut entries = Vec::new();
    if let Some(path) = &execution.env_file {
        let text = input::read(path, Kind::Environment)?;
        let lines = text.split(|&byte| byte == b'\n');
        entries.extend(
            lines
                .filter(|line| line.contains(&b'='))
                .map(<[u8]>::to_vec),
        );
    }
    let given = execution.env.iter();
    entries.extend(given.map(|(name, value)| format!("{name}={value}").into_bytes()));
    for entry in entries {
        let name = entry
            .iter()
            .position(|&byte| byte == b'=')
            .unwrap_or(entry.len());
        config
            .start
            .environment
            .retain(|old| old.get(..=name) != entry.get(..=name));
        config.start.environment.push(entry);
    }
    Ok(())
}

/// The options before the program's name and those after it make one description.
fn input(options: &InputArgs, program_args: &[OsString]) -> Result<InputSpec, Error> {
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut option = |name: &str, values: &[Vec<u8>]| {
        words.push(name.as_bytes().to_vec());
        words.extend_from_slice(values);
    };
    let number = |value: &u32| value.to_string().into_bytes();
    if let [_, _] = options.sym_files[..] {
        let values: Vec<_> = options.sym_files.iter().map(number).collect();
        option("--sym-files", &values);
    }
    if let Some(count) = &options.sym_stdin {
        option("--sym-stdin", &[number(count)]);
    }
    if let Some(size) = &options.sym_socket {
        option("--sym-socket", &[number(size)]);
    }
    if let [_, _] = options.sym_sockets[..] {
        let values: Vec<_> = options.sym_sockets.iter().map(number).collect();
        option("--sym-sockets", &values);
    }
    if let Some(result) = &options.system_result {
        option("--system-result", &[result.clone().into_bytes()]);
    }
    if options.sym_rand {
        option("--sym-rand", &[]);
    }
    if let Some(path) = &options.stdin_template {
        option("--stdin-template", &[path.as_os_str().as_bytes().to_vec()]);
    }
    for (name, path) in &options.file_template {
        let value = [name.as_bytes(), b"=", path.as_os_str().as_bytes()].concat();
        option("--file-template", &[value]);
    }
    for values in options.sym_args.chunks(3) {
        option("--sym-args", &values.iter().map(number).collect::<Vec<_>>());
    }
    for count in &options.sym_arg {
        option("--sym-arg", &[number(count)]);
    }
    words.extend(
        program_args
            .iter()
            .map(|arg| arg.as_os_str().as_bytes().to_vec()),
    );
    let mut spec = parse_posix_options(&words).map_err(Error::input)?;
    if let Some(mark) = options.template_byte {
        spec.mark = mark;
    }
    spec.range = options.template_range.or(spec.range);
    for path in spec.template_files() {
        input::check(path, Kind::Template)?;
    }
    spec.read_templates().map_err(Error::input)?;
    if spec.stdin.is_none() {
        spec.stdin = crate::stdin::redirected()?.map(|bytes| Source::Concrete(bytes.into()));
    }
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Asked, Command, parse};

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
