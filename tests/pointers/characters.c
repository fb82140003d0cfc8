/* Few characters make no pointer; pieces side by side do, also where other functions are called. */
#include "alias.h"
static int x, y, seen;
struct halves { uint32_t low, high; };
__attribute__((noinline)) static void note(int c) { seen += c; }
__attribute__((noinline)) static int decode(int *out, const unsigned char *in, int *state)
{
	note(*in);
	if (*in < 0x80) { *out = *in; return 1; }
	*state = *in - 0xc0;
	*out = *state << 6 | (in[1] - 0x80);
	return 2;
}
static void move(struct halves *to, const struct halves *from)
{
	note(from->low & 1);
	to->low = from->low;
	note(from->high & 1);
	to->high = from->high;
}
static void split(uint32_t *low, uint32_t *high, void *pointer)
{
	note(1);
	*low = (uintptr_t)pointer;
	*high = (uintptr_t)pointer >> 32;
}
static void append(char *to, const char *from, int length)
{
	for (int i = 0; i < length; i++) { note(i); to[i] = from[i]; }
}
int main(void)
{
	struct { int *pointer; char text[8]; } mixed = { &x, "abcdefg" };
	int state = 0;
	union { int all[2]; int *pointer; } wide = { { 0, 0 } };
	decode(wide.all, (unsigned char *)&mixed, &state);
	NOALIAS(wide.pointer, &x);
	struct halves halves, moved;
	split(&halves.low, &halves.high, &y);
	move(&moved, &halves);
	MUSTALIAS((int *)((uintptr_t)moved.high << 32 | moved.low), &y);
	int *copy;
	append((char *)&copy, (char *)&mixed.pointer, sizeof copy);
	MUSTALIAS(copy, &x);
	return 0;
}
