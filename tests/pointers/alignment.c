/* Every way to round an address. */
#include "alias.h"
static char buffer[256];
static int other;
int main(int argc, char **argv)
{
	uintptr_t n = (uintptr_t)(buffer + argc);
	char *mask = (char *)((n + 63) & ~(uintptr_t)63);
	char *negate = (char *)-(-n & ~(uintptr_t)63);
	char *divide = (char *)((n + 63) / 64 * 64);
	char *remainder = (char *)(n + (64 - n % 64) % 64);
	char *shift = (char *)((n + 63) >> 6 << 6);
	char *pad = buffer + argc + (-n & 63);
	MUSTALIAS(mask, negate); MUSTALIAS(mask, divide); MUSTALIAS(mask, remainder);
	MUSTALIAS(mask, shift); MUSTALIAS(mask, pad);
	char *from = (char *)(~(~n));
	MUSTALIAS(from, buffer + argc);
	NOALIAS(mask, &other); NOALIAS(divide, &other);
	MUSTALIAS(__builtin_assume_aligned(mask, 64), mask);
	return 0;
}
