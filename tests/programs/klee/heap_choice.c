/* A list built by functions chosen through a table, a growing array, everything freed again.
 * exits: 0 1 */
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

struct node {
	struct node *next;
	int value;
	char name[];
};

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }

int main(void)
{
	int (*ops[])(int, int) = {add, sub, mul};
	unsigned op;
	int a, *array = 0, sum = 0;
	size_t length = 0;
	klee_make_symbolic(&op, sizeof op, "op");
	klee_make_symbolic(&a, sizeof a, "a");
	klee_assume(op < 3 & a > -100 & a < 100);
	struct node *head = 0, **tail = &head;
	for (int i = 0; i < 3; i++) {
		struct node *n = malloc(sizeof *n + 4);
		n->next = 0;
		n->value = ops[op](a, i);
		strcpy(n->name, "abc");
		*tail = n;
		tail = &n->next;
	}
	for (struct node *n = head; n; n = n->next)
		if (n->value > 0) {
			array = realloc(array, ++length * sizeof *array);
			array[length - 1] = n->value;
		}
	for (size_t i = 0; i < length; i++)
		sum += array[i];
	free(array);
	while (head) {
		struct node *next = head->next;
		free(head);
		head = next;
	}
	if (sum == 9)
		return 1;
	return 0;
}
