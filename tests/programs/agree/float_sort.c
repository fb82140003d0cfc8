/* Sorting three floats, with a bug for those that are not ordered.
 * inputs: 7 7 7
 * faults: yes */
#include "../agree.h"
#include <math.h>

static float number(int i)
{
	return i == 0 ? NAN : (i - 3) / 2.0f;
}

static void order(float *a, float *b)
{
	if (*a > *b) {
		float t = *a;
		*a = *b;
		*b = t;
	}
}

int main(void)
{
	float v[3];
	v[0] = number(klee_range(0, 7, "a"));
	v[1] = number(klee_range(0, 7, "b"));
	v[2] = number(klee_range(0, 7, "c"));
	order(&v[0], &v[1]);
	order(&v[1], &v[2]);
	order(&v[0], &v[1]);
	int nan = isnan(v[0]) || isnan(v[1]) || isnan(v[2]);
	assert(nan || (v[0] <= v[1] && v[1] <= v[2]));
	assert(!nan || !(v[0] > 1.0f) || v[2] > 1.0f);
	return decide(v[2] > 1 ? 2 : v[2] < 0);
}
