/* Functions that run by attribute: before main, at the end of a scope. */
#include "alias.h"
static int x, y;
static int *early, *closed, *late;
__attribute__((constructor)) static void begin(void) { early = &x; }
__attribute__((destructor)) static void end(void) { MUSTALIAS(late, &y); }
static void leave(int **p) { closed = *p; }
static void scope(int *p) { __attribute__((cleanup(leave))) int *q = p; }
__attribute__((noinline, returns_nonnull)) static int *same(int *p __attribute__((nonnull))) { return p; }
int main(void)
{
	MUSTALIAS(early, &x);
	scope(&y);
	MUSTALIAS(closed, &y);
	late = &y;
	MUSTALIAS(same(&x), &x);
	NOALIAS(early, &y);
	return 0;
}
