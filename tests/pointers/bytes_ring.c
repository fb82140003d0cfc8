/* A pointer whose bytes go through rings one at a time, in by one function and out by another. */
#include "alias.h"
#define APART __attribute__((noinline)) static
struct ring { unsigned char bytes[8]; unsigned head, tail; };
static struct ring first, second;
static int x, y, seen;
APART void wait(struct ring *ring) { seen += ring->head - ring->tail; }
APART void put(struct ring *ring, unsigned char c)
{
	wait(ring);
	ring->bytes[ring->head++ & 7] = c;
	wait(ring);
}
APART unsigned char get(struct ring *ring)
{
	wait(ring);
	unsigned char c = ring->bytes[ring->tail++ & 7];
	wait(ring);
	return c;
}
APART void pump(void) { put(&second, get(&first)); }
APART int put_some(const unsigned char *from, int n)
{
	int i;
	for (i = 0; i < n; i++) put(&first, from[i]);
	return i;
}
int main(void)
{
	int *pointer = &x, *copy, *again;
	for (unsigned i = 0; i < sizeof pointer; i++) {
		put(&first, ((unsigned char *)&pointer)[i]);
		((unsigned char *)&copy)[i] = get(&first);
	}
	MUSTALIAS(copy, &x);
	pointer = &y;
	put_some((unsigned char *)&pointer, sizeof pointer);
	for (unsigned i = 0; i < sizeof pointer; i++) pump();
	for (unsigned i = 0; i < sizeof pointer; i++) ((unsigned char *)&again)[i] = get(&second);
	MUSTALIAS(again, &y);
	NOALIAS(again, &first);
	return 0;
}
