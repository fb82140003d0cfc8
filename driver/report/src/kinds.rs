//! Kinds of faults in words, and their entries in the Common Weakness Enumeration.

/// A kind of faults.
pub struct Kind {
    /// The suffix of its reports.
    pub suffix: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub text: &'static str,
    /// Its number in the Common Weakness Enumeration; 0 if it has none.
    pub cwe: u32,
}

const fn kind(suffix: &'static str, name: &'static str, cwe: u32, text: &'static str) -> Kind {
    Kind {
        suffix,
        name,
        text,
        cwe,
    }
}

/// The kinds that plat itself knows.
const KINDS: &[Kind] = &[
    kind(
        "ptr",
        "Memory error",
        119,
        "An access out of bounds, to memory that was freed, through a null or wild pointer, or a release of what was not allocated.",
    ),
    kind(
        "free",
        "Wrong release",
        415,
        "Memory is released twice, or in another way than it was allocated.",
    ),
    kind(
        "assert",
        "Failed assertion",
        617,
        "An assertion does not hold.",
    ),
    kind(
        "abort",
        "Abort",
        705,
        "The program ends itself by abort, by an uncaught exception or by a panic.",
    ),
    kind(
        "read_only",
        "Write to a constant",
        787,
        "A write to memory that may only be read.",
    ),
    kind(
        "div",
        "Division by zero",
        369,
        "A division by zero, or one whose result does not fit.",
    ),
    kind(
        "overflow",
        "Arithmetic overflow",
        190,
        "The result of an operation does not fit its type.",
    ),
    kind(
        "overshift",
        "Shift too far",
        682,
        "A shift by the width of the number or more.",
    ),
    kind(
        "function_type_mismatch",
        "Call of a wrong type",
        843,
        "A call through a pointer to a function of another type.",
    ),
    kind(
        "uninitialised",
        "Use of uninitialised memory",
        457,
        "A decision depends on memory that was never written.",
    ),
    kind(
        "leak",
        "Memory leak",
        401,
        "Memory that nothing refers to when the path ends.",
    ),
    kind(
        "descriptor",
        "Descriptor left open",
        775,
        "A descriptor that is still open when the path ends.",
    ),
    kind(
        "allocation",
        "Huge allocation",
        789,
        "The program asks for more memory at once than --max-allocation allows.",
    ),
    kind(
        "bad_vector_access",
        "Bad vector access",
        125,
        "An element that the vector does not have.",
    ),
    kind(
        "unreachable_call",
        "Unreachable code",
        758,
        "Code that the compiler was told is unreachable was reached.",
    ),
    kind(
        "user",
        "Error reported by the program",
        0,
        "The program or its harness reports an error.",
    ),
    kind(
        "loop",
        "Infinite loop",
        835,
        "The path comes back to a state that it was in, or recurses without end.",
    ),
    kind(
        "undefined_behavior",
        "Undefined behaviour",
        758,
        "A check of UBSan fails.",
    ),
    kind(
        "deadlock",
        "Deadlock",
        833,
        "All threads wait for each other.",
    ),
    kind(
        "race",
        "Data race",
        362,
        "Two threads access the same memory without order, and one of them writes.",
    ),
    kind(
        "exec",
        "Unsupported",
        0,
        "The program needs something that plat does not have; the path ends there. This is no fault of the program.",
    ),
    kind(
        "external",
        "Unsupported",
        0,
        "The program calls a function that has no body; the path ends there. This is no fault of the program.",
    ),
];

/// The kind with a suffix; others are named by their suffix and have no text of their own.
pub fn of(suffix: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.suffix == suffix)
}

/// The name of a kind.
pub fn name(suffix: &str) -> &str {
    of(suffix).map_or(suffix, |kind| kind.name)
}

/// The name of a kind and what is wrong, which is not said twice: many messages begin with the name.
pub fn titled(suffix: &str, message: &str) -> String {
    let name = name(suffix);
    let same = |start: &str| start.eq_ignore_ascii_case(name);
    match message.get(..name.len()) {
        Some(start) if same(start) => format!("{name}{}", &message[name.len()..]),
        _ => format!("{name}: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plat::FaultKind;

    #[test]
    fn kinds_of_the_engine_are_known() {
        let kinds = [
            FaultKind::Assert,
            FaultKind::Abort,
            FaultKind::Panic,
            FaultKind::Pointer,
            FaultKind::InvalidFree,
            FaultKind::Free,
            FaultKind::ReadOnly,
            FaultKind::Divide,
            FaultKind::Overflow,
            FaultKind::Overshift,
            FaultKind::FunctionType,
            FaultKind::Uninitialised,
            FaultKind::Leak,
            FaultKind::Descriptor,
            FaultKind::Allocation,
            FaultKind::BadVectorAccess,
            FaultKind::Unreachable,
            FaultKind::User,
            FaultKind::InfiniteLoop,
            FaultKind::Deadlock,
            FaultKind::DataRace,
        ];
        for kind in kinds {
            assert!(of(kind.suffix()).is_some(), "{}", kind.suffix());
        }
        assert_eq!(name("nullable_attribute"), "nullable_attribute");
    }

    #[test]
    fn a_name_is_not_said_twice() {
        let said = |message| titled("ptr", message);
        assert_eq!(
            said("memory error: out of bound pointer"),
            "Memory error: out of bound pointer"
        );
        assert_eq!(said("é"), "Memory error: é");
        assert_eq!(titled("new", "it"), "new: it");
    }
}
