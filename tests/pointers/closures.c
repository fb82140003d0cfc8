/* Functions with an environment; functions that return functions. */
#include "alias.h"
struct closure { void *(*call)(struct closure *, void *); void *kept; };
static int x, y;
static void *keep(struct closure *c, void *p) { void *old = c->kept; c->kept = p; return old; }
static void *give(struct closure *c, void *p) { return c->kept; }
static void *call(struct closure *c, void *p) { return c->call(c, p); }
static void *(*choose(int n))(struct closure *, void *) { return n ? keep : give; }
static void *twice(void *(*f)(struct closure *, void *), struct closure *c, void *p) { f(c, p); return f(c, p); }
int main(int argc, char **argv)
{
	struct closure c = { choose(argc), &x }, d = { give, &y };
	MUSTALIAS(call(&c, &y), &x); MUSTALIAS(call(&c, NULL), &y);
	MUSTALIAS(call(&d, &x), &y);
	MUSTALIAS(twice(keep, &c, &x), &x);
	NOALIAS(call(&d, &x), &c);
	return 0;
}
