/* Floating-point arithmetic, bit for bit, x87 extended precision included. */
#include "show.h"
#include <math.h>
#include <string.h>

volatile float f = 1.1f, g = -3.75e10f, tiny = 1e-40f;
volatile double d = 0.1, e = 1e300, h = -2.5, small = 5e-324;
volatile long double x = 0.1L, y = 3.0L;
volatile int i = -7;
volatile unsigned long u = 0xfedcba9876543211;
volatile long n = -1234567890123456789;

static unsigned bits(float a) { unsigned b; memcpy(&b, &a, 4); return b; }
static unsigned long dbits(double a) { unsigned long b; memcpy(&b, &a, 8); return b; }
static unsigned long xbits(long double a) { unsigned long b; memcpy(&b, &a, 8); return b; }
static unsigned xtop(long double a) { unsigned short b; memcpy(&b, (char *)&a + 8, 2); return b; }

#define CLASS(n) | __builtin_isfpclass(a, 1 << n) << n
static unsigned classes(long double a)
{
	return 0 CLASS(0) CLASS(1) CLASS(2) CLASS(3) CLASS(4) CLASS(5) CLASS(6) CLASS(7) CLASS(8) CLASS(9);
}

/* NaN, infinite, finite, normal, subnormal, zero, and what is not. */
#define BOTH(n, at) | __builtin_isfpclass(a, n) << at | __builtin_isfpclass(a, 0x3ff & ~n) << (at + 1)
static unsigned unions(long double a)
{
	return 0 BOTH(3, 0) BOTH(0x204, 2) BOTH(0x1f8, 4) BOTH(0x108, 6) BOTH(0x90, 8) BOTH(0x60, 10);
}

/* Also patterns that are no numbers, as their integer bit does not fit their exponent. */
static void every_class(void)
{
	static const unsigned short tops[] = {0, 1, 0x3fff, 0x7ffe, 0x7fff};
	static const unsigned long rest[] = {0, 1, 1ul << 62, 1ul << 63, 1ul << 63 | 1, 3ul << 62, ~0ul, ~0ul >> 1};
	for (int top = 0; top < 5; top++)
		for (int low = 0; low < 8; low++)
			for (int sign = 0; sign < 2; sign++) {
				unsigned short above = tops[top] | sign << 15;
				volatile long double a = 0;
				memcpy((char *)&a, &rest[low], 8);
				memcpy((char *)&a + 8, &above, 2);
				SHOW(classes(a)); SHOW(unions(a)); SHOW(__builtin_isfinite(a)); SHOW(!__builtin_isnormal(a));
			}
}

int main(void)
{
	every_class();
	SHOW(bits(f + g)); SHOW(bits(f * g)); SHOW(bits(f / 3)); SHOW(bits(tiny * 0.3f)); SHOW(bits(-f)); SHOW(bits((float)d));
	SHOW(dbits(d + 0.2)); SHOW(dbits(d * d)); SHOW(dbits(e * e)); SHOW(dbits(d / 3)); SHOW(dbits(small / 2)); SHOW(dbits(f));
	SHOW(dbits(i)); SHOW(dbits(u)); SHOW(bits(u)); SHOW(bits(n)); SHOW(dbits(n));
	SHOW((int)h); SHOW((long)g); SHOW((unsigned long)(e / 1e285)); SHOW((unsigned char)(d * 1000)); SHOW((unsigned)3e9);
	SHOW(d < 0.2); SHOW(h > d); SHOW(d == d); SHOW(e * e == e * e * 2); SHOW(e * e - e * e != 0); SHOW(isnan(e * e - e * e));
	SHOW(dbits(__builtin_fabs(h))); SHOW(dbits(__builtin_copysign(d, h))); SHOW(dbits(__builtin_sqrt(d)));
	SHOW(dbits(__builtin_floor(h))); SHOW(dbits(__builtin_ceil(h))); SHOW(dbits(__builtin_trunc(h))); SHOW(dbits(__builtin_rint(h)));
	SHOW(dbits(__builtin_round(h))); SHOW(dbits(__builtin_fma(d, d, -0.01))); SHOW(dbits(__builtin_fmin(d, h)));
	SHOW(dbits(d > h ? d : h));
	long double p = x + y, q = x * x, r = x / y, s = p - q * r, t = (long double)u * y, v = -x;
	SHOW(xbits(p)); SHOW(xbits(q)); SHOW(xbits(r)); SHOW(xbits(s)); SHOW(xbits(t)); SHOW(xbits(v));
	SHOW(xtop(p)); SHOW(xtop(q)); SHOW(xtop(r)); SHOW(xtop(s)); SHOW(xtop(t)); SHOW(xtop(v));
	SHOW(dbits((double)r)); SHOW(bits((float)q)); SHOW((long)(t / 16)); SHOW(p > q); SHOW(x == 0.1); SHOW(x == 0.1L);
	return 0;
}
