/* C23's names of the scanf family. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

int __isoc23_vscanf(const char *restrict format, va_list ap) { return vscanf(format, ap); }
int __isoc23_vfscanf(FILE *restrict f, const char *restrict format, va_list ap) { return vfscanf(f, format, ap); }
int __isoc23_vsscanf(const char *restrict s, const char *restrict format, va_list ap) { return vsscanf(s, format, ap); }
int __isoc23_vswscanf(const wchar_t *restrict s, const wchar_t *restrict format, va_list ap) { return vswscanf(s, format, ap); }

int __isoc23_scanf(const char *restrict format, ...)
{
	va_list ap;
	va_start(ap, format);
	int result = vscanf(format, ap);
	va_end(ap);
	return result;
}
int __isoc23_fscanf(FILE *restrict f, const char *restrict format, ...)
{
	va_list ap;
	va_start(ap, format);
	int result = vfscanf(f, format, ap);
	va_end(ap);
	return result;
}
int __isoc23_sscanf(const char *restrict s, const char *restrict format, ...)
{
	va_list ap;
	va_start(ap, format);
	int result = vsscanf(s, format, ap);
	va_end(ap);
	return result;
}
int __isoc23_swscanf(const wchar_t *restrict s, const wchar_t *restrict format, ...)
{
	va_list ap;
	va_start(ap, format);
	int result = vswscanf(s, format, ap);
	va_end(ap);
	return result;
}
