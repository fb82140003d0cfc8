/* KDAlloc paper, listing 3, cut after four rounds: a path that frees the block before it
 * allocates the next gets the same address in every round, whatever paths that leak do. The
 * symbolic pointer is a choice for each round, printed before its address. */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	unsigned char same;
	klee_make_symbolic(&same, 1, "same");
	void *x = malloc(1);
	for (int i = 0; i < 4; i++) {
		if (same >> i & 1) {
			free(x);
			putchar('f');
		} else {
			putchar('l');
		}
		x = malloc(1);
		printf(" %p\n", x);
	}
	return 0;
}
