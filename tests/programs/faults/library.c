/* Library functions whose arguments are wrong. */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int sink, zero;

int main(void)
{
	int way = klee_range(0, 11, "way");
	char text[16] = "0123456789abcde", small[4];
	if (way == 0)
		memcpy(text + 2, text, 4); //~ ptr: memory error: overlapping memcpy
	if (way == 1)
		memcpy(text + 4, text, 4);
	if (way == 2)
		memmove(text + 2, text, 4);
	if (way == 3) {
		int n = klee_range(3, 6, "n");
		memcpy(text + 4, text, n); //~ ptr: memory error: overlapping memcpy
	}
	if (way == 4)
		sprintf(small, "%d", 1234 + zero); //~ ptr: memory error: out of bound pointer
	if (way == 5)
		snprintf(small, sizeof small, "%d", 1234 + zero);
	if (way == 6)
		printf("%s\n", (char *)(long)(8 + zero)); //~ ptr: memory error: null page access
	if (way == 7)
		memcpy(small, text, 4), sink = memcmp(text, small, 5 + zero); //~ ptr: memory error: out of bound pointer
	if (way == 8)
		sink = strcmp(text, "0123456789abcdeX");
	if (way == 9)
		strcat(text, "!"); //~ ptr: memory error: out of bound pointer
	if (way == 10)
		memcpy(text, text, 0);
	return 0;
}
