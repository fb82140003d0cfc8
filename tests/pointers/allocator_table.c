/* The allocation functions travel in a table, through further arguments. */
#include "alias.h"
struct methods { void *(*allocate)(int); void (*release)(void *); void *(*resize)(void *, int); };
struct config { int flags; struct methods methods; void *page; };
enum { SET_METHODS = 1, GET_METHODS, SET_PAGE };
static struct config config;
struct pair { int *a, *b; };
static int x, y;
static void *plain_allocate(int n) { long *p = malloc(n + 8); if (!p) return NULL; *p = n; return p + 1; }
static void plain_release(void *p) { free((long *)p - 1); }
static void *plain_resize(void *p, int n) { long *q = realloc((long *)p - 1, n + 8); *q = n; return q + 1; }
static const struct methods standard = { plain_allocate, plain_release, plain_resize };
static int configure(int what, ...)
{
	va_list list;
	va_start(list, what);
	switch (what) {
	case SET_METHODS: config.methods = *va_arg(list, struct methods *); break;
	case GET_METHODS: *va_arg(list, struct methods *) = config.methods; break;
	case SET_PAGE: config.page = va_arg(list, void *); va_arg(list, int); break;
	}
	va_end(list);
	return 0;
}
static void *db_malloc(int n) { return config.methods.allocate(n); }
static void *db_realloc(void *p, int n) { return config.methods.resize(p, n); }
int main(void)
{
	struct methods copy;
	configure(SET_METHODS, &standard);
	configure(GET_METHODS, &copy);
	configure(SET_PAGE, &y, 1);
	MUSTALIAS(copy.allocate, plain_allocate);
	MUSTALIAS(config.page, &y);
	struct pair *p = db_malloc(sizeof *p);
	p->a = &x; p->b = &y;
	p = db_realloc(p, 2 * sizeof *p);
	MUSTALIAS(p->a, &x); MUSTALIAS(p->b, &y);
	long *block = (long *)p - 1;
	MUSTALIAS(block + 1, p);
	NOALIAS(p, &x);
	copy.release(p);
	return 0;
}
