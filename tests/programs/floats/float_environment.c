/* Rounding modes and exception flags: operations in each mode on numbers at the edges of formats,
 * with the flags that each raises. */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
static const uint64_t doubles[] = {
	0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
	0x3ff0000000000001, 0x3fb999999999999a, 0x4008000000000000, 0xc01c000000000000,
	0x7fefffffffffffff, 0xffefffffffffffff, 0x0010000000000000, 0x8010000000000001,
	0x000fffffffffffff, 0x0000000000000001, 0x8000000000000001, 0x7ff0000000000000,
	0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001, 0x3ca0000000000000,
	0x43e0000000000000, 0xc3e0000000000001, 0x3fe0000000000000, 0x4004000000000000,
	0x47efffffe0000000, 0x47effffff0000000, 0x3690000000000000, 0x380fffffffffffff,
	0x1ff0000000000001, 0x5ff8000000000000, 0x41dfffffffe00000, 0x41e0000000000000,
};
static const uint32_t singles[] = {
	0x00000000, 0x80000000, 0x3f800000, 0xbf800001, 0x3dcccccd, 0x40400000, 0x7f7fffff,
	0xff7fffff, 0x00800000, 0x007fffff, 0x80000001, 0x7f800000, 0x7fc00000, 0xff800001,
	0x33800000, 0x5f000000, 0x20000001, 0x4b800001, 0x3f000000, 0xc0200000,
};
static const int64_t integers[] = {
	0, 1, -1, 3, INT32_MAX, INT32_MIN, (1LL << 53) + 1, -(1LL << 53) - 1, INT64_MAX, INT64_MIN,
	(1LL << 24) + 1, (1LL << 54) + 2, (1LL << 54) + 6, -(1LL << 25) - 3,
};

#define COUNT(A) (sizeof(A) / sizeof *(A))
#define APART __attribute__((__noinline__))

/* One digest for each operation and mode; with an argument, each result. */
static uint64_t digest;
static int show;

static void note(const char *what, uint64_t a, uint64_t b, uint64_t result)
{
	int flags = fetestexcept(FE_ALL_EXCEPT);
	digest = (digest ^ result) * 0x100000001b3;
	digest = (digest ^ (uint64_t)flags) * 0x100000001b3;
	if (show)
		printf("  %s %016llx %016llx = %016llx %02x\n", what, (unsigned long long)a,
		       (unsigned long long)b, (unsigned long long)result, flags);
	feclearexcept(FE_ALL_EXCEPT);
}

static void begin(void)
{
	digest = 0xcbf29ce484222325;
}

static void end(const char *what, int mode)
{
	printf("%s %x %016llx\n", what, (unsigned)mode, (unsigned long long)digest);
}

static double d(uint64_t bits)
{
	double number;
	memcpy(&number, &bits, sizeof number);
	return number;
}

static uint64_t db(double number)
{
	uint64_t bits;
	memcpy(&bits, &number, sizeof bits);
	return bits;
}

static float s(uint32_t bits)
{
	float number;
	memcpy(&number, &bits, sizeof number);
	return number;
}

static uint64_t sb(float number)
{
	uint32_t bits;
	memcpy(&bits, &number, sizeof bits);
	return bits;
}

static int is_nan_d(uint64_t bits)
{
	return bits << 1 > 0xffe0000000000000;
}

static int is_nan_s(uint32_t bits)
{
	return bits << 1 > 0xff000000;
}

