/* Halves and quarters of a pointer as arguments and results of functions that do more. Numbers
 * that go the same way are none. */
#include "alias.h"
#define APART __attribute__((noinline)) static
struct halves { uint32_t high, low; };
struct quarters { uint16_t part[4]; };
struct sized { int *pointer; int length, width; };
static struct halves stored;
static struct quarters quarters;
static struct { int length, width; } box;
static struct halves words;
static int x, y, z, w, seen;
static uint32_t taken;
APART void note(void) { seen++; }
APART void store(uint32_t high, uint32_t low)
{
	note();
	stored.high = high;
	note();
	stored.low = low;
}
APART void store_quarters(uint16_t a, uint16_t b, uint16_t c, uint16_t d)
{
	note();
	uint16_t all[] = { a, b, c, d };
	memcpy(&quarters, all, sizeof all);
}
APART uint32_t high_half(const struct halves *of) { note(); return of->high; }
APART uint32_t low_half(const struct halves *of) { note(); return of->low; }
APART void push_word(uint32_t word)
{
	note();
	words.high = words.low;
	words.low = word;
}
APART void measure(int length, int width)
{
	note();
	if (length > 0) box.length = length - 1;
	box.width = width * 2;
}
int main(void)
{
	int *pointer = &x;
	store((uintptr_t)pointer >> 32, (uintptr_t)pointer);
	MUSTALIAS((int *)((uintptr_t)stored.high << 32 | stored.low), &x);
	MUSTALIAS((int *)((uintptr_t)high_half(&stored) << 32 | low_half(&stored)), &x);
	pointer = &y;
	uintptr_t whole = (uintptr_t)pointer;
	store_quarters(whole, whole >> 16, whole >> 32, whole >> 48);
	int *copy;
	memcpy(&copy, &quarters, sizeof copy);
	MUSTALIAS(copy, &y);
	pointer = &z;
	for (int i = 1; i >= 0; i--) push_word(((uint32_t *)&pointer)[i]);
	MUSTALIAS((int *)((uintptr_t)words.high << 32 | words.low), &z);
	struct sized sized = { &w, 2, 3 };
	measure(sized.length, sized.width);
	NOALIAS(*(int **)(void *)&box, &w);
	return 0;
}
