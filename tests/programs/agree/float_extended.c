/* Arithmetic with long doubles, which keep 64 bits of a product.
 * inputs: 16 16 */
#include "../agree.h"

int main(void)
{
	unsigned long a = 0xfffffffffffffff0u + klee_range(0, 16, "a");
	long double x = a, y = 1.0L + klee_range(0, 16, "b") / 16.0L;
	if ((unsigned long)x != a)
		return 99;
	long double sum = x + y;
	if (sum == x + 1 && y != 1)
		return decide(1);
	if (sum / x > 1.00000000000000000008L)
		return decide(2);
	return decide((double)x == (double)(x - 1) ? 3 : 4);
}
