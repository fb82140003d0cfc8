//! Library functions that are not analysed as code: what they do to pointers, by name.
//!
//! The table serves two ends. Functions that the executor implements itself (the malloc family)
//! and functions of a C library that is not linked in have no body. And a call of a string
//! function whose body is linked in is described better by its effect at this call than by its
//! body, which all calls share: the entry is used for a defined function if that function is
//! self-contained (see `extract::summaries`).
//!
//! Functions absent from the table and without a body are treated as unknown: they can do
//! anything to what they can reach, and their names are reported.

use Effect::{
    Calls, CopiesBlock, Fresh, FreshStored, Keeps, Permutes, Reads, Reallocates, Returns,
    ReturnsInto, ReturnsKept, ReturnsLoaded, ReturnsRemembered, ReturnsStatic, StoresInto, Syscall,
    Writes,
};

/// One effect of a library function. Arguments are numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Returns a fresh heap object; its size is the product of these arguments.
    Fresh(&'static [u8]),
    /// Returns a fresh heap object with the contents of the block at argument 0; argument 1 (times
    /// argument 2) is its size.
    Reallocates,
    /// Stores the address of a fresh heap object at this argument.
    FreshStored(u8),
    /// Returns this argument.
    Returns(u8),
    /// Returns an address in the object of this argument.
    ReturnsInto(u8),
    /// Returns an address in the object of this argument of this or an earlier call.
    ReturnsRemembered(u8),
    /// Keeps this argument under a name that other functions know.
    Keeps(&'static str, u8),
    /// Returns what was kept under this name, or an address in it.
    ReturnsKept(&'static str),
    /// Returns the address of an object of its own that holds no pointers but to itself.
    ReturnsStatic,
    /// Copies bytes from the second to the first of these arguments; the third is the length.
    CopiesBlock(u8, u8, Option<u8>),
    /// Moves the elements of the array at the first of these arguments about; the second is the
    /// size of an element.
    Permutes(u8, u8),
    /// Stores at the first of these arguments an address in the object of the second.
    StoresInto(u8, u8),
    /// Returns a pointer that this argument points to, or an address in its object.
    ReturnsLoaded(u8),
    /// Reads memory at this argument.
    Reads(u8),
    /// Writes bytes that are no pointers at this argument.
    Writes(u8),
    /// Calls this argument with arguments that point into the objects of these arguments.
    Calls(u8, &'static [u8]),
    /// A system call: argument 0 is its number.
    Syscall,
}

/// The effects of a library function, if it is known.
pub fn effects(name: &str) -> Option<&'static [Effect]> {
    let at = TABLE.binary_search_by_key(&name, |entry| entry.0).ok()?;
    Some(TABLE[at].1)
}

/// Whether a call of this function yields a fresh heap object.
pub fn allocates(name: &str) -> bool {
    let fresh = |effect: &Effect| matches!(effect, Fresh(_) | Reallocates | FreshStored(_));
    effects(name).is_some_and(|effects| effects.iter().any(fresh))
}

/// The strings of the environment.
const ENVIRONMENT: &str = "environment";

/// Exceptions on their way to a landing pad.
pub(crate) const EXCEPTION: &str = "exception";

/// Sorted by name.
const TABLE: &[(&str, &[Effect])] = &[
    ("_Unwind_RaiseException", &[Keeps(EXCEPTION, 0)]),
    ("_Unwind_Resume", &[Keeps(EXCEPTION, 0)]),
    ("_ZSt9terminatev", &[]),
    ("_ZdaPv", &[]),
    ("_ZdaPvm", &[]),
    ("_ZdlPv", &[]),
    ("_ZdlPvm", &[]),
    ("_Znam", &[Fresh(&[0])]),
    ("_ZnamRKSt9nothrow_t", &[Fresh(&[0])]),
    ("_Znwm", &[Fresh(&[0])]),
    ("_ZnwmRKSt9nothrow_t", &[Fresh(&[0])]),
    ("__assert_fail", &[]),
    ("__ctype_b_loc", &[ReturnsStatic]),
    ("__ctype_tolower_loc", &[ReturnsStatic]),
    ("__ctype_toupper_loc", &[ReturnsStatic]),
    ("__cxa_allocate_exception", &[Fresh(&[0])]),
    ("__cxa_begin_catch", &[ReturnsLoaded(0)]),
    ("__cxa_call_unexpected", &[]),
    ("__cxa_current_primary_exception", &[ReturnsKept(EXCEPTION)]),
    ("__cxa_decrement_exception_refcount", &[]),
    ("__cxa_deleted_virtual", &[]),
    ("__cxa_end_catch", &[]),
    ("__cxa_free_exception", &[]),
    ("__cxa_get_exception_ptr", &[ReturnsLoaded(0)]),
    ("__cxa_guard_abort", &[Writes(0)]),
    ("__cxa_guard_acquire", &[Reads(0)]),
    ("__cxa_guard_release", &[Writes(0)]),
    ("__cxa_increment_exception_refcount", &[]),
    (
        "__cxa_init_primary_exception",
        &[Keeps(EXCEPTION, 0), Calls(2, &[0]), Returns(0)],
    ),
    ("__cxa_pure_virtual", &[]),
    ("__cxa_rethrow", &[]),
    ("__cxa_rethrow_primary_exception", &[Keeps(EXCEPTION, 0)]),
    ("__cxa_throw", &[Keeps(EXCEPTION, 0), Calls(2, &[0])]),
    ("__cxa_uncaught_exception", &[]),
    ("__cxa_uncaught_exceptions", &[]),
    ("__dynamic_cast", &[Reads(0), ReturnsInto(0)]),
    ("__errno_location", &[ReturnsStatic]),
    ("__plat_abort", &[]),
    ("__plat_clear_float_flags", &[]),
    (
        "__plat_clone",
        &[Calls(0, &[1]), StoresInto(5, 2), Writes(3), Writes(4)],
    ),
    ("__plat_command_output", &[Writes(0)]),
    ("__plat_float_flags", &[]),
    ("__plat_fuzz_data", &[Writes(0)]),
    ("__plat_fuzz_size", &[]),
    ("__plat_illegal_label", &[]),
    ("__plat_msize", &[]),
    ("__plat_run_ctors", &[]),
    ("__plat_spawn", &[]),
    ("__plat_syscall", &[Syscall]),
    ("__plat_x87_control", &[]),
    ("__plat_x87_set_control", &[]),
    ("__sigsetjmp", &[]),
    ("__stpcpy", &[Writes(0), Reads(1), ReturnsInto(0)]),
    ("__strchrnul", &[Reads(0), ReturnsInto(0)]),
    ("__strdup", &[Reads(0), Fresh(&[])]),
    ("_exit", &[]),
    ("_longjmp", &[]),
    ("_setjmp", &[]),
    ("abort", &[]),
    ("abs", &[]),
    ("access", &[Reads(0)]),
    ("aligned_alloc", &[Fresh(&[1])]),
    ("atexit", &[Calls(0, &[])]),
    ("atof", &[Reads(0)]),
    ("atoi", &[Reads(0)]),
    ("atol", &[Reads(0)]),
    ("atoll", &[Reads(0)]),
    ("bcmp", &[Reads(0), Reads(1)]),
    ("bsearch", &[Reads(1), Calls(4, &[0, 1]), ReturnsInto(1)]),
    ("bzero", &[Writes(0)]),
    ("calloc", &[Fresh(&[0, 1])]),
    ("close", &[]),
    ("exit", &[]),
    ("fclose", &[Reads(0)]),
    ("feof", &[Reads(0)]),
    ("ferror", &[Reads(0)]),
    ("fflush", &[Reads(0)]),
    ("fgetc", &[Reads(0)]),
    ("fgets", &[Writes(0), Reads(2), Returns(0)]),
    ("fopen", &[Reads(0), Reads(1), ReturnsStatic]),
    ("fprintf", &[Reads(0), Reads(1)]),
    ("fputc", &[Reads(1)]),
    ("fputs", &[Reads(0), Reads(1)]),
    ("fread", &[Writes(0), Reads(3)]),
    ("free", &[]),
    ("fseek", &[Reads(0)]),
    ("ftell", &[Reads(0)]),
    ("fwrite", &[Reads(0), Reads(3)]),
    ("getc", &[Reads(0)]),
    ("getchar", &[]),
    ("getcwd", &[Writes(0), Returns(0)]),
    (
        "getenv",
        &[Reads(0), ReturnsStatic, ReturnsKept(ENVIRONMENT)],
    ),
    ("getpid", &[]),
    ("isalnum", &[]),
    ("isalpha", &[]),
    ("isatty", &[]),
    ("isdigit", &[]),
    ("isprint", &[]),
    ("isspace", &[]),
    ("klee_abort", &[]),
    ("klee_assume", &[]),
    ("klee_choose", &[]),
    ("klee_close_merge", &[]),
    ("klee_get_value_i32", &[]),
    ("klee_get_value_i64", &[]),
    ("klee_get_valuel", &[]),
    ("klee_int", &[]),
    ("klee_is_symbolic", &[]),
    ("klee_make_symbolic", &[Writes(0)]),
    ("klee_open_merge", &[]),
    ("klee_print_expr", &[]),
    ("klee_range", &[]),
    ("klee_report_error", &[]),
    ("klee_silent_exit", &[]),
    ("klee_warning", &[]),
    ("klee_warning_once", &[]),
    ("labs", &[]),
    ("longjmp", &[]),
    ("lseek", &[]),
    ("malloc", &[Fresh(&[0])]),
    ("malloc_usable_size", &[]),
    ("memalign", &[Fresh(&[1])]),
    (
        "memccpy",
        &[
            Writes(0),
            Reads(1),
            CopiesBlock(0, 1, Some(3)),
            ReturnsInto(0),
        ],
    ),
    ("memchr", &[Reads(0), ReturnsInto(0)]),
    ("memcmp", &[Reads(0), Reads(1)]),
    (
        "memcpy",
        &[Writes(0), Reads(1), CopiesBlock(0, 1, Some(2)), Returns(0)],
    ),
    ("memmem", &[Reads(0), Reads(2), ReturnsInto(0)]),
    (
        "memmove",
        &[Writes(0), Reads(1), CopiesBlock(0, 1, Some(2)), Returns(0)],
    ),
    (
        "mempcpy",
        &[
            Writes(0),
            Reads(1),
            CopiesBlock(0, 1, Some(2)),
            ReturnsInto(0),
        ],
    ),
    ("memrchr", &[Reads(0), ReturnsInto(0)]),
    ("memset", &[Writes(0), Returns(0)]),
    ("open", &[Reads(0)]),
    ("perror", &[Reads(0)]),
    ("posix_memalign", &[Writes(0), FreshStored(0)]),
    ("printf", &[Reads(0)]),
    ("putc", &[Reads(1)]),
    ("putchar", &[]),
    ("putenv", &[Reads(0), Keeps(ENVIRONMENT, 0)]),
    ("puts", &[Reads(0)]),
    (
        "qsort",
        &[Reads(0), Writes(0), Permutes(0, 2), Calls(3, &[0, 0])],
    ),
    (
        "qsort_r",
        &[Reads(0), Writes(0), Permutes(0, 2), Calls(3, &[0, 0, 4])],
    ),
    ("rand", &[]),
    ("rawmemchr", &[Reads(0), ReturnsInto(0)]),
    ("read", &[Writes(1)]),
    ("realloc", &[Reallocates]),
    ("reallocarray", &[Reallocates]),
    ("setjmp", &[]),
    ("setlocale", &[Reads(1), ReturnsStatic]),
    ("signal", &[Calls(1, &[]), ReturnsRemembered(1)]),
    ("sigsetjmp", &[]),
    ("snprintf", &[Writes(0), Reads(2)]),
    ("sprintf", &[Writes(0), Reads(1)]),
    ("srand", &[]),
    ("stpcpy", &[Writes(0), Reads(1), ReturnsInto(0)]),
    ("stpncpy", &[Writes(0), Reads(1), ReturnsInto(0)]),
    ("strcasecmp", &[Reads(0), Reads(1)]),
    ("strcat", &[Writes(0), Reads(1), Returns(0)]),
    ("strchr", &[Reads(0), ReturnsInto(0)]),
    ("strchrnul", &[Reads(0), ReturnsInto(0)]),
    ("strcmp", &[Reads(0), Reads(1)]),
    ("strcpy", &[Writes(0), Reads(1), Returns(0)]),
    ("strcspn", &[Reads(0), Reads(1)]),
    ("strdup", &[Reads(0), Fresh(&[])]),
    ("strerror", &[ReturnsStatic]),
    ("strlcat", &[Writes(0), Reads(1)]),
    ("strlcpy", &[Writes(0), Reads(1)]),
    ("strlen", &[Reads(0)]),
    ("strncasecmp", &[Reads(0), Reads(1)]),
    ("strncat", &[Writes(0), Reads(1), Returns(0)]),
    ("strncmp", &[Reads(0), Reads(1)]),
    ("strncpy", &[Writes(0), Reads(1), Returns(0)]),
    ("strndup", &[Reads(0), Fresh(&[])]),
    ("strnlen", &[Reads(0)]),
    ("strpbrk", &[Reads(0), Reads(1), ReturnsInto(0)]),
    ("strrchr", &[Reads(0), ReturnsInto(0)]),
    ("strspn", &[Reads(0), Reads(1)]),
    ("strstr", &[Reads(0), Reads(1), ReturnsInto(0)]),
    ("strtod", &[Reads(0), StoresInto(1, 0)]),
    ("strtok", &[Writes(0), Reads(1), ReturnsRemembered(0)]),
    ("strtol", &[Reads(0), StoresInto(1, 0)]),
    ("strtoll", &[Reads(0), StoresInto(1, 0)]),
    ("strtoul", &[Reads(0), StoresInto(1, 0)]),
    ("strtoull", &[Reads(0), StoresInto(1, 0)]),
    ("time", &[Writes(0)]),
    ("tolower", &[]),
    ("toupper", &[]),
    ("ungetc", &[Reads(1)]),
    ("unlink", &[Reads(0)]),
    ("valloc", &[Fresh(&[0])]),
    ("vfprintf", &[Reads(0), Reads(1)]),
    ("vprintf", &[Reads(0)]),
    ("vsnprintf", &[Writes(0), Reads(2)]),
    ("wcslen", &[Reads(0)]),
    ("write", &[Reads(1)]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        for pair in TABLE.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{} and {}", pair[0].0, pair[1].0);
        }
        assert!(allocates("malloc") && allocates("posix_memalign") && !allocates("free"));
    }
}
