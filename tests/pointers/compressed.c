/* Pointers kept as distances from a base, in 32 bits. */
#include "alias.h"
struct cell { uint32_t next; int *value; };
static int x, y;
static char *heap;
static uint32_t shrink(void *p) { return (uint32_t)(((char *)p - heap) >> 3); }
static void *expand(uint32_t n) { return heap + ((size_t)n << 3); }
int main(int argc, char **argv)
{
	heap = malloc(4096);
	struct cell *a = (struct cell *)heap, *b = (struct cell *)(heap + 64);
	a->next = shrink(b); a->value = &x;
	b->next = shrink(a); b->value = &y;
	struct cell *c = expand(a->next), *d = expand(c->next);
	MUSTALIAS(c, b); MUSTALIAS(d, a);
	MUSTALIAS(c->value, &y); MUSTALIAS(d->value, &x);
	NOALIAS(a, &x);
	return 0;
}
