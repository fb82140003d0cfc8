/* The mathematical functions under the names of C's interchange types: _Float32 is float, _Float32x and
 * _Float64 are double, _Float64x is long double, which is double here. _Float128 is not there. */
#define _GNU_SOURCE
#include <complex.h>
#include <math.h>

#define TYPES(each, name) \
	each(name##f32, name##f, float) each(name##f32x, name, double) each(name##f64, name, double) \
	each(name##f64x, name##l, long double)

#define UNARY(to, from, type) type to(type x) { return from(x); }
#define BINARY(to, from, type) type to(type x, type y) { return from(x, y); }
#define TERNARY(to, from, type) type to(type x, type y, type z) { return from(x, y, z); }
#define TO_INT(to, from, type) int to(type x) { return from(x); }
#define TO_LONG(to, from, type) long to(type x) { return from(x); }
#define TO_LLONG(to, from, type) long long to(type x) { return from(x); }
#define WITH_INT(to, from, type) type to(type x, int n) { return from(x, n); }
#define WITH_LONG(to, from, type) type to(type x, long n) { return from(x, n); }
#define INT_FIRST(to, from, type) type to(int n, type x) { return from(n, x); }
#define INT_OUT(to, from, type) type to(type x, int *n) { return from(x, n); }
#define OUT(to, from, type) type to(type x, type *part) { return from(x, part); }
#define BINARY_INT_OUT(to, from, type) type to(type x, type y, int *n) { return from(x, y, n); }
#define NAN_OF(to, from, type) type to(const char *s) { return from(s); }
#define TWO_OUT(to, from, type) void to(type x, type *a, type *b) { from(x, a, b); }
#define COMPLEX(to, from, type) type complex to(type complex x) { return from(x); }
#define COMPLEX2(to, from, type) type complex to(type complex x, type complex y) { return from(x, y); }
#define OF_COMPLEX(to, from, type) type to(type complex x) { return from(x); }

/* Not in the library with an l. */
long double j0l(long double x) { return j0(x); }
long double j1l(long double x) { return j1(x); }
long double jnl(int n, long double x) { return jn(n, x); }
long double y0l(long double x) { return y0(x); }
long double y1l(long double x) { return y1(x); }
long double ynl(int n, long double x) { return yn(n, x); }
long double scalbl(long double x, long double n) { return scalb(x, n); }
long double significandl(long double x) { return significand(x); }
double gamma(double x) { return lgamma(x); }
float gammaf(float x) { return lgammaf(x); }
long double gammal(long double x) { return lgammal(x); }

TYPES(UNARY, acos) TYPES(UNARY, acosh) TYPES(UNARY, asin) TYPES(UNARY, asinh) TYPES(UNARY, atan) TYPES(UNARY, atanh)
TYPES(UNARY, cbrt) TYPES(UNARY, ceil) TYPES(UNARY, cos) TYPES(UNARY, cosh) TYPES(UNARY, erf) TYPES(UNARY, erfc)
TYPES(UNARY, exp) TYPES(UNARY, exp10) TYPES(UNARY, exp2) TYPES(UNARY, expm1) TYPES(UNARY, fabs) TYPES(UNARY, floor)
TYPES(UNARY, j0) TYPES(UNARY, j1) TYPES(UNARY, lgamma) TYPES(UNARY, log) TYPES(UNARY, log10) TYPES(UNARY, log1p)
TYPES(UNARY, log2) TYPES(UNARY, logb) TYPES(UNARY, nearbyint) TYPES(UNARY, rint) TYPES(UNARY, round) TYPES(UNARY, sin)
TYPES(UNARY, sinh) TYPES(UNARY, sqrt) TYPES(UNARY, tan) TYPES(UNARY, tanh) TYPES(UNARY, tgamma) TYPES(UNARY, trunc)
TYPES(UNARY, y0) TYPES(UNARY, y1)
TYPES(BINARY, atan2) TYPES(BINARY, copysign) TYPES(BINARY, fdim) TYPES(BINARY, fmax) TYPES(BINARY, fmin)
TYPES(BINARY, fmod) TYPES(BINARY, hypot) TYPES(BINARY, nextafter) TYPES(BINARY, pow) TYPES(BINARY, remainder)
TYPES(TERNARY, fma)
TYPES(TO_INT, ilogb) TYPES(TO_LONG, lrint) TYPES(TO_LONG, lround) TYPES(TO_LLONG, llrint) TYPES(TO_LLONG, llround)
TYPES(WITH_INT, ldexp) TYPES(WITH_INT, scalbn) TYPES(WITH_LONG, scalbln) TYPES(INT_FIRST, jn) TYPES(INT_FIRST, yn)
TYPES(INT_OUT, frexp) TYPES(OUT, modf) TYPES(BINARY_INT_OUT, remquo) TYPES(NAN_OF, nan) TYPES(TWO_OUT, sincos)
INT_OUT(lgammaf32_r, lgammaf_r, float) INT_OUT(lgammaf32x_r, lgamma_r, double) INT_OUT(lgammaf64_r, lgamma_r, double)
INT_OUT(lgammaf64x_r, lgammal_r, long double)
TYPES(COMPLEX, cacos) TYPES(COMPLEX, cacosh) TYPES(COMPLEX, casin) TYPES(COMPLEX, casinh) TYPES(COMPLEX, catan)
TYPES(COMPLEX, catanh) TYPES(COMPLEX, ccos) TYPES(COMPLEX, ccosh) TYPES(COMPLEX, cexp) TYPES(COMPLEX, clog)
TYPES(COMPLEX, conj) TYPES(COMPLEX, cproj) TYPES(COMPLEX, csin) TYPES(COMPLEX, csinh) TYPES(COMPLEX, csqrt)
TYPES(COMPLEX, ctan) TYPES(COMPLEX, ctanh) TYPES(COMPLEX2, cpow)
TYPES(OF_COMPLEX, cabs) TYPES(OF_COMPLEX, carg) TYPES(OF_COMPLEX, cimag) TYPES(OF_COMPLEX, creal)
