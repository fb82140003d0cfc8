//! The `plat` command.

mod allocator;

use allocator::{Mimalloc, give_memory_back};
use plat::processes::EXTERNAL;
use std::ffi::{c_char, c_int};

#[global_allocator]
static ALLOCATOR: Mimalloc = Mimalloc;

/// The process that makes external calls keeps the addresses of objects free. The first allocation,
/// for which mimalloc takes memory at such an address, is made before `main`: the dynamic linker
/// calls this before all other code of the program and its libraries.
#[used]
#[unsafe(link_section = ".preinit_array")]
static RESERVE: extern "C" fn(c_int, *const *const c_char) = reserve;

extern "C" fn reserve(count: c_int, arguments: *const *const c_char) {
    // SAFETY: functions of this section get the arguments of `main`.
    unsafe { plat_external::helper::reserve_early(count, arguments, EXTERNAL) };
}

fn main() -> std::process::ExitCode {
    plat::give_memory_back_by(give_memory_back);
    plat_command::main(&std::env::args_os().collect::<Vec<_>>())
}
