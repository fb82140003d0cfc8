/* klee_make_symbolic wants whole objects, and ones that can be written.
 * errors: ptr user
 * exits: 0 */
#include <klee/klee.h>

static const int constant = 4;

int main()
{
	int a[4];
	switch (klee_range(0, 3, "which")) {
	case 0:
		klee_make_symbolic(&a[1], 4, "part");
		return 1;
	case 1:
		klee_make_symbolic((void *)&constant, sizeof constant, "constant");
		return 1;
	}
	return 0;
}
