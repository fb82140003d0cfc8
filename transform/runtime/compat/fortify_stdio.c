/* Checked formatted output and stream input. The flag only asks for a stricter
 * treatment of %n, which is not done here. */
#include "fortify.h"
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#define FORWARD(call) \
	va_list ap; \
	va_start(ap, format); \
	int result = call; \
	va_end(ap); \
	return result

int __vsnprintf_chk(char *s, size_t n, int flag, size_t size, const char *format, va_list ap)
{ fits(n, size); return vsnprintf(s, n, format, ap); }
int __snprintf_chk(char *s, size_t n, int flag, size_t size, const char *format, ...)
{ fits(n, size); FORWARD(vsnprintf(s, n, format, ap)); }

int __vsprintf_chk(char *s, int flag, size_t size, const char *format, va_list ap)
{
	if (size > INT_MAX) return vsprintf(s, format, ap);
	int result = vsnprintf(s, size, format, ap);
	if (result >= 0) fits((size_t)result + 1, size);
	return result;
}
int __sprintf_chk(char *s, int flag, size_t size, const char *format, ...)
{ FORWARD(__vsprintf_chk(s, flag, size, format, ap)); }

int __vfprintf_chk(FILE *f, int flag, const char *format, va_list ap)
{ return vfprintf(f, format, ap); }
int __fprintf_chk(FILE *f, int flag, const char *format, ...)
{ FORWARD(vfprintf(f, format, ap)); }
int __vprintf_chk(int flag, const char *format, va_list ap)
{ return vprintf(format, ap); }
int __printf_chk(int flag, const char *format, ...)
{ FORWARD(vprintf(format, ap)); }
int __vasprintf_chk(char **s, int flag, const char *format, va_list ap)
{ return vasprintf(s, format, ap); }
int __asprintf_chk(char **s, int flag, const char *format, ...)
{ FORWARD(vasprintf(s, format, ap)); }
int __vdprintf_chk(int fd, int flag, const char *format, va_list ap)
{ return vdprintf(fd, format, ap); }
int __dprintf_chk(int fd, int flag, const char *format, ...)
{ FORWARD(vdprintf(fd, format, ap)); }

char *__fgets_chk(char *s, size_t size, int n, FILE *f)
{ if (n > 0) fits(n, size); return fgets(s, n, f); }
char *__fgets_unlocked_chk(char *s, size_t size, int n, FILE *f)
{ return __fgets_chk(s, size, n, f); }
size_t __fread_chk(void *p, size_t size, size_t width, size_t count, FILE *f)
{
	size_t total;
	if (__builtin_mul_overflow(width, count, &total)) __chk_fail();
	fits(total, size);
	return fread(p, width, count, f);
}
size_t __fread_unlocked_chk(void *p, size_t size, size_t width, size_t count, FILE *f)
{ return __fread_chk(p, size, width, count, f); }
