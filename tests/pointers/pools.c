/* Objects carved out of a block, with a header in front of each. */
#include "alias.h"
struct header { struct header *next; size_t size; };
struct pool { char *at, *end; struct header *all; };
struct s { int *a; };
int x;
static void *carve(struct pool *pool, size_t n)
{
	struct header *h = (struct header *)pool->at;
	pool->at += sizeof *h + ((n + 15) & ~(size_t)15);
	h->next = pool->all; h->size = n; pool->all = h;
	return h + 1;
}
int main(int argc, char **argv)
{
	struct pool pool;
	pool.at = malloc(256); pool.end = pool.at + 256; pool.all = NULL;
	struct s *s = carve(&pool, sizeof *s), *t = carve(&pool, sizeof *t);
	s->a = &x; t->a = NULL;
	MUSTALIAS(pool.all + 1, t);
	MUSTALIAS(((struct s *)(pool.all->next + 1))->a, &x);
	return 0;
}
