//! `plat doctor`, as typed.

use super::execution::LibcArgs;
use clap::Args;

/// Examples of `plat doctor`.
pub const EXAMPLES: &str = "\
Each line is ok, or says what to do: `lacking` for what some uses of plat need, `wrong` for what every use \
needs. The exit code is 1 if a line is wrong.";

/// `plat doctor`.
#[derive(Args, Clone, Debug)]
pub struct DoctorArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub libc: LibcArgs,
}
