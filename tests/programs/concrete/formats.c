/* printf in many formats. */
#include <stdio.h>
#include <stdint.h>
#include <stddef.h>

int main(void)
{
	printf("%d %i %u %x %X %o %c %s %%\n", -42, 7, 42u, 0xbeef, 0xbeef, 0755, 'c', "text");
	printf("[%5d] [%-5d] [%05d] [%+d] [% d] [%#x] [%#o]\n", 42, 42, 42, 42, 42, 42, 42);
	printf("[%10s] [%-10s] [%.3s] [%*s] [%-*s]\n", "abcdef", "abcdef", "abcdef", 8, "x", 8, "y");
	printf("%hhd %hd %ld %lld %zu %td %jd\n", (char)300, (short)70000, -1L, 1LL << 40, sizeof(int), (ptrdiff_t)-3, (intmax_t)5);
	printf("%f %.2f %e %g %g %a\n", 3.25, 2.675, 12345.678, 1e-7, 1e10, 0.5);
	printf("%g %g %g %.0f %.17g\n", 1.0 / 0.0, -1.0 / 0.0, 100000.0, 2.5, 0.1);
	int n = 0;
	printf("count%n\n", &n);
	printf("%d\n", n);
	char buffer[16];
	int length = snprintf(buffer, sizeof buffer, "%s-%d", "a long string", 12345);
	printf("%s %d\n", buffer, length);
	return 0;
}
