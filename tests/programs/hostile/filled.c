/* Memory that is not there: 4 GiB of ones.
 * options: --max-memory 500
 * ends: limit memory */
#include <stdlib.h>
#include <string.h>

int main(void)
{
	size_t size = (size_t)4 << 30;
	char *block = malloc(size);
	memset(block, 1, size);
	return block[size - 1] - 1;
}
