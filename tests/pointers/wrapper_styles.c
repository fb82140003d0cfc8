/* Allocation wrappers that count, log, retry, keep, hide a header or answer through a pointer. */
#include "alias.h"
#include <stdio.h>
static size_t total;
static FILE *log_file;
static void *last;
static int full(void) { return 0; }
static void *counting(size_t n) { total += n; return malloc(n); }
static void *logging(size_t n)
{
	void *p = counting(n);
	if (log_file) fprintf(log_file, "%zu at %p\n", n, p);
	return p;
}
static void *retrying(size_t n)
{
	for (int tries = 0; tries < 3; tries++) {
		void *p = malloc(n);
		if (p != NULL) { memset(p, 0, n); return p; }
		if (full()) break;
	}
	return NULL;
}
static void *keeping(size_t n) { return last = malloc(n); }
static void *hiding(size_t n) { size_t *p = malloc(n + 16); *p = n; return p + 2; }
static int answering(void **place, size_t n) { *place = malloc(n); return *place ? 0 : -1; }
static void *either(size_t n) { return n > 100 ? calloc(1, n) : logging(n); }
int main(void)
{
	char *a = counting(8), *b = counting(8), *c = logging(8), *d = logging(8);
	char *e = retrying(8), *f = retrying(8), *g = hiding(8), *h = hiding(8), *i = either(8), *j = either(8);
	void *k, *l;
	answering(&k, 8); answering(&l, 8);
	NOALIAS(a, b); NOALIAS(c, d); NOALIAS(a, c); NOALIAS(e, f); NOALIAS(g, h); NOALIAS(i, j);
	NOALIAS(k, l);
	char *m = keeping(8);
	MUSTALIAS(last, m);
	NOALIAS(m, a);
	MUSTALIAS((size_t *)g - 2 + 2, g);
	return 0;
}
