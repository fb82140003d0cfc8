/* A table that is indexed by a hash of addresses: objects are entered, then a symbolic pointer leads
 * to several of them, then all are looked up.
 * inputs: 4 2 */
#include "../agree.h"

#define SLOTS 8

static struct entry {
	const void *key;
	int value;
} table[SLOTS];

static unsigned slot(const void *key)
{
	return ((unsigned)(uintptr_t)key >> 4) % SLOTS;
}

static void enter(const void *key, int value)
{
	unsigned at = slot(key);
	while (table[at].key)
		at = (at + 1) % SLOTS;
	table[at].key = key;
	table[at].value = value;
}

static int look_up(const void *key)
{
	for (unsigned at = slot(key), n = 0; n < SLOTS; n++, at = (at + 1) % SLOTS)
		if (table[at].key == key)
			return table[at].value;
	return -1;
}

int main(void)
{
	char *names[4];
	for (int i = 0; i < 4; i++) {
		names[i] = malloc(16);
		memset(names[i], 'a' + i, 16);
		enter(names[i], 10 * i);
	}
	int i = klee_range(0, 4, "i"), j = klee_range(0, 2, "j");
	show("seen", names[i][j], 32, 127);
	names[i][j] = '!';
	for (int k = 0; k < 4; k++)
		assert(look_up(names[k]) == 10 * k);
	/* The hash of an address that input chooses. */
	show("value", look_up(names[i]), -1, 30);
	assert(look_up(names[i] + 1) == -1);
	return 0;
}
