/* Allocations of symbolic size, used to their last byte.
 * inputs: 5 6
 * faults: yes */
#include "../agree.h"

int main(void)
{
	int n = 1 + klee_range(0, 5, "n"), i = klee_range(0, 6, "i");
	char *p = malloc((size_t)n);
	memset(p, 'x', (size_t)n);
	p[i] = 'y';
	int ys = 0;
	for (int k = 0; k < n; k++)
		ys += p[k] == 'y';
	free(p);
	return decide(ys);
}
