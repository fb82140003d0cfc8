/* The native side of show.h. */
#include <stdarg.h>
#include <stdio.h>
void klee_print_expr(const char *name, ...)
{
	va_list list;
	va_start(list, name);
	printf("%s:%lu\n", name, va_arg(list, unsigned long));
	va_end(list);
}
