//! Options of the link stage, as typed.

use super::LibcArgs;
use super::values;
use clap::{ArgAction, Args};
use plat_transform::FunctionAlias;
use std::path::PathBuf;

/// What the program is made of.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Linking")]
pub struct LinkingArgs {
    /// A further file of bitcode that belongs to the program, or an archive of such files, of which those are
    /// taken that are needed (repeatable)
    #[arg(long, value_name = "FILE.bc")]
    pub link_llvm_lib: Vec<PathBuf>,

    /// Optimise the program with LLVM's passes first. They assume that it does nothing undefined, so
    /// that faults can vanish
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub optimize: bool,

    /// Use another function wherever a function is used, in the program and in the library. NAME may be
    /// a regular expression for whole names of the program; only functions of the same type are replaced
    /// (repeatable)
    #[arg(long, value_name = "NAME:REPLACEMENT")]
    pub function_alias: Vec<FunctionAlias>,

    /// Make comparisons of switches (LLVM's pass): a path for each range of values between cases, where
    /// otherwise one path has all values that lead to the same place
    #[arg(long)]
    pub lower_switches: bool,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub libc: LibcArgs,
}
