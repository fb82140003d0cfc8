/* One function stands in for another.
 * exits: 0 7
 * replay: no */
#include <klee/klee.h>

int strange(int x) { return x ? 1 : 7; }
int stub(int x)
{
	if (x)
		return 0;
	return 7;
}

int main(void)
{
	int x = klee_int("x");
	klee_alias_function("strange", "stub");
	return strange(x);
}
