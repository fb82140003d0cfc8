/* Further arguments that are aligned to 16 and more, or passed in parts. */
#include "alias.h"
struct __attribute__((aligned(16))) pair { int *a, *b; };
struct __attribute__((aligned(32))) wide { long n; int *p; };
struct __attribute__((packed)) packed { char c; int *p; };
struct mixed { double d; int *p; };
union either { int *p; __int128 n; };
int x, y;
static int *pairs(int n, ...)
{
	va_list list;
	va_start(list, n);
	struct pair s = { 0 };
	while (n--)
		s = va_arg(list, struct pair);
	va_end(list);
	return s.b;
}
static int *wide(int n, ...)
{
	va_list list, copy;
	va_start(list, n);
	va_arg(list, int);
	va_copy(copy, list);
	struct wide s = va_arg(copy, struct wide);
	va_end(copy);
	va_end(list);
	return s.p;
}
static int *packed(int n, ...)
{
	va_list list;
	va_start(list, n);
	struct packed s = va_arg(list, struct packed);
	va_end(list);
	return s.p;
}
static int *take(va_list *list) { return va_arg(*list, struct mixed).p; }
static int *mixed(int n, ...)
{
	va_list list;
	va_start(list, n);
	int *p = take(&list);
	va_end(list);
	return p;
}
static int *either(int n, ...)
{
	va_list list;
	va_start(list, n);
	union either u = va_arg(list, union either);
	va_end(list);
	return u.p;
}
int main(void)
{
	struct pair pair = { &x, &y };
	int *(*volatile through)(int, ...) = wide;
	MUSTALIAS(pairs(1, pair), &y);
	MUSTALIAS(pairs(4, pair, pair, pair, pair), &y);
	MUSTALIAS(through(1, 7, (struct wide){ 2, &x }), &x);
	NOALIAS(wide(1, 7, (struct wide){ 2, &x }), &y);
	MUSTALIAS(packed(1, (struct packed){ 2, &x }), &x);
	MUSTALIAS(mixed(1, (struct mixed){ 2, &y }), &y);
	MUSTALIAS(either(1, (union either){ &x }), &x);
	return 0;
}
