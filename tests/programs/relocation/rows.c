/* A lookup in eight rows that hold different values. */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	int *rows[8];
	for (int i = 0; i < 8; i++) {
		rows[i] = calloc(8, sizeof(int));
		rows[i][i] = i;
	}
	int i = klee_range(0, 8, "i");
	int j = klee_range(0, 8, "j");
	if (rows[i][j] == 5)
		puts("found");
	return 0;
}
