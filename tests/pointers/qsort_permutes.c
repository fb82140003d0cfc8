/* qsort moves what it sorts. */
#include "alias.h"
struct entry { long key; int *value; };
int x, y, z;
static int by_address(const void *a, const void *b)
{
	int *p = *(int **)a, *q = *(int **)b;
	return (p > q) - (p < q);
}
static int by_key(const void *a, const void *b)
{
	const struct entry *p = a, *q = b;
	return (p->key > q->key) - (p->key < q->key);
}
int main(int argc, char **argv)
{
	int numbers[2], *table[2];
	table[0] = &numbers[1]; table[1] = &numbers[0];
	qsort(table, 2, sizeof *table, by_address);
	MUSTALIAS(table[0], &numbers[0]);
	struct entry *entries = malloc(3 * sizeof *entries);
	entries[0].key = 3; entries[0].value = &x;
	entries[1].key = 1; entries[1].value = &y;
	entries[2].key = 2; entries[2].value = &z;
	qsort(entries, 3, sizeof *entries, by_key);
	MUSTALIAS(entries[0].value, &y); MUSTALIAS(entries[2].value, &x);
	NOALIAS(table[0], entries[0].value);
	return 0;
}
