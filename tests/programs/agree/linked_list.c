/* Sorted insertion into a linked list.
 * inputs: 256 */
#include "../agree.h"

struct node {
	unsigned char value;
	struct node *next;
};

static struct node *make(unsigned char value, struct node *next)
{
	struct node *n = malloc(sizeof *n);
	n->value = value;
	n->next = next;
	return n;
}

int main(void)
{
	struct node *head = make(10, make(50, make(200, NULL)));
	unsigned char value;
	klee_make_symbolic(&value, sizeof value, "value");
	struct node **at = &head;
	int position = 0;
	while (*at && (*at)->value < value) {
		at = &(*at)->next;
		position++;
	}
	*at = make(value, *at);
	printf("position %d\n", position);
	int duplicates = 0;
	for (struct node *n = head; n->next; n = n->next)
		if (n->value == n->next->value)
			duplicates++;
	return decide(duplicates);
}
