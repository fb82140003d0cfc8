/* One of several blocks is freed; a symbolic access may meet it.
 * inputs: 3 3
 * faults: yes */
#include "../agree.h"

int main(void)
{
	char *blocks[3];
	for (int i = 0; i < 3; i++) {
		blocks[i] = malloc(8);
		blocks[i][0] = (char)('a' + i);
	}
	int gone = klee_range(0, 3, "gone"), seen = klee_range(0, 3, "seen");
	free(blocks[gone]);
	putchar(blocks[seen][0]);
	return decide(seen);
}
