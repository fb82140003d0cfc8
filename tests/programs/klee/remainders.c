/* Remainders of symbolic floats: by a power of two, of a small whole number, by another number,
 * where what has a large quotient is cut off.
 * tests: 7
 * exits: 0 1 2 3
 * errors: solver
 * cut: yes */
#include <klee/klee.h>
#include <math.h>

int main(void)
{
	unsigned char n;
	float x;
	int way = klee_range(0, 3, "way");
	klee_make_symbolic(&x, sizeof x, "x");
	klee_make_symbolic(&n, sizeof n, "n");
	if (way == 0) {
		if (fmodf(x, 8.0f) == 3.25f)
			return 1;
	} else if (way == 1) {
		double rest = fmod(n, 3.7);
		klee_assert(rest >= 0 && rest < 3.7);
		if (rest > 3.5)
			return 2;
	} else if (fmodf(x, 1.5f) == 0.25f) {
		return 3;
	}
	return 0;
}
