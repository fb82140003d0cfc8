/* A pointer that steps through an array, in a variable and in memory. */
#include "alias.h"
struct cursor { int **at, **end; };
int x, y;
int main(int argc, char **argv)
{
	int *table[8];
	for (int **p = table; p != table + 8; p++) *p = &x;
	struct cursor c = { table, table + 8 }, *cursor = &c;
	int *last = NULL;
	while (cursor->at != cursor->end) last = *cursor->at++;
	MUSTALIAS(last, &x);
	MUSTALIAS(cursor->at - 8, table);
	NOALIAS(last, &y);
	return 0;
}
