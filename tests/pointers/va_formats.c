/* Further arguments: read by a format, forwarded, with numbers among them, list by address. */
#include "alias.h"
static int x, y;
static void *found[8];
static int next(va_list *list, char kind, int n)
{
	switch (kind) {
	case 'd': va_arg(*list, int); break;
	case 'f': va_arg(*list, double); break;
	case 'p': found[n++] = va_arg(*list, void *); break;
	}
	return n;
}
static int walk(const char *format, va_list list)
{
	int n = 0;
	va_list copy;
	va_copy(copy, list);
	while (*format) n = next(&copy, *format++, n);
	va_end(copy);
	return n;
}
static int scan(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int n = walk(format, list);
	va_end(list);
	return n;
}
struct holder { va_list list; };
static int *from_holder(struct holder *h) { return va_arg(h->list, int *); }
static int *held(int n, ...)
{
	struct holder h;
	va_start(h.list, n);
	int *p = from_holder(&h);
	va_end(h.list);
	return p;
}
int main(int argc, char **argv)
{
	scan("dpfpdddddfffffffffp", 1, &x, 1.0, &y, 1, 2, 3, 4, 5, 1., 2., 3., 4., 5., 6., 7., 8., 9., argv);
	MUSTALIAS(found[0], &x); MUSTALIAS(found[1], &y); MUSTALIAS(found[2], argv);
	MUSTALIAS(held(1, &y), &y);
	NOALIAS(held(1, &x), found);
	return 0;
}
