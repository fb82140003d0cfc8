/* Calls through a pointer of another type. */
#include <klee/klee.h>

static volatile int sink;
static volatile double real;

static int add(int a, int b) { return a + b; }
static double half(double x) { return x / 2; }
static void nothing(int a) { sink = a; }

int main(void)
{
	int way = klee_range(0, 6, "way");
	void *volatile pointer = 0;
	if (way == 0) {
		pointer = (void *)add;
		sink = ((int (*)(int))pointer)(1); //~ function_type_mismatch: function-type-mismatch | add
	}
	if (way == 1) {
		pointer = (void *)add;
		sink = ((int (*)(int, int))pointer)(1, 2);
	}
	if (way == 2) {
		pointer = (void *)half;
		sink = ((int (*)(int))pointer)(1); //~ function_type_mismatch: function-type-mismatch | half
	}
	if (way == 3) {
		pointer = (void *)half;
		real = ((double (*)(double))pointer)(1);
	}
	if (way == 4) {
		pointer = (void *)add;
		real = ((double (*)(int, int))pointer)(1, 2); //~ function_type_mismatch: function-type-mismatch | add
	}
	if (way == 5) {
		pointer = (void *)nothing;
		sink = ((int (*)(int))pointer)(1); //~ function_type_mismatch: function-type-mismatch | nothing
	}
	return 0;
}
