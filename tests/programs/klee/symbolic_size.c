/* A block whose size is an input, written at its end and once behind it.
 * errors: ptr
 * exits: 0 */
#include <klee/klee.h>
#include <stdlib.h>

int main()
{
	unsigned n;
	klee_make_symbolic(&n, sizeof n, "n");
	klee_assume(n > 0 & n < 20);
	char *p = malloc(n);
	if (!p)
		return 0;
	p[n - 1] = 1;
	if (n == 7)
		p[n] = 3;
	free(p);
	return 0;
}
