/* A vector that grows by realloc, read at a symbolic index.
 * inputs: 10 10 */
#include "../agree.h"

static int *items;
static size_t count, capacity;

static void push(int value)
{
	if (count == capacity) {
		capacity = capacity ? 2 * capacity : 1;
		items = realloc(items, capacity * sizeof *items);
	}
	items[count++] = value;
}

int main(void)
{
	int n = klee_range(0, 10, "n"), i = klee_range(0, 10, "i");
	for (int k = 0; k < n; k++)
		push(k * k);
	show("capacity", (long)capacity, 0, 16);
	if (i < n)
		show("item", items[i], 0, 81);
	else
		puts("none");
	free(items);
	return 0;
}
