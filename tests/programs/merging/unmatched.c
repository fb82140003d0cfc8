/* A merge that is closed without having been opened, and one that is never closed.
 * merged: no */
#include <klee/klee.h>

int main(void)
{
	unsigned char x;
	klee_make_symbolic(&x, sizeof x, "x");
	klee_close_merge();
	klee_open_merge();
	if (x < 7)
		return 1;
	return 2;
}
