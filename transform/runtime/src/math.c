/* What LLVM has intrinsics and instructions for, and whose results IEEE 754 states to the last bit:
 * exact for the executor, and one expression each where operands are symbolic. */
#define ALL(RETURN, NAME, ARGUMENTS, ...) \
	RETURN(double) NAME ARGUMENTS(double) { return __builtin_##NAME(__VA_ARGS__); } \
	RETURN(float) NAME##f ARGUMENTS(float) { return __builtin_##NAME##f(__VA_ARGS__); } \
	RETURN(long double) NAME##l ARGUMENTS(long double) { return __builtin_##NAME##l(__VA_ARGS__); }

#define SAME(T) T
#define LONG(T) long
#define LONG_LONG(T) long long
#define ONE(T) (T x)
#define TWO(T) (T x, T y)
#define THREE(T) (T x, T y, T z)

ALL(SAME, fabs, ONE, x)
ALL(SAME, sqrt, ONE, x)
ALL(SAME, floor, ONE, x)
ALL(SAME, ceil, ONE, x)
ALL(SAME, trunc, ONE, x)
ALL(SAME, round, ONE, x)
ALL(SAME, rint, ONE, x)
ALL(SAME, nearbyint, ONE, x)
ALL(LONG, lrint, ONE, x)
ALL(LONG, lround, ONE, x)
ALL(LONG_LONG, llrint, ONE, x)
ALL(LONG_LONG, llround, ONE, x)
ALL(SAME, copysign, TWO, x, y)
ALL(SAME, fmin, TWO, x, y)
ALL(SAME, fmax, TWO, x, y)
ALL(SAME, fmod, TWO, x, y)
ALL(SAME, fma, THREE, x, y, z)
