/* A pointer chosen by conditions among objects of different kinds, then written through.
 * inputs: 256 */
#include "../agree.h"

static int global = 1;

int main(void)
{
	int local = 2, *heap = malloc(sizeof *heap);
	*heap = 3;
	unsigned char x;
	klee_make_symbolic(&x, 1, "x");
	int *p = x < 85 ? &global : x < 170 ? &local : heap;
	*p += 5;
	printf("%d %d %d\n", global, local, *heap);
	return decide(p == &local);
}
