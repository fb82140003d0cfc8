/* Pointers written with the other byte order, rotated, complemented. */
#include "alias.h"
static int x, y;
static unsigned char wire[16];
static void put(unsigned char *to, uint64_t n)
{
	for (int i = 0; i < 8; i++) to[i] = n >> (56 - 8 * i);
}
static uint64_t get(const unsigned char *from)
{
	return (uint64_t)from[0] << 56 | (uint64_t)from[1] << 48 | (uint64_t)from[2] << 40 | (uint64_t)from[3] << 32 |
	       (uint64_t)from[4] << 24 | (uint64_t)from[5] << 16 | (uint64_t)from[6] << 8 | from[7];
}
int main(int argc, char **argv)
{
	put(wire, (uintptr_t)&x);
	put(wire + 8, (uintptr_t)&y);
	MUSTALIAS((int *)get(wire), &x); MUSTALIAS((int *)get(wire + 8 * argc), &y);
	uint64_t swapped = __builtin_bswap64((uintptr_t)&x);
	MUSTALIAS((int *)__builtin_bswap64(swapped), &x);
	uint64_t turned = (uintptr_t)&y << 13 | (uintptr_t)&y >> 51;
	MUSTALIAS((int *)(turned >> 13 | turned << 51), &y);
	uintptr_t key = (uintptr_t)argv;
	uintptr_t hidden = ~((uintptr_t)&x ^ key);
	MUSTALIAS((int *)(~hidden ^ key), &x);
	return 0;
}
