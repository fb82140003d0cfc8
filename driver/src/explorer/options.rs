//! How a program is explored, and who takes part.

use super::Explorer;
use crate::{Interrupt, Processes};
use plat_engine::native::Native;
use plat_engine::search::SearcherChoice;
use plat_engine::{Config, Hook, Observer};
use plat_env::FileAccess;
use plat_memory::model::ModelChoice;
use plat_segments::Unify;
use plat_solver::BackEndChoice;
use plat_transform::FunctionAlias;
use std::path::PathBuf;
use std::time::Duration;

/// The exploration.
impl Explorer<'_> {
    /// The memory model: one of [`crate::memory_models`], or one's own
    /// ([`ModelChoice::new`]). Default `SEGMENTED` for a program that has segments, and `AUTO` for others.
    pub fn memory_model(mut self, model: impl Into<ModelChoice>) -> Self {
        self.config.memory.model = Some(model.into());
        self
    }

    /// Adds a searcher: one of [`crate::searchers`], or one's own ([`SearcherChoice::new`]). Several
    /// take turns. Default `RANDOM_PATH` and `NURS_COVNEW`.
    pub fn searcher(mut self, searcher: impl Into<SearcherChoice>) -> Self {
        self.config.search.searchers.push(searcher.into());
        self
    }

    /// The solver's back end: one of [`crate::back_ends`], or one's own ([`BackEndChoice::new`]).
    /// Default `BITS`.
    pub fn back_end(mut self, back_end: impl Into<BackEndChoice>) -> Self {
        self.config.solver.backend = back_end.into();
        self
    }

    /// The seed of all random choices. Default 1.
    pub fn seed(mut self, seed: u64) -> Self {
        self.config.search.seed = seed;
        self
    }

    /// The function that the program starts in. Default `main`.
    pub fn entry_point(mut self, name: impl Into<String>) -> Self {
        self.config.start.entry_point = name.into();
        self
    }

    /// The most bytes that a fuzzer's harness gets, see [`crate::fuzzing`]. Default 64, or as many
    /// as the longest seed of [`Explorer::raw_seeds`] has, up to 4096.
    pub fn fuzz_max_len(mut self, bytes: u32) -> Self {
        self.config.start.fuzz_max_len = Some(bytes);
        self
    }

    /// The directory that the program starts in. Default that of the calling process.
    pub fn run_in(mut self, directory: impl Into<PathBuf>) -> Self {
        self.config.start.directory = Some(directory.into());
        self
    }

    /// Which files of the host the program may see, beside those of [`Explorer::allow_file`]. Default
    /// [`FileAccess::Given`].
    pub fn files(mut self, access: FileAccess) -> Self {
        self.config.start.files.access = access;
        self
    }

    /// A file that the program may see, or a directory with all that is below it.
    pub fn allow_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.config.start.files.allowed.push(path.into());
        self
    }

    /// The most time of the run, not of the stages before it. Default no limit.
    pub fn max_time(mut self, time: Duration) -> Self {
        self.config.limits.time = Some(time);
        self
    }

    /// The most instructions over all paths. Default no limit.
    pub fn max_instructions(mut self, count: u64) -> Self {
        self.config.limits.instructions = Some(count);
        self
    }

    /// The most forks over all paths. Default no limit.
    pub fn max_forks(mut self, count: u64) -> Self {
        self.config.limits.forks = Some(count);
        self
    }

    /// The most forks on one path. Default no limit.
    pub fn max_depth(mut self, count: u32) -> Self {
        self.config.limits.depth = Some(count);
        self
    }

    /// The most tests. Default no limit.
    pub fn max_tests(mut self, count: u64) -> Self {
        self.config.limits.tests = Some(count);
        self
    }

    /// Resident memory of the process in bytes, near which paths are given up. Default 2000 MiB.
    pub fn max_memory(mut self, bytes: u64) -> Self {
        self.config.limits.memory = Some(bytes);
        self
    }

    /// Changes the options that have no method of their own.
    ///
    /// ```
    /// # let explorer = plat::Explorer::bitcode("p.bc");
    /// let explorer = explorer.configure(|config| config.checks.leaks = true);
    /// assert!(explorer.config().checks.leaks);
    /// ```
    pub fn configure(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(&mut self.config);
        self
    }

    /// All options of the exploration, in place of those that were given before.
    pub fn with_config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// What the program is told its name is. Default the path of its bitcode, as it was given.
    pub fn program_name(mut self, name: impl Into<String>) -> Self {
        self.told = Some(name.into());
        self
    }

    /// What the engine will be told.
    pub fn config(&self) -> &Config {
        &self.config
    }
}

