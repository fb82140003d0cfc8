/* Floats put together from symbolic bytes: every class of number, compared and rounded.
 * inputs: 4 256 */
#include "../agree.h"
#include <math.h>

int main(void)
{
	unsigned char high, low = 0x55 * klee_range(0, 4, "low");
	klee_make_symbolic(&high, 1, "high");
	uint32_t bits = (uint32_t)high << 24 | (uint32_t)low << 16;
	float f;
	memcpy(&f, &bits, sizeof f);
	if (f != f)
		return decide(1);
	if (isinf(f))
		return decide(f > 0 ? 2 : 3);
	if (f == 0)
		return decide(signbit(f) ? 4 : 5);
	if (!isnormal(f))
		return decide(6);
	if (f * 2.5f >= 10.0f && f < 1000)
		return decide(floorf(f) == f ? 7 : 8);
	return decide(fabsf(f) < 1e-30f ? 9 : 10);
}
