/* The sign of a number, as in a first tutorial.
 * tests: 3
 * exits: 0 1 255 */
#include <klee/klee.h>

int get_sign(int x)
{
	if (x == 0)
		return 0;
	if (x < 0)
		return -1;
	else
		return 1;
}

int main()
{
	int a;
	klee_make_symbolic(&a, sizeof(a), "a");
	return get_sign(a);
}
