/* A run that begins in a test function, which takes nothing and returns nothing.
 * before: --entry-point=test_common_divisor
 * exits: 0
 * errors: assert */
#include <assert.h>
#include <klee/klee.h>

static int common_divisor(int a, int b)
{
	while (b) {
		int rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

void test_common_divisor(void)
{
	int a = klee_range(1, 4, "a"), b = klee_range(1, 4, "b");
	int divisor = common_divisor(a, b);
	assert(divisor != 3);
	assert(a % divisor == 0 && b % divisor == 0);
}

int main(void)
{
	test_common_divisor();
	return 0;
}
