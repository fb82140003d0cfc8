//! Names of C++ and Rust as their sources have them. Programs have them mangled; so do the files whose
//! readers look names up in the program, and everything under KLEE's names.

use cpp_demangle::{DemangleOptions, Symbol};
use std::borrow::Cow;

/// A name as its source has it, without the types of parameters; none if it is not mangled.
pub fn name(symbol: &str) -> Option<String> {
    if !symbol.starts_with("_Z") && !symbol.starts_with("_R") {
        return None;
    }
    // Rust's older names are names of C++, too, with a hash that only its own demangler leaves out.
    if let Ok(name) = rustc_demangle::try_demangle(symbol) {
        return Some(format!("{name:#}"));
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    Symbol::new(symbol)
        .ok()?
        .demangle_with_options(&options)
        .ok()
}

/// A text with all names in it as their sources have them.
pub fn text(text: &str) -> Cow<'_, str> {
    if !text.contains("_Z") && !text.contains("_R") {
        return Cow::Borrowed(text);
    }
    let of_a_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(of_a_name) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c| !of_a_name(c)).unwrap_or(from.len());
        let (word, behind) = from.split_at(end);
        out.push_str(before);
        out.push_str(name(word).as_deref().unwrap_or(word));
        rest = behind;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::{name, text};

    #[test]
    fn names_are_those_of_the_source() {
        let names = [
            ("_ZN3app5parseEPKci", "app::parse"),
            (
                "_ZNSt3__16vectorIiNS_9allocatorIiEEE2atEm",
                "std::__1::vector<int, std::__1::allocator<int> >::at",
            ),
            (
                "_ZN4core9panicking5panic17h0123456789abcdefE",
                "core::panicking::panic",
            ),
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
        ];
        for (symbol, expected) in names {
            assert_eq!(name(symbol).as_deref(), Some(expected));
        }
        for other in ["main", "_Z", "_Znonsense", "_RX", "_ZN3app5parseEPKci_"] {
            assert_eq!(name(other), None, "{other}");
        }
    }

    #[test]
    fn names_in_a_text_are_found() {
        assert_eq!(
            text("call of _ZN3app5parseEPKci() at a.cpp:3: _ZN3app1xE."),
            "call of app::parse() at a.cpp:3: app::x."
        );
        assert_eq!(text("a_Z b"), "a_Z b");
    }
}
