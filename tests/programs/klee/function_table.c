/* A call through a table at a symbolic index, which may lie outside of it.
 * errors: ptr
 * exits: 1 2 3 */
#include <klee/klee.h>

int f(void) { return 1; }
int g(void) { return 2; }
int h(void) { return 3; }
int (*table[3])(void) = { f, g, h };

int main()
{
	unsigned i;
	klee_make_symbolic(&i, sizeof i, "i");
	return table[i]();
}
