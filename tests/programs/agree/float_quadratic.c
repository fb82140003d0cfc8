/* Roots of a quadratic equation with symbolic coefficients.
 * inputs: 4 9 7 */
#include "../agree.h"
#include <math.h>

int main(void)
{
	double a = klee_range(0, 4, "a") - 1;
	double b = klee_range(0, 9, "b") - 4;
	double c = klee_range(0, 7, "c") - 3;
	if (a == 0)
		return decide(b == 0 ? 1 : 2);
	double d = b * b - 4 * a * c;
	if (d < 0)
		return decide(3);
	if (d == 0)
		return decide(4);
	double x = (-b + sqrt(d)) / (2 * a);
	double y = (-b - sqrt(d)) / (2 * a);
	if (x == trunc(x) && y == trunc(y))
		return decide(5);
	return decide(x > y ? 6 : 7);
}
