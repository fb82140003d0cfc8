/* Arithmetic errors.
 * errors: div overshift
 * exits: 0 */
#include <klee/klee.h>

int main(void)
{
	unsigned a = klee_range(0, 40, "a"), b = klee_range(0, 4, "b");
	volatile unsigned q = 100 / b;
	volatile unsigned s = 1u << a;
	(void)q;
	(void)s;
	return 0;
}
