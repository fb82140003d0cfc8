/* A loop that takes memory for ever, and writes it.
 * options: --max-memory 500
 * ends: limit memory */
#include <stdlib.h>
#include <string.h>

int main(void)
{
	for (;;) {
		char *block = malloc(1 << 20);
		memset(block, 1, 1 << 20);
	}
}
