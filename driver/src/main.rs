//! The `plat` command.

fn main() {}
