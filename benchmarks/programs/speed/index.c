/* A table of SIZE bytes, read at symbolic indices below RANGE. What fills it is a copy, so that the reads
   are what it costs. -DSIZE=4096 -DRANGE=256 */
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

#ifndef SIZE
#define SIZE 4096
#endif
#ifndef RANGE
#define RANGE 256
#endif

int main(void)
{
	unsigned char *table = malloc(SIZE);
	unsigned i;
	unsigned filled = SIZE < 4096 ? SIZE : 4096;
	for (unsigned at = 0; at < filled; at++)
		table[at] = at * 167 + (at >> 8) * 13;
	for (; filled < SIZE; filled *= 2)
		memcpy(table + filled, table, filled);
	klee_make_symbolic(&i, sizeof i, "i");
	klee_assume(i < RANGE);
	if (table[i] == 77)
		return 1;
	if (table[i] + table[RANGE - 1 - i] > 500)
		return 2;
	return 0;
}
