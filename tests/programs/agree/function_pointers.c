/* A table of function pointers called at a symbolic index.
 * inputs: 4 8 */
#include "../agree.h"

static int add(int x) { return x + 1; }
static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }
static int zero(int x) { (void)x; return 0; }

int main(void)
{
	int (*operations[4])(int) = { add, twice, square, zero };
	int which = klee_range(0, 4, "which"), x = klee_range(0, 8, "x");
	show("result", operations[which](x), 0, 49);
	return decide(which);
}
