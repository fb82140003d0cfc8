/* free of an interior pointer.
 * inputs: 4
 * faults: yes */
#include "../agree.h"

int main(void)
{
	char *p = malloc(8);
	int i = klee_range(0, 4, "i");
	free(p + i);
	puts("freed");
	return 0;
}
