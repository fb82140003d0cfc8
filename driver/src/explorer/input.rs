//! The program's input.

use super::Explorer;
use crate::corpus::Raw;
use plat_env::{ArgSpec, FileSpec, InputSpec, Source};

impl Explorer<'_> {
    /// An argument of these bytes. Arguments follow in the order in which they are asked for.
    pub fn arg(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input.args.push(ArgSpec::Concrete(bytes.into()));
        self
    }

    /// A symbolic argument of at most so many bytes.
    pub fn sym_arg(mut self, size: u32) -> Self {
        self.input.args.push(ArgSpec::Symbolic { size });
        self
    }

    /// Between `min` and `max` symbolic arguments of at most `size` bytes each.
    pub fn sym_args(mut self, min: u32, max: u32, size: u32) -> Self {
        let list = ArgSpec::SymbolicList { min, max, size };
        self.input.args.push(list);
        self
    }

    /// So many symbolic bytes of standard input.
    pub fn sym_stdin(self, size: u64) -> Self {
        self.stdin(Source::Symbolic(size))
    }

    /// Standard input. Default empty.
    pub fn stdin(mut self, source: Source) -> Self {
        self.input.stdin = Some(source);
        self
    }

    /// So many symbolic files, `A`, `B`, ..., of so many bytes each.
    pub fn sym_files(mut self, count: u32, size: u64) -> Self {
        self.input.sym_files = Some((count, size));
        self
    }

    /// A file in the program's working directory.
    pub fn file(mut self, name: impl Into<String>, source: Source) -> Self {
        let name = name.into();
        self.input.files.push(FileSpec { name, source });
        self
    }

    /// Adds inputs as fuzzers have them, whose paths are followed first. What they are the bytes of
    /// is in [`crate::corpus::Target`]; [`crate::seeds::read`] reads them.
    pub fn raw_seeds(mut self, seeds: impl IntoIterator<Item = Raw>) -> Self {
        self.raw_seeds.extend(seeds);
        self
    }

    /// All of the input, in place of what was asked for before.
    pub fn input(mut self, input: InputSpec) -> Self {
        self.input = input;
        self
    }
}
