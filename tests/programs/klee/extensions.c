/* C11 and compiler extensions: _Atomic, _Generic, _Thread_local, _Alignas, __int128, checked
 * arithmetic, statement expressions, labels as values, variable-length arrays.
 * exits: 0 1 2 3 4 */
#include <klee/klee.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

static _Thread_local int local = 3;
static _Atomic int counter;
_Static_assert(sizeof(__int128) == 16, "wide");
#define kind(x) _Generic((x), int: 1, long: 2, default: 3)

int main(void)
{
	int x;
	klee_make_symbolic(&x, sizeof x, "x");
	int sum;
	if (__builtin_add_overflow(x, 1000, &sum))
		return 1;
	atomic_fetch_add(&counter, sum > 5 ? kind(x) : kind(0L));
	if (atomic_load(&counter) == 2)
		return 2;
	unsigned __int128 wide = (unsigned __int128)(uint64_t)x * 0x100000000000001ull;
	if ((uint64_t)(wide >> 64) == 4)
		return 3;
	void *labels[] = {&&even, &&odd};
	goto *labels[x & 1];
even:
	local = ({ int y = local + 1; y; });
odd:;
	char vla[(x & 3) + 1];
	memset(vla, local, sizeof vla);
	return vla[x & 3] == 4 ? 4 : 0;
}
