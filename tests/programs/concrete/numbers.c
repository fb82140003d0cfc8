/* Integer and floating-point arithmetic, conversions, factorials of many digits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <limits.h>

static void factorial(int n)
{
	int digits[100] = { 1 }, length = 1;
	for (int k = 2; k <= n; k++) {
		int carry = 0;
		for (int i = 0; i < length || carry; i++) {
			if (i == length)
				length++;
			carry += digits[i] * k;
			digits[i] = carry % 10;
			carry /= 10;
		}
	}
	while (length)
		putchar('0' + digits[--length]);
	putchar('\n');
}

int main(void)
{
	factorial(50);
	volatile int a = -17, b = 5;
	printf("%d %d %d %d\n", a / b, a % b, a >> 1, (unsigned)a >> 28);
	volatile unsigned long long wide = 0x123456789abcdef0ull;
	printf("%llx %llu %u\n", wide * wide, wide / 1000000007, (unsigned)(wide >> 4));
	volatile double x = 2.0, y = -7.5;
	printf("%.12g %.12g %.12g %.12g\n", sqrt(x), pow(x, 0.5), fmod(y, 2), floor(y));
	printf("%.12g %.12g %.12g\n", sin(1.0), exp(1.0), log(10.0));
	printf("%d %u %lld %d\n", (int)y, (unsigned)x, (long long)1e15, (signed char)200);
	volatile float f = 0.1f;
	printf("%.9g %.9g %d\n", f, f * f, f < 0.1);
	printf("%ld %lu %g\n", strtol("-0x1f", NULL, 0), strtoul("777", NULL, 8), strtod("1.5e3", NULL));
	printf("%d %d\n", INT_MAX, INT_MIN);
	return 0;
}
