/* Three conditions on bits of the input; where they do not hold, there is no code. */
#include <klee/klee.h>

int main(void)
{
	unsigned char x;
	int sum = 0;
	klee_make_symbolic(&x, 1, "x");
	if (x & 1)
		sum += 1;
	if (x & 2)
		sum += 2;
	if (x & 4)
		sum += 4;
	return sum;
}
