/* Calls between opening and closing: frames and stack objects that come and go, checked
 * arithmetic, a merge that is closed in a callee.
 * merged: yes */
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

static int deep(int n, unsigned char x)
{
	char buffer[24];
	memset(buffer, x, sizeof buffer);
	return n ? deep(n - 1, x) + buffer[n] : buffer[3];
}

static void close_it(int *out, int value)
{
	int sum;
	*out = __builtin_add_overflow(value, 2147483000, &sum) ? -1 : sum & 31;
	klee_close_merge();
}

int main(void)
{
	unsigned char x;
	klee_make_symbolic(&x, sizeof x, "x");
	int got = 0, out;
	klee_open_merge();
	if (x > 200)
		got = deep(3, x);
	else if (x > 100)
		got = deep(1, 3) + atoi("12");
	else
		got = 600 + x;
	close_it(&out, got);
	if (out == -1)
		return 1;
	for (int rest = 0; rest < 5; rest++)
		if (out % 5 == rest)
			return rest + 2;
	return 7;
}
