/* What free must not be given. */
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

static int global[4];
static volatile int sink;

int main(int argc, char **argv)
{
	int way = klee_range(0, 13, "way");
	char *heap = malloc(16), local[16];
	if (way == 0)
		free(heap + 4); //~ ptr: memory error: invalid pointer: free | at offset 4 of an object of 16 bytes
	if (way == 1)
		free(local); //~ free: free of alloca
	if (way == 2)
		free(global); //~ free: free of global | global global
	if (way == 3)
		free((void *)"text"); //~ free: free of global
	if (way == 4)
		free((void *)main); //~ ptr: memory error: invalid pointer: free
	if (way == 5)
		free((void *)(uintptr_t)0x123456789000); //~ ptr: memory error: invalid pointer: free | in no object
	if (way == 6)
		free(argv[0]); //~ free: free of global
	if (way == 7)
		free(heap);
	if (way == 8) {
		heap += 4;
		heap -= 4;
		free(heap);
	}
	if (way == 9)
		heap = realloc(heap + 1, 20); //~ ptr: memory error: invalid pointer: realloc | at offset 1 of an object of 16 bytes
	if (way == 10)
		heap = realloc(local, 20); //~ ptr: memory error: invalid pointer: realloc
	if (way == 11) {
		heap = realloc(0, 20);
		free(heap);
	}
	if (way == 12) {
		int index = klee_range(0, 2, "index");
		free(heap + index); //~ ptr: memory error: invalid pointer: free | at offset 1 of an object of 16 bytes
	}
	return 0;
}
