//! The `plat` command.

fn main() -> std::process::ExitCode {
    plat::main(&std::env::args_os().collect::<Vec<_>>())
}
