/* Functions whose results are exact, bit for bit, over special and pseudo-random numbers: by name,
 * so that they are the library's. */
#include <math.h>
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

static const double special[] = {
	0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49999999999999994, -0.49999999999999994, 1.0, -1.0,
	4503599627370495.5, -4503599627370495.5, 4503599627370496.5, 9007199254740993.0, 1e300, -1e300,
	5e-324, -5e-324, 2.2250738585072014e-308, 2147483647.5, -2147483648.5, 9.3e18, INFINITY, -INFINITY, NAN,
};
enum { SPECIAL = sizeof special / sizeof *special, ALL = SPECIAL + 40 };

static double number(int at)
{
	double x;
	uint64_t bits = next();
	if (at < SPECIAL)
		return special[at];
	/* Half of them of moderate size. */
	if (at & 1)
		bits = (bits & 0x800fffffffffffffu) | (uint64_t)(1000 + bits % 90) << 52;
	memcpy(&x, &bits, sizeof x);
	return x;
}

static uint64_t sum;

static void add(uint64_t bits) { sum = (sum ^ bits) * 1099511628211u; }

static void put(double x)
{
	uint64_t bits = 0x7ff8000000000000u;
	if (x == x)
		memcpy(&bits, &x, sizeof bits);
	add(bits);
}

static void putf(float x)
{
	uint32_t bits = 0x7fc00000u;
	if (x == x)
		memcpy(&bits, &x, sizeof bits);
	add(bits);
}

static void say(const char *name)
{
	printf("%s %016llx\n", name, (unsigned long long)sum);
	sum = 14695981039346656037u;
}

static double x[ALL];
static float f[ALL];

#define EACH(NAME) do { \
	for (int i = 0; i < ALL; i++) { put(NAME(x[i])); putf(NAME##f(f[i])); } \
	say(#NAME); \
} while (0)

#define WHOLE(NAME) do { \
	for (int i = 0; i < ALL; i++) { \
		if (fabs(x[i]) < 9e18) add((uint64_t)NAME(x[i])); \
		if (fabsf(f[i]) < 9e18f) add((uint64_t)NAME##f(f[i])); \
	} \
	say(#NAME); \
} while (0)

#define PAIRS(NAME) do { \
	for (int i = 0; i < ALL; i++) \
		for (int j = i % 3; j < ALL; j += 3) { put(NAME(x[i], x[j])); putf(NAME##f(f[i], f[j])); } \
	say(#NAME); \
} while (0)

/* Which zero they give is open. */
static double smaller(double a, double b) { return fmin(a, b) + 0.0; }
static float smallerf(float a, float b) { return fminf(a, b) + 0.0f; }
static double larger(double a, double b) { return fmax(a, b) + 0.0; }
static float largerf(float a, float b) { return fmaxf(a, b) + 0.0f; }

int main(void)
{
	for (int i = 0; i < ALL; i++) {
		x[i] = number(i);
		f[i] = (float)number(i);
	}
	EACH(fabs);
	EACH(sqrt);
	EACH(floor);
	EACH(ceil);
	EACH(trunc);
	EACH(round);
	EACH(rint);
	EACH(nearbyint);
	WHOLE(lrint);
	WHOLE(lround);
	WHOLE(llrint);
	WHOLE(llround);
	PAIRS(copysign);
	PAIRS(smaller);
	PAIRS(larger);
	PAIRS(fmod);
	for (int i = 0; i < ALL; i++)
		for (int j = 0; j < ALL; j += 5) {
			put(fma(x[i], x[j], x[(i + j) % ALL]));
			putf(fmaf(f[i], f[j], f[(i + j) % ALL]));
		}
	say("fma");
	return 0;
}
