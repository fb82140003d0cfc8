//! Options of `plat ideal` and `plat compare`, as typed.

use super::execution::{HowArgs, OutputArgs, RunArgs};
use super::files::FileArgs;
use super::linking::LinkingArgs;
use super::queries::QueryLogArgs;
use super::seeds::SeedArgs;
use super::values;
use clap::Args;
use plat_segments::Unify;
use std::ffi::OsString;
use std::path::PathBuf;

/// A program and how it is run, more than once.
#[derive(Args, Clone, Debug)]
pub struct SubjectArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub linking: LinkingArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub how: HowArgs,

    /// The analysis' segments unite what a pointer may reach: of all pointers (all), of those that
    /// are dereferenced, or of those that symbolic input can choose (symbolic)
    #[arg(long, value_name = "WHICH", default_value = Unify::default().name(),
          value_parser = values::unify)]
    pub unify: Unify,

    /// The most runs that are made to find the ideal segmentation; one suffices unless a limit
    /// ends it
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub max_iterations: u32,

    /// No progress and no messages on standard error
    #[arg(long, short)]
    pub quiet: bool,

    /// The program: bitcode, as for `plat explore`
    #[arg(value_name = "PROGRAM.bc")]
    pub program: PathBuf,

    /// The program's arguments; --sym-arg N and its relatives may stand among them
    #[arg(
        value_name = "PROGRAM ARGS",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub program_args: Vec<OsString>,
}

impl SubjectArgs {
    /// The options of one of the runs, which write no files.
    pub fn run(&self) -> RunArgs {
        RunArgs {
            how: self.how.clone(),
            output: OutputArgs {
                goes_on: false,
                told_name: None,
                work: None,
                covered: None,
                output_dir: None,
                only_output_states_covering_new: false,
                emit_all_errors: false,
                exit_on_error: false,
                exit_on_error_type: Vec::new(),
                klee_names: false,
                all_output: None,
                json: false,
                exit_code: false,
                queries: QueryLogArgs::default(),
                quiet: self.quiet,
            },
            files: FileArgs {
                dump_states_on_halt: true,
                ..FileArgs::default()
            },
            seeds: SeedArgs::default(),
            serve: None,
            pieces_from_stdin: false,
            program: self.program.clone(),
            program_args: self.program_args.clone(),
        }
    }
}

/// `plat ideal`.
#[derive(Args, Clone, Debug)]
pub struct IdealArgs {
    /// The segment map (- is standard output)
    #[arg(short, long, value_name = "OUT.segments.json")]
    pub output: PathBuf,
    /// Print the groups
    #[arg(long)]
    pub print: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub subject: SubjectArgs,
}

/// `plat compare`.
#[derive(Args, Clone, Debug)]
pub struct CompareArgs {
    /// Print the comparison as a JSON object
    #[arg(long)]
    pub json: bool,
    /// Draw the comparison
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
    /// Keep the ideal segmentation
    #[arg(long, value_name = "OUT.segments.json")]
    pub save_ideal: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub subject: SubjectArgs,
}
