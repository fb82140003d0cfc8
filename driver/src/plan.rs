//! What a command line means: options checked against the lists of what there is, defaults filled
//! in, input described. Nothing is written yet; whatever is wrong is found here.

use crate::args::allocation::{AllocationArgs, SizePolicy};
use crate::args::execution::{ExecutionArgs, InputArgs, JoinPolicy, LimitArgs, OutputArgs};
use crate::args::external::{ExternalArgs, ExternalCalls};
use crate::args::files::FileArgs;
use crate::args::{EXTERNAL_HELPER, RunArgs, SOLVER_PROCESS};
use crate::error_types;
use crate::failure::Failure;
use crate::input::{self, Kind};
use crate::names::Names;
use plat_allocator::Quarantine;
use plat_engine::{Config, External, Limits, Merging, SymbolicSize};
use plat_env::{Clock, InputSpec, Source, parse_posix_options};
use plat_memory::Join;
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
    /// The searchers, joined by `+`.
    pub search: String,
    /// The segment map to use.
    pub segments: Option<PathBuf>,
    /// Whether pointers are checked, and against which file; without one, against an analysis.
    pub check_points_to: Option<Option<PathBuf>>,
    /// The directory that the program runs in, if it is not this one.
    pub directory: Option<PathBuf>,
    /// What things are called.
    pub names: Names,
    /// What is written, and where.
    pub output: OutputArgs,
    /// What is written beside the tests.
    pub files: FileArgs,
}

/// Longest time for a query, unless the user says otherwise.
const SOLVER_TIME: Duration = Duration::from_secs(30);

/// Works out what `plat run` or the last stage of `plat explore` is to do.
///
/// # Errors
/// When a name is unknown, a file cannot be read, or options contradict each other.
pub fn run(args: &RunArgs) -> Result<RunPlan, Failure> {
    let how = &args.how;
    let mut config = config(&how.execution, &how.limits, &args.output)?;
    add_allocation(&mut config, &how.allocation)?;
    config.external = external(&how.external)?;
    config.kqueries = args.files.write_kqueries;
    config.smt2s = args.files.write_smt2s;
    config.trace_branches = args.files.write_paths;
    config.dump_states_on_halt = args.files.dump_states_on_halt;
    config.halt_tests = args.files.max_halt_tests.0;
    config.seeds = crate::seeds::read(&args.seeds)?;
    let search = if config.searchers.is_empty() {
        plat_engine::search::DEFAULT.join("+")
    } else {
        config.searchers.join("+")
    };
    Ok(RunPlan {
        program: args.program.clone(),
        input: input(&how.input, &args.program_args)?,
        search,
        segments: how.execution.segments.clone(),
        check_points_to: how.execution.check_points_to.clone(),
        config,
        directory: how.execution.run_in_dir.clone(),
        names: Names::of(args.output.klee_names),
        output: args.output.clone(),
        files: args.files.clone(),
    })
}

/// The searchers that are asked for; where paths merge and none is, KLEE's choice.
fn searchers(execution: &ExecutionArgs) -> Vec<String> {
    match execution.use_merge && execution.search.is_empty() {
        true => vec!["nurs:covnew".to_string()],
        false => execution.search.clone(),
    }
}

fn config(
    execution: &ExecutionArgs,
    limits: &LimitArgs,
    output: &OutputArgs,
) -> Result<Config, Failure> {
    known(
        "memory model",
        &execution.memory_model,
        plat_memory::model::ALL.iter().map(|e| e.name),
    )?;
    known(
        "solver",
        &execution.solver,
        plat_solver::BACKENDS.iter().map(|e| e.name),
    )?;
    for name in &execution.search {
        plat_engine::search::find(name).map_err(Failure::input)?;
    }
    let mut config = Config {
        memory_model: execution.memory_model.clone(),
        searchers: searchers(execution),
        seed: execution.seed,
        limits: meant_limits(limits),
        all_output: output.all_output.unwrap_or(output.klee_names),
        emit_all_errors: output.emit_all_errors,
        exit_on_error: output.exit_on_error,
        exit_on_error_types: error_types(&output.exit_on_error_type)?,
        merging: match (execution.use_merge, execution.use_incomplete_merge) {
            (false, _) => Merging::Off,
            (true, false) => Merging::Complete,
            (true, true) => Merging::Incomplete,
        },
        log_merges: execution.debug_log_merge,
        entry_point: execution.entry_point.clone(),
        check_div_zero: execution.check_div_zero,
        check_overshift: execution.check_overshift,
        only_covering_new: output.only_output_states_covering_new,
        check_uninitialised: execution.check_uninitialised,
        check_leaks: execution.check_leaks,
        silent_assume: execution.silent_klee_assume,
        readable_inputs: execution.readable_posix_inputs,
        batch_instructions: execution.batch_instructions.max(1),
        workers: usize::from(execution.workers),
        fork_interval: execution.worker_interval,
        ..Config::default()
    };
    config.memory.threshold = execution.segment_threshold;
    config.memory.join = match execution.join {
        JoinPolicy::Allocation => Join::Allocation,
        JoinPolicy::Demand => Join::Demand,
    };
    config.solver.backend.clone_from(&execution.solver);
    config.solver.time_limit =
        Some(execution.max_solver_time.unwrap_or(SOLVER_TIME)).filter(|span| !span.is_zero());
    let plat = std::env::current_exe().ok().filter(|path| path.is_file());
    // The file may have been replaced since.
    let plat = plat.unwrap_or_else(|| "/proc/self/exe".into());
    config.solver.process = vec![plat.into(), SOLVER_PROCESS.into()];
    config.clock = execution
        .start_time
        .map(Clock::starting_at)
        .unwrap_or_default();
    add_environment(&mut config, execution)?;
    Ok(config)
}

