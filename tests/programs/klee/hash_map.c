/* A hash table that grows, with a symbolic key.
 * before: --memory-model segmented
 * exits: 0 2 7
 * tests: 21 */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
struct entry { char *key; int value; struct entry *next; };
struct map { struct entry **b; size_t n, used; };

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;
	while (*s)
		h = (h ^ (unsigned char)*s++) * 16777619u;
	return h;
}

static void grow(struct map *m)
{
	size_t n = m->n * 2;
	struct entry **b = calloc(n, sizeof *b);
	for (size_t i = 0; i < m->n; i++)
		for (struct entry *e = m->b[i], *x; e; e = x) {
		x = e->next;
		size_t j = hash(e->key) % n;
		e->next = b[j];
		b[j] = e;
	}
	free(m->b);
	m->b = b;
	m->n = n;
}

static void put(struct map *m, const char *k, int v)
{
	if (m->used == m->n)
		grow(m);
	size_t i = hash(k) % m->n;
	for (struct entry *e = m->b[i]; e; e = e->next)
		if (!strcmp(e->key, k)) {
		e->value = v;
		return;
	}
	struct entry *e = malloc(sizeof *e);
	e->key = strdup(k);
	e->value = v;
	e->next = m->b[i];
	m->b[i] = e;
	m->used++;
}

static int get(struct map *m, const char *k)
{
	for (struct entry *e = m->b[hash(k) % m->n]; e; e = e->next)
		if (!strcmp(e->key, k))
			return e->value;
	return -1;
}

int main(void)
{
	struct map m = {calloc(2, sizeof(struct entry *)), 2, 0};
	put(&m, "one", 1);
	put(&m, "two", 2);
	put(&m, "six", 6);
	char k[4];
	klee_make_symbolic(k, 4, "k");
	klee_assume(k[3] == 0);
	int v = get(&m, k);
	put(&m, k, 7);
	klee_assert(get(&m, k) == 7);
	return v + 1;
}
