//! Which kind of machine counts are of: all that decides which instructions a row takes, besides plat's own source.
//!
//! The compilers make plat and the rows' programs, the C library has variants for processors. valgrind shows a program
//! one processor of its own for each width of vectors, whatever the machine's is
//! (`VEX/priv/guest_amd64_helpers.c`, `amd64g_dirtyhelper_CPUID_avx2` and its neighbours), so that counts of one are
//! those of many machines; perf counts on the processor that there is.

use super::measure::Way;
use crate::suites::machine::Machine;
use std::process::Command;

/// The kind of this machine, as counts are kept by it.
///
/// # Errors
/// When a compiler, the C library or valgrind cannot be asked for its version.
pub fn kind(way: Way) -> Result<String, String> {
    let processor = match way {
        Way::Valgrind => format!("{} {}", std::env::consts::ARCH, vectors(&flags())),
        Way::Perf | Way::Time => Machine::here().family,
    };
    Ok([
        processor,
        format!("glibc {}", version("getconf", "GNU_LIBC_VERSION", "glibc")?),
        format!("rustc {}", version("rustc", "--version", "rustc")?),
        format!("clang {}", version("clang-22", "--version", "version")?),
        way.named()?,
    ]
    .join(", "))
}

/// What the processor says that it can do.
fn flags() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = info.lines().find(|line| line.starts_with("flags"));
    line.unwrap_or_default().to_owned()
}

/// The widest vectors that valgrind has of these.
fn vectors(flags: &str) -> &'static str {
    let has = |flag: &str| flags.split_whitespace().any(|it| it == flag);
    let known = ["avx2", "avx", "ssse3"];
    known.into_iter().find(|flag| has(flag)).unwrap_or("sse2")
}

/// The word that a command prints behind `name`.
fn version(command: &str, argument: &str, name: &str) -> Result<String, String> {
    let output = Command::new(command).arg(argument).output();
    let output = output.map_err(|why| format!("cannot run {command}: {why}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    word_behind(&text, name)
        .map(str::to_owned)
        .ok_or_else(|| format!("{command} {argument} does not say its version"))
}

fn word_behind<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split_whitespace().skip_while(|it| *it != name).nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_commands_say() {
        let clang = "Debian clang version 22.1.8 (++20260801)\nTarget: x86_64\n";
        assert_eq!(word_behind(clang, "version"), Some("22.1.8"));
        let rustc = "rustc 1.95.0 (59807616e 2026-04-14)";
        assert_eq!(word_behind(rustc, "rustc"), Some("1.95.0"));
        assert_eq!(word_behind("glibc", "glibc"), None);
    }

    #[test]
    fn processors_with_the_same_vectors_are_one_kind() {
        assert_eq!(vectors("flags : sse2 ssse3 avx avx2 avx512f"), "avx2");
        assert_eq!(vectors("flags : sse2 ssse3 avx avx2 erms"), "avx2");
        assert_eq!(vectors("flags : sse2 ssse3 avx"), "avx");
        assert_eq!(vectors(""), "sse2");
    }
}
