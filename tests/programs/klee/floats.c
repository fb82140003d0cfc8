/* Symbolic floats and doubles, which KLEE makes concrete: comparison, arithmetic, conversion.
 * exits: 0 1 2 3 4 */
#include <klee/klee.h>
#include <math.h>

int main(void)
{
	float f;
	double d;
	klee_make_symbolic(&f, sizeof f, "f");
	klee_make_symbolic(&d, sizeof(d), "d");
	if (isnan(f))
		return 0;
	if (f * 2 == 5.0f)
		return 1;
	klee_assume(d >= 0);
	klee_assume(d <= 100);
	int i = (int)d;
	if (i == 42 && d != 42)
		return 2;
	if (d + 0.5 > 100.25)
		return 3;
	return 4;
}
