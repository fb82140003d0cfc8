/* An expression as deep as a loop is long.
 * ends: exit 0 */
#include <klee/klee.h>

int main(void)
{
	unsigned value;
	klee_make_symbolic(&value, sizeof value, "value");
	unsigned chain = value;
	for (int i = 0; i < 50000; i++)
		chain = (chain ^ (chain >> 3)) + (unsigned)i;
	unsigned char again = (unsigned char)chain;
	(void)again;
	return 0;
}
