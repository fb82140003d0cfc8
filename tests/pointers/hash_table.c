/* A chained hash table with keys hashed from addresses. */
#include "alias.h"
struct entry { struct entry *next; void *key, *value; };
static struct entry *buckets[8];
static unsigned hash(void *p) { return (uintptr_t)p / 16 % 8; }
static void put(void *key, void *value)
{
	struct entry *e = malloc(sizeof *e), **b = &buckets[hash(key)];
	e->key = key; e->value = value; e->next = *b; *b = e;
}
static void *get(void *key)
{
	for (struct entry *e = buckets[hash(key)]; e; e = e->next)
		if (e->key == key) return e->value;
	return NULL;
}
int x, y, z;
int main(void)
{
	put(&x, &y);
	MUSTALIAS(get(&x), &y);
	NOALIAS(get(&x), &z);
	return 0;
}
