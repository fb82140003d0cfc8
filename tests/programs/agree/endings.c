/* The ways to end: return, exit, _Exit, abort, exit in a handler.
 * inputs: 6
 * faults: yes */
#include "../agree.h"

static void at_end(void) { puts("at end"); }

int main(void)
{
	int x = klee_range(0, 6, "x");
	if (x != 5)
		atexit(at_end);
	printf("begin\n");
	switch (x) {
	case 0: return 300;
	case 1: exit(7);
	case 2: fflush(stdout); _Exit(8);
	case 3: abort();
	case 4: return -1;
	}
	return 0;
}
