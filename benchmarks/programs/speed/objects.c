/* A symbolic choice among ten objects, of LIVE that live. -DLIVE=10000 */
#include <klee/klee.h>
#include <stdlib.h>

#ifndef LIVE
#define LIVE 10000
#endif

int main(void)
{
	int *chosen[10];
	unsigned i;
	for (int at = 0; at < LIVE; at++) {
		int *object = malloc(sizeof *object);
		*object = 1;
		if (at % (LIVE / 10) == 0)
			chosen[at / (LIVE / 10)] = object;
	}
	klee_make_symbolic(&i, sizeof i, "i");
	klee_assume(i < 10);
	int sum = 0;
	for (int round = 0; round < 100; round++) {
		*chosen[i] += round;
		sum += *chosen[(i + round) % 10];
	}
	return sum > 200;
}
