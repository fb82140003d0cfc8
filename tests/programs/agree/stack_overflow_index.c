/* A local array indexed past its end.
 * inputs: 6
 * faults: yes */
#include "../agree.h"

__attribute__((noinline)) static int pick(const int *cells, int i) { return cells[i]; }

int main(void)
{
	int cells[4] = { 5, 6, 7, 8 };
	int i = klee_range(0, 6, "i");
	return decide(pick(cells, i));
}
