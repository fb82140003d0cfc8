/* C23's names of the number readers. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <wchar.h>

#define READER(result, name, character) \
result __isoc23_##name(const character *restrict s, character **restrict end, int base) \
{ return name(s, end, base); } \
result __isoc23_##name##_l(const character *restrict s, character **restrict end, int base, locale_t l) \
{ return name(s, end, base); } \
result name##_l(const character *restrict s, character **restrict end, int base, locale_t l) \
{ return name(s, end, base); }

READER(long, strtol, char)
READER(unsigned long, strtoul, char)
READER(long long, strtoll, char)
READER(unsigned long long, strtoull, char)
READER(intmax_t, strtoimax, char)
READER(uintmax_t, strtoumax, char)
READER(long, wcstol, wchar_t)
READER(unsigned long, wcstoul, wchar_t)
READER(long long, wcstoll, wchar_t)
READER(unsigned long long, wcstoull, wchar_t)
READER(intmax_t, wcstoimax, wchar_t)
READER(uintmax_t, wcstoumax, wchar_t)
