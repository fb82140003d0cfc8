/* Calls that do not end. */
#include <klee/klee.h>

static volatile int sink, zero;

static int forever(int n)
{
	return n + (zero ? 0 : forever(n + 1)); //~ ptr: memory error: stack overflow
}

static int deep(int n)
{
	return n ? 1 + deep(n - 1) : 0;
}

static int odd(int n);
static int even(int n) { return odd(n + 1) + 1; } //~ ptr: memory error: stack overflow
static int odd(int n) { return even(n + 1) + 1; }

static int large(int n) //~ ptr: memory error: stack overflow
{
	char room[1 << 16];
	room[n] = (char)n;
	return n ? large(n - 1) + room[n] : 0;
}

int main(void)
{
	int way = klee_range(0, 5, "way");
	if (way == 0)
		sink = forever(0);
	if (way == 1)
		sink = deep(20000);
	if (way == 2)
		sink = even(0);
	if (way == 3)
		sink = large(200);
	if (way == 4)
		sink = large(100);
	return 0;
}
