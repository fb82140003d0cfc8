//! Options about the files of the host that the program may see, as typed. [`crate::plan`] says what
//! they mean.

use clap::{Args, ValueEnum};
use plat_env::FileAccess;
use std::path::PathBuf;

/// Files of the host.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Execution")]
pub struct ReadableArgs {
    /// Run the program in this directory: where it finds files that it names without a path
    #[arg(long, value_name = "DIR")]
    pub run_in_dir: Option<PathBuf>,

    /// Which files of this machine the program sees; the others look absent, and a message says how
    /// to let it read one
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Readable::Given)]
    pub files: Readable,

    /// A file that the program may read, or a directory with all that is below it (repeatable)
    #[arg(long, value_name = "PATH")]
    pub allow_file: Vec<PathBuf>,
}

/// The files that need not be allowed by name.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Readable {
    /// None but /dev/null and its like
    None,
    /// What the program's arguments name, its directory and what is below, time zones, locales and
    /// terminals
    Given,
    /// All
    Host,
}

impl From<Readable> for FileAccess {
    fn from(readable: Readable) -> Self {
        match readable {
            Readable::None => FileAccess::None,
            Readable::Given => FileAccess::Given,
            Readable::Host => FileAccess::Host,
        }
    }
}
