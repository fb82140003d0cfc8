/* A table-driven automaton.
 * inputs: 4 4 4 */
#include "../agree.h"

enum { A, B, C, STATES };
static const unsigned char next_state[STATES][4] = { { A, B, A, C }, { B, C, A, A }, { C, C, B, A } };

int main(void)
{
	unsigned state = A;
	for (int k = 0; k < 3; k++)
		state = next_state[state][klee_range(0, 4, "letter")];
	return decide((int)state);
}
