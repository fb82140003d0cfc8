//! Functions that the executor provides even if the program defines them.
//!
//! Test harnesses define intrinsics with empty bodies to compile natively, and a program's own
//! malloc would hide its allocations from the analysis.

/// Functions whose definitions in a program are replaced by the executor's. Sorted.
pub const OVERRIDDEN: &[&str] = &[
    "_Unwind_RaiseException",
    "_Unwind_Resume",
    "__VERIFIER_assume",
    "__cxa_allocate_exception",
    "__cxa_begin_catch",
    "__cxa_current_primary_exception",
    "__cxa_decrement_exception_refcount",
    "__cxa_end_catch",
    "__cxa_free_exception",
    "__cxa_get_exception_ptr",
    "__cxa_increment_exception_refcount",
    "__cxa_init_primary_exception",
    "__cxa_rethrow",
    "__cxa_rethrow_primary_exception",
    "__cxa_throw",
    "__cxa_uncaught_exception",
    "__cxa_uncaught_exceptions",
    "_longjmp",
    "_setjmp",
    "aligned_alloc",
    "calloc",
    "free",
    "klee_abort",
    "klee_assume",
    "klee_check_memory_access",
    "klee_choose",
    "klee_close_merge",
    "klee_define_fixed_object",
    "klee_get_errno",
    "klee_get_obj_size",
    "klee_get_value_i32",
    "klee_get_value_i64",
    "klee_get_valued",
    "klee_get_valuef",
    "klee_get_valuel",
    "klee_get_valuell",
    "klee_int",
    "klee_is_replay",
    "klee_is_symbolic",
    "klee_make_symbolic",
    "klee_mark_global",
    "klee_open_merge",
    "klee_posix_prefer_cex",
    "klee_prefer_cex",
    "klee_print_expr",
    "klee_print_range",
    "klee_range",
    "klee_report_error",
    "klee_set_forking",
    "klee_silent_exit",
    "klee_stack_trace",
    "klee_warning",
    "klee_warning_once",
    "longjmp",
    "malloc",
    "malloc_usable_size",
    "memalign",
    "posix_memalign",
    "realloc",
    "reallocarray",
    "setjmp",
    "siglongjmp",
    "sigsetjmp",
];

/// The operators `new` and `delete`, which the executor provides if the program defines none of
/// them. Otherwise a member of the library implements the missing ones with the program's.
pub const OPERATORS: &[&str] = &[
    "_ZdaPv",
    "_ZdaPvRKSt9nothrow_t",
    "_ZdaPvSt11align_val_t",
    "_ZdaPvSt11align_val_tRKSt9nothrow_t",
    "_ZdaPvm",
    "_ZdaPvmSt11align_val_t",
    "_ZdlPv",
    "_ZdlPvRKSt9nothrow_t",
    "_ZdlPvSt11align_val_t",
    "_ZdlPvSt11align_val_tRKSt9nothrow_t",
    "_ZdlPvm",
    "_ZdlPvmSt11align_val_t",
    "_Znam",
    "_ZnamRKSt9nothrow_t",
    "_ZnamSt11align_val_t",
    "_ZnamSt11align_val_tRKSt9nothrow_t",
    "_Znwm",
    "_ZnwmRKSt9nothrow_t",
    "_ZnwmSt11align_val_t",
    "_ZnwmSt11align_val_tRKSt9nothrow_t",
];

/// The function that the executor calls if its own operator `new` fails.
pub const BAD_ALLOC: &str = "__plat_throw_bad_alloc";

/// The function that the executor calls before a program ends by an exception that nobody catches.
pub const TERMINATE: &str = "__plat_call_terminate_handler";

/// Whether a program's definition of `name` is replaced by the executor's.
pub fn is_overridden(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet_") || OVERRIDDEN.binary_search(&name).is_ok()
}

/// Whether the executor always provides `name`: interface functions and intrinsics.
pub fn is_interface(name: &str) -> bool {
    name.starts_with("llvm.")
        || name.starts_with("__plat_")
        || name.ends_with("_personality_v0")
        || OPERATORS.contains(&name)
        || is_overridden(name)
}

#[cfg(test)]
mod tests {
    #[test]
    fn list_is_sorted() {
        assert!(super::OVERRIDDEN.is_sorted());
        assert!(super::is_overridden("__VERIFIER_nondet_int"));
        assert!(!super::is_overridden("__VERIFIER_assert"));
    }
}
