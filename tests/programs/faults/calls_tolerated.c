/* Calls through a pointer of another type that every machine makes as they are meant. They are
 * usual, as callbacks, and no fault by themselves.
 * native: plain */
#include <klee/klee.h>
#include <stdlib.h>

static volatile int sink;

static int one(void) { return 1; }
static int pointed(int *p) { return *p; } //~ ptr: memory error: null page access
static int old_style(a, b) int a; char *b; { return a + *b; }
static int compare(const int *a, const int *b) { return *a - *b; }
static void nothing(void) {}

int main(void)
{
	int way = klee_range(0, 7, "way"), number = 1, numbers[3] = {3, 1, 2};
	void *volatile pointer = 0;
	if (way == 0) {
		pointer = (void *)pointed;
		sink = ((int (*)(void *))pointer)(&number);
	}
	if (way == 1) {
		pointer = (void *)one;
		sink = ((int (*)(int))pointer)(1);
	}
	if (way == 2) {
		pointer = (void *)old_style;
		sink = ((int (*)())pointer)(1, "a");
	}
	if (way == 3)
		qsort(numbers, 3, sizeof *numbers, (int (*)(const void *, const void *))compare);
	if (way == 4) {
		pointer = (void *)nothing;
		((int (*)(void))pointer)(); /* the result is not used */
	}
	if (way == 5) {
		pointer = (void *)one;
		sink = (int)((long (*)(void))pointer)();
	}
	if (way == 6) {
		pointer = (void *)pointed;
		sink = ((int (*)(int *))pointer)(0);
	}
	return 0;
}
