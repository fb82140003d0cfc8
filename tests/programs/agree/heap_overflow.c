/* Reads past the end, and before the start, of a heap block.
 * inputs: 8
 * faults: yes */
#include "../agree.h"

int main(void)
{
	char *block = calloc(6, 1);
	block[5] = 2;
	int i = klee_range(0, 8, "i") - 1;
	return decide(block[i]);
}
