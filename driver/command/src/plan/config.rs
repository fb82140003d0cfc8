//! What the engine is told: options against the lists of what there is, with the library's defaults.

use crate::args::allocation::{AllocationArgs, SizePolicy};
use crate::args::execution::{ExecutionArgs, JoinPolicy, LimitArgs, OutputArgs, TargetArgs};
use crate::args::external::{ExternalArgs, ExternalCalls};
use plat::input::{self, Kind};
use plat::output::error_types;
use plat::{Error, memory_models};
use plat_allocator::{AllocatorChoice, Quarantine};
use plat_engine::config::{Checks, Errors, ForkShares, SearchConfig, WorkerConfig};
use plat_engine::search::{SearcherChoice, own};
use plat_engine::{Config, External, Limits, Merging, SymbolicSize, Target};
use plat_env::{Clock, FileRules};
use plat_memory::Join;
use plat_memory::model::ModelChoice;
use plat_memory::resolve::Splitting;
use plat_solver::BackEndChoice;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::Duration;

/// The searchers that are asked for; where paths merge and none is, KLEE's choice.
fn searchers(execution: &ExecutionArgs) -> Result<Vec<SearcherChoice>, Error> {
    let merging = ["nurs:covnew".to_string()];
    let names = match execution.merging.use_merge && execution.search.is_empty() {
        true => &merging[..],
        false => &execution.search,
    };
    let searchers = names.iter().map(|name| SearcherChoice::named(name));
    searchers.collect::<Result<_, _>>().map_err(Error::input)
}

/// The places that are to be reached. Without a searcher it is one that goes there, in turns with another.
pub(super) fn add_targets(config: &mut Config, args: &TargetArgs) -> Result<(), Error> {
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

/// Refuses to put paths last that are in the state of another one where no searcher asks for that.
pub(super) fn check_subsumption(search: &SearchConfig) -> Result<(), Error> {
    let default = SearcherChoice::default_choice();
    let searchers = match &search.searchers[..] {
        [] => &default[..],
        searchers => searchers,
    };
    let asks = searchers.iter().any(|one| one.needs().subsumption);
    match search.subsume && !asks {
        true => Err(Error::input(
            "--subsume-paths needs the searcher covnew-path, alone or among others (--search)",
        )),
        false => Ok(()),
    }
}

/// Whether a searcher goes to places that are to be reached.
pub fn is_directed(search: &SearchConfig) -> bool {
    search.searchers.iter().any(|one| one.needs().targets)
}

/// The memory model, if one is named, or asked for by an option that only one model has.
fn memory_model(execution: &ExecutionArgs) -> Result<Option<ModelChoice>, Error> {
    let known = || plat_memory::model::ALL.iter().map(|entry| entry.name);
    let named = execution.memory_model.as_ref().map(|name| {
        let model = ModelChoice::named(name);
        model.ok_or_else(|| unknown("memory model", name, known()))
    });
    let named = named.transpose()?;
    match execution.pointers.join {
        Some(_) => with_segments("--join", named).map(Some),
        None => Ok(named),
    }
}

/// The memory model where an option is about segments of the analysis: the one that is named, which must
/// have some, or `segmented`.
pub(super) fn with_segments(
    option: &str,
    named: Option<ModelChoice>,
) -> Result<ModelChoice, Error> {
    let model = named.unwrap_or_else(|| memory_models::SEGMENTED.into());
    match model.wants_groups() {
        true => Ok(model),
        false => Err(Error::input(format!(
            "{option} is about segments of the analysis, and the memory model {} goes by none: \
             segmented does",
            model.name()
        ))),
    }
}

/// Pins are for a model that chooses.
fn check_pins(execution: &ExecutionArgs, model: Option<&ModelChoice>) -> Result<(), Error> {
    let other = model.is_some_and(|model| model.name() != "auto");
    match other && !execution.pointers.resolve.is_empty() {
        true => Err(Error::input(
            "--resolve needs --memory-model auto: other models follow every pointer in one way",
        )),
        false => Ok(()),
    }
}

pub(super) fn config(
    execution: &ExecutionArgs,
    limits: &LimitArgs,
    output: &OutputArgs,
) -> Result<Config, Error> {
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
            merging: match (
                execution.merging.use_merge,
                execution.merging.use_incomplete_merge,
            ) {
                (false, _) => Merging::Off,
                (true, false) => Merging::Complete,
                (true, true) => Merging::Incomplete,
            },
            subsume: execution.merging.subsume_paths,
            log_merges: execution.merging.debug_log_merge,
            split_cases: execution.merging.split_switch_cases,
            preemptions: execution.checks.preemptions,
            ..SearchConfig::default()
        },
        limits: meant_limits(limits, output.klee_names),
        checks: Checks {
            div_zero: execution.check_div_zero,
            overshift: execution.check_overshift,
            families: execution.checks.check_mismatched_release,
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
    config.memory.model = memory_model(execution)?;
    config.memory.collect = execution.switches.collect.into();
    config.memory.options.threshold = execution.segment_threshold;
    config.memory.options.join = match execution.pointers.join {
        Some(JoinPolicy::Allocation) => Join::Allocation,
        Some(JoinPolicy::Demand) | None => Join::Demand,
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
    check_pins(execution, config.memory.model.as_ref())?;
    config.solver.backend = back_end;
    if let Some(span) = execution.max_solver_time {
        config.solver.time_limit = Some(span).filter(|span| !span.is_zero());
    }
    if execution.entry_point.is_empty() {
        return Err(Error::input("entry-point cannot be empty"));
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
    config.start.as_klee = output.klee_names;
    add_environment(&mut config, execution)?;
    Ok(config)
}

/// The suffixes of the errors that end the run.
fn error_types(names: &[String]) -> Result<Vec<String>, Error> {
    let types = names.iter().map(|name| error_types::suffixes(name));
    let types: Vec<Vec<String>> = types.collect::<Result<_, _>>().map_err(Error::input)?;
    Ok(types.concat())
}

pub(super) fn add_allocation(config: &mut Config, options: &AllocationArgs) -> Result<(), Error> {
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

pub(super) fn external(options: &ExternalArgs) -> Result<Option<External>, Error> {
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
fn meant_limits(limits: &LimitArgs, klee: bool) -> Limits {
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
        fork_shares: ForkShares {
            of_instruction: limits
                .max_static_fork_pct
                .unwrap_or(defaults.fork_shares.of_instruction),
            of_path: limits
                .max_static_cpfork_pct
                .unwrap_or(defaults.fork_shares.of_path),
            delay: limits
                .max_static_pct_check_delay
                .unwrap_or(defaults.fork_shares.delay),
        },
        tests: limits.max_tests.filter(|&count| count > 0),
        stack_frames: limits.max_stack_frames.unwrap_or(match klee {
            // KLEE's default.
            true => 8192,
            false => defaults.stack_frames,
        }),
        stack: limits.stack_size.unwrap_or(defaults.stack),
    }
}

/// Variables of the file, then those of the command line; a later value replaces an earlier one.
fn add_environment(config: &mut Config, execution: &ExecutionArgs) -> Result<(), Error> {
    let mut entries = Vec::new();
    if config.start.as_klee && execution.env_file.is_none() {
        // KLEE passes its own environment on; programs look for the directory that they start in.
        let own = std::env::current_dir().ok();
        let directory = execution
            .readable
            .run_in_dir
            .clone()
            .or(own)
            .unwrap_or_default();
        entries.push([b"PWD=", directory.as_os_str().as_bytes()].concat());
    }
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
