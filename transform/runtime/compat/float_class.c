/* Functions behind other headers' macros on floating-point classes. */
#define _GNU_SOURCE
#include <math.h>
#undef isnan
#undef isinf

#define CLASSES(T, suffix) \
int __isnan##suffix(T x) { return x != x; } \
int isnan##suffix(T x) { return x != x; } \
int __isinf##suffix(T x) { return x == INFINITY ? 1 : x == -INFINITY ? -1 : 0; } \
int isinf##suffix(T x) { return __isinf##suffix(x); } \
int __finite##suffix(T x) { return x - x == 0; }

CLASSES(double, )
CLASSES(float, f)
CLASSES(long double, l)
int finitel(long double x) { return x - x == 0; }