#define BINARY(NAME, EXPRESSION) \
	static APART double NAME##_d(volatile double x, volatile double y) { return EXPRESSION; } \
	static APART float NAME##_s(volatile float x, volatile float y) { return EXPRESSION; } \
	static void try_##NAME(int mode) \
	{ \
		begin(); \
		for (unsigned i = 0; i < COUNT(doubles); i++) \
			for (unsigned j = 0; j < COUNT(doubles); j++) \
				note(#NAME, doubles[i], doubles[j], \
				     db(NAME##_d(d(doubles[i]), d(doubles[j])))); \
		for (unsigned i = 0; i < COUNT(singles); i++) \
			for (unsigned j = 0; j < COUNT(singles); j++) \
				note(#NAME "f", singles[i], singles[j], \
				     sb(NAME##_s(s(singles[i]), s(singles[j])))); \
		end(#NAME, mode); \
	}

#define UNARY(NAME, TYPE, BITS, OF_DOUBLE, OF_SINGLE) \
	static APART TYPE NAME##_d(volatile double x) { return OF_DOUBLE; } \
	static APART TYPE NAME##_s(volatile float x) { return OF_SINGLE; } \
	static void try_##NAME(int mode) \
	{ \
		begin(); \
		for (unsigned i = 0; i < COUNT(doubles); i++) \
			note(#NAME, doubles[i], 0, (uint64_t)BITS(NAME##_d(d(doubles[i])))); \
		for (unsigned i = 0; i < COUNT(singles); i++) \
			note(#NAME "f", singles[i], 0, (uint64_t)BITS(NAME##_s(s(singles[i])))); \
		end(#NAME, mode); \
	}

#define OF_INTEGER(NAME, TYPE) \
	static APART double NAME##_d(volatile TYPE x) { return (double)x; } \
	static APART float NAME##_s(volatile TYPE x) { return (float)x; } \
	static void try_##NAME(int mode) \
	{ \
		begin(); \
		for (unsigned i = 0; i < COUNT(integers); i++) { \
			note(#NAME, (uint64_t)integers[i], 0, db(NAME##_d((TYPE)integers[i]))); \
			note(#NAME "f", (uint64_t)integers[i], 0, sb(NAME##_s((TYPE)integers[i]))); \
		} \
		end(#NAME, mode); \
	}

BINARY(add, x + y)
BINARY(sub, x - y)
BINARY(mul, x * y)
BINARY(div, x / y)
BINARY(less, x < y)
BINARY(equal, x == y)
static APART double fma_d(volatile double x, volatile double y) { return fma(x, y, 1 / 3.0); }
static APART float fma_s(volatile float x, volatile float y) { return fmaf(x, y, -0x1p-30f); }
static void try_fma(int mode)
{
	begin();
	for (unsigned i = 0; i < COUNT(doubles); i++)
		for (unsigned j = 0; j < COUNT(doubles); j++)
			if (!is_nan_d(doubles[i]) || !is_nan_d(doubles[j])) /* which of two NaNs it is, varies */
				note("fma", doubles[i], doubles[j], db(fma_d(d(doubles[i]), d(doubles[j]))));
	for (unsigned i = 0; i < COUNT(singles); i++)
		for (unsigned j = 0; j < COUNT(singles); j++)
			if (!is_nan_s(singles[i]) || !is_nan_s(singles[j]))
				note("fmaf", singles[i], singles[j], sb(fma_s(s(singles[i]), s(singles[j]))));
	end("fma", mode);
}
UNARY(root, double, db, sqrt(x), sqrtf(x))
UNARY(narrow, float, sb, (float)x, x)
UNARY(widen, double, db, x, (double)x)
UNARY(rounded, double, db, rint(x), rintf(x))
UNARY(nearby, double, db, nearbyint(x), nearbyintf(x))
UNARY(down, double, db, floor(x), floorf(x))
UNARY(up, double, db, ceil(x), ceilf(x))
UNARY(whole, double, db, trunc(x), truncf(x))
UNARY(integral, long, , lrint(x), lrintf(x))
UNARY(to_long, long, , (long)x, (long)x)
UNARY(to_int, int, , (int)x, (int)x)
OF_INTEGER(of_long, int64_t)
OF_INTEGER(of_int, int32_t)
OF_INTEGER(of_unsigned, uint32_t)

static void (*const tries[])(int) = {
	try_add, try_sub, try_mul, try_div, try_less, try_equal, try_fma, try_root, try_narrow,
	try_widen, try_rounded, try_nearby, try_down, try_up, try_whole, try_integral, try_to_long,
	try_to_int, try_of_long, try_of_int, try_of_unsigned,
};

static void environments(void)
{
	fenv_t environment;
	fexcept_t flags;
	volatile double one = 1, three = 3, zero = 0;
	unsigned short word = 0;
	feclearexcept(FE_ALL_EXCEPT);
	fesetround(FE_UPWARD);
	__asm__ volatile("fnstcw %0" : "=m"(word));
	printf("%x\n", word & 0xc00);
	volatile double up = one / three;
	printf("%d %d %d\n", fegetround() == FE_UPWARD, FLT_ROUNDS, fesetround(77) != 0);
	fegetexceptflag(&flags, FE_ALL_EXCEPT);
	feholdexcept(&environment);
	printf("%d %d\n", fetestexcept(FE_ALL_EXCEPT), fegetround() == FE_UPWARD);
	volatile double infinite = one / zero;
	printf("%d %a %a\n", fetestexcept(FE_ALL_EXCEPT), up, infinite);
	fesetround(FE_DOWNWARD);
	feupdateenv(&environment);
	printf("%d %d\n", fetestexcept(FE_ALL_EXCEPT), fegetround() == FE_UPWARD);
	fesetenv(FE_DFL_ENV);
	printf("%d %d\n", fetestexcept(FE_ALL_EXCEPT), fegetround() == FE_TONEAREST);
	fesetexceptflag(&flags, FE_INEXACT | FE_OVERFLOW);
	printf("%d\n", fetestexcept(FE_ALL_EXCEPT));
	feraiseexcept(FE_DIVBYZERO | FE_INVALID);
	printf("%d\n", fetestexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW));
	unsigned control = __builtin_ia32_stmxcsr();
	__builtin_ia32_ldmxcsr((control & ~0x603fu) | 0x4000);
	printf("%a %x\n", one / three, __builtin_ia32_stmxcsr());
	__builtin_ia32_ldmxcsr(0x1f80);
}

static void texts(int mode)
{
	static const char *const numbers[] = {"0.1", "1e23", "-0.3", "123456789012345678", "5e-324", "1e400", "2.5"};
	for (unsigned i = 0; i < COUNT(numbers); i++) {
		double number = strtod(numbers[i], NULL);
		fesetround(FE_TONEAREST);
		printf("%s %llx\n", numbers[i], (unsigned long long)db(number));
		fesetround(mode);
		printf("%.1f %.0f %.3e\n", d(0x3fd6666666666666), d(0x4004000000000000), d(0xbfb999999999999a));
	}
}

int main(int argc, char **argv)
{
	show = argc > 4;
	for (unsigned at = 0; at < COUNT(tries); at++)
		for (unsigned mode = 0; mode < COUNT(modes); mode++) {
			fesetround(modes[mode]);
			feclearexcept(FE_ALL_EXCEPT);
			tries[at](modes[mode]);
			fesetround(FE_TONEAREST);
		}
	for (unsigned mode = 0; mode < COUNT(modes); mode++) {
		fesetround(modes[mode]);
		texts(modes[mode]);
		fesetround(FE_TONEAREST);
	}
	environments();
	(void)argv;
	return 0;
}
