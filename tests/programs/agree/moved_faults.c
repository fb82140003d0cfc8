/* Objects that a symbolic pointer may lead to, then one of three errors at one of them: a write behind
 * its end, into its neighbour in a shared segment; a use after it is freed; a second free.
 * inputs: 3 5
 * faults: yes */
#include "../agree.h"

int main(void)
{
	char *blocks[3];
	for (int i = 0; i < 3; i++) {
		blocks[i] = malloc(8);
		memset(blocks[i], 'a' + i, 8);
	}
	int i = klee_range(0, 3, "i"), what = klee_range(0, 5, "what");
	blocks[i][7] = '!';
	show("seen", blocks[1][7], 32, 127);
	switch (what) {
	case 0:
		blocks[1][8] = '?';
		break;
	case 1:
		free(blocks[1]);
		show("first", blocks[1][0], 32, 127);
		break;
	case 2:
		free(blocks[1]);
		free(blocks[1]);
		break;
	case 3:
		free(blocks[1]);
		blocks[1] = malloc(8);
		blocks[1][0] = 'x';
		show("first", blocks[1][0], 32, 127);
		break;
	}
	show("first", blocks[0][0], 32, 127);
	show("last", blocks[2][7], 32, 127);
	return 0;
}
