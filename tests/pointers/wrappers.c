/* Allocation wrappers: each caller gets memory of its own. */
#include "alias.h"
static void die(const char *what) { abort(); }
static void *xmalloc(size_t n)
{
	void *p = malloc(n ? n : 1);
	if (!p) die("malloc");
	return p;
}
static void *xcalloc(size_t n, size_t s)
{
	void *p;
	while (!(p = calloc(n, s))) die("calloc");
	return p;
}
static char *xstrdup(const char *s)
{
	char *p = xmalloc(strlen(s) + 1);
	strcpy(p, s);
	return p;
}
struct node { struct node *next; char *name; };
static struct node *node(const char *name)
{
	struct node *n = xmalloc(sizeof *n);
	n->next = NULL;
	n->name = xstrdup(name);
	return n;
}
void *(*volatile allocate)(size_t) = xmalloc;
int main(int argc, char **argv)
{
	char *a = xmalloc(8), *b = xmalloc(8), *c = xcalloc(1, 8), *d = xstrdup("d"), *e = xstrdup("e");
	NOALIAS(a, b); NOALIAS(a, c); NOALIAS(d, e); NOALIAS(d, a);
	struct node *m = node("m"), *n = node("n");
	NOALIAS(m, n); NOALIAS(m->name, n->name); NOALIAS(m->name, d);
	char *f = allocate(8);
	char **hold = xmalloc(sizeof *hold);
	*hold = f;
	MUSTALIAS(*hold, f);
	NOALIAS(f, a);
	return 0;
}
