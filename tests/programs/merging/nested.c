/* A merge within a merge, in a function, and states that leave before they close.
 * merged: yes
 * errors: abort div */
#include <klee/klee.h>
#include <stdlib.h>

static int inner(unsigned char x)
{
	int kind;
	klee_open_merge();
	switch (x & 3) {
	case 0: kind = 5; break;
	case 1: kind = 6; break;
	case 2: exit(9);
	default: kind = 7;
	}
	klee_close_merge();
	return kind;
}

int main(void)
{
	unsigned char x;
	klee_make_symbolic(&x, sizeof x, "x");
	int foo = 1;
	klee_open_merge();
	if (x < 128) {
		foo = inner(x);
		if (x == 64)
			abort();
	} else if (x == 255)
		foo = 100 / (x - 255);
	klee_close_merge();
	if (foo == 6)
		return 1;
	if (foo == 1)
		return 2;
	return 3;
}
