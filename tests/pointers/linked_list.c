/* Lists in the heap; the data of two lists stay apart. */
#include "alias.h"
struct node { struct node *next; int *data; };
int x, y;
static void push(struct node **head, int *data)
{
	struct node *n = malloc(sizeof *n);
	n->next = *head; n->data = data; *head = n;
}
int main(int argc, char **argv)
{
	struct node *first = NULL, *second = NULL;
	for (int i = 0; i < argc + 2; i++) { push(&first, &x); push(&second, &y); }
	struct node *n = first;
	while (n->next) n = n->next;
	MUSTALIAS(n->data, &x);
	MUSTALIAS(second->data, &y);
	return 0;
}
