/* Functions of the program that have names of library functions but do something else. */
#include "alias.h"
struct box { int *inside; };
int x, y;
static int *access(struct box *b) { return b->inside; }
static void write(struct box *b, int *p) { b->inside = p; }
static void *time(void *p) { return p; }
static int *close(struct box *b) { int *p = b->inside; b->inside = NULL; return p; }
static void unlink(struct box *a, struct box *b) { a->inside = b->inside; }
int main(void)
{
	struct box a = { &x }, b = { &y };
	MUSTALIAS(access(&a), &x);
	write(&a, &y);
	MUSTALIAS(a.inside, &y);
	MUSTALIAS(time(&x), &x);
	a.inside = &x;
	unlink(&b, &a);
	MUSTALIAS(b.inside, &x);
	MUSTALIAS(close(&b), &x);
	return 0;
}
