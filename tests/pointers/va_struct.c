/* Structures as further arguments: in registers and in memory. */
#include "alias.h"
struct small { int *a, *b; };
struct large { long n[4]; int *p; };
int x, y;
static int *small(int n, ...)
{
	va_list list;
	va_start(list, n);
	struct small s = va_arg(list, struct small);
	va_end(list);
	return s.b;
}
static int *large(int n, ...)
{
	va_list list;
	va_start(list, n);
	struct large l = va_arg(list, struct large);
	va_end(list);
	return l.p;
}
int main(void)
{
	MUSTALIAS(small(1, (struct small){ &x, &y }), &y);
	MUSTALIAS(large(1, (struct large){ .p = &x }), &x);
	NOALIAS(large(1, (struct large){ .p = &x }), &y);
	return 0;
}
