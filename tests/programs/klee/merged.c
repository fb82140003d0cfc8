/* Paths that are merged have no tests of their own, as in KLEE; plat's own name gives them some.
 * before: --use-merge --klee-names
 * tests: 2
 * exits: 0 */
#include <klee/klee.h>

int main(void)
{
	int way, merges, found = 0;
	klee_make_symbolic(&way, sizeof way, "way");
	klee_make_symbolic(&merges, sizeof merges, "merges");
	if (merges == 0) {
		klee_open_merge();
		if (way == 1)
			found = 5;
		else if (way == 2)
			found = 6;
		else
			found = 7;
		klee_close_merge();
	}
	return found == 8;
}
