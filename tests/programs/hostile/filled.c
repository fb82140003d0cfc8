/* More memory than there may be: 4 GiB, in which every line has a number of its own. A block of equal
 * bytes would cost nothing.
 * options: --max-memory 500
 * ends: limit memory */
#include <stdlib.h>
#include <string.h>

int main(void)
{
	size_t size = (size_t)4 << 30;
	char *block = malloc(size);
	memset(block, 1, size);
	for (size_t at = 0; at < size; at += 64)
		*(size_t *)(block + at) = at;
	return block[size - 1] - 1;
}
