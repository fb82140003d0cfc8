/* A decision on an expression as deep as a loop is long.
 * options: --max-time 60s --max-solver-time 5s
 * ends: any */
#include <klee/klee.h>

int main(void)
{
	unsigned value;
	klee_make_symbolic(&value, sizeof value, "value");
	unsigned chain = value;
	for (int i = 0; i < 20000; i++)
		chain = (chain ^ (chain >> 3)) + (unsigned)i;
	return chain == 7;
}
