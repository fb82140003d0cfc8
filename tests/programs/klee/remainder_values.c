/* The remainder of floats as an expression has the value that it has of numbers, to the last bit:
 * zeros, multiples of either sign, subnormals, infinities, NaN, quotients that round to a whole
 * number. Operands are symbolic with one value each.
 * tests: 1
 * exits: 0 */
#include <klee/klee.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static const double special[] = {
	0.0, -0.0, 1.0, -3.0, 6.0, -6.0, 3.7, -0.1, 2.2204460492503131e-15, 4503599627370495.5,
	5e-324, -1.5e-323, 2.2250738585072014e-308, -9007199254740993.0, INFINITY, -INFINITY, NAN,
};
enum { SPECIAL = sizeof special / sizeof *special };

static double pinned(double number)
{
	uint64_t bits, wanted;
	double result;
	memcpy(&wanted, &number, sizeof wanted);
	klee_make_symbolic(&bits, sizeof bits, "bits");
	klee_assume(bits == wanted);
	memcpy(&result, &bits, sizeof result);
	return result;
}

static float pinnedf(float number)
{
	uint32_t bits, wanted;
	float result;
	memcpy(&wanted, &number, sizeof wanted);
	klee_make_symbolic(&bits, sizeof bits, "bits");
	klee_assume(bits == wanted);
	memcpy(&result, &bits, sizeof result);
	return result;
}

int main(void)
{
	for (int i = 0; i < SPECIAL; i++)
		for (int j = 0; j < SPECIAL; j++) {
			double x = special[i], y = special[j];
			float f = x, g = y;
			/* Where the quotient is too large the path would end. */
			if (!(fabs(x / y) > 4503599627370496.0) || y == 0 || isinf(x)) {
				double wanted = fmod(x, y), found = fmod(pinned(x), pinned(y));
				klee_assert(wanted != wanted ? found != found : memcmp(&wanted, &found, sizeof found) == 0);
			}
			if (!(fabsf(f / g) > 8388608.0f) || g == 0 || isinf(f)) {
				float wanted = fmodf(f, g), found = fmodf(pinnedf(f), pinnedf(g));
				klee_assert(wanted != wanted ? found != found : memcmp(&wanted, &found, sizeof found) == 0);
			}
		}
	return 0;
}
