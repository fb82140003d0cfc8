/* Blocks of symbolic length: copied, moved over themselves, filled, with pointers in them, and too
 * long for the source, for the target, for both.
 * inputs: 10 6 3
 * faults: yes */
#include "../agree.h"

static int values[4] = { 10, 11, 12, 13 };

int main(void)
{
	int length = klee_range(0, 10, "length"), other = klee_range(0, 6, "other"), way = klee_range(0, 3, "way");
	char *volatile target = malloc(8), text[] = "abcdefghijkl";
	memset(target, '.', 8);
	if (way == 0) {
		memcpy(target, text, (size_t)length);
		memset(target + 2, '0' + other, (size_t)other);
		memmove(text + 1, text, (size_t)(length + other) / 2);
	} else if (way == 1) {
		int *pointers[4] = { &values[0], &values[1], &values[2], &values[3] }, *copies[4] = { 0, 0, 0, 0 };
		memcpy(copies, pointers, (size_t)(other & 3) * sizeof *pointers);
		for (int i = 0; i < 4; i++)
			target[i] = copies[i] ? '0' + *copies[i] % 10 : '-';
		memset(text, '#', (size_t)(length % 5));
	} else {
		memset(target, 'x', (size_t)(length & 4 ? length - 4 : length));
		free(target);
		memcpy(target, text, (size_t)(other / 5));
		target = text;
	}
	for (int i = 0; i < 8; i++)
		show("t", target[i], '#', 'x');
	for (int i = 0; i < 8; i++)
		show("s", text[i], '#', 'x');
	return 0;
}
