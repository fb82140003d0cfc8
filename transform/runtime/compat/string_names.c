/* Other names of string functions. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>
#include <stdlib.h>
#include <wchar.h>

void *rawmemchr(const void *s, int c) { return memchr(s, c, (size_t)-1); }
void *__rawmemchr(const void *s, int c) { return memchr(s, c, (size_t)-1); }
int __memcmpeq(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }
void *__mempcpy(void *d, const void *s, size_t n) { return mempcpy(d, s, n); }
void __bzero(void *d, size_t n) { memset(d, 0, n); }
char *__strdup(const char *s) { return strdup(s); }
char *__strndup(const char *s, size_t n) { return strndup(s, n); }
int __strcasecmp(const char *a, const char *b) { return strcasecmp(a, b); }
char *__strcasestr(const char *s, const char *t) { return strcasestr(s, t); }
int __strverscmp(const char *a, const char *b) { return strverscmp(a, b); }
char *__strtok_r(char *s, const char *separators, char **rest) { return strtok_r(s, separators, rest); }
char *__secure_getenv(const char *name) { return getenv(name); }
size_t __mbrlen(const char *s, size_t n, mbstate_t *st) { return mbrlen(s, n, st); }
size_t __mbrtowc(wchar_t *c, const char *s, size_t n, mbstate_t *st) { return mbrtowc(c, s, n, st); }
wchar_t *wcschrnul(const wchar_t *s, wchar_t c) { while (*s && *s != c) s++; return (wchar_t *)s; }
