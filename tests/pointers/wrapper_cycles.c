/* Allocation through a table that is set up at run time, by wrappers that call each other: the error
 * path allocates its message, and lists are copied recursively. */
#include "alias.h"
#include <stdarg.h>
struct methods { void *(*allocate)(int); void (*release)(void *); };
struct list { struct list *next; int *data; };
static struct methods table;
static char *last_message;
static int x, y;
static void *get(size_t n);
static void *plain_allocate(int n)
{
	size_t *p = malloc(n + 8);
	if (!p) return NULL;
	*p = n;
	return p + 1;
}
static void plain_release(void *p) { free((size_t *)p - 1); }
static const struct methods plain = { plain_allocate, plain_release };
static int configure(int what, ...)
{
	va_list list;
	va_start(list, what);
	if (what == 1) table = *va_arg(list, struct methods *);
	va_end(list);
	return 0;
}
static void report(const char *text)
{
	last_message = get(strlen(text) + 1);
	if (last_message) strcpy(last_message, text);
}
static void *get(size_t n)
{
	if (!table.allocate) configure(1, &plain);
	if (n > 1000) return NULL;
	void *p = table.allocate((int)n);
	if (!p && n < 10) report("no memory");
	return p;
}
static void *get_zero(size_t n)
{
	void *p = get(n);
	if (p) memset(p, 0, n);
	return p;
}
static struct list *copy(const struct list *from)
{
	if (!from) return NULL;
	struct list *l = get_zero(sizeof *l);
	l->data = from->data;
	l->next = copy(from->next);
	return l;
}
int main(int argc, char **argv)
{
	char *a = get(4), *b = get(4);
	int **c = get_zero(8), **d = get_zero(8);
	*c = &x; *d = &y;
	NOALIAS(a, b); NOALIAS(c, d); NOALIAS(a, c);
	MUSTALIAS(*c, &x); NOALIAS(*c, &y); MUSTALIAS(*d, &y); NOALIAS(*d, &x);
	struct list two = { NULL, &x }, one = { &two, &x };
	struct list *l = copy(&one), *m = copy(&one);
	NOALIAS(l, m); NOALIAS(l, l->next);
	MUSTALIAS(l->next->data, &x); NOALIAS(l->next->data, &y);
	report("text");
	NOALIAS(last_message, a);
	struct list *deep = l;
	for (int i = 0; i < argc; i++) deep = deep->next;
	MUSTALIAS(deep, l->next);
	table.release(a);
	return 0;
}
