/* Assumptions bound a loop; the sum is checked.
 * tests: 8
 * exits: 0 */
#include <assert.h>
#include <klee/klee.h>

int main(void)
{
	unsigned n, sum = 0, i;
	klee_make_symbolic(&n, sizeof n, "n");
	klee_assume(n > 2);
	klee_assume(n <= 10);
	for (i = 1; i <= n; i++)
		sum += i;
	assert(sum == n * (n + 1) / 2);
	return 0;
}
