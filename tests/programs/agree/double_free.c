/* Two blocks freed by symbolic choice, perhaps the same one.
 * inputs: 3 3
 * faults: yes */
#include "../agree.h"

int main(void)
{
	void *blocks[3] = { malloc(8), malloc(16), NULL };
	int i = klee_range(0, 3, "i"), j = klee_range(0, 3, "j");
	free(blocks[i]);
	free(blocks[j]);
	puts("freed");
	return decide(i + j);
}
