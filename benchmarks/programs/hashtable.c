/* A lookup with a symbolic key in one of several hash tables (relocatable
 * addressing model, Figure 1). All tables and all nodes share an allocation
 * site; only the nodes of the first table can be meant.
 *
 * -DTABLES=3  -DBUCKETS=300  -DKEYS=5   the figure's sizes */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TABLES
#define TABLES 3
#endif
#ifndef BUCKETS
#define BUCKETS 300
#endif
#ifndef KEYS
#define KEYS 5
#endif
#define DATA 7

typedef struct node_s {
	unsigned long data;
	unsigned long key;
	struct node_s *next;
} node_t;

typedef struct {
	node_t **buckets;
	size_t size;
} table_t;

static unsigned long hash(const void *key, size_t n)
{
	const unsigned char *p = key;
	unsigned long h = 5381;
	while (n--)
		h = (h << 5) + h + *p++;
	return h;
}

static void table_init(table_t *t, size_t n)
{
	t->buckets = calloc(n, sizeof(node_t *));
	t->size = n;
}

static node_t *table_lookup(table_t *t, unsigned k)
{
	unsigned long h = hash(&k, sizeof(k)) % t->size;
	node_t *node = t->buckets[h];
	while (node != NULL) {
		if (memcmp(&node->key, &k, sizeof(unsigned)) == 0)
			return node;
		node = node->next;
	}
	return NULL;
}

static void table_insert(table_t *t, unsigned k, int data)
{
	if (table_lookup(t, k))
		return;
	unsigned long h = hash(&k, sizeof(k)) % t->size;
	node_t *node = calloc(1, sizeof(node_t));
	node->key = k;
	node->data = data;
	node->next = t->buckets[h];
	t->buckets[h] = node;
}

int main(void)
{
	table_t tables[TABLES];
	for (unsigned i = 0; i < TABLES; i++) {
		table_init(&tables[i], BUCKETS);
		for (unsigned j = 0; j < KEYS; j++)
			table_insert(&tables[i], j, DATA);
	}

	unsigned k;
	klee_make_symbolic(&k, sizeof k, "k");
	node_t *node = table_lookup(&tables[0], k);
	if (!node)
		printf("not found\n");
	else if (node->data == DATA)
		printf("found, data %d\n", DATA);
	else
		printf("found, wrong data\n");
	return 0;
}
