//! The memory that LLVM's own code takes. The loader and LLVM's constructors touch 30 MiB of the
//! shared library in every process that links it, also in one that gets its program from another
//! process and hardly calls LLVM.

use rustix::mm::{Advice, madvise};
use std::ffi::c_void;

/// Gives back the memory that LLVM's code takes. Code that is called later is read from the file again.
/// Where LLVM is not a shared library, or the system does not say where it is, nothing happens.
pub fn drop_code() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    for (start, end) in maps.lines().filter_map(code) {
        // SAFETY: the range is a mapping of code from a file, which nobody has written to (it is
        // not writable), so the kernel reads the same bytes again on the next access.
        let dropped = unsafe { madvise(start as *mut c_void, end - start, Advice::LinuxDontNeed) };
        if dropped.is_err() {
            return;
        }
    }
}

/// The addresses of a mapping, if it is code of LLVM's library.
fn code(line: &str) -> Option<(usize, usize)> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let is_code = words.next()? == "r-xp";
    let file = words.nth(3)?.rsplit('/').next()?;
    let address = |digits| usize::from_str_radix(digits, 16).ok();
    (is_code && file.starts_with("libLLVM"))
        .then(|| Some((address(start)?, address(end)?)))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn only_code_of_llvm_is_taken() {
        let line = "7f00a000-7f00c000 r-xp 00001000 fe:00 123   /usr/lib/libLLVM.so.22.1";
        assert_eq!(code(line), Some((0x7f00_a000, 0x7f00_c000)));
        assert_eq!(code(&line.replace("r-xp", "r--p")), None);
        assert_eq!(code(&line.replace("r-xp", "rwxp")), None);
        assert_eq!(code(&line.replace("libLLVM", "libc")), None);
        assert_eq!(code("7f00a000-7f00c000 r-xp 00000000 00:00 0"), None);
    }
}
