/* A structure copied byte by byte, and exchanged word by word. */
#include "alias.h"
struct s { int *a, *b; };
int x, y;
static void copy(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;
	for (size_t i = 0; i < n; i++) t[i] = f[i];
}
static void swap(void *a, void *b, size_t n)
{
	unsigned char *p = a, *q = b;
	while (n--) { unsigned char t = *p; *p++ = *q; *q++ = t; }
}
static void swap_words(unsigned *a, unsigned *b, size_t n)
{
	for (; n; n--, a++, b++) { unsigned t = *a; *a = *b; *b = t; }
}
int main(void)
{
	struct s s = { &x, &y }, t;
	copy(&t, &s, sizeof t);
	MUSTALIAS(t.a, &x); MUSTALIAS(t.b, &y);
	NOALIAS(t.a, &t); NOALIAS(t.b, &s);
	int *p = &x, *q = &y;
	swap(&p, &q, sizeof p);
	MUSTALIAS(p, &y); MUSTALIAS(q, &x);
	swap_words((unsigned *)&p, (unsigned *)&q, 2);
	MUSTALIAS(p, &x);
	return 0;
}
