/* Variable arguments: more taken than given. */
#include <klee/klee.h>
#include <stdarg.h>
#include <stdio.h>

static volatile int sink;

static int sum(int count, ...)
{
	va_list list;
	int total = 0;
	va_start(list, count);
	for (int i = 0; i < count; i++)
		total += va_arg(list, int); //~? ptr: memory error: out of bound pointer
	va_end(list);
	return total;
}

int main(void)
{
	int way = klee_range(0, 5, "way");
	if (way == 0)
		sink = sum(3, 1, 2);
	if (way == 1)
		sink = sum(2, 1, 2);
	if (way == 2)
		sink = sum(1, 1, 2);
	if (way == 3)
		printf("%d %d\n", 1); //~? ptr: memory error: out of bound pointer
	if (way == 4)
		printf("%d\n", 1, 2);
	return 0;
}
