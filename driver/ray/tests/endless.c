/* A fault that takes longer than the first piece, and a path that has no end. */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned turns;

int main(void)
{
	int c = getchar();
	while (turns < 160000000)
		turns++;
	if (c == 'x')
		abort();
	for (;;)
		turns++;
}
