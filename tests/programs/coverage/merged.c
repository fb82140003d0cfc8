/* What merged paths have covered apart has tests of its own. */
#include <klee/klee.h>

int main(void)
{
	unsigned char x, y;
	int found = 0;
	klee_make_symbolic(&x, sizeof x, "x");
	klee_make_symbolic(&y, sizeof y, "y");
	klee_open_merge();
	if (x < 10)
		found = 1;
	else if (x < 20)
		found = 2;
	else if (x == y)
		found = 3;
	klee_close_merge();
	klee_open_merge();
	if (y == 7)
		found += 10;
	klee_close_merge();
	if (found > 11)
		return 1;
	return 0;
}
