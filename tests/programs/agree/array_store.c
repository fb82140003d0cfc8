/* Writes at a symbolic index and reads elsewhere.
 * inputs: 6 6 */
#include "../agree.h"

int main(void)
{
	int cells[6] = { 0 };
	int i = klee_range(0, 6, "i"), j = klee_range(0, 6, "j");
	cells[i] = 7;
	cells[2] += 1;
	cells[j] += 2;
	show("third", cells[2], 0, 20);
	show("fourth", cells[3], 0, 20);
	show("at i", cells[i], 0, 20);
	return 0;
}
