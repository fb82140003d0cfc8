/* Division and remainder by a symbolic value, signed and unsigned.
 * inputs: 256
 * faults: yes */
#include "../agree.h"

int main(void)
{
	signed char x;
	klee_make_symbolic(&x, 1, "x");
	int quotient = 1000 / (x - 17), rest = -1000 % (x - 17);
	if (quotient == 50)
		puts("fifty");
	if (rest == -6)
		puts("six");
	if (quotient < 0)
		puts("negative");
	return decide(1000u % (unsigned)(x + 128 + 1) == 0);
}
