/* Other libraries' failed assertions, by way of ours. */
#include <string.h>

_Noreturn void __assert_fail(const char *condition, const char *file, int line, const char *function);

_Noreturn void __assert(const char *condition, const char *file, int line)
{ __assert_fail(condition, file, line, "?"); }
_Noreturn void __assert_perror_fail(int code, const char *file, unsigned line, const char *function)
{ __assert_fail(strerror(code), file, line, function); }
