/* realloc as allocation, copy and release.
 *
 * The transform replaces `q = realloc(p, n)` by `q = malloc(n)` followed by
 * __plat_realloc_finish(p, q, n), so that the call is an allocation site like
 * any other. Calls through a pointer go to __plat_realloc and
 * __plat_reallocarray.
 *
 * This is linked into modules whose own functions are internal already, so it
 * may call nothing but what the executor provides; memcpy is its built-in. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The executor's: the size that the object at p was asked for. */
size_t __plat_msize(void *p);

void __plat_realloc_finish(void *old, void *new, size_t n)
{
	if (!new || !old) return;
	size_t size = __plat_msize(old);
	__builtin_memcpy(new, old, size < n ? size : n);
	free(old);
}

void *__plat_realloc(void *old, size_t n)
{
	void *new = malloc(n);
	__plat_realloc_finish(old, new, n);
	return new;
}

void *__plat_reallocarray(void *old, size_t count, size_t size)
{
	size_t n;
	/* No allocation is that large, so the result is null and old stays. */
	if (__builtin_mul_overflow(count, size, &n)) n = SIZE_MAX;
	return __plat_realloc(old, n);
}
