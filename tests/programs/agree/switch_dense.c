/* A dense switch with fall-through.
 * inputs: 12 */
#include "../agree.h"

int main(void)
{
	int x = klee_range(0, 12, "x"), y = 0;
	switch (x) {
	case 0: puts("zero"); break;
	case 1: y = 10; /* fall through */
	case 2: y += 2; /* fall through */
	case 3: y += 3; break;
	case 4: return 4;
	case 5: puts("five"); break;
	case 7: case 8: case 9: y = 7; break;
	default: puts("other");
	}
	return decide(y);
}
