/* Rounding modes and symbolic numbers: what is rounded to an integral number is so in the mode, other
 * arithmetic in another mode than to nearest ends the path, as does asking for a flag that it may
 * have raised; flags that it cannot have raised are known. */
#include <fenv.h>
#include <klee/klee.h>
#include <math.h>

int main(void)
{
	float x;
	klee_make_symbolic(&x, sizeof x, "x");
	klee_assume(x > 2.25f);
	klee_assume(x < 2.75f);
	int which = klee_range(0, 4, "which");
	switch (which) {
	case 0: /* in all modes: 2.25 < x < 2.75 */
		fesetround(FE_UPWARD);
		if (rintf(x) != 3)
			return 1;
		fesetround(FE_DOWNWARD);
		if (lrintf(x) != 2)
			return 1;
		return 0;
	case 1: { /* known flags, and cleared ones */
		volatile float sum = x + 1;
		if (fetestexcept(FE_DIVBYZERO))
			return 1;
		feclearexcept(FE_ALL_EXCEPT);
		if (fetestexcept(FE_ALL_EXCEPT))
			return 1;
		return 3;
	}
	case 2: { /* a flag that is not known */
		volatile float sum = x + 1;
		return fetestexcept(FE_INEXACT) ? 1 : 2;
	}
	default: { /* a sum in another mode */
		fesetround(FE_TOWARDZERO);
		volatile float sum = x + 0.1f;
		return sum > 5 ? 1 : 2;
	}
	}
}
