/* Parts of blocks: to another offset, and an overlapping move. */
#include "alias.h"
struct inner { int *a, *b; };
struct outer { long n; struct inner inner; };
int x, y;
int main(int argc, char **argv)
{
	struct inner in = { &x, &y };
	struct outer out;
	memcpy(&out.inner, &in, sizeof in);
	MUSTALIAS(out.inner.a, &x); MUSTALIAS(out.inner.b, &y);
	NOALIAS(out.inner.a, &y);
	int **table = calloc(8, sizeof *table);
	table[0] = &x;
	memmove(table + argc, table, 4 * sizeof *table);
	MUSTALIAS(table[argc], &x);
	return 0;
}
