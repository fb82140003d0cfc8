/* Long doubles of 80 bits, also where the library takes them: as arguments, as results, behind
 * the named arguments. All values are doubles too. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct boxed { long double value; };

static long double sum(int count, ...)
{
	va_list list;
	long double total = 0;
	va_start(list, count);
	for (int at = 0; at < count; at++)
		total += at % 2 ? va_arg(list, struct boxed).value : va_arg(list, long double);
	va_end(list);
	return total;
}

int main(void)
{
	volatile long double six = 6;
	int exponent = 0;
	struct boxed box = {0.25L};
	printf("%Lf %d %.3Lf %s\n", six, 7, six / 8, "behind");
	printf("%Lg %La %Le\n", -six, six * 0, six * 1024);
	long double fraction = frexpl(six, &exponent);
	printf("%.4Lf %d %.1Lf\n", fraction, exponent, ldexpl(fraction, 5));
	printf("%.2Lf %.2Lf\n", sqrtl(six * six), fabsl(-six));
	printf("%.3Lf %.2f\n", strtold("2.625xyz", NULL), (double)powl(six, 2));
	printf("%.2Lf %d\n", sum(3, six, box, 0.5L), (int)lrintl(six));
	printf("%d %d\n", six > 5.5L, -six < six);
	char text[40];
	snprintf(text, sizeof text, "<%10.2Lf>", six);
	puts(text);
	return (int)six;
}
