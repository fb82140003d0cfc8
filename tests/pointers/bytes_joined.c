/* Pieces of a pointer that are joined with each other: two bytes to a half word, a byte and a flag,
 * bits to bytes, halves to an integer that is a pointer elsewhere; bytes that travel as longs, and
 * atomically. What is read as a number beside a pointer leads nowhere. */
#include "alias.h"
#define APART __attribute__((noinline)) static
struct record { int *pointer; unsigned char length[4]; };
static unsigned char longs[8], bits[8], taken[8], flagged[8], swapped[8];
static uint16_t fifo[8];
static uintptr_t collected;
static struct record record;
static int x, y, z, w, v, u, t, s, seen, used, bit, in, out, last;
APART void note(void) { seen++; }
APART void put_long(long c)
{
	note();
	longs[used++] = c;
	note();
}
APART void put_bit(int value)
{
	note();
	bits[bit >> 3] |= value << (bit & 7);
	bit++;
}
APART int get_bit(const unsigned char *from, int at)
{
	note();
	return from[at >> 3] >> (at & 7) & 1;
}
APART void put_flagged(unsigned char c, int flag)
{
	note();
	fifo[in++ & 7] = c | flag << 8;
	note();
}
APART uint16_t get_flagged(void)
{
	note();
	return fifo[out++ & 7];
}
APART void collect(unsigned char c)
{
	note();
	collected = collected << 8 | c;
	note();
}
APART uintptr_t join(uint32_t low, uint32_t high)
{
	note();
	return (uintptr_t)high << 32 | low;
}
APART uint32_t le32(const unsigned char *from)
{
	note();
	return from[0] | from[1] << 8 | from[2] << 16 | (uint32_t)from[3] << 24;
}
APART void put_at(int at, unsigned char c)
{
	note();
	swapped[at] = c;
	note();
}

int main(void)
{
	int *p, *q;
	unsigned char *bytes = (unsigned char *)&p;
	uint16_t *halves = (uint16_t *)&q;
	uint32_t *words = (uint32_t *)&p;

	p = &x;
	for (int i = 0; i < 4; i++)
		halves[i] = bytes[2 * i] | bytes[2 * i + 1] << 8;
	MUSTALIAS(q, &x);
	p = &y;
	for (int i = 0; i < 8; i++)
		put_long(bytes[i]);
	MUSTALIAS(*(int **)longs, &y);
	p = &z;
	for (int i = 0; i < 64; i++)
		put_bit(get_bit(bytes, i));
	MUSTALIAS(*(int **)bits, &z);
	p = &w;
	for (int i = 0; i < 8; i++)
		put_flagged(bytes[i], i & 1);
	for (int i = 0; i < 8; i++)
		flagged[i] = get_flagged() & 255;
	MUSTALIAS(*(int **)flagged, &w);
	p = &v;
	for (int i = 8; i-- > 0;)
		collect(bytes[i]);
	MUSTALIAS((int *)collected, &v);
	p = &u;
	MUSTALIAS((int *)join(words[0], words[1]), &u);
	p = &t;
	for (int i = 0; i < 8; i++)
		__atomic_exchange_n(&taken[i], bytes[i], __ATOMIC_SEQ_CST);
	MUSTALIAS(*(int **)taken, &t);
	p = &s;
	for (int i = 0; i < 8; i++)
		put_at(i, bytes[i]);
	MUSTALIAS((int *)((uintptr_t)le32(swapped + 4) << 32 | le32(swapped)), &s);

	record.pointer = &last;
	record.length[0] = 3;
	NOALIAS((int *)(uintptr_t)le32(record.length), &last);
	NOALIAS(record.pointer, &x);
	return 0;
}
