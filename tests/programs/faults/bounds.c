/* Out of bounds: how far, of which object. */
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

static int table[4] = {1, 2, 3, 4};
static struct { char name[6]; short tail; } record;
static volatile int sink;

static int *begin_of(int *p) { return p - 1; }

int main(void)
{
	int way = klee_range(0, 20, "way");
	char *heap = malloc(10), local[8];
	int numbers[4] = {0}, index;
	if (way == 0)
		heap[10] = 1; //~ ptr: memory error: out of bound pointer | 1 bytes at offset 10 of an object of 10 bytes, at its end | heap object | allocated at main() at
	if (way == 1)
		sink = heap[-1]; //~ ptr: memory error: out of bound pointer | offset -1 of an object of 10 bytes
	if (way == 2)
		heap[9] = 1;
	if (way == 3)
		*(int *)(heap + 8) = 1; //~ ptr: memory error: out of bound pointer | 4 bytes at offset 8 of an object of 10 bytes, across its end
	if (way == 4)
		sink = heap[60]; //~ ptr: memory error: out of bound pointer | 50 bytes behind its end
	if (way == 5)
		sink = table[4]; //~ ptr: memory error: out of bound pointer | 4 bytes at offset 16 of an object of 16 bytes, at its end | global table
	if (way == 6)
		sink = table[3];
	if (way == 7)
		numbers[4] = 1; //~ ptr: memory error: out of bound pointer | stack object
	if (way == 8)
		sink = *begin_of(numbers); //~ ptr: memory error: out of bound pointer | 4 bytes at offset -4
	if (way == 9)
		memset(local, 'x', 9); //~ ptr: memory error: out of bound pointer | of an object of 8 bytes
	if (way == 10)
		memset(local, 'x', 8);
	if (way == 11)
		memcpy(heap, table, 12); //~ ptr: memory error: out of bound pointer | of an object of 10 bytes
	if (way == 12) {
		strcpy(local, "1234567"); /* seven and the end */
		sink = (int)strlen(local);
	}
	if (way == 13)
		strcpy(local, "12345678"); //~ ptr: memory error: out of bound pointer
	if (way == 14) {
		memset(local, 'x', 8);
		sink = (int)strlen(local); //~ ptr: memory error: out of bound pointer
	}
	if (way == 15) {
		index = klee_range(0, 5, "index");
		sink = numbers[index]; //~ ptr: memory error: out of bound pointer | 4 bytes at offset 16 of an object of 16 bytes
	}
	if (way == 16) {
		index = klee_range(0, 4, "index");
		sink = numbers[index];
	}
	if (way == 17)
		for (char *p = record.name; p <= record.name + 8; p++)
			*p = 0; //~ ptr: memory error: out of bound pointer | 1 bytes at offset 8 of an object of 8 bytes, at its end | global record
	if (way == 18)
		sink = heap + 10 > heap; /* one past the end is no fault by itself */
	if (way == 19) {
		char *grown = realloc(heap, 20);
		grown[19] = 1;
		grown[20] = 1; //~ ptr: memory error: out of bound pointer | offset 20 of an object of 20 bytes
	}
	return 0;
}
