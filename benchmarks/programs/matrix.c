/* A symbolic lookup in a two-dimensional matrix (segmented memory model,
 * Figures 1 and 3).
 *
 * -DN=40           rows and columns
 * -DLOOKUPS=1|2    independent symbolic lookups
 * -DSINGLE_OBJ     the matrix is one object instead of one per row
 * -DEXTRA          an irrelevant allocation of 30 KB */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef N
#define N 40
#endif
#ifndef LOOKUPS
#define LOOKUPS 1
#endif

int main(void)
{
#ifdef SINGLE_OBJ
	int matrix[N][N] = { 0 };
#else
	int **matrix = malloc(N * sizeof(int *));
	for (int i = 0; i < N; i++)
		matrix[i] = calloc(N, sizeof(int));
#endif
#ifdef EXTRA
	char *extra = malloc(30 * 1024);
	memset(extra, 1, 30 * 1024);
#endif

	matrix[0][0] = 120;

	int i = klee_range(0, N, "i");
	int j = klee_range(0, N, "j");

	if (matrix[i][j] > 0)
		printf("Found positive element\n");

#if LOOKUPS == 2
	int i2 = klee_range(0, N, "i2");
	int j2 = klee_range(0, N, "j2");

	if (matrix[i2][j2] > 0)
		printf("Found second positive element\n");
#endif
	return 0;
}
