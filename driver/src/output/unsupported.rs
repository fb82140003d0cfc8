//! What stands in an error report of something that plat cannot carry out: the suffix of its `.err` file and
//! the message, plat's or, under KLEE's names, KLEE's where it has one for the same thing.

use crate::names::Names;

/// The suffix in plat's own words.
const OWN: &str = "exec";

/// The suffix and the message. `external` says whether machine code may be called.
pub fn words(what: &str, names: Names, external: bool) -> (&'static str, String) {
    let plain = || (OWN, what.to_owned());
    if names != Names::KLEE {
        return plain();
    }
    if let Some(call) = what.strip_prefix("external function ") {
        let text = match call.split_once(' ') {
            Some((name, why)) => format!("failed external call: {name} ({why})"),
            None => format!("failed external call: {call}"),
        };
        return ("external", text);
    }
    if let Some(size) = what.strip_prefix("a symbolic object of ") {
        let text =
            format!("Symbolic objects larger than 4 GiB are not allowed (requested {size}).");
        return (OWN, text);
    }
    match what.strip_prefix("inline assembly ") {
        Some(text) if !external => (
            OWN,
            format!("external calls disallowed (in particular inline asm): {text}"),
        ),
        _ => plain(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, words};

    #[test]
    fn klees_words_are_for_the_same_things() {
        let klee = |what, external| words(what, Names::KLEE, external);
        let said = |suffix, text: &str| (suffix, text.to_string());
        assert_eq!(
            klee("external function f", false),
            said("external", "failed external call: f")
        );
        assert_eq!(
            klee("external function f returns what cannot be passed", true),
            said(
                "external",
                "failed external call: f (returns what cannot be passed)"
            )
        );
        let asm = "inline assembly movl %eax, %eax";
        assert!(klee(asm, false).1.starts_with("external calls disallowed"));
        assert_eq!(klee(asm, true), said("exec", asm));
        assert_eq!(klee("a jump", false), said("exec", "a jump"));
        assert_eq!(
            klee("a symbolic object of 4294967296 bytes", false),
            said(
                "exec",
                "Symbolic objects larger than 4 GiB are not allowed (requested 4294967296 bytes)."
            )
        );
        let own = words("external function f", Names::PLAT, false);
        assert_eq!(own, said("exec", "external function f"));
    }
}
