/* Two pointers in an integer of 128 bits; halves kept apart and put together. */
#include "alias.h"
typedef unsigned __int128 wide;
static int x, y;
static wide kept;
static wide join(void *a, void *b) { return (wide)(uintptr_t)a << 64 | (uintptr_t)b; }
int main(int argc, char **argv)
{
	wide w = join(&x, &y);
	MUSTALIAS((void *)(uintptr_t)(w >> 64), &x);
	MUSTALIAS((void *)(uintptr_t)w, &y);
	kept = w;
	void *parts[2];
	memcpy(parts, &kept, sizeof parts);
	MUSTALIAS(parts[0], &y); MUSTALIAS(parts[1], &x);
	NOALIAS(parts[0], parts); NOALIAS(parts[1], &kept);
	uint32_t low[2], high[2];
	low[argc] = (uintptr_t)&x; high[argc] = (uintptr_t)&x >> 32;
	MUSTALIAS((void *)(((uint64_t)high[1] << 32) + low[1]), &x);
	uint16_t quarters[4];
	for (int i = 0; i < 4; i++) quarters[i] = (uintptr_t)&y >> 16 * i;
	uint64_t sum = 0;
	for (int i = 3; i >= 0; i--) sum = sum * 65536 + quarters[i];
	MUSTALIAS((void *)sum, &y);
	return 0;
}
