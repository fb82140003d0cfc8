/* Checked wide-character functions. Sizes count wide characters. */
#include "fortify.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

wchar_t *__wmemcpy_chk(wchar_t *d, const wchar_t *s, size_t n, size_t size)
{ fits(n, size); return wmemcpy(d, s, n); }
wchar_t *__wmemmove_chk(wchar_t *d, const wchar_t *s, size_t n, size_t size)
{ fits(n, size); return wmemmove(d, s, n); }
wchar_t *wmempcpy(wchar_t *d, const wchar_t *s, size_t n)
{ return wmemcpy(d, s, n) + n; }
wchar_t *__wmempcpy_chk(wchar_t *d, const wchar_t *s, size_t n, size_t size)
{ fits(n, size); return wmemcpy(d, s, n) + n; }
wchar_t *__wmemset_chk(wchar_t *d, wchar_t c, size_t n, size_t size)
{ fits(n, size); return wmemset(d, c, n); }
wchar_t *__wcscpy_chk(wchar_t *d, const wchar_t *s, size_t size)
{ fits(wcslen(s) + 1, size); return wcscpy(d, s); }
wchar_t *__wcpcpy_chk(wchar_t *d, const wchar_t *s, size_t size)
{ fits(wcslen(s) + 1, size); return wcpcpy(d, s); }
wchar_t *__wcsncpy_chk(wchar_t *d, const wchar_t *s, size_t n, size_t size)
{ fits(n, size); return wcsncpy(d, s, n); }
wchar_t *__wcscat_chk(wchar_t *d, const wchar_t *s, size_t size)
{ fits(wcslen(d) + wcslen(s) + 1, size); return wcscat(d, s); }
wchar_t *__wcsncat_chk(wchar_t *d, const wchar_t *s, size_t n, size_t size)
{ fits(wcslen(d) + wcsnlen(s, n) + 1, size); return wcsncat(d, s, n); }

size_t __mbstowcs_chk(wchar_t *d, const char *s, size_t n, size_t size)
{ if (d) fits(n, size); return mbstowcs(d, s, n); }
size_t __wcstombs_chk(char *d, const wchar_t *s, size_t n, size_t size)
{ if (d) fits(n, size); return wcstombs(d, s, n); }
size_t __mbsrtowcs_chk(wchar_t *d, const char **s, size_t n, mbstate_t *st, size_t size)
{ if (d) fits(n, size); return mbsrtowcs(d, s, n, st); }
size_t __wcsrtombs_chk(char *d, const wchar_t **s, size_t n, mbstate_t *st, size_t size)
{ if (d) fits(n, size); return wcsrtombs(d, s, n, st); }
size_t __mbsnrtowcs_chk(wchar_t *d, const char **s, size_t m, size_t n, mbstate_t *st, size_t size)
{ if (d) fits(n, size); return mbsnrtowcs(d, s, m, n, st); }
size_t __wcsnrtombs_chk(char *d, const wchar_t **s, size_t m, size_t n, mbstate_t *st, size_t size)
{ if (d) fits(n, size); return wcsnrtombs(d, s, m, n, st); }
size_t __wcrtomb_chk(char *d, wchar_t c, mbstate_t *st, size_t size)
{ if (d) fits(MB_CUR_MAX, size); return wcrtomb(d, c, st); }
int __wctomb_chk(char *d, wchar_t c, size_t size)
{ if (d) fits(MB_CUR_MAX, size); return wctomb(d, c); }

int __vswprintf_chk(wchar_t *s, size_t n, int flag, size_t size, const wchar_t *format, va_list ap)
{ fits(n, size); return vswprintf(s, n, format, ap); }
int __swprintf_chk(wchar_t *s, size_t n, int flag, size_t size, const wchar_t *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int result = __vswprintf_chk(s, n, flag, size, format, ap);
	va_end(ap);
	return result;
}
int __vfwprintf_chk(FILE *f, int flag, const wchar_t *format, va_list ap)
{ return vfwprintf(f, format, ap); }
int __vwprintf_chk(int flag, const wchar_t *format, va_list ap)
{ return vwprintf(format, ap); }
int __fwprintf_chk(FILE *f, int flag, const wchar_t *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int result = vfwprintf(f, format, ap);
	va_end(ap);
	return result;
}
int __wprintf_chk(int flag, const wchar_t *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int result = vwprintf(format, ap);
	va_end(ap);
	return result;
}
