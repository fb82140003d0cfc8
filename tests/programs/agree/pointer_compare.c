/* Comparison and difference of pointers into one array.
 * inputs: 6 6 */
#include "../agree.h"

int main(void)
{
	long cells[6];
	int i = klee_range(0, 6, "i"), j = klee_range(0, 6, "j");
	long *p = &cells[i], *q = &cells[j];
	printf("%s\n", p < q ? "below" : p == q ? "same" : "above");
	show("difference", q - p, -5, 5);
	*p = 4;
	*q = 5;
	return decide((int)*p);
}
