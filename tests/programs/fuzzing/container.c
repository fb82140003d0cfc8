/* Chunks of a kind, a length and bytes behind a magic number. Whether there is a length is not
 * checked: the byte behind the data is read. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int prepared;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	prepared += (*argv)[*argc] == NULL;
	return 0;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	(void)seed;
	return LLVMFuzzerMutate(data, size, most);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (prepared != 1)
		abort();
	if (size < 4 || memcmp(data, "CNT1", 4)) {
		puts("no container");
		return -1;
	}
	size_t at = 4;
	int chunks = 0;
	while (at < size) {
		uint8_t kind = data[at++];
		if (kind == 'E') {
			puts("end");
			break;
		}
		uint8_t length = data[at++];
		if (length > size - at) {
			puts("cut off");
			return -1;
		}
		at += length;
		chunks++;
	}
	printf("%d chunks\n", chunks);
	return 0;
}
