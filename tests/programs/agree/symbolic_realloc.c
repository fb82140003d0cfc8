/* A buffer that grows and shrinks by symbolic amounts and keeps its contents.
 * inputs: 6 6 12
 * faults: yes */
#include "../agree.h"

int main(void)
{
	size_t n = 1 + klee_range(0, 6, "n"), m = klee_range(0, 6, "m");
	char *p = malloc(n);
	p[0] = 'a';
	p[n - 1] = 'z';
	p = realloc(p, n + m);
	if (p[0] != (n == 1 ? 'z' : 'a') || p[n - 1] != 'z')
		return decide(1);
	int i = klee_range(0, 12, "i");
	p[i] = 'x';
	int last = p[n + m - 1] == 'x';
	free(p);
	return decide(2 + last);
}
