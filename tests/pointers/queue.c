/* A queue with the address of its last link, as in BSD's tail queues. */
#include "alias.h"
struct item { struct item *next, **previous; int *value; };
struct head { struct item *first, **last; };
static int x, y;
static void append(struct head *h, struct item *i, int *value)
{
	i->value = value;
	i->next = NULL;
	i->previous = h->last;
	*h->last = i;
	h->last = &i->next;
}
static void drop(struct head *h, struct item *i)
{
	if (i->next) i->next->previous = i->previous;
	else h->last = i->previous;
	*i->previous = i->next;
}
int main(void)
{
	struct head h = { NULL, &h.first };
	struct item *a = malloc(sizeof *a), *b = malloc(sizeof *b), *c = malloc(sizeof *c);
	append(&h, a, &x); append(&h, b, &y); append(&h, c, &x);
	MUSTALIAS(h.first->next->next, c); MUSTALIAS(h.last, &c->next);
	drop(&h, b);
	MUSTALIAS(h.first->next, c); MUSTALIAS(*c->previous, c); MUSTALIAS(c->previous, &a->next);
	struct item *before_last = (struct item *)c->previous;
	MUSTALIAS(before_last, a);
	NOALIAS(a, &x); NOALIAS(h.first, h.first->value);
	return 0;
}
