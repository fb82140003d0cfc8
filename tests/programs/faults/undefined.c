/* Undefined behaviour that the compiler checks for.
 * flags: -fsanitize=undefined -fno-sanitize=function,alignment,vptr,object-size */
#include <klee/klee.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

static volatile int zero, sink, most = INT_MAX, least = INT_MIN;
static volatile long most_long = LONG_MAX;
static volatile double large = 1e30;
static int table[4];

int main(void)
{
	int way = klee_range(0, 17, "way"), n;
	if (way == 0)
		sink = most + 1; //~ overflow: signed-integer-overflow
	if (way == 1)
		sink = most - 1 + 1;
	if (way == 2)
		sink = least - 1; //~ overflow: signed-integer-overflow
	if (way == 3)
		sink = most * 2; //~ overflow: signed-integer-overflow
	if (way == 4)
		sink = -least; //~ overflow: signed-integer-overflow
	if (way == 5)
		sink = (int)((unsigned)most + 1u);
	if (way == 6)
		sink = (int)(most_long + 1); //~ overflow: signed-integer-overflow
	if (way == 7) {
		n = klee_range(-1, 2, "n");
		sink = most + n; //~ overflow: signed-integer-overflow
	}
	if (way == 8)
		sink = 1 << (zero + 40); //~ overflow: shift out of bounds
	if (way == 9)
		sink = 7 / zero; //~ div: integer-divide-by-zero
	if (way == 10)
		sink = least / (zero - 1); //~ overflow: integer division overflow
	if (way == 11) {
		n = klee_range(0, 5, "n");
		sink = table[n]; //~ ptr: out-of-bounds-index
	}
	if (way == 12)
		sink = (int)large; //~ overflow: float-cast-overflow
	if (way == 13) {
		bool flag;
		memset(&flag, 7, 1);
		sink = flag; //~ invalid_load: load invalid value
	}
	if (way == 14) {
		n = zero - 1;
		char rows[n > 0 ? n : n]; //~ ptr: non-positive-vla-index
		sink = (int)sizeof rows;
	}
	if (way == 15)
		__builtin_unreachable(); //~ unreachable_call: unreachable-call
	if (way == 16)
		sink = __builtin_clz((unsigned)zero); //~ invalid_builtin_use: invalid-builtin-use
	return 0;
}
