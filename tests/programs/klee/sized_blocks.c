/* Blocks of symbolic length in objects of symbolic size: what fits, what does not.
 * exits: 0 1 5
 * errors: ptr */
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

static char src[1200];

int main(void)
{
	unsigned n = klee_int("n");
	klee_assume(n <= 1000);
	src[2] = 7;
	char *p = malloc(n);
	memset(p, 5, n);
	unsigned m = klee_range(0, 1000, "m");
	if (m < n && p[m] != 5)
		return 9;
	if (n > 900) {
		memcpy(p + 2, src, n - 2);
		if (p[4] == 7)
			return 5;
		return 7;
	}
	if (n > 500) {
		memcpy(p, src, n + 1);
		return 8;
	}
	if (m > 10) {
		memcpy(p, src, m);
		return 1;
	}
	memcpy(p, p + n, 0);
	memmove(p + 2, src, n);
	if (n == 0)
		return 0;
	return 2;
}
