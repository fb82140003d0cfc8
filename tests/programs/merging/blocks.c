/* Blocks of memory: writes at symbolic positions, copies, strings, large arrays.
 * merged: yes */
#include <klee/klee.h>
#include <stdint.h>
#include <string.h>

static uint32_t table[3000];

int main(void)
{
	unsigned char x, at;
	klee_make_symbolic(&x, sizeof x, "x");
	klee_make_symbolic(&at, sizeof at, "at");
	klee_assume(at < 16);
	char text[16] = "some text", copy[16];
	klee_open_merge();
	if (x < 50) {
		text[at] = 'Z';
		table[2000 + at] = x;
		memset(text + 4, '-', 3);
	} else if (x < 90) {
		strcpy(text, "other");
		table[at] = 77;
	}
	klee_close_merge();
	memcpy(copy, text, sizeof copy);
	if (table[2003] == 49)
		return 1;
	if (table[4] == 77 && copy[at] == 'r')
		return 9;
	if (copy[at] == 'Z' && strlen(copy) > 9)
		return 2;
	if (strchr(copy, '-') == copy + 4)
		return 3;
	if (copy[0] == 'o')
		return 4;
	return 5;
}
