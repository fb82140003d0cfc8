/* A call of any address there is.
 * ends: fault ptr memory error: invalid function pointer */
#include <klee/klee.h>

static int one(void) { return 1; }
static int two(void) { return 2; }
int (*volatile known[2])(void) = {one, two};

int main(void)
{
	int (*function)(void);
	klee_make_symbolic(&function, sizeof function, "function");
	if (klee_range(0, 2, "which"))
		klee_assume(function == known[0] || function == known[1]);
	return function() == 3;
}
