/* Blocks of symbolic length, up to thousands of bytes: one path whatever the length is.
 * tests: 4
 * exits: 1 2 3 5 */
#include <klee/klee.h>
#include <string.h>

static char src[4000], dst[4000];

int main(void)
{
	unsigned n = klee_int("n");
	unsigned char x;
	klee_assume(n <= 3000);
	klee_make_symbolic(&x, 1, "x");
	src[100] = x;
	src[2500] = 7;
	memset(dst, 3, sizeof dst);
	memcpy(dst + 10, src, n);
	if (dst[110] == 9)
		return 1;
	if (dst[2510] == 7)
		return 2;
	memset(dst, 1, n);
	memmove(dst + 1, dst, n);
	if (dst[1500] == 3)
		return 3;
	return 5;
}
