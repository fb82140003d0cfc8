/* Assumptions restrict what follows.
 * inputs: 256 */
#include "../agree.h"

int main(void)
{
	unsigned char x;
	klee_make_symbolic(&x, 1, "x");
	klee_assume(x > 9);
	klee_assume((x & 1) == 0);
	if (x < 12)
		puts("ten");
	else if (x > 253)
		puts("most");
	if (x == 13 || x == 8)
		puts("impossible");
	return 0;
}
