/* Allocations of more than 2 MiB.
 * options: --max-allocation 2M
 * native: allocations */
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST ((size_t)2 << 20)

static char *copy(size_t size)
{
	return malloc(size); //~ allocation: allocation of more than 2097152 bytes | asked for: 2097153 bytes
}

int main(void)
{
	int way = klee_range(0, 11, "way");
	size_t size = (unsigned)klee_range(0, 256, "size");
	void *volatile block = 0;
	switch (way) {
	case 0:
		block = malloc(MOST);
		break;
	case 1:
		block = copy(MOST + 1);
		break;
	case 2:
		klee_assume(size == 3 | size == 250);
		block = malloc(size * (MOST / 200 + 1)); //~ allocation: allocation of more than 2097152 bytes
		break;
	case 3:
		block = calloc(MOST / 8, 8);
		break;
	case 4:
		block = calloc(MOST / 8 + 1, 8); //~ allocation: allocation of more than 2097152 bytes | asked for: 2097160 bytes
		break;
	case 5:
		block = realloc(malloc(1), 3 * MOST); //~ allocation: allocation of more than 2097152 bytes
		break;
	case 6:
		block = malloc((size_t)-1); //~ allocation: allocation of more than 2097152 bytes
		break;
	case 7:
		block = malloc(size);
		break;
	case 8:
		block = aligned_alloc(64, 2 * MOST); //~ allocation: allocation of more than 2097152 bytes
		break;
	case 9: {
		void *(*volatile allocate)(size_t) = malloc;
		block = allocate(MOST * 2); //~ allocation: allocation of more than 2097152 bytes
		break;
	}
	case 10:
		/* The product does not fit. */
		block = calloc(SIZE_MAX / 2, 4); //~? allocation: allocation of more than 2097152 bytes
		break;
	}
	free(block);
	return 0;
}
