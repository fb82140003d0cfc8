/* A symbolic store into a matrix of rows, then concrete and symbolic reads.
 * inputs: 3 3 3 */
#include "../agree.h"

int main(void)
{
	char *rows[3];
	for (int i = 0; i < 3; i++)
		rows[i] = calloc(3, 1);
	int i = klee_range(0, 3, "i"), j = klee_range(0, 3, "j"), k = klee_range(0, 3, "k");
	rows[i][j] = (char)(1 + k);
	show("corner", rows[2][2], 0, 9);
	show("diagonal", rows[k][k], 0, 9);
	int sum = 0;
	for (int a = 0; a < 3; a++)
		for (int b = 0; b < 3; b++)
			sum += rows[a][b];
	return decide(sum);
}
