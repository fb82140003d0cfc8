/* Code that cannot be seen: what it is given, it may give back, keep, change and call. */
#include "alias.h"
struct box { int *p; };
extern void *opaque_identity(void *);
extern void opaque_fill(struct box *, int *);
extern void opaque_call(void (*)(void *), void *);
int x, y, z;
static int *got;
static void take(void *p) { got = p; }
int main(void)
{
	MUSTALIAS(opaque_identity(&x), &x);
	struct box box, mine = { &z };
	opaque_fill(&box, &y);
	MUSTALIAS(box.p, &y);
	opaque_call(take, &x);
	MUSTALIAS(got, &x);
	NOALIAS(box.p, &mine);
	NOALIAS(mine.p, &y);
	return 0;
}
