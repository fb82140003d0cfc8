/* Readers and writers of numbers under the names of their types, and with a locale, which all are the
 * same here. */
#define _GNU_SOURCE
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

long long strtoq(const char *restrict s, char **restrict end, int base) { return strtoll(s, end, base); }
unsigned long long strtouq(const char *restrict s, char **restrict end, int base) { return strtoull(s, end, base); }
long long wcstoq(const wchar_t *restrict s, wchar_t **restrict end, int base) { return wcstoll(s, end, base); }
unsigned long long wcstouq(const wchar_t *restrict s, wchar_t **restrict end, int base) { return wcstoull(s, end, base); }

#define FLOAT(type, suffix, letter) \
type strto##suffix(const char *restrict s, char **restrict end) { return strto##letter(s, end); } \
type strto##suffix##_l(const char *restrict s, char **restrict end, locale_t l) { return strto##letter(s, end); } \
type wcsto##suffix(const wchar_t *restrict s, wchar_t **restrict end) { return wcsto##letter(s, end); } \
type wcsto##suffix##_l(const wchar_t *restrict s, wchar_t **restrict end, locale_t l) { return wcsto##letter(s, end); } \
int strfrom##suffix(char *restrict s, size_t n, const char *restrict format, type x) { return write_float(s, n, format, x); }

/* The format is one conversion, %[.PRECISION]{a,e,f,g}, of a type that it does not name. */
static int write_float(char *s, size_t n, const char *format, double x)
{ return snprintf(s, n, format, x); }

FLOAT(float, f32, f)
FLOAT(double, f32x, d)
FLOAT(double, f64, d)
FLOAT(long double, f64x, ld)
int strfromf(char *restrict s, size_t n, const char *restrict format, float x) { return write_float(s, n, format, x); }
int strfromd(char *restrict s, size_t n, const char *restrict format, double x) { return write_float(s, n, format, x); }
int strfroml(char *restrict s, size_t n, const char *restrict format, long double x) { return write_float(s, n, format, x); }

double wcstod_l(const wchar_t *restrict s, wchar_t **restrict end, locale_t l) { return wcstod(s, end); }
float wcstof_l(const wchar_t *restrict s, wchar_t **restrict end, locale_t l) { return wcstof(s, end); }
long double wcstold_l(const wchar_t *restrict s, wchar_t **restrict end, locale_t l) { return wcstold(s, end); }
