//! The `plat` command.

use plat::processes::EXTERNAL;
use std::ffi::{c_char, c_int};

/// States come and go in small pieces: a tenth of the time of a run would go to the system's
/// allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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

/// Gives memory that is free back to the system.
fn give_memory_back() {
    // SAFETY: it may be called at any time, by any thread.
    unsafe { libmimalloc_sys::mi_collect(true) };
}

fn main() -> std::process::ExitCode {
    plat::give_memory_back_by(give_memory_back);
    plat_command::main(&std::env::args_os().collect::<Vec<_>>())
}
