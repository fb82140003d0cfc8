/* qsort of symbolic values with a comparison function.
 * inputs: 4 4 4 */
#include "../agree.h"

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	int values[3];
	for (int i = 0; i < 3; i++)
		values[i] = klee_range(0, 4, "value");
	qsort(values, 3, sizeof values[0], compare);
	show("least", values[0], 0, 3);
	show("middle", values[1], 0, 3);
	show("greatest", values[2], 0, 3);
	return 0;
}
