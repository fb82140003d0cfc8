/* Without forks one side of a branch is taken.
 * cut: yes
 * exits: 0 1 */
#include <klee/klee.h>

int main(void)
{
	unsigned char c, d;
	klee_make_symbolic(&c, 1, "c");
	klee_make_symbolic(&d, 1, "d");
	klee_set_forking(0);
	int r = c > 10;
	if (r)
		d = 0;
	klee_set_forking(1);
	if (d == 5)
		return 1;
	return 0;
}
