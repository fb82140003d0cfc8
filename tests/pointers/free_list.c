/* A pool whose free blocks are linked through themselves. */
#include "alias.h"
struct node { struct node *next; int *value; };
static int x;
static void *list;
static void put(void *block) { *(void **)block = list; list = block; }
static void *get(size_t n)
{
	void *block = list;
	if (block) list = *(void **)block;
	else block = malloc(n);
	return block;
}
int main(void)
{
	struct node *a = get(sizeof *a), *b = get(sizeof *b);
	a->value = &x; b->value = &x;
	put(a); put(b);
	struct node *c = get(sizeof *c), *d = get(sizeof *d);
	MUSTALIAS(c, b); MUSTALIAS(d, a);
	NOALIAS(c, &x);
	return 0;
}
