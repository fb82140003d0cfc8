/* Calls through pointers, with the compiler's check of the function's type.
 * flags: -fsanitize=function */
#include <klee/klee.h>
#include <stdlib.h>

static volatile int sink;

static int sum(int a, int b) { return a + b; }
static int product(int a, int b) { return a * b; }
static int negative(int a) { return -a; }
static long wide(long a, long b) { return a + b; }

int main(void)
{
	int (*table[])(int, int) = { sum, product, (int (*)(int, int))wide };
	int way = klee_range(0, 5, "way");
	if (way == 0) {
		int (*volatile right)(int, int) = sum;
		sink = right(1, 2);
	}
	if (way == 1) {
		int (*volatile wrong)(int, int) = (int (*)(int, int))wide;
		sink = wrong(1, 2); //~ function_type_mismatch: function-type-mismatch
	}
	if (way == 2) {
		int (*volatile wrong)(int, int) = (int (*)(int, int))negative;
		sink = wrong(1, 2); //~ function_type_mismatch: function-type-mismatch
	}
	if (way == 3) {
		int (*volatile library)(int) = abs;
		sink = library(-1);
	}
	if (way == 4) {
		int at = klee_range(0, 3, "at");
		sink = table[at](1, 2); //~ function_type_mismatch: function-type-mismatch
	}
	return 0;
}
