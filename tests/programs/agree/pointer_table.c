/* A table of pointers into objects of every kind and of different sizes.
 * inputs: 5 2 */
#include "../agree.h"

static short global[3] = { 100, 101, 102 };
static const short constant[2] = { 200, 201 };

int main(void)
{
	short local[4] = { 300, 301, 302, 303 }, *heap = malloc(10);
	for (int i = 0; i < 5; i++)
		heap[i] = (short)(400 + i);
	const short *table[5] = { global, constant, local, heap, global + 1 };
	int i = klee_range(0, 5, "i"), j = klee_range(0, 2, "j");
	show("value", table[i][j], 100, 404);
	return decide(i == 1 && table[i] == constant);
}
