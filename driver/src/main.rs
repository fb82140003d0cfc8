//! The `plat` command.

/// States come and go in small pieces: a tenth of the time of a run would go to the system's
/// allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    plat::main(&std::env::args_os().collect::<Vec<_>>())
}
