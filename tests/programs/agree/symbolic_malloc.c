/* Objects of symbolic size, read and written at symbolic offsets before and behind their ends.
 * inputs: 6 7 2
 * faults: yes */
#include "../agree.h"

int main(void)
{
	int n = 1 + klee_range(0, 6, "n"), i = klee_range(0, 7, "i");
	char *neighbour = malloc(16);
	char *p = calloc((size_t)n, 2);
	neighbour[0] = 3;
	if (klee_range(0, 2, "k")) {
		p[2 * i] = 7;
		return decide(p[2 * i] + neighbour[0]);
	}
	if (n < 3)
		return decide(1);
	p[4] = 5;
	p[5] = 6;
	int sum = p[4] + p[5];
	free(p);
	free(neighbour);
	return decide(sum);
}
