/* calloc gives zeros, also where dirty memory was freed.
 * inputs: 4 8 */
#include "../agree.h"

int main(void)
{
	char *blocks[4];
	for (int i = 0; i < 4; i++) {
		blocks[i] = malloc(8);
		memset(blocks[i], 0x55, 8);
	}
	for (int i = 0; i < 4; i++)
		free(blocks[i]);
	for (int i = 0; i < 4; i++)
		blocks[i] = calloc(2, 4);
	int i = klee_range(0, 4, "i"), j = klee_range(0, 8, "j");
	if (blocks[i][j])
		puts("dirty");
	blocks[j / 2][7] = 1;
	return decide(blocks[i][j]);
}
