/* Objects that have come together in twos come together in fours, with others that are made and freed
 * in between.
 * inputs: 2 2 4
 * faults: yes */
#include "../agree.h"

int main(void)
{
	short *rows[5];
	for (int i = 0; i < 5; i++) {
		rows[i] = malloc((2 + i) * sizeof(short));
		for (int j = 0; j < 2 + i; j++)
			rows[i][j] = (short)(10 * i + j);
	}
	int a = klee_range(0, 2, "a"), b = klee_range(0, 2, "b"), c = klee_range(0, 4, "c");
	rows[a][1] += 100;
	rows[2 + b][2] += 200;
	free(rows[4]);
	rows[4] = calloc(6, sizeof(short));
	rows[c][1] += 300;
	/* Wrong in the first two for some of c. */
	show("last", rows[c][2 + (c > 2)], 0, 300);
	show("one", rows[1][1], 0, 411);
	show("three", rows[3][1], 0, 331);
	rows[4][5] = 4;
	free(rows[1 + a]);
	show("zero", rows[0][1], 0, 401);
	return 0;
}
