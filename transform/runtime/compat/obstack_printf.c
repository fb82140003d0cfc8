/* Formatted output at the end of the growing object of an obstack. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct obstack;
void _obstack_newchunk(struct obstack *, int);

/* The beginning of the structure, whose layout obstack.c has. */
struct head { long size; void *chunk; char *base, *next, *limit; };

int obstack_vprintf(struct obstack *h, const char *format, va_list ap)
{
	struct head *head = (struct head *)h;
	char *text;
	int length = vasprintf(&text, format, ap);
	if (length < 0) return -1;
	if (head->limit - head->next < length) _obstack_newchunk(h, length);
	memcpy(head->next, text, length);
	head->next += length;
	free(text);
	return length;
}

int obstack_printf(struct obstack *h, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int length = obstack_vprintf(h, format, ap);
	va_end(ap);
	return length;
}

int __obstack_vprintf_chk(struct obstack *h, int flag, const char *format, va_list ap)
{ return obstack_vprintf(h, format, ap); }

int __obstack_printf_chk(struct obstack *h, int flag, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int length = obstack_vprintf(h, format, ap);
	va_end(ap);
	return length;
}
