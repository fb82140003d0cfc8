/* A merge in every round of a loop, and one around a loop.
 * merged: yes */
#include <klee/klee.h>

int main(void)
{
	unsigned char x;
	klee_make_symbolic(&x, sizeof x, "x");
	unsigned sum = 0, rounds = 0;
	for (int bit = 0; bit < 8; bit++) {
		klee_open_merge();
		if (x >> bit & 1)
			sum += bit;
		klee_close_merge();
	}
	klee_open_merge();
	for (unsigned left = x & 7; left; left--)
		rounds += 2;
	klee_close_merge();
	if (sum == 28)
		return 1;
	if (rounds == 6 && sum > 20)
		return 2;
	if (rounds == 14)
		return 3;
	return 4;
}
