/* The end of a function that promised a value. */
#include <klee/klee.h>

static volatile int sink;

static int sign(int n)
{
	if (n < 0)
		return -1;
	if (n > 0) //~ abort: trap
		return 1;
}

int main()
{
	int n = klee_range(-1, 2, "way");
	sink = sign(n);
	return 0;
}
