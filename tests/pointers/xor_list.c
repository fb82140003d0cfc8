/* Two addresses in one integer. */
#include "alias.h"
struct node { uintptr_t both; int *data; };
int x, y;
int main(void)
{
	struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b), *c = malloc(sizeof *c);
	a->data = c->data = &x; b->data = &y;
	b->both = (uintptr_t)a ^ (uintptr_t)c;
	struct node *n = (struct node *)(b->both ^ (uintptr_t)a);
	MUSTALIAS(n, c);
	MUSTALIAS(n->data, &x);
	NOALIAS(b->data, &x); NOALIAS(n, n->data);
	return 0;
}