/// The stages before the run.
impl Explorer<'_> {
    /// The program's bitcode, for [`Explorer::bitcode`] with a name that is no file.
    pub fn contents(mut self, bytes: Vec<u8>) -> Self {
        self.stages.contents = Some(bytes);
        self
    }

    /// Adds a file of bitcode that belongs to the program, or an archive of such files.
    pub fn link_with(mut self, path: impl Into<PathBuf>) -> Self {
        self.stages.further.push(path.into());
        self
    }

    /// Whether LLVM's passes optimise the program first. They assume that it does nothing undefined,
    /// so that faults can vanish. Default false.
    pub fn optimize(mut self, optimize: bool) -> Self {
        self.stages.optimize = optimize;
        self
    }

    /// Whether switches become comparisons, so that there is a path for each range of values. Default false.
    pub fn lower_switches(mut self, lower: bool) -> Self {
        self.stages.lower_switches = lower;
        self
    }

    /// Has a function stand in for others wherever these are used, as KLEE's `--function-alias` has.
    pub fn function_alias(mut self, alias: FunctionAlias) -> Self {
        self.stages.aliases.push(alias);
        self
    }

    /// The directory of the C library in bitcode. Default: where [`crate::libc::find`] looks.
    pub fn libc_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.stages.libc = Some(path.into());
        self
    }

    /// A segment map in a file, in place of an analysis. The memory model has to be one that goes by it; it is
    /// `SEGMENTED` if none is chosen.
    pub fn segments(mut self, path: impl Into<PathBuf>) -> Self {
        self.stages.segments = Some(path.into());
        self
    }

    /// Whose points-to sets are united to segments, for memory models that go by them. Default
    /// [`Unify::default`].
    pub fn unify(mut self, unify: Unify) -> Self {
        self.stages.unify = unify;
        self
    }

    /// Millions of operations that the analysis may take before it becomes coarser; 0 is no bound.
    pub fn analysis_budget(mut self, budget: u64) -> Self {
        self.stages.budget = budget;
        self
    }

    /// Holds every pointer of the run against a points-to analysis: that in a file, or one made for
    /// this.
    pub fn check_points_to(mut self, file: Option<PathBuf>) -> Self {
        self.stages.check_points_to = Some(file);
        self
    }

    /// Which work is done in a process of its own. Default none: everything in this one.
    pub fn processes(mut self, processes: Processes) -> Self {
        self.processes = processes;
        self
    }
}

/// Who takes part.
impl<'a> Explorer<'a> {
    /// Adds a hook: code that hears what happens on a path and may change it. A reference to a hook
    /// is one too, so that what it has gathered can be looked at behind the run.
    pub fn hook(mut self, hook: impl Hook + 'a) -> Self {
        self.extensions.hooks.push(Box::new(hook));
        self
    }

    /// Adds a native function: code that stands for a function of the program.
    pub fn native(mut self, native: Native<'a>) -> Self {
        self.extensions.natives.push(native);
        self
    }

    /// Adds an observer, which hears what happens and changes nothing. A reference to one is one too.
    pub fn observer(mut self, observer: impl Observer + 'a) -> Self {
        self.observers.push(Box::new(observer));
        self
    }

    /// What is told what the stages do without, a line each, while they work. Otherwise observers are
    /// told when the run begins.
    pub fn on_warning(mut self, told: impl FnMut(&str) + 'a) -> Self {
        self.on_warning = Some(Box::new(told));
        self
    }

    /// What ends the run from elsewhere.
    pub fn interrupt(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = Some(interrupt);
        self
    }
}
