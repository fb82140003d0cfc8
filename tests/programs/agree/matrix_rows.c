/* The papers' example: a matrix of separately allocated rows, one symbolic lookup.
 * inputs: 5 5 */
#include "../agree.h"

int main(void)
{
	int **matrix = malloc(5 * sizeof *matrix);
	for (int i = 0; i < 5; i++)
		matrix[i] = calloc(5, sizeof(int));
	matrix[0][0] = 120;
	matrix[3][4] = -1;
	int i = klee_range(0, 5, "i"), j = klee_range(0, 5, "j");
	if (matrix[i][j] > 0)
		printf("positive\n");
	else if (matrix[i][j] < 0)
		printf("negative\n");
	return 0;
}
