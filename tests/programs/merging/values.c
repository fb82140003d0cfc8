/* Registers, locals, the heap and globals of several types take one of two values.
 * merged: yes */
#include <klee/klee.h>
#include <stdlib.h>

static short global[3];

static unsigned mixed(unsigned char x, int *heap, char *text)
{
	double real = 0.5;
	__int128 wide = 1;
	int local = 7;
	klee_open_merge();
	if (x < 100) {
		local = x;
		*heap = 2;
		text[1] = 'y';
		global[2] = -1;
		real = 2.25;
	} else if (x % 3) {
		wide <<= 80;
		*heap += x;
		text[0] = 'q';
	}
	klee_close_merge();
	return local + 3 * *heap + 5 * text[0] + 7 * text[1] + 11 * global[2] + (unsigned)(13 * real) +
		(unsigned)(wide >> 78);
}

int main(void)
{
	unsigned char x;
	klee_make_symbolic(&x, sizeof x, "x");
	int *heap = calloc(1, sizeof *heap);
	char text[] = "ab";
	unsigned sum = mixed(x, heap, text);
	free(heap);
	for (unsigned rest = 0; rest < 7; rest++)
		if (sum % 7 == rest)
			return rest;
	return 7;
}
