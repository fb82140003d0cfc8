//! The `plat` command, once more, so that tests have its executable.

fn main() -> std::process::ExitCode {
    plat::main(&std::env::args_os().collect::<Vec<_>>())
}
