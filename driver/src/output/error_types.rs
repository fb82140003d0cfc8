//! KLEE's names of the kinds of errors, for `--exit-on-error-type`, and the suffixes of `.err`
//! files that they mean.

/// The names, with the suffixes.
const TYPES: &[(&str, &[&str])] = &[
    ("Abort", &["abort"]),
    ("Assert", &["assert"]),
    ("BadVectorAccess", &["bad_vector_access"]),
    ("Execution", &["exec"]),
    ("External", &["external"]),
    ("Free", &["free"]),
    ("FunctionTypeMismatch", &["function_type_mismatch"]),
    ("ImplicitConversion", &["implicit_conversion"]),
    ("ImplicitTruncation", &["implicit_truncation"]),
    ("InvalidBuiltin", &["invalid_builtin_use"]),
    ("InvalidLoad", &["invalid_load"]),
    ("MissingReturn", &["missing_return"]),
    ("Model", &["model"]),
    ("NullableAttribute", &["nullable_attribute"]),
    ("Overflow", &["overflow"]),
    ("Ptr", &["ptr"]),
    ("ReadOnly", &["read_only"]),
    // Checks that KLEE makes by klee_report_error.
    ("ReportError", &["report_error", "div", "overshift"]),
    ("UndefinedBehavior", &["undefined_behavior"]),
    ("UnreachableCall", &["unreachable_call"]),
    ("User", &["user"]),
];

/// The suffixes that a name stands for: KLEE's name in any case, or a suffix itself.
///
/// # Errors
/// With the known names.
pub fn suffixes(name: &str) -> Result<Vec<String>, String> {
    let known = TYPES.iter().find(|(known, suffixes)| {
        known.eq_ignore_ascii_case(name) || (suffixes.len() == 1 && suffixes[0] == name)
    });
    if let Some((_, suffixes)) = known {
        return Ok(suffixes.iter().map(|suffix| suffix.to_string()).collect());
    }
    if matches!(
        name,
        "div"
            | "overshift"
            | "leak"
            | "descriptor"
            | "allocation"
            | "uninitialised"
            | "loop"
            | "deadlock"
            | "race"
    ) {
        return Ok(vec![name.to_string()]);
    }
    let names: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
    Err(format!(
        "unknown error type `{name}`; known are {}, and the suffixes of .err files",
        names.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::suffixes;

    #[test]
    fn names_and_suffixes_are_understood() {
        assert_eq!(suffixes("Ptr").unwrap(), ["ptr"]);
        assert_eq!(suffixes("readonly").unwrap(), ["read_only"]);
        assert_eq!(
            suffixes("bad_vector_access").unwrap(),
            ["bad_vector_access"]
        );
        assert_eq!(suffixes("ReportError").unwrap().len(), 3);
        assert_eq!(suffixes("div").unwrap(), ["div"]);
        assert!(suffixes("nonsense").unwrap_err().contains("ReadOnly"));
    }
}
