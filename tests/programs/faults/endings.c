/* Ends that the program chooses: assert, abort, trap, exit. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

static volatile int zero;

static int never(int n)
{
	switch (n & 1) {
	case 0:
		return 1;
	case 1:
		return 2;
	}
	__builtin_unreachable();
}

int main(void)
{
	int way = klee_range(0, 8, "way");
	if (way == 0)
		assert(zero == 1); //~ assert: ASSERTION FAIL: zero == 1
	if (way == 1)
		assert(zero == 0);
	if (way == 2)
		abort(); //~ abort: abort failure
	if (way == 3)
		__builtin_trap(); //~ abort: trap
	if (way == 4)
		exit(0);
	if (way == 5)
		return never(way) - 2;
	if (way == 6)
		if (zero == 0)
			__builtin_unreachable(); //~ unreachable_call: reached unreachable code
	if (way == 7) {
		unsigned char byte;
		klee_make_symbolic(&byte, 1, "byte");
		assert(byte != 200); //~ assert: ASSERTION FAIL: byte != 200
	}
	return 0;
}
