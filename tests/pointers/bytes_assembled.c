/* A pointer taken apart into bytes and put together by shifts. */
#include "alias.h"
int x;
int main(void)
{
	unsigned char bytes[8];
	uint64_t n = (uintptr_t)&x;
	for (int i = 0; i < 8; i++) bytes[i] = n >> (8 * i);
	uint64_t m = 0;
	for (int i = 7; i >= 0; i--) m = m << 8 | bytes[i];
	MUSTALIAS((int *)m, &x); NOALIAS((int *)m, bytes);
	uint32_t low = n, high = n >> 32;
	MUSTALIAS((int *)((uint64_t)high << 32 | low), &x);
	return 0;
}
