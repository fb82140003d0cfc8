/* Deletes the nth node of a list, frees it, and walks what is left.
 * inputs: 5 */
#include "../agree.h"

struct node {
	int value;
	struct node *previous, *next;
};

int main(void)
{
	struct node *nodes[4], head = { .next = &head, .previous = &head };
	for (int i = 0; i < 4; i++) {
		struct node *n = nodes[i] = malloc(sizeof *n);
		*n = (struct node){ i + 1, head.previous, &head };
		head.previous->next = n;
		head.previous = n;
	}
	int victim = klee_range(0, 5, "victim");
	if (victim < 4) {
		struct node *n = nodes[victim];
		n->previous->next = n->next;
		n->next->previous = n->previous;
		free(n);
	}
	int sum = 0;
	for (struct node *n = head.next; n != &head; n = n->next)
		sum = sum * 10 + n->value;
	show("rest", sum, 0, 300);
	return decide(sum > 300);
}
