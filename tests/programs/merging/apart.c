/* Paths that cannot be merged stay apart: different places, objects, output, inputs.
 * merged: no */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	unsigned char x, more = 0;
	klee_make_symbolic(&x, sizeof x, "x");
	int *p = 0, got = 0;
	klee_open_merge();
	if (x == 1) {
		klee_close_merge();
		return 6;
	} else if (x == 2) {
		p = malloc(4);
		*p = 3;
		got = *p;
	} else if (x == 3) {
		puts("three");
		fflush(stdout);
	} else if (x == 4) {
		klee_make_symbolic(&more, sizeof more, "more");
	}
	klee_close_merge();
	free(p);
	if (more == 17)
		return 5;
	if (got == 3)
		return 3;
	return 0;
}
