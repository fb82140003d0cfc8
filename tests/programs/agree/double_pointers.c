/* Pointers to pointers, chosen and redirected by symbolic values.
 * inputs: 3 3 */
#include "../agree.h"

int main(void)
{
	int a = 1, b = 2, *heap = malloc(sizeof *heap);
	*heap = 3;
	int *pointers[3] = { &a, &b, heap };
	int i = klee_range(0, 3, "i"), j = klee_range(0, 3, "j");
	int **where = &pointers[i];
	**where += 10;
	*where = pointers[j];
	**where *= 2;
	show("a", a, 0, 30);
	show("b", b, 0, 30);
	show("heap", *heap, 0, 30);
	show("at i", *pointers[i], 0, 30);
	return decide(pointers[i] == pointers[j]);
}
