/* Recursion to a symbolic depth.
 * inputs: 7 3 */
#include "../agree.h"

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static int ackermann(int m, int n)
{
	if (m == 0)
		return n + 1;
	return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

int main(void)
{
	int n = klee_range(0, 7, "n"), m = klee_range(0, 3, "m");
	printf("fibonacci %d\n", fibonacci(n));
	return decide(ackermann(m, n > 3 ? 3 : n));
}
