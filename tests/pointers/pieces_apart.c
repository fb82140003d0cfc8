/* Pieces of a pointer that are moved to places with nothing in common, and one after the other
 * through one place, before they are put together. */
#include "alias.h"
static int x, y, z, seen;
struct halves { uint32_t low, high; };
static uint32_t first, second, word;
static char slot;
static int wide;
__attribute__((noinline)) static void note(int c) { seen += c; }
__attribute__((noinline)) static void keep(const struct halves *from)
{
	note(from->low & 1);
	first = from->low;
	second = from->high;
}
__attribute__((noinline)) static void give(uint32_t *low, uint32_t *high, const struct halves *from)
{
	note(1);
	*low = from->low;
	*high = from->high;
}
__attribute__((noinline)) static uint32_t *place(int which)
{
	note(which);
	return which ? &second : &first;
}
__attribute__((noinline)) static void find(const uint32_t *from)
{
	*place(0) = from[0];
	*place(1) = from[1];
}
__attribute__((noinline)) static void take(char *to) { *to = slot; }
__attribute__((noinline)) static void take_wide(char *to) { *to = wide; }
__attribute__((noinline)) static void take_word(uint32_t *to) { *to = word; }
int main(void)
{
	int *pointer = &x, *copy, *again, *more;
	struct halves halves;
	uint32_t low, high;
	memcpy(&halves, &pointer, sizeof halves);
	keep(&halves);
	MUSTALIAS((int *)((uintptr_t)second << 32 | first), &x);
	give(&low, &high, &halves);
	MUSTALIAS((int *)((uintptr_t)high << 32 | low), &x);
	find((uint32_t *)&halves);
	MUSTALIAS((int *)((uintptr_t)second << 32 | first), &x);
	pointer = &y;
	for (unsigned i = 0; i < sizeof copy; i++) {
		slot = ((char *)&pointer)[i];
		take((char *)&copy + i);
	}
	MUSTALIAS(copy, &y);
	for (unsigned i = 0; i < sizeof more; i++) {
		wide = ((unsigned char *)&pointer)[i];
		take_wide((char *)&more + i);
	}
	MUSTALIAS(more, &y);
	pointer = &z;
	for (unsigned i = 0; i < 2; i++) {
		word = ((uint32_t *)&pointer)[i];
		take_word((uint32_t *)&again + i);
	}
	MUSTALIAS(again, &z);
	return 0;
}
