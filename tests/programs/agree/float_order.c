/* All comparisons between special numbers, NaN among them.
 * inputs: 9 9 */
#include "../agree.h"
#include <math.h>

static const double numbers[] = { NAN,	0.0, -0.0, 1.0, -1.5, INFINITY, -INFINITY, 5e-324, 1e300 };

int main(void)
{
	double a = numbers[klee_range(0, 9, "a")], b = numbers[klee_range(0, 9, "b")];
	int code = 0;
	code |= (a < b) << 0;
	code |= (a <= b) << 1;
	code |= (a == b) << 2;
	code |= (a != b) << 3;
	code |= (isunordered(a, b) != 0) << 4;
	code |= (islessgreater(a, b) != 0) << 5;
	code |= !(a > b) << 6;
	code |= (a * b > a + b) << 7;
	return decide(code);
}
