/* Objects that grow in chunks; a chunk that is full is copied to the next. */
#include "alias.h"
struct chunk { char *limit; struct chunk *previous; char data[]; };
struct stack { struct chunk *chunk; char *base, *next; };
struct item { int *p; struct item *link; };
static int x, y;
static struct chunk *chunk(size_t n, struct chunk *previous)
{
	struct chunk *c = malloc(sizeof *c + n);
	c->limit = c->data + n;
	c->previous = previous;
	return c;
}
static void grow(struct stack *s, const void *bytes, size_t n)
{
	if (s->next + n > s->chunk->limit) {
		size_t used = s->next - s->base;
		struct chunk *c = chunk(2 * (used + n), s->chunk);
		memcpy(c->data, s->base, used);
		s->chunk = c; s->base = c->data; s->next = c->data + used;
	}
	memcpy(s->next, bytes, n);
	s->next += n;
}
static void *finish(struct stack *s) { void *r = s->base; s->base = s->next; return r; }
int main(void)
{
	struct stack s, t;
	s.chunk = chunk(16, NULL); s.base = s.next = s.chunk->data;
	t.chunk = chunk(64, NULL); t.base = t.next = t.chunk->data;
	struct item a = { &x, NULL }, b = { &y, NULL };
	grow(&s, &a, sizeof a);
	struct item *first = finish(&s);
	b.link = first;
	grow(&s, &b, sizeof b); grow(&s, &a, sizeof a);
	struct item *second = finish(&s);
	MUSTALIAS(second->p, &y); MUSTALIAS(second->link, first);
	MUSTALIAS(second->link->p, &x); MUSTALIAS(second[1].p, &x);
	grow(&t, &b, sizeof b);
	struct item *third = finish(&t);
	MUSTALIAS(third->p, &y);
	NOALIAS(third, second);
	return 0;
}
