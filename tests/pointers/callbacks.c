/* Library functions that call back. */
#include "alias.h"
int x, y;
static int **seen;
static int compare(const void *a, const void *b) { seen = *(int ***)a; return 0; }
static int *kept;
static void finish(void) { kept = &x; }
int main(int argc, char **argv)
{
	int *slot = &x;
	int **table[4] = { &slot, &slot, &slot, &slot };
	qsort(table, 4, sizeof *table, compare);
	MUSTALIAS(seen, &slot); MUSTALIAS(*seen, &x);
	NOALIAS(seen, &x);
	int **key = &slot;
	int ***found = bsearch(&key, table, 4, sizeof *table, compare);
	MUSTALIAS(*found, &slot);
	atexit(finish);
	return 0;
}
