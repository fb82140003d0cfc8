/* Two symbolic writes that may meet, in either order of width.
 * inputs: 4 4 */
#include "../agree.h"

int main(void)
{
	unsigned char *bytes = calloc(8, 1);
	int i = klee_range(0, 4, "i"), j = klee_range(0, 4, "j");
	bytes[i] = 0x11;
	*(uint16_t *)(void *)(bytes + 2 * j) = 0x2233;
	bytes[i + 1] ^= 0x0f;
	for (int k = 0; k < 8; k++)
		show("byte", bytes[k], 0, 0x3f);
	return 0;
}
