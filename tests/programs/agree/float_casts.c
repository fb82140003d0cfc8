/* Conversions between floats and integers of all sizes.
 * inputs: 256 */
#include "../agree.h"

int main(void)
{
	signed char n;
	klee_make_symbolic(&n, 1, "n");
	double third = n / 3.0;
	float f = (float)third;
	int whole = (int)third;
	unsigned u = (unsigned)(long)f;
	short s = (short)(n * 100.7);
	unsigned long big = (unsigned long)((n + 128.0) * 7e16);
	assert(whole * 3 <= 128 && whole * 3 >= -128);
	if (whole == -7 && s < -2100)
		return decide(1);
	if (f > 20.5f && u == 21)
		return decide(2);
	if (big > 0x8000000000000000u)
		return decide(3);
	if ((double)(float)n != n)
		return decide(4);
	if ((float)big == 7e16f * 100)
		return decide(5);
	return decide((long double)n / 2 > 10.25L ? 6 : 7);
}
