/* An assertion that fails for one input in 256.
 * inputs: 256
 * faults: yes */
#include "../agree.h"

int main(void)
{
	unsigned char x;
	klee_make_symbolic(&x, 1, "x");
	assert((unsigned char)(x * x + x) != 6 || x > 100 || x < 2);
	return decide(x > 100);
}
