/* Multiplication and addition rounded once, of numbers of 80 bits. The sums are such that little is left of
 * the product, or little of the other number. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static long double of(int exponent, uint64_t significand, int negative)
{
	unsigned char bytes[16] = { 0 };
	uint16_t high = (uint16_t)(16383 + exponent) | (negative ? 0x8000 : 0);
	long double x;
	significand |= 1ull << 63;
	memcpy(bytes, &significand, 8);
	memcpy(bytes + 8, &high, 2);
	memcpy(&x, bytes, sizeof x);
	return x;
}

static void say(long double x)
{
	unsigned char bytes[16];
	uint64_t significand;
	uint16_t high;
	memcpy(bytes, &x, sizeof x);
	memcpy(&significand, bytes, 8);
	memcpy(&high, bytes + 8, 2);
	if (x != x)
		printf("nan\n");
	else
		printf("%04x %016llx\n", high, (unsigned long long)significand);
}

int main(void)
{
	for (int at = 0; at < 400; at++) {
		int e = (int)(next() % 40) - 20, f = (int)(next() % 40) - 20;
		long double a = of(e, next(), next() & 1), b = of(f, next(), next() & 1);
		long double others[] = {
			-(a * b), of(e + f - 64, next(), next() & 1), of(e + f + (int)(next() % 200) - 100, next(), next() & 1),
		};
		for (int other = 0; other < 3; other++)
			say(__builtin_fmal(a, b, others[other]));
	}
	long double huge = of(16383, ~0ull, 0), tiny = of(-16382, 1, 0), zero = 0;
	say(__builtin_fmal(huge, huge, -huge));
	say(__builtin_fmal(tiny, tiny, zero));
	say(__builtin_fmal(tiny, tiny, -tiny));
	say(__builtin_fmal(huge, zero, -zero));
	say(__builtin_fmal(huge * 2, zero, tiny));
	return 0;
}
