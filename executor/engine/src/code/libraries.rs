//! Which code belongs to libraries: a fault there is located in the code that called it.
//!
//! Libraries are the C library and the runtime, and the standard libraries of C++ and Rust as far as
//! they are bitcode. They are known by the files of their sources, and where there is no debug
//! information by the symbols of Rust, which name the crate.

use plat_program::{Function, Program};

/// Parts of the paths of source files that belong to libraries.
const FILES: &[&str] = &[
    // The C library and the runtime.
    "musl-",
    // The C++ library.
    "llvm-toolchain-",
    // Headers of the C++ library.
    "/include/c++/",
    // The libraries of Rust as they are distributed, the crates that they contain, and a local copy.
    "/rustc/",
    "/rust/deps/",
    "/lib/rustlib/src/rust/library/",
];

/// The crates of Rust's standard library.
const CRATES: &[&str] = &[
    "__rustc",
    "alloc",
    "compiler_builtins",
    "core",
    "panic_abort",
    "panic_unwind",
    "std",
    "test",
];

/// Further functions that compilers and Rust's standard library bring along.
const SYMBOLS: &[&str] = &[
    "__clang_call_terminate",
    "rust_begin_unwind",
    "rust_eh_personality",
    "rust_panic",
];

/// Whether a function belongs to a library.
pub fn owns(program: &Program, function: &Function) -> bool {
    function.name.starts_with("__plat_")
        || owns_file(&program.location(function.location).file)
        || owns_symbol(&function.name)
}

/// Whether a source file belongs to a library.
pub fn owns_file(file: &str) -> bool {
    FILES.iter().any(|part| match part.starts_with('/') {
        true => file.contains(part),
        false => file.split('/').any(|name| name.starts_with(part)),
    })
}

/// Whether a symbol belongs to a library, Rust's for the most part.
fn owns_symbol(name: &str) -> bool {
    if SYMBOLS.contains(&name) || name.starts_with("__rust_") || name.starts_with("__rdl_") {
        return true;
    }
    rust_path(name).is_some_and(|path| owns_path(&path))
}

/// The path that a symbol of Rust names: `core::panicking::panic_fmt`,
/// `<alloc::vec::Vec<T> as core::ops::index::Index<I>>::index`.
pub fn rust_path(symbol: &str) -> Option<String> {
    let path = rustc_demangle::try_demangle(symbol).ok()?;
    Some(format!("{path:#}"))
}

/// Whether a path of Rust is of the standard library. A method of a trait is, if both the trait and
/// the type are: an implementation is in the crate of one of them.
fn owns_path(path: &str) -> bool {
    let Some(inside) = path.strip_prefix('<') else {
        return owns_type(path);
    };
    let inside = &inside[..end_of_angle(inside)];
    match inside.split_once(" as ") {
        Some((ty, of_trait)) => owns_type(ty) && owns_type(of_trait),
        None => owns_type(inside),
    }
}

/// Whether a type is of the standard library or of the language.
fn owns_type(ty: &str) -> bool {
    let ty = ty.trim_start_matches(|c| "&*[(".contains(c));
    let ty = ty.trim_start_matches("mut ").trim_start_matches("const ");
    let ty = ty.trim_start_matches("dyn ");
    if ty.starts_with('<') {
        return owns_path(ty);
    }
    match ty.split_once("::") {
        Some((root, _)) if root.bytes().all(is_of_a_name) => CRATES.contains(&root),
        // Without a path before it: a type of the language, or a parameter.
        _ => true,
    }
}

fn is_of_a_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Where the angle that is open at the start of a text is closed.
fn end_of_angle(text: &str) -> usize {
    let mut open = 1;
    let mut last = ' ';
    for (at, character) in text.char_indices() {
        match character {
            '<' => open += 1,
            // The arrow of a function's type is none.
            '>' if last != '-' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return at;
        }
        last = character;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::{owns_file, owns_path, owns_symbol};

    #[test]
    fn files_of_libraries_are_known() {
        assert!(owns_file("musl-1.2.3/src/string/strlen.c"));
        assert!(owns_file("/usr/include/c++/14/bits/stl_vector.h"));
        assert!(owns_file("/rustc/0123/library/core/src/option.rs"));
        assert!(!owns_file("/home/me/musl/main.c"));
        assert!(!owns_file("src/main.rs"));
        assert!(!owns_file(""));
    }

    #[test]
    fn symbols_of_rusts_library_are_known_in_both_manglings() {
        assert!(owns_symbol(
            "_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check"
        ));
        assert!(owns_symbol(
            "_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE"
        ));
        assert!(owns_symbol("__rust_alloc"));
        assert!(!owns_symbol("_ZN4main4main17h0123456789abcdefE"));
        assert!(!owns_symbol("main"));
        assert!(!owns_symbol("core_loop"));
    }

    #[test]
    fn an_implementation_belongs_to_the_library_if_type_and_trait_do() {
        let library = [
            "core::panicking::panic_fmt",
            "std::rt::lang_start::<()>::{closure#0}",
            "<alloc::vec::Vec<user::T> as core::ops::index::Index<usize>>::index",
            "<usize as core::slice::index::SliceIndex<[u8]>>::index",
            "<&mut [u8] as core::fmt::Debug>::fmt",
            "<core::option::Option<user::T>>::unwrap",
        ];
        for path in library {
            assert!(owns_path(path), "{path}");
        }
        let users = [
            "user::main",
            "<user::T as core::fmt::Debug>::fmt",
            "<usize as user::Trait>::get",
            "<&user::T as core::ops::add::Add>::add",
            "<user::T>::new",
        ];
        for path in users {
            assert!(!owns_path(path), "{path}");
        }
    }
}
