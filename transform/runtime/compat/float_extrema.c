/* Extrema, neighbours and roundings of IEEE 754-2019. */
#define _GNU_SOURCE
#include <limits.h>
#include <math.h>

/* Whether x is the greater one, where +0 is greater than -0; no number is NaN. */
#define GREATER(x, y) ((x) != (y) ? (x) > (y) : !signbit(x))
#define LARGER(x, y) (fabs(x) != fabs(y) ? fabs(x) > fabs(y) : GREATER(x, y))
#define SMALLER(x, y) (fabs(x) != fabs(y) ? fabs(x) < fabs(y) : !GREATER(x, y))
#define LESS(x, y) ((x) != (y) ? (x) < (y) : !!signbit(x))

#define EXTREMUM(name, better, type) \
type f##name(type x, type y) { return isnan(x) || isnan(y) ? x + y : better(x, y) ? x : y; }
#define EXTREMUM_NUM(name, better, type) \
type f##name(type x, type y) \
{ \
	if (isnan(x) && isnan(y)) return x + y; \
	return isnan(y) || (!isnan(x) && better(x, y)) ? x : y; \
}
#define EXTREMA(suffix, type) \
EXTREMUM(maximum##suffix, GREATER, type) EXTREMUM(minimum##suffix, LESS, type) \
EXTREMUM(maximum_mag##suffix, LARGER, type) EXTREMUM(minimum_mag##suffix, SMALLER, type) \
EXTREMUM_NUM(maximum_num##suffix, GREATER, type) EXTREMUM_NUM(minimum_num##suffix, LESS, type) \
EXTREMUM_NUM(maximum_mag_num##suffix, LARGER, type) EXTREMUM_NUM(minimum_mag_num##suffix, SMALLER, type) \
EXTREMUM_NUM(maxmag##suffix, LARGER, type) EXTREMUM_NUM(minmag##suffix, SMALLER, type)

#define OTHERS(suffix, letter, type) \
type nextup##suffix(type x) { return nextafter##letter(x, INFINITY); } \
type nextdown##suffix(type x) { return nextafter##letter(x, -INFINITY); } \
long llogb##suffix(type x) \
{ return x == 0 ? LONG_MIN : isnan(x) ? LONG_MIN : isinf(x) ? LONG_MAX : ilogb##letter(x); } \
type roundeven##suffix(type x) \
{ \
	type whole = trunc##letter(x), part = fabs(x - whole); \
	if (isnan(x) || isinf(x)) return x; \
	if (part > (type)0.5 || (part == (type)0.5 && fmod##letter(whole, 2) != 0)) whole += copysign##letter(1, x); \
	return copysign##letter(whole, x); \
}

EXTREMA(, double) EXTREMA(f, float) EXTREMA(l, long double) EXTREMA(f32, float) EXTREMA(f32x, double)
EXTREMA(f64, double) EXTREMA(f64x, long double)
OTHERS(, , double) OTHERS(f, f, float) OTHERS(l, l, long double) OTHERS(f32, f, float) OTHERS(f32x, , double)
OTHERS(f64, , double) OTHERS(f64x, l, long double)
