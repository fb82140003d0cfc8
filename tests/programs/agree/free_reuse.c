/* Memory that is freed and allocated again holds what the new owner wrote.
 * inputs: 3 3 */
#include "../agree.h"

int main(void)
{
	char *blocks[3];
	for (int i = 0; i < 3; i++) {
		blocks[i] = malloc(16);
		memset(blocks[i], 'a' + i, 16);
	}
	int gone = klee_range(0, 3, "gone"), seen = klee_range(0, 3, "seen");
	free(blocks[gone]);
	blocks[gone] = malloc(16);
	memset(blocks[gone], 'z', 16);
	show("first", blocks[seen][0], 'a', 'z');
	show("last", blocks[1][15], 'a', 'z');
	return 0;
}
