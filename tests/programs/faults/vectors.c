/* Elements of vectors, also beside them.
 * native: plain */
#include <klee/klee.h>

typedef unsigned four __attribute__((vector_size(16)));

static volatile unsigned sink, outside = 4;

static unsigned read(four v, unsigned at)
{
	return v[at]; //~? bad_vector_access: Out of bounds read when extracting element
}

static four write(four v, unsigned at)
{
	v[at] = 9; //~? bad_vector_access: Out of bounds write when inserting element
	return v;
}

int main(void)
{
	four v = {0, 1, 2, 3};
	int way = klee_range(0, 6, "way");
	unsigned at = klee_range(0, 4, "at"), beyond = klee_range(2, 5, "beyond");
	if (way == 0)
		sink = read(v, at);
	if (way == 1)
		sink = read(v, beyond);
	if (way == 2)
		sink = write(v, at)[0];
	if (way == 3)
		sink = write(v, beyond)[0];
	if (way == 4)
		sink = v[outside]; //~? bad_vector_access: Out of bounds read when extracting element
	return 0;
}
