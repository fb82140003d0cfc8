/* A list of symbolic length with symbolic elements, turned round and released.
 * exits: 0 1 2 3
 * tests: 4 */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

struct node {
	int value;
	struct node *next;
};

static struct node *made(int most)
{
	if (most == 0 || !klee_range(0, 2, "more"))
		return NULL;
	struct node *node = malloc(sizeof *node);
	klee_make_symbolic(node, sizeof *node, "node");
	node->next = made(most - 1);
	return node;
}

static int length(const struct node *list)
{
	int count = 0;
	for (; list; list = list->next)
		count++;
	return count;
}

static struct node *turned(struct node *list)
{
	struct node *back = NULL;
	while (list) {
		struct node *next = list->next;
		list->next = back;
		back = list;
		list = next;
	}
	return back;
}

int main(void)
{
	struct node *list = made(3), *last;
	int count = length(list), first = list ? list->value : 0;
	list = turned(list);
	assert(length(list) == count);
	for (last = list; last && last->next; last = last->next)
		;
	assert(!last || last->value == first);
	while (list) {
		last = list->next;
		free(list);
		list = last;
	}
	return count;
}
