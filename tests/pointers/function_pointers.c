/* Function pointers passed, stored, returned and called with fewer parameters. */
#include "alias.h"
typedef void *(*step)(void *, void *);
struct object { const struct vtable *vtable; int *data; };
struct vtable { int *(*get)(struct object *); };
int x, y;
static void *left(void *a, void *b) { return a; }
static void *right(void *a, void *b) { return b; }
static void *apply(step f, void *a, void *b) { return f(a, b); }
static step choose(int n) { return n > 1 ? left : right; }
static int *get(struct object *o) { return o->data; }
static const struct vtable vtable = { get };
int main(int argc, char **argv)
{
	MUSTALIAS(apply(left, &x, &y), &x);
	MUSTALIAS(apply(right, &x, &y), &y);
	MUSTALIAS(choose(argc)(&x, &y), &y);
	struct object *o = malloc(sizeof *o);
	o->vtable = &vtable; o->data = &x;
	MUSTALIAS(o->vtable->get(o), &x);
	NOALIAS(o->vtable->get(o), &y);
	return 0;
}
