/* Listing 3 of "A Deterministic Memory Allocator for Dynamic Symbolic Execution": where p is the first
 * address, the loop frees and allocates the same block again and again, if an address can be had
 * at once that was just freed. Otherwise each turn has one block more.
 * flags: -fno-finite-loops */
#include <klee/klee.h>
#include <stdlib.h>

int main(void)
{
	void *x = malloc(1), *p;
	klee_make_symbolic(&p, sizeof p, "p");
	while (1) {
		if (x == p) //~ loop: infinite loop
			free(x);
		x = malloc(1);
	}
}
