/* A pointer copied as an integer, and through a union. */
#include "alias.h"
union both { int *p; uint64_t n; };
int x, y;
int main(void)
{
	int *p = &x, *q = &y, *r;
	*(uint64_t *)&q = *(uint64_t *)&p;
	MUSTALIAS(q, &x);
	union both u, *v = &u;
	v->p = &x;
	uint64_t n = v->n;
	union both w = { .n = n };
	r = w.p;
	MUSTALIAS(r, &x);
	NOALIAS(r, &y);
	return 0;
}
