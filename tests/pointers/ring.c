/* A ring of pointers, with indices that wrap, and one that counts down. */
#include "alias.h"
struct ring { unsigned head, tail; void *slots[4]; };
static int x, y;
static void put(struct ring *r, void *p) { r->slots[r->head++ & 3] = p; }
static void *take(struct ring *r) { return r->slots[r->tail++ % 4]; }
int main(int argc, char **argv)
{
	struct ring r = { 2, 2 }, s = { 0, 0 };
	put(&r, &x); put(&r, &y); put(&r, &x);
	put(&s, argv);
	MUSTALIAS(take(&r), &x); MUSTALIAS(take(&r), &y); MUSTALIAS(r.slots[0], &x);
	void **end = r.slots + 4;
	MUSTALIAS(end[-1], &y); MUSTALIAS(*(end - argc), &y);
	MUSTALIAS(take(&s), argv);
	NOALIAS(&r, &x);
	return 0;
}
