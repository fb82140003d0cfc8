/* A table with a null entry.
 * inputs: 3
 * faults: yes */
#include "../agree.h"

int main(void)
{
	int a = 4, b = 5, *table[3] = { &a, NULL, &b };
	int i = klee_range(0, 3, "i");
	return decide(*table[i]);
}
