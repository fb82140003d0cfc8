/* A list linked by the exclusive or of neighbours' addresses.
 * inputs: 4 */
#include "../agree.h"

struct node {
	int value;
	uintptr_t link;
};

int main(void)
{
	struct node *nodes[4];
	for (int i = 0; i < 4; i++) {
		nodes[i] = malloc(sizeof *nodes[i]);
		nodes[i]->value = i + 1;
	}
	for (int i = 0; i < 4; i++)
		nodes[i]->link = (i ? (uintptr_t)nodes[i - 1] : 0) ^ (i < 3 ? (uintptr_t)nodes[i + 1] : 0);
	int steps = klee_range(0, 4, "steps");
	uintptr_t previous = 0, at = (uintptr_t)nodes[0];
	for (int k = 0; k < steps; k++) {
		uintptr_t next = ((struct node *)at)->link ^ previous;
		previous = at;
		at = next;
	}
	return decide(((struct node *)at)->value);
}
