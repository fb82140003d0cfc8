/* Objects of one name, made in a loop, and a global array of structures.
 * exits: 0 1 2 3 10 11 12 13
 * tests: 16 */
#include <klee/klee.h>

struct pair {
	int a, b;
} pairs[2];

int main()
{
	int found = 0;
	for (int i = 0; i < 3; i++) {
		int x;
		klee_make_symbolic(&x, sizeof x, "x");
		if (x == i)
			found++;
	}
	klee_make_symbolic(pairs, sizeof pairs, "pairs");
	if (pairs[1].b == 5)
		found += 10;
	return found;
}
