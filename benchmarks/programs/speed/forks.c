/* 2^BITS paths, all alive at once under breadth-first search: what a fork costs, and a state.
 * -DBITS=14 */
#include <klee/klee.h>

#ifndef BITS
#define BITS 14
#endif

int main(void)
{
	unsigned char bits[BITS];
	volatile unsigned ones = 0; /* a branch stays a branch */
	klee_make_symbolic(bits, sizeof bits, "bits");
	for (int i = 0; i < BITS; i++)
		if (bits[i] & 1)
			ones++;
	return ones & 1;
}
