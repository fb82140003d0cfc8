/* Checked memory and string functions. */
#include "fortify.h"
#include <string.h>

void *__memcpy_chk(void *d, const void *s, size_t n, size_t size)
{ fits(n, size); return memcpy(d, s, n); }
void *__memmove_chk(void *d, const void *s, size_t n, size_t size)
{ fits(n, size); return memmove(d, s, n); }
void *__mempcpy_chk(void *d, const void *s, size_t n, size_t size)
{ fits(n, size); return mempcpy(d, s, n); }
void *__memset_chk(void *d, int c, size_t n, size_t size)
{ fits(n, size); return memset(d, c, n); }
void __explicit_bzero_chk(void *d, size_t n, size_t size)
{ fits(n, size); explicit_bzero(d, n); }

/* An unknown size is the largest one; then there is nothing to measure. */
static inline void fits_string(const char *s, size_t before, size_t size)
{
	if (size != (size_t)-1) fits(before + strlen(s) + 1, size);
}

char *__strcpy_chk(char *d, const char *s, size_t size)
{ fits_string(s, 0, size); return strcpy(d, s); }
char *__stpcpy_chk(char *d, const char *s, size_t size)
{ fits_string(s, 0, size); return stpcpy(d, s); }
char *__strncpy_chk(char *d, const char *s, size_t n, size_t size)
{ fits(n, size); return strncpy(d, s, n); }
char *__stpncpy_chk(char *d, const char *s, size_t n, size_t size)
{ fits(n, size); return stpncpy(d, s, n); }
char *__strcat_chk(char *d, const char *s, size_t size)
{ if (size != (size_t)-1) fits_string(s, strlen(d), size); return strcat(d, s); }
char *__strncat_chk(char *d, const char *s, size_t n, size_t size)
{ if (size != (size_t)-1) fits(strlen(d) + strnlen(s, n) + 1, size); return strncat(d, s, n); }
size_t __strlcpy_chk(char *d, const char *s, size_t n, size_t size)
{ fits(n, size); return strlcpy(d, s, n); }
size_t __strlcat_chk(char *d, const char *s, size_t n, size_t size)
{ fits(n, size); return strlcat(d, s, n); }
