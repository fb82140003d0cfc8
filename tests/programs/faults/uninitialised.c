/* Decisions that depend on what was never written.
 * options: --check-uninitialised
 * native: memory */
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

struct pair { char small; int large; };
static volatile int sink;
static int global;

static int unset(void)
{
	int local;
	return local;
}

static int sign(int n)
{
	if (n < 0)
		return -1;
	if (n > 0)
		return 1;
}

int main(void)
{
	int way = klee_range(0, 20, "way");
	int local, *heap = malloc(8), table[4];
	char text[8];
	struct pair pair, copy;
	if (way == 0)
		if (local) //~ uninitialised: use of uninitialised value | a variable that has not been assigned
			sink = 1;
	if (way == 1) {
		local = 0;
		if (local)
			sink = 1;
	}
	if (way == 2)
		if (heap[1] == 3) //~ uninitialised: use of uninitialised value | heap object
			sink = 1;
	if (way == 3) {
		heap = calloc(2, 4);
		if (heap[1] == 3)
			sink = 1;
	}
	if (way == 4)
		if (global)
			sink = 1;
	if (way == 5)
		switch (unset()) { //~ uninitialised: use of uninitialised value
		case 1:
			sink = 1;
		}
	if (way == 6) {
		local = table[2]; /* a copy decides nothing */
		sink = 1;
	}
	if (way == 7) {
		memset(table, 0, sizeof table);
		sink = table[heap[0] & 3]; //~ uninitialised: use of uninitialised value
	}
	if (way == 8) {
		memcpy(text, "ab", 3);
		sink = (int)strlen(text);
	}
	if (way == 9) {
		memcpy(text, "abcdefgh", 2);
		sink = (int)strlen(text); //~ uninitialised: use of uninitialised value
	}
	if (way == 10) {
		pair.small = 1;
		pair.large = 2;
		copy = pair; /* with what is between the members */
		if (copy.large == 2)
			sink = 1;
	}
	if (way == 11) {
		pair.small = 1;
		copy = pair;
		if (copy.large == 2) //~ uninitialised: use of uninitialised value
			sink = 1;
	}
	if (way == 12)
		if ((table[0] & 0) == 1)
			sink = 1;
	if (way == 13) {
		int *grown = realloc(heap, 16);
		grown[0] = 1;
		if (grown[3]) //~ uninitialised: use of uninitialised value
			sink = 1;
	}
	if (way == 14) {
		int n = klee_range(0, 4, "n");
		for (int i = 0; i < n; i++)
			table[i] = i;
		if (n == 4 && table[3] == 3)
			sink = 1;
	}
	if (way == 15) {
		int n = klee_range(3, 5, "n");
		for (int i = 0; i < n; i++)
			table[i] = i;
		if (table[3] == 3) //~ uninitialised: use of uninitialised value
			sink = 1;
	}
	if (way == 16)
		if (sign(global) == 1) //~ uninitialised: use of uninitialised value
			sink = 1;
	if (way == 17)
		if (sign(global + 1) == 1)
			sink = 1;
	if (way == 18) {
		int n = klee_range(0, 9, "n");
		memset(text, 'a', (size_t)n);
		if (n == 8 && text[7] == 'a')
			sink = 1;
	}
	if (way == 19) {
		int n = klee_range(6, 9, "n");
		memset(text, 'a', (size_t)n);
		if (text[6] == 'a') //~ uninitialised: use of uninitialised value
			sink = 1;
	}
	return 0;
}
