/* Addresses of variables passed and filled in. */
#include "alias.h"
int x, y;
static int get(int **out, int which) { *out = which ? &x : &y; return 0; }
static void twice(int ***out, int **in) { *out = in; }
int main(int argc, char **argv)
{
	int *p, *q = &x, **r;
	get(&p, argc);
	MUSTALIAS(p, &x);
	twice(&r, &q);
	MUSTALIAS(*r, &x);
	**r = 3;
	void *block;
	if (posix_memalign(&block, 64, 64)) return 1;
	void *same = block;
	MUSTALIAS(same, block);
	NOALIAS(block, &x);
	return 0;
}
