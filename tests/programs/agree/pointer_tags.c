/* Tags in the low bits of pointers: set, read and masked off again.
 * inputs: 3 4 */
#include "../agree.h"

int main(void)
{
	int *objects[3];
	for (int i = 0; i < 3; i++) {
		objects[i] = malloc(2 * sizeof(int));
		objects[i][0] = 10 * i;
		objects[i][1] = 10 * i + 1;
	}
	int i = klee_range(0, 3, "i"), tag = klee_range(0, 4, "tag");
	uintptr_t tagged = (uintptr_t)objects[i] | (uintptr_t)tag;
	int *p = (int *)(tagged & ~(uintptr_t)3);
	show("value", p[tagged & 1], 0, 21);
	return decide((int)(tagged & 3));
}
