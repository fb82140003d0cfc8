/* 4 GiB at once, written at both ends, cleared, and filled; more is refused.
 * ends: exit 0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	size_t size = (size_t)4 << 30;
	char *block = malloc(size), *clear = calloc(size / 8, 8);
	if (!block || !clear)
		return 1;
	block[0] = 1;
	block[size - 1] = 2;
	if (clear[size / 2])
		return 2;
	printf("%d\n", block[0] + block[size - 1]);
	return malloc(size + 1) != 0;
}
