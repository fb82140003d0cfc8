/* Concrete code: a chained hash table, an allocation for each of its entries.
 * -DKEYS=100000 insertions and as many lookups, -DBUCKETS=4096 */
#include <stdlib.h>

#ifndef KEYS
#define KEYS 100000
#endif
#ifndef BUCKETS
#define BUCKETS 4096
#endif

struct entry {
	unsigned key, value;
	struct entry *next;
};

static struct entry *buckets[BUCKETS];

static unsigned hash(unsigned key)
{
	key ^= key >> 16;
	key *= 0x7feb352d;
	key ^= key >> 15;
	key *= 0x846ca68b;
	key ^= key >> 16;
	return key;
}

static void insert(unsigned key, unsigned value)
{
	struct entry *entry = malloc(sizeof *entry);
	entry->key = key;
	entry->value = value;
	entry->next = buckets[hash(key) % BUCKETS];
	buckets[hash(key) % BUCKETS] = entry;
}

static unsigned find(unsigned key)
{
	for (struct entry *at = buckets[hash(key) % BUCKETS]; at; at = at->next)
		if (at->key == key)
			return at->value;
	return 0;
}

int main(void)
{
	unsigned found = 0;
	for (unsigned key = 0; key < KEYS; key++)
		insert(key, key + 1);
	for (unsigned key = 0; key < KEYS; key++)
		found += find(key) == key + 1;
	return found == KEYS ? 0 : 1;
}
