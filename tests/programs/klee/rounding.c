/* Functions on symbolic floats, by name: one path each way, not one for every bit pattern.
 * tests: 8
 * exits: 0 1 2 3 4 5 6 7 */
#include <klee/klee.h>
#include <math.h>

int main(void)
{
	double x;
	float y;
	int way = 0;
	klee_make_symbolic(&x, sizeof x, "x");
	klee_make_symbolic(&y, sizeof y, "y");
	if (floor(x) == 3.0)
		way |= 1;
	if (fminf(y, 2.0f) == 1.5f)
		way |= 2;
	if (lround(x) == 4)
		way |= 4;
	return way;
}
