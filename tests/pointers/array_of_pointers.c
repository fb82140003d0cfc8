/* Elements of an array at variable indices. */
#include "alias.h"
int x, y, z;
int main(int argc, char **argv)
{
	int *table[4] = { &x, &x, &x, &x };
	int *other[4] = { &z, &z, &z, &z };
	table[argc & 3] = &y;
	MUSTALIAS(table[argc & 3], &y);
	MUSTALIAS(table[(argc + 1) & 3], &x);
	NOALIAS(table[argc & 3], other[argc & 3]);
	return 0;
}
