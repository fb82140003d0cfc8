/* An index that leaves one block must not reach its neighbour.
 * inputs: 4 6
 * faults: yes */
#include "../agree.h"

int main(void)
{
	int *blocks[4];
	for (int i = 0; i < 4; i++) {
		blocks[i] = malloc(4 * sizeof(int));
		for (int j = 0; j < 4; j++)
			blocks[i][j] = i * 4 + j;
	}
	int i = klee_range(0, 4, "i"), j = klee_range(0, 6, "j");
	blocks[i][j] += 20;
	show("value", blocks[i][j], 0, 40);
	show("fixed", blocks[1][2], 0, 40);
	return 0;
}
