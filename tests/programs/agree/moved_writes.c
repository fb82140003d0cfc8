/* Writes at symbolic positions before the objects come together, and after.
 * inputs: 3 4 3 4 */
#include "../agree.h"

int main(void)
{
	int *rows[3];
	for (int i = 0; i < 3; i++)
		rows[i] = calloc(4, sizeof(int));
	int w = klee_range(0, 3, "w"), v = klee_range(0, 4, "v");
	int i = klee_range(0, 3, "i"), j = klee_range(0, 4, "j");
	rows[0][v] = 1;
	rows[1][v] = 2;
	rows[2][3 - v] = 3;
	int seen = rows[i][j];
	rows[w][v] += 10;
	show("before", seen, 0, 3);
	show("after", rows[i][j], 0, 13);
	assert(seen != 2 || (i == 1 && j == v));
	show("fixed", rows[1][2], 0, 12);
	return 0;
}
