/* The intrinsics by which a harness talks to a symbolic executor. Programs
 * written for KLEE compile unchanged. Native replay: native/replay.c. */
#ifndef KLEE_H
#define KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inputs. */

/* Gives the object that starts at addr, nbytes long in all, any contents. */
void klee_make_symbolic(void *addr, size_t nbytes, const char *name);
/* Any int. */
int klee_int(const char *name);
/* Any int in [begin, end). */
int klee_range(int begin, int end, const char *name);
/* Any number below n; does not fork. */
uintptr_t klee_choose(uintptr_t n);

/* Constraints. */

/* Restricts the path to condition != 0. */
void klee_assume(uintptr_t condition);
/* Asks that the test case satisfy condition if it can. */
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);

/* Questions. */

/* Whether n is not a constant on this path. */
unsigned klee_is_symbolic(uintptr_t n);
/* 0 in the executor, 1 in native replay. */
unsigned klee_is_replay(void);
/* A value that the expression can have; the path stays unconstrained. */
float klee_get_valuef(float expr);
double klee_get_valued(double expr);
long klee_get_valuel(long expr);
long long klee_get_valuell(long long expr);
int32_t klee_get_value_i32(int32_t expr);
int64_t klee_get_value_i64(int64_t expr);
/* The size of the object that starts at ptr. */
size_t klee_get_obj_size(void *ptr);
int klee_get_errno(void);

/* Ends of a path. */

/* Without a test case. */
__attribute__((noreturn)) void klee_silent_exit(int status);
__attribute__((noreturn)) void klee_abort(void);
/* With an error of the given kind, the suffix of the report's file name. */
__attribute__((noreturn)) void klee_report_error(const char *file, int line, const char *message, const char *suffix);
/* The C library's function by a name of its own: <assert.h> is not needed. */
__attribute__((noreturn)) void klee_assert_fail_(const char *assertion, const char *file, unsigned line,
                                                 const char *function) __asm__("__assert_fail");
#define klee_assert(expr) \
	((expr) ? (void)0 : klee_assert_fail_(#expr, __FILE__, __LINE__, __PRETTY_FUNCTION__))

/* Memory. */

/* An error unless [address, address + size) lies in one object. */
void klee_check_memory_access(const void *address, size_t size);
/* Adds an object at an address of the program's choice. */
void klee_define_fixed_object(void *addr, size_t nbytes);
/* The object may not be freed. */
void klee_mark_global(void *object);

/* Exploration. */

/* From now on, calls of the function fn_name reach new_fn_name. */
void klee_alias_function(const char *fn_name, const char *new_fn_name);
void klee_set_forking(unsigned enable);
void klee_open_merge(void);
void klee_close_merge(void);

/* Output. */

void klee_print_expr(const char *msg, ...);
void klee_print_range(const char *name, int arg);
void klee_stack_trace(void);
void klee_warning(const char *message);
void klee_warning_once(const char *message);

#ifdef __cplusplus
}
#endif

#endif
