/* A table of SIZE bytes, read twice at a symbolic index below RANGE. -DSIZE=4096 -DRANGE=256 */
#include <klee/klee.h>
#include <stdlib.h>

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
	for (unsigned at = 0; at < SIZE; at++)
		table[at] = at * 167 + (at >> 8) * 13;
	klee_make_symbolic(&i, sizeof i, "i");
	klee_assume(i < RANGE);
	if (table[i] == 77)
		return 1;
	if (table[i] + table[RANGE - 1 - i] > 500)
		return 2;
	return 0;
}
