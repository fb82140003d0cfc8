/* Open addressing: probing sequences from a symbolic start, insertion included.
 * inputs: 16 */
#include "../agree.h"

static unsigned char slots[16];

static int put(unsigned char key)
{
	int probes = 0;
	for (unsigned at = key * 7u % 16; slots[at] && slots[at] != key; at = (at + 1) % 16)
		probes++;
	unsigned at = (key * 7u + (unsigned)probes) % 16;
	slots[at] = key;
	return probes;
}

int main(void)
{
	put(1);
	put(17);
	put(33);
	put(5);
	unsigned char key = (unsigned char)(1 + klee_range(0, 16, "key"));
	show("probes", put(key), 0, 16);
	int used = 0;
	for (int i = 0; i < 16; i++)
		used += slots[i] != 0;
	show("used", used, 0, 16);
	return 0;
}
