/* A global array indexed past its end, by a write.
 * inputs: 9
 * faults: yes */
#include "../agree.h"

static char cells[8];

int main(void)
{
	int i = klee_range(0, 9, "i");
	cells[i] = 1;
	show("third", cells[3], 0, 1);
	return 0;
}
