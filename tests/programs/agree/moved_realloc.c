/* realloc of one of several objects that a symbolic pointer may lead to: its contents go along, those of
 * the others stay, and each has its own bounds.
 * inputs: 3 3 4
 * faults: yes */
#include "../agree.h"

int main(void)
{
	unsigned char *blocks[3];
	for (int i = 0; i < 3; i++) {
		blocks[i] = malloc(4);
		for (int j = 0; j < 4; j++)
			blocks[i][j] = (unsigned char)(10 * i + j);
	}
	int i = klee_range(0, 3, "i"), size = klee_range(0, 3, "size"), at = klee_range(0, 4, "at");
	blocks[i][2] += 50;
	blocks[1] = realloc(blocks[1], 2 + 3 * size);
	if (blocks[1] == NULL)
		return 2;
	for (int j = 0; j < 2; j++)
		assert(blocks[1][j] == 10 + j);
	if (size > 0)
		show("kept", blocks[1][2], 0, 100);
	show("first", blocks[0][2], 0, 60);
	show("last", blocks[2][2], 0, 80);
	/* Wrong behind the second byte if it has shrunk. */
	show("at", blocks[1][at], 0, 100);
	free(blocks[0]);
	show("left", blocks[2][1], 0, 30);
	return 0;
}
