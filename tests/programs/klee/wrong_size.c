/* A harness that names another size than the object has.
 * errors: user
 * exits: 0 */
#include <klee/klee.h>

int main(void)
{
	char buf[4];
	if (klee_int("which") > 0)
		klee_make_symbolic(buf, 3, "buf");
	return 0;
}
