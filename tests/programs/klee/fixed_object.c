/* A device's registers at a fixed address.
 * exits: 0 1
 * tests: 2 */
#include <klee/klee.h>

#define DEVICE ((volatile unsigned char *)0x20000000)

int main(void)
{
	klee_define_fixed_object((void *)DEVICE, 16);
	unsigned char c;
	klee_make_symbolic(&c, 1, "c");
	DEVICE[3] = c;
	if (DEVICE[3] & 0x80)
		return 1;
	return 0;
}
