/* A table read at an index that comes from a table.
 * inputs: 8 */
#include "../agree.h"

static const unsigned char permutation[8] = { 5, 2, 7, 0, 1, 6, 3, 4 };

int main(void)
{
	int squares[8], i = klee_range(0, 8, "i");
	for (int k = 0; k < 8; k++)
		squares[k] = k * k;
	show("square", squares[permutation[permutation[i]]], 0, 49);
	return decide(permutation[(permutation[i] + 1) % 8]);
}
