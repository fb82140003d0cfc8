/* obstack: a stack of growing objects in chunks, as other headers' macros
 * expect to find it. The layout is that of the classic struct obstack. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

struct chunk { char *limit; struct chunk *prev; char contents[]; };
struct obstack {
	long chunk_size;
	struct chunk *chunk;
	char *object_base, *next_free, *chunk_limit;
	union { ptrdiff_t i; void *p; } temp;
	int alignment_mask;
	void *(*chunkfun)(void *, long);
	void (*freefun)(void *, struct chunk *);
	void *extra_arg;
	unsigned use_extra_arg : 1, maybe_empty_object : 1, alloc_failed : 1;
};

static void report_failure(void)
{
	fputs("memory exhausted\n", stderr);
	exit(1);
}
void (*obstack_alloc_failed_handler)(void) = report_failure;
int obstack_exit_failure = 1;

static struct chunk *take(struct obstack *h, long n)
{
	struct chunk *c = h->use_extra_arg ? h->chunkfun(h->extra_arg, n)
		: ((struct chunk *(*)(long))h->chunkfun)(n);
	if (!c) obstack_alloc_failed_handler();
	return c;
}
static void give(struct obstack *h, struct chunk *c)
{
	if (h->use_extra_arg) h->freefun(h->extra_arg, c);
	else ((void (*)(struct chunk *))h->freefun)(c);
}

/* Chunks are aligned like malloc's, so a position in the chunk decides. */
static char *first(struct obstack *h, struct chunk *c)
{
	size_t at = sizeof *c + h->alignment_mask & ~(size_t)h->alignment_mask;
	return (char *)c + at;
}

static int begin(struct obstack *h, int size, int alignment)
{
	if (!alignment) alignment = 16;
	h->chunk_size = size ? size : 4096 - 32;
	h->alignment_mask = alignment - 1;
	struct chunk *c = h->chunk = take(h, h->chunk_size);
	h->next_free = h->object_base = first(h, c);
	h->chunk_limit = c->limit = (char *)c + h->chunk_size;
	c->prev = 0;
	h->maybe_empty_object = h->alloc_failed = 0;
	return 1;
}

int _obstack_begin(struct obstack *h, int size, int alignment, void *(*take)(long), void (*give)(void *))
{
	h->chunkfun = (void *(*)(void *, long))take;
	h->freefun = (void (*)(void *, struct chunk *))give;
	h->use_extra_arg = 0;
	return begin(h, size, alignment);
}

int _obstack_begin_1(struct obstack *h, int size, int alignment,
	void *(*take)(void *, long), void (*give)(void *, void *), void *argument)
{
	h->chunkfun = take;
	h->freefun = (void (*)(void *, struct chunk *))give;
	h->extra_arg = argument;
	h->use_extra_arg = 1;
	return begin(h, size, alignment);
}

void _obstack_newchunk(struct obstack *h, int length)
{
	struct chunk *old = h->chunk;
	long grown = h->next_free - h->object_base;
	long size = grown + length + (grown >> 3) + h->alignment_mask + 100;
	if (size < h->chunk_size) size = h->chunk_size;
	struct chunk *c = h->chunk = take(h, size);
	c->prev = old;
	h->chunk_limit = c->limit = (char *)c + size;
	char *base = first(h, c);
	memcpy(base, h->object_base, grown);
	if (!h->maybe_empty_object && h->object_base == first(h, old)) {
		c->prev = old->prev;		/* the old chunk held this object only */
		give(h, old);
	}
	h->object_base = base;
	h->next_free = base + grown;
	h->maybe_empty_object = 0;
}

static int within(struct chunk *c, void *object)
{
	return (char *)object >= c->contents && (char *)object <= c->limit;
}

int _obstack_allocated_p(struct obstack *h, void *object)
{
	for (struct chunk *c = h->chunk; c; c = c->prev)
		if (within(c, object)) return 1;
	return 0;
}

void obstack_free(struct obstack *h, void *object)
{
	struct chunk *c = h->chunk;
	while (c && !(object && within(c, object))) {
		struct chunk *prev = c->prev;
		give(h, c);
		c = prev;
		h->maybe_empty_object = 1;
	}
	h->chunk = c;
	if (!c) {
		if (object) abort();
		return;
	}
	h->object_base = h->next_free = object;
	h->chunk_limit = c->limit;
}
void _obstack_free(struct obstack *h, void *object) { obstack_free(h, object); }

int _obstack_memory_used(struct obstack *h)
{
	int total = 0;
	for (struct chunk *c = h->chunk; c; c = c->prev) total += c->limit - (char *)c;
	return total;
}
