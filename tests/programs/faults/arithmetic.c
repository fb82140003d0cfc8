/* Integer operations that have no result. */
#include <klee/klee.h>
#include <limits.h>

static volatile int zero, sink;
static volatile int least = INT_MIN, minus = -1;
static volatile long long_least = LONG_MIN, long_minus = -1, sink_long;

int main(void)
{
	int way = klee_range(0, 22, "way"), n;
	if (way == 0)
		sink = 7 / zero; //~ div: divide by zero
	if (way == 1)
		sink = 7 % zero; //~ div: divide by zero
	if (way == 2)
		sink = (int)(7u / (unsigned)zero); //~ div: divide by zero
	if (way == 3)
		sink = (int)(7u % (unsigned)zero); //~ div: divide by zero
	if (way == 4)
		sink = zero / 7;
	if (way == 5)
		sink = least / minus; //~ overflow: signed division overflow
	if (way == 6)
		sink = least % minus; //~ overflow: signed division overflow
	if (way == 7)
		sink = (least + 1) / minus;
	if (way == 8)
		sink = (int)((unsigned)least / (unsigned)minus);
	if (way == 9)
		sink_long = long_least / long_minus; //~ overflow: signed division overflow
	if (way == 10)
		sink_long = (long)least / minus;
	if (way == 11) {
		n = klee_range(-2, 3, "n");
		sink = least / n; //~ div: divide by zero //~ overflow: signed division overflow
	}
	if (way == 12) {
		n = klee_range(-2, 3, "n");
		if (n != 0 && n != -1)
			sink = least / n;
	}
	if (way == 13)
		sink = 1 << (zero + 32); //~ overshift: overshift error
	if (way == 14)
		sink = 1 >> minus; //~ overshift: overshift error
	if (way == 15)
		sink = (int)(1u << (zero + 31));
	if (way == 16)
		sink_long = 1ul << (zero + 64); //~ overshift: overshift error
	if (way == 17)
		sink_long = 1l << (zero + 32);
	if (way == 18) {
		n = klee_range(30, 34, "n");
		sink = (int)(1u << n); //~ overshift: overshift error
	}
	if (way == 19) {
		n = klee_range(30, 34, "n");
		sink = n < 32 ? (int)(1u << n) : 0;
	}
	if (way == 20)
		sink = (char)1 << (zero + 9); /* promoted to int */
	if (way == 21) {
		short s = (short)(zero - 1);
		sink = s / minus;
	}
	return 0;
}