/// The suffixes of the errors that end the run.
fn error_types(names: &[String]) -> Result<Vec<String>, Failure> {
    let types = names.iter().map(|name| error_types::suffixes(name));
    let types: Vec<Vec<String>> = types.collect::<Result<_, _>>().map_err(Failure::input)?;
    Ok(types.concat())
}

fn add_allocation(config: &mut Config, options: &AllocationArgs) -> Result<(), Failure> {
    let names = plat_allocator::ALL.iter().map(|entry| entry.name);
    known("allocator", &options.allocator, names)?;
    config.allocator.clone_from(&options.allocator);
    config.symbolic_size = match options.symbolic_size {
        SizePolicy::Bounded => SymbolicSize::Bounded,
        SizePolicy::Max => SymbolicSize::Max,
        SizePolicy::Fork => SymbolicSize::Fork,
        SizePolicy::Concretize => SymbolicSize::Concretize,
    };
    config.size_capacity = options.size_capacity;
    let addresses = &mut config.addresses;
    addresses.quarantine = Quarantine::from_number(options.quarantine)
        .ok_or_else(|| Failure::input("--quarantine is at least -1".to_string()))?;
    for &(region, size, base) in &options.region {
        let bounds = &mut addresses.regions[region as usize];
        bounds.size = size;
        bounds.base = base.unwrap_or(bounds.base);
    }
    addresses.check().map_err(Failure::input)
}

/// Longest time for an external call, unless the user says otherwise.
const EXTERNAL_TIME: Duration = Duration::from_secs(10);

fn external(options: &ExternalArgs) -> Result<Option<External>, Failure> {
    if options.external_calls == ExternalCalls::Refuse {
        if !options.external_allow.is_empty() {
            let why = "--external-allow needs --external-calls concrete";
            return Err(Failure::input(why));
        }
        return Ok(None);
    }
    for library in &options.external_library {
        input::check(Path::new(library), Kind::Library)?;
    }
    let plat = std::env::current_exe().map_err(Failure::input)?;
    Ok(Some(External {
        allow: options.external_allow.clone(),
        libraries: options.external_library.clone(),
        longest: options.max_external_time.unwrap_or(EXTERNAL_TIME),
        helper: vec![plat.into(), EXTERNAL_HELPER.into()],
    }))
}

fn known<'a>(
    family: &str,
    name: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), Failure> {
    if names.clone().any(|known| known == name) {
        return Ok(());
    }
    let names: Vec<&str> = names.collect();
    Err(Failure::input(format!(
        "unknown {family} `{name}`; known are {}",
        names.join(", ")
    )))
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
fn add_environment(config: &mut Config, execution: &ExecutionArgs) -> Result<(), Failure> {
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
            .environment
            .retain(|old| old.get(..=name) != entry.get(..=name));
        config.environment.push(entry);
    }
    Ok(())
}

/// The options before the program's name and those after it make one description.
fn input(options: &InputArgs, program_args: &[OsString]) -> Result<InputSpec, Failure> {
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
    let mut spec = parse_posix_options(&words).map_err(Failure::input)?;
    if let Some(mark) = options.template_byte {
        spec.mark = mark;
    }
    spec.range = options.template_range.or(spec.range);
    for path in spec.template_files() {
        input::check(path, Kind::Template)?;
    }
    spec.read_templates().map_err(Failure::input)?;
    if spec.stdin.is_none() {
        spec.stdin = crate::stdin::redirected()?.map(|bytes| Source::Concrete(bytes.into()));
    }
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Asked, Command, parse};

    fn plan(line: &str) -> Result<RunPlan, Failure> {
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
            assert_eq!(failure.code, 2, "{line}");
            assert!(!failure.message.contains('\n'), "{line}: {failure}");
        }
    }

    #[test]
    fn input_options_stand_on_either_side_of_the_program() {
        let before = plan("plat run --sym-arg 2 --sym-stdin 4 p.bc x").unwrap();
        let after = plan("plat run p.bc --sym-stdin 4 --sym-arg 2 x").unwrap();
        assert_eq!(before.input, after.input);
        assert_eq!(before.search, "random-path+nurs:covnew");
    }

    #[test]
    fn the_clock_starts_where_it_is_told() {
        let clock = |words| plan(words).unwrap().config.clock;
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
            .environment
            .iter()
            .filter(|entry| entry.starts_with(b"LC_ALL="));
        assert_eq!(locale.collect::<Vec<_>>(), [b"LC_ALL=de"]);
    }
}
