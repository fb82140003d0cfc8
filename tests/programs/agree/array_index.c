/* Reads one array at a symbolic index.
 * inputs: 8 */
#include "../agree.h"

int main(void)
{
	static const int table[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
	int i = klee_range(0, 8, "i");
	show("value", table[i], 0, 9);
	return decide(table[i] > 4);
}
