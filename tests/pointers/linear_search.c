/* lfind and lsearch give back and add elements; hsearch passes a pair by value. */
#include "alias.h"
#include <search.h>
int x, y;
static int same(const void *a, const void *b) { return *(int **)a != *(int **)b; }
int main(void)
{
	int *table[4] = { &x }, *key = &y;
	size_t count = 1;
	int **added = lsearch(&key, table, &count, sizeof *table, same);
	MUSTALIAS(*added, &y); MUSTALIAS(table[1], &y);
	int **found = lfind(&key, table, &count, sizeof *table, same);
	MUSTALIAS(found, &table[1]);
	hcreate(8);
	ENTRY entry = { "key", &x }, *hit = hsearch(entry, ENTER);
	MUSTALIAS(hit->data, &x);
	entry.data = NULL;
	MUSTALIAS(hsearch(entry, FIND)->data, &x);
	return 0;
}
