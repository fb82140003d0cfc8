/* Every library function that copies a block that may hold pointers. */
#define _GNU_SOURCE
#include "alias.h"
#include <strings.h>
struct pair { int *a, *b; };
static int x, y;
int main(int argc, char **argv)
{
	struct pair from = { &x, &y }, a, b, c, d, *e = malloc(sizeof *e);
	memcpy(&a, &from, sizeof a); MUSTALIAS(a.a, &x); MUSTALIAS(a.b, &y);
	memmove(&b, &a, argc * sizeof b); MUSTALIAS(b.b, &y);
	bcopy(&b, &c, sizeof c); MUSTALIAS(c.a, &x);
	mempcpy(&d, &c, sizeof d); MUSTALIAS(d.b, &y);
	memccpy(e, &d, 256, sizeof *e); MUSTALIAS(e->a, e->a);
	void *(*volatile copy)(void *, const void *, size_t) = memcpy;
	copy(e, &d, sizeof *e); MUSTALIAS(e->b, &y);
	__builtin_memcpy_inline(&a, e, 16); MUSTALIAS(a.a, &x);
	struct pair more[2] = { from, from };
	e = reallocarray(e, 4, sizeof *e);
	MUSTALIAS(e->b, &y);
	memcpy(e + 1, more, sizeof more);
	MUSTALIAS(e[2].a, &x);
	NOALIAS(a.a, a.b); NOALIAS(e, &x);
	return 0;
}
