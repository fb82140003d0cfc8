/* Functions with a variable number of arguments.
 * inputs: 5 256 */
#include "../agree.h"
#include <stdarg.h>

static long sum(int count, ...)
{
	va_list ap;
	long total = 0;
	va_start(ap, count);
	for (int i = 0; i < count; i++)
		total += i % 2 ? va_arg(ap, long) : va_arg(ap, int);
	va_end(ap);
	return total;
}

int main(void)
{
	int count = klee_range(0, 5, "count");
	unsigned char x;
	klee_make_symbolic(&x, 1, "x");
	long total = sum(count, x, 1000L, -x, 3L);
	if (total == 1003)
		puts("cancelled");
	else if (total > 1200)
		puts("large");
	return decide(total == x);
}
