/* Population count, reversal and powers of two, by hand and by builtin.
 * inputs: 256 */
#include "../agree.h"

int main(void)
{
	unsigned char x;
	klee_make_symbolic(&x, 1, "x");
	unsigned ones = 0;
	for (unsigned y = x; y; y &= y - 1)
		ones++;
	if (ones != (unsigned)__builtin_popcount(x))
		return 99;
	unsigned reversed = ((x * 0x0802u & 0x22110u) | (x * 0x8020u & 0x88440u)) * 0x10101u >> 16 & 0xff;
	if (reversed == x)
		puts("palindrome");
	if (x && !(x & (x - 1)))
		show("power", __builtin_ctz(x), 0, 7);
	if (x)
		show("highest", 31 - __builtin_clz(x), 0, 7);
	return decide((int)ones);
}
