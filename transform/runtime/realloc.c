/* realloc as allocation, copy and release.
 *
 * The transform replaces `q = realloc(p, n)` by `q = malloc(n)` followed by
 * __plat_realloc_finish(p, q, n), so that the call is an allocation site like
 * any other. Calls through a pointer go to __plat_realloc. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The executor's: the size that the object at p was asked for. */
size_t __plat_msize(void *p);

void __plat_realloc_finish(void *old, void *new, size_t n)
{
	if (!new || !old) return;
	size_t size = __plat_msize(old);
	memcpy(new, old, size < n ? size : n);
	free(old);
}

void *__plat_realloc(void *old, size_t n)
{
	void *new = malloc(n);
	__plat_realloc_finish(old, new, n);
	return new;
}
