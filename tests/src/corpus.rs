//! The corpus `tests/programs/agree`: small programs with small inputs, described in their heads.
//!
//! ```c
//! /* What it exercises.
//!  * inputs: 8 256        klee_range(0, 8), then one byte, in the order in which they are asked for
//!  * stdin: 3             bytes of standard input
//!  * args: 2 1            symbolic arguments and their lengths
//!  * alphabet: 00 61 62   the bytes that stdin and args take in the enumeration (default: all)
//!  * faults: yes          some input makes it fail (default: none does) */
//! ```

use crate::program::{self, Program};
use std::path::PathBuf;

/// The programs that look things up in heap objects.
pub const LOOKUPS: &[&str] = &[
    "double_pointers",
    "hash_table",
    "linked_list",
    "matrix_rows",
    "matrix_store",
    "mixed_sites",
    "name_table",
    "nested_tables",
    "use_after_free_table",
];

/// One program.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// The file's name without `.c`.
    pub name: String,
    /// The source.
    pub source: PathBuf,
    /// How many values each input by intrinsic takes: 256 is a byte, less is a `klee_range` from 0.
    pub inputs: Vec<usize>,
    /// Bytes of standard input.
    pub stdin: usize,
    /// Lengths of symbolic arguments.
    pub args: Vec<usize>,
    /// The bytes of stdin and args to enumerate, in hexadecimal; empty is all.
    pub alphabet: String,
    /// Whether some input makes it fail.
    pub faults: bool,
}

impl Case {
    /// Number of values in an input vector.
    pub fn width(&self) -> usize {
        self.inputs.len() + self.stdin + self.args.iter().sum::<usize>()
    }

    /// The program's arguments for plat.
    pub fn symbolic_options(&self) -> Vec<String> {
        let mut options = Vec::new();
        for length in &self.args {
            options.extend(["--sym-arg".to_string(), length.to_string()]);
        }
        if self.stdin > 0 {
            options.extend(["--sym-stdin".to_string(), self.stdin.to_string()]);
        }
        options
    }
}

/// All programs, by name.
pub fn all() -> Vec<Case> {
    program::all("agree").into_iter().map(read).collect()
}

fn read(program: Program) -> Case {
    let case = Case {
        name: program.stem().to_string(),
        inputs: program.numbers("inputs"),
        stdin: program.numbers("stdin").first().copied().unwrap_or(0),
        args: program.numbers("args"),
        alphabet: program.entry("alphabet").replace(' ', ""),
        faults: program.entry("faults") == "yes",
        source: program.source,
    };
    assert!(case.width() > 0, "{}: no inputs in its head", case.name);
    case
}
