/* Null and wild pointers, writes to what is constant, calls of what is no function. */
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pair { int first, second; };
static volatile int sink;
static const int constant[2] = {1, 2};
static int variable[2] = {1, 2};
static int twice(int n) { return 2 * n; }
static int (*no_function)(int);
static int (*function)(int) = twice;

int main(void)
{
	int way = klee_range(0, 19, "way");
	int *null = 0, index;
	struct pair *pair = 0;
	if (way == 0)
		sink = *null; //~ ptr: memory error: null page access
	if (way == 1)
		*null = 1; //~ ptr: memory error: null page access
	if (way == 2)
		pair->second = 1; //~ ptr: memory error: null page access | address: 4
	if (way == 3)
		sink = null != 0;
	if (way == 4)
		sink = *(volatile int *)(uintptr_t)0x123456789000; //~ ptr: memory error: out of bound pointer | in no object
	if (way == 5)
		*(volatile char *)(uintptr_t)-8 = 1; //~ ptr: memory error: out of bound pointer | in no object
	if (way == 6)
		*(int *)&constant[1] = 3; //~ read_only: memory error: object read only | global constant | 4 bytes at offset 4
	if (way == 7)
		variable[1] = 3;
	if (way == 8)
		((char *)"text")[0] = 'T'; //~ read_only: memory error: object read only | constant
	if (way == 9) {
		char text[] = "text";
		text[0] = 'T';
	}
	if (way == 10)
		sink = no_function(1); //~ ptr: memory error: null function pointer
	if (way == 11)
		sink = function(1);
	if (way == 12) {
		index = klee_range(0, 2, "index");
		int *both[2] = {variable, 0};
		sink = both[index][0]; //~ ptr: memory error: null page access
	}
	if (way == 13)
		sink = ((int (*)(int))(uintptr_t)variable)(1); //~ ptr: memory error: invalid function pointer
	if (way == 14)
		sink = ((int (*)(int))((char *)twice + 1))(1); //~? ptr: memory error: invalid function pointer
	if (way == 15)
		*(volatile char *)twice = 0; //~ read_only: memory error: object read only | function twice
	if (way == 16)
		memcpy((void *)constant, variable, 4); //~ read_only: memory error: object read only
	if (way == 17) {
		uintptr_t number = (uintptr_t)variable;
		sink = *(int *)(number ^ 1 ^ 1);
	}
	if (way == 18)
		sink = (int)strlen((char *)0); //~ ptr: memory error: null page access
	return 0;
}
