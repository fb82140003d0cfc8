/* A linked list of symbolic values, searched and freed; one value is freed twice.
 * errors: ptr
 * exits: 0 1 */
#include <klee/klee.h>
#include <stdlib.h>

struct node {
	int value;
	struct node *next;
};

int main(void)
{
	struct node *head = NULL;
	int values[3];
	klee_make_symbolic(values, sizeof values, "values");
	for (int i = 0; i < 3; i++) {
		struct node *n = malloc(sizeof *n);
		if (!n)
			exit(2);
		n->value = values[i];
		n->next = head;
		head = n;
	}
	int found = 0;
	for (struct node *n = head; n; n = n->next)
		if (n->value == 42)
			found = 1;
	while (head) {
		struct node *next = head->next;
		int again = head->value == 13;
		free(head);
		if (again)
			free(head);
		head = next;
	}
	return found;
}
