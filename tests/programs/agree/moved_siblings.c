/* Two paths bring the same objects together at the same place, each with contents of its own; then the
 * objects are freed and others take their room.
 * inputs: 2 3 3 */
#include "../agree.h"

static int sum(int *rows[3], int i, int j)
{
	return rows[i][0] + 10 * rows[j][1];
}

int main(void)
{
	int *rows[3];
	for (int i = 0; i < 3; i++) {
		rows[i] = malloc(2 * sizeof(int));
		rows[i][0] = i;
		rows[i][1] = i + 3;
	}
	int side = klee_range(0, 2, "side");
	if (side)
		rows[1][0] = 7;
	int i = klee_range(0, 3, "i"), j = klee_range(0, 3, "j");
	show("sum", sum(rows, i, j), 0, 60);
	for (int k = 0; k < 3; k++) {
		free(rows[k]);
		rows[k] = calloc(2, sizeof(int));
	}
	rows[2][1] = 5;
	show("again", sum(rows, i, j), 0, 60);
	free(rows[i]);
	return side;
}
