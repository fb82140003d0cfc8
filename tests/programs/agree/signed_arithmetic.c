/* Signed shifts, remainders and conversions.
 * inputs: 256 */
#include "../agree.h"

int main(void)
{
	signed char x;
	klee_make_symbolic(&x, 1, "x");
	if ((x >> 2) == -3)
		puts("shift");
	if (x % 7 == -4)
		puts("remainder");
	if ((unsigned char)(x + 200) < 10)
		puts("wraps");
	if ((short)(x * 300) < -30000)
		puts("short");
	long wide = (long)x * x * x;
	if (wide == -27)
		puts("cube");
	return decide(x / 50 + 10);
}
