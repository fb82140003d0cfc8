/* Checked functions of the rarer kinds. */
#include "fortify.h"
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <syslog.h>
#include <wchar.h>

long __fdelt_warn(long fd)
{
	if (fd < 0 || fd >= FD_SETSIZE) __chk_fail();
	return fd / (8 * sizeof(long));
}

wchar_t *__fgetws_chk(wchar_t *s, size_t size, int n, FILE *f)
{ fits(n < 0 ? 0 : n, size); return fgetws(s, n, f); }
wchar_t *__fgetws_unlocked_chk(wchar_t *s, size_t size, int n, FILE *f)
{ fits(n < 0 ? 0 : n, size); return fgetws(s, n, f); }
int __ptsname_r_chk(int fd, char *s, size_t n, size_t size) { fits(n, size); return ptsname_r(fd, s, n); }
wchar_t *__wcpncpy_chk(wchar_t *d, const wchar_t *s, size_t n, size_t size) { fits(n, size); return wcpncpy(d, s, n); }

char *__gets_chk(char *s, size_t size)
{
	size_t n = 0;
	int c;
	while ((c = getchar()) != EOF && c != '\n') {
		fits(n + 2, size);
		s[n++] = c;
	}
	if (c == EOF && (!n || ferror(stdin))) return 0;
	fits(n + 1, size);
	s[n] = 0;
	return s;
}

void __vsyslog_chk(int priority, int flag, const char *format, va_list ap) { vsyslog(priority, format, ap); }
void __syslog_chk(int priority, int flag, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vsyslog(priority, format, ap);
	va_end(ap);
}
