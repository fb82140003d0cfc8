/* Pointers passed as further arguments, also with a va_list passed on. */
#include "alias.h"
int x, y, z;
static int *second(int n, va_list list)
{
	int *result = NULL;
	while (n--) result = va_arg(list, int *);
	return result;
}
static int *pick(int n, ...)
{
	va_list list;
	va_start(list, n);
	int *result = second(n, list);
	va_end(list);
	return result;
}
static int *first(const char *format, ...)
{
	va_list list, again;
	va_start(list, format);
	va_copy(again, list);
	int *result = va_arg(again, int *);
	va_end(again);
	va_end(list);
	return result;
}
int main(int argc, char **argv)
{
	MUSTALIAS(pick(2, &x, &y), &y);
	MUSTALIAS(pick(8, &x, &x, &x, &x, &x, &x, &x, &y), &y);
	MUSTALIAS(first("%p", &x), &x);
	NOALIAS(first("%p", &x), &z);
	return 0;
}
