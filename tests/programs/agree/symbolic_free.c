/* free and realloc through pointers that may be one of several objects that have come together.
 * inputs: 3 3 3
 * faults: yes */
#include "../agree.h"

int main(void)
{
	char *blocks[3];
	for (int i = 0; i < 3; i++) {
		blocks[i] = malloc(6);
		memset(blocks[i], 'a' + i, 6);
	}
	int i = klee_range(0, 3, "i"), j = klee_range(0, 3, "j"), what = klee_range(0, 3, "what");
	blocks[i][5] = '!';
	if (what == 0) {
		char *longer = realloc(blocks[i], 12);
		longer[11] = '.';
		show("kept", longer[5], 0, 127);
		blocks[i] = longer;
	} else {
		free(blocks[i]);
		if (what == 1)
			blocks[i] = calloc(1, 6);
	}
	/* Wrong if it is the one that is gone. */
	show("last", blocks[j][5], 0, 127);
	free(blocks[j]);
	return 0;
}
