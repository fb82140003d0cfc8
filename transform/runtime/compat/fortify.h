/* _FORTIFY_SOURCE: an object of known size must be large enough. */
#define _GNU_SOURCE
#include <stddef.h>

_Noreturn void __chk_fail(void);

static inline void fits(size_t needed, size_t size)
{
	if (needed > size) __chk_fail();
}
