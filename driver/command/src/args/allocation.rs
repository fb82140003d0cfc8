//! Options about addresses, as typed. [`crate::plan`] says what they mean.

use super::values;
use clap::{Args, ValueEnum};
use plat_allocator::Region;

/// Which addresses objects have.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Addresses")]
pub struct AllocationArgs {
    /// What chooses the addresses that the program sees
    #[arg(long, value_name = "ALLOCATOR", default_value = plat_allocator::DEFAULT,
          long_help = super::lists::allocators())]
    pub allocator: String,

    /// What becomes of an allocation of symbolic size
    #[arg(long, value_name = "POLICY", default_value = "bounded")]
    pub symbolic_size: SizePolicy,

    /// The most bytes of an object whose size stays symbolic; larger sizes end as a limit
    #[arg(long, value_name = "BYTES", default_value_t = 1024)]
    pub size_capacity: u64,

    /// Deallocations in a bin before a freed address is given out again: 0 at once, -1 never
    #[arg(
        long,
        alias = "kdalloc-quarantine",
        value_name = "N",
        default_value_t = 8,
        allow_negative_numbers = true
    )]
    pub quarantine: i64,

    /// Bounds of a region: constants, globals, stack or heap (repeatable)
    /// [default: constants=10G@0x20000000000, globals=10G@0x40000000000, stack=128G@0x80000000000,
    /// heap=1024G@0x100000000000]
    #[arg(long, value_name = "NAME=SIZE[@BASE]", value_parser = values::region)]
    pub region: Vec<(Region, u64, Option<u64>)>,
}

/// What becomes of an allocation of symbolic size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SizePolicy {
    /// The object has the size as an expression, up to the capacity; accesses are compared with it
    Bounded,
    /// The object has the greatest size within the capacity
    Max,
    /// A path for each size
    Fork,
    /// The object has one feasible size
    Concretize,
}
